"""Positions as tables for the terminal: functions shared by the games' `show`."""

from collections.abc import Iterable, Sequence
from typing import Any


def words(items: Iterable[str]) -> str:
    """The non-empty texts, in one line."""
    return ", ".join(item for item in items if item)


def named(values: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each non-empty value, after its name."""
    return [f"{name}: {value}" for name, value in values if value]


def headline(place: str, fields: dict[str, Any], rest: str) -> str:
    """Where in the game a position is, and who acts."""
    acts = f", {fields['to_act']} to act" if fields["to_act"] else ""
    return f"{place}, {fields['step']}{acts}; {rest}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
