from collections.abc import Sequence

def sharpened(
    means: Sequence[float], errors: Sequence[float], exponent: float
) -> tuple[tuple[float, ...], tuple[float, ...]]: ...
