"""Values declared by a dataclass: their ranges, how texts are parsed, and the error messages."""

import math
from dataclasses import dataclass
from typing import Any

import pytest

from clerestory.declared import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Either,
    FreeText,
    Numbers,
    OneOf,
    Range,
    declarations,
    declared,
    faults,
    in_words,
)

SIZES = OneOf(("small", "large"))
CASES: list[tuple[Range, list[Any], list[Any], str]] = [
    (COUNT, [1, 10**9], [0, -1, 1.0, True, "1", None], "a whole number above 0"),
    (NOT_NEGATIVE, [0, 0.0, 2.5], [-0.1, math.inf, math.nan, "0", False], "a number of 0 or more"),
    (POSITIVE, [0.1, 3], [0, -1], "a number above 0"),
    (SHARE, [0, 0.5, 1], [-0.1, 1.1], "a number from 0 to 1"),
    (Numbers(0, 86_400, above=True), [0.1, 86_400], [0, 86_401], "a number above 0 and up to 86400"),
    (Numbers(1, 3, whole=True), [1, 3], [0, 4, 1.5], "a whole number from 1 to 3"),
    (Numbers(1 << 20, whole=True), [1 << 20], [1], "a whole number of 1048576 or more"),
    (SIZES, ["small"], ["medium", 1, ["small"]], "one of small, large"),
    (FreeText("the name of a town"), ["Kingsbridge"], [5, None], "the name of a town"),
    (Either(SHARE, OneOf(("all",))), [0.5, "all"], [2, "none"], "a number from 0 to 1 or the word all"),
]


@pytest.mark.parametrize(("limits", "inside", "outside", "words"), CASES)
def test_a_range(limits: Range, inside: list[Any], outside: list[Any], words: str) -> None:
    assert [value for value in inside if not limits.holds(value)] == []
    assert [value for value in outside if limits.holds(value)] == []
    assert str(limits) == words


@pytest.mark.parametrize(
    ("limits", "text", "value"),
    [(COUNT, "12", 12), (SHARE, "0.5", 0.5), (SIZES, "large", "large"), (Either(SHARE, SIZES), "large", "large")],
)
def test_a_text_is_read(limits: Range, text: str, value: object) -> None:
    assert limits.read(text) == value


@pytest.mark.parametrize(("limits", "text"), [(COUNT, "1.5"), (SHARE, "much"), (SIZES, "medium")])
def test_a_text_of_another_type_is_not_read(limits: Range, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        limits.read(text)


@dataclass(frozen=True)
class Cake:
    eggs: int = declared(3, "how many eggs", COUNT)
    size: str | None = declared(None, "how large it is", SIZES, name="cake_size")
    weight: int = declared(2_000, "its bytes", size=True)
    oven: str = "gas"


def test_faults_are_named_as_users_know_the_field() -> None:
    assert list(faults(Cake())) == []
    assert list(faults(Cake(eggs=0, size="huge"))) == [
        ("eggs", "0 is not a whole number above 0"),
        ("cake_size", "'huge' is not one of small, large"),
    ]
    assert list(faults(Cake(eggs=None))) == [("eggs", "None is not a whole number above 0")]  # type: ignore[arg-type]


def test_only_declared_settings_are_listed_with_their_defaults() -> None:
    said = {name: in_words(getattr(Cake(), name), declaration) for name, declaration in declarations(Cake).items()}
    assert said == {"eggs": "3", "size": "none", "weight": "2000 (2 KB)"}
