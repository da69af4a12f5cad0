from collections.abc import Sequence

def sharpened(
    means: Sequence[float], errors: Sequence[float], exponent: float, lead: float = 0.0
) -> tuple[tuple[float, ...], tuple[float, ...]]: ...
