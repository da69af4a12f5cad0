"""Our exponentials, logarithms and powers: close to the exact values, with the same bits everywhere."""

import hashlib
import math
import struct
from collections.abc import Callable
from decimal import Decimal, localcontext

import pytest

from clerestory.engine import Rng
from clerestory.engine.elementary import exp, log, power

DIGEST = "7398848f98cde2f8"


def arguments(least: float, most: float, number: int, seed: int = 1) -> list[float]:
    rng = Rng(seed)
    return [least + (most - least) * rng.unit() for _ in range(number)]


def error_in_places(found: float, exact: Decimal) -> float:
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(found)))


def worst(ours: Callable[[float], float], exact: Callable[[Decimal], Decimal], values: list[float]) -> float:
    with localcontext() as context:
        context.prec = 40
        return max(error_in_places(ours(x), exact(Decimal(x))) for x in values)


def test_the_exponential_is_right_to_three_places_and_stays_in_its_range() -> None:
    values = [*arguments(-700, 700, 1000), *arguments(-1, 1, 1000), 0.0, 1.0, -1.0, 700.0, -700.0]
    assert worst(exp, Decimal.exp, values) <= 3
    assert exp(0.0) == 1
    assert exp(-1e9) == exp(-700.0) > 0
    assert exp(1e9) == exp(700.0) < math.inf


def test_the_logarithm_is_right_to_two_places() -> None:
    tiny, huge = 2.2250738585072014e-308, 1.7976931348623157e308
    scales = [exp(x) for x in arguments(-700, 700, 1000)]
    values = [*scales, *arguments(0.5, 2, 1000), 1 - 2**-53, 1 + 2**-52, 2.0, 0.5, tiny, huge]
    assert worst(log, Decimal.ln, values) <= 2
    assert log(1.0) == 0


@pytest.mark.parametrize("exponent", [0.25, 1.12, 1.43, 3.0])
def test_powers(exponent: float) -> None:
    for base in arguments(1e-9, 1, 500):
        assert power(base, exponent) == pytest.approx(base**exponent, rel=1e-14)
    assert power(0.0, exponent) == 0
    assert power(1.0, exponent) == 1


OUTSIDE = [
    *((exp, (math.nan,)), (exp, (math.inf,)), (log, (0.0,)), (log, (-1.0,)), (log, (math.inf,)), (log, (5e-324,))),
    *((power, (-0.5, 2.0)), (power, (0.0, 0.0)), (power, (0.5, math.nan))),
]


@pytest.mark.parametrize(("function", "wrong"), OUTSIDE)
def test_a_number_outside_the_range(function: Callable[..., float], wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"is not"):
        function(*wrong)


def test_the_bits_are_the_same_on_every_machine() -> None:
    """The digest was taken on x86-64 with glibc."""
    found = [*map(exp, arguments(-700, 700, 5000, 2)), *map(log, arguments(1e-9, 1e9, 5000, 3))]
    found += [power(base, 1.43) for base in arguments(1e-9, 1, 5000, 4)]
    assert hashlib.sha256(struct.pack(f"<{len(found)}d", *found)).hexdigest()[:16] == DIGEST
