"""The faults of positions and catalogues with planted errors, as (field, description)."""

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from clerestory.engine import BadCatalogue, BadPosition, Game
from clerestory.engine.catalogue import Catalogue

Fault = tuple[str, str]


def faults_of_position(game: Game, position: dict[str, Any], changes: dict[str, Any]) -> list[Fault]:
    """The faults of a position with some of its fields, and of `red`'s, changed."""
    fields = copy.deepcopy(position)
    changes = dict(changes)
    fields[game.name]["players"][0] |= changes.pop("red", {})
    fields[game.name] |= changes
    with pytest.raises(BadPosition) as caught:
        game.from_position(fields)
    return [tuple(fault) for fault in caught.value.violations]


def faults_of_catalogue(shape: type[Catalogue], text: str) -> list[Fault]:
    """The faults of the text of a catalogue."""
    with pytest.raises(BadCatalogue) as caught:
        shape.parse(text)
    return [tuple(fault) for fault in caught.value.violations]


def hash_of_catalogue(shape: type[Catalogue], text: str) -> str:
    """The hash of the text of a catalogue."""
    return shape.parse(text).content_hash()


def changed_line(shape: type[Catalogue], card: str, line: str, to: str) -> str:
    """The shipped text with one line of one card, or of a table in brackets, changed."""
    text = shape.shipped.read_text()
    start = rf"^\[{card}\]$" if f"[{card}]" in text.splitlines() else rf'^id = "{card}"$'
    before = "" if line.startswith("id") else rf"{start}.*?"
    pattern = re.compile(rf"({before}^){re.escape(line)}$", re.DOTALL | re.MULTILINE)
    changed, count = pattern.subn(lambda match: match[1] + to, text, count=1)
    assert count == 1
    return changed


def faulty_catalogues(shape: type[Catalogue], wrong: Sequence[tuple[str, str, str, str, str]]) -> Callable[..., None]:
    """A test for each changed line: the card, its line, the new line, the field in the fault, and its description."""

    @pytest.mark.parametrize(("card", "line", "to", "field", "description"), wrong)
    def test(card: str, line: str, to: str, field: str, description: str) -> None:
        found = faults_of_catalogue(shape, changed_line(shape, card, line, to))
        assert_fault(found, f"catalogue.{field}", description)

    return test


def faulty_positions(game: Game, opening: Any, wrong: Sequence[tuple[dict[str, Any], str, str]]) -> Callable[..., None]:
    """A test for each set of changed fields: the changes, the field in the fault, and its description."""

    @pytest.mark.parametrize(("changes", "field", "description"), wrong)
    def test(changes: dict[str, Any], field: str, description: str) -> None:
        assert_fault(faults_of_position(game, opening, changes), f"{game.name}.{field}", description)

    return test


def assert_fault(found: list[Fault], field: str, description: str) -> None:
    """One of the faults has this field and description."""
    assert [fault for fault in found if fault[0] == field and description in fault[1]], found
