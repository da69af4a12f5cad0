"""Lines that are too long are found and wrapped; nothing else is changed."""

import pytest

from tools.prose import faults, fixed

LONG = "word " * 30


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (LONG, [1]),
        (f"short\n{LONG}\nshort", [2]),
        (f"- {LONG}\n  {LONG}", [1, 2]),
        (f"1. item\n\n   {LONG}", [3]),
        (f"> {LONG}", [1]),
        (f"- item\n    {LONG}", [2]),
        (f"# {LONG}", []),
        (f"| {LONG} |", []),
        (f"```\n{LONG}\n```", []),
        (f"```\n{LONG}\n```\n{LONG}", [4]),
        (f"- item\n  ```sh\n  {LONG}\n  ```", []),
        (f"text\n\n    {LONG}", []),
        (f"`{LONG}`", []),
        (f"[x](https://example.org/{'a' * 100})", []),
        (f"see [x](https://example.org/{'a' * 100})", [1]),
        ("w" * 101, []),
        ("word " * 19 + "words", []),
        ("word " * 19 + "words.", [1]),
    ],
)
def test_lines_of_prose_that_could_be_broken_are_found(text: str, numbers: list[int]) -> None:
    assert faults(text) == numbers


@pytest.mark.parametrize("marker", ["", "- ", "  * ", "12. ", "> "])
def test_wrapped_prose_fits_and_says_the_same(marker: str) -> None:
    text = f"{marker}{LONG}`code that stays together` - 7. {LONG}\n\n| table |\n"
    new = fixed(text)
    assert faults(new) == []
    assert [word for word in new.split() if word != ">"] == [word for word in text.split() if word != ">"]
    assert "`code that stays together`" in new
    assert not any(line.startswith(("- 7", "7. ")) for line in new.split("\n"))
    assert fixed(new) == new


def test_short_lines_are_left_alone() -> None:
    text = f"short\nlines\n\n```\n{LONG}\n```\n\n| a |\n"
    assert fixed(text) == text
