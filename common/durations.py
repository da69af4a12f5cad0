"""Parses durations as users write them."""

import re

UNITS = {"ms": 0.001, "s": 1.0}


def parse_duration(text: str) -> float | None:
    """Return the seconds in a text such as `500ms`, `2s` or `-1.5 s`; None if it is not a duration."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(ms|s)\s*", text, re.ASCII)
    return float(match[1]) * UNITS[match[2]] if match else None
