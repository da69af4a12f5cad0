"""Sizes for people."""

import pytest

from clerestory.sizes import spoken_size


@pytest.mark.parametrize(
    ("size", "spoken"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (81_218_970, "81 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1 GB"),
        (1 << 63, "9 EB"),
        (1 << 80, "1208926 EB"),
    ],
)
def test_a_size_is_rounded_and_has_a_unit(size: int, spoken: str) -> None:
    assert spoken_size(size) == spoken
