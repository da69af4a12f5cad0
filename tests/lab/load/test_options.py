"""Lists of numbers."""

import pytest
import typer

from lab.load.options import read_numbers


@pytest.mark.parametrize(("text", "numbers"), [("2,64", [2, 64]), ("7", [7]), ("", [])])
def test_numbers_are_read_in_their_order(text: str, numbers: list[int]) -> None:
    assert read_numbers(text, int) == numbers


def test_what_is_no_number_is_named() -> None:
    assert read_numbers("0.5,2", float) == [0.5, 2.0]
    with pytest.raises(typer.BadParameter, match="'2,a' is not like 2,64"):
        read_numbers("2,a", int)
