"""What is said of positions and catalogues that are changed for the worse: every fault, as (field, description)."""

import copy
import re
from typing import Any

import pytest

from clerestory.engine import BadCatalogue, BadPosition, Game
from clerestory.engine.catalogue import Catalogue

Fault = tuple[str, str]


def faults_of_position(game: Game, position: dict[str, Any], changes: dict[str, Any]) -> list[Fault]:
    """What is wrong with a position when some of its fields, and of `red`'s, are changed."""
    fields = copy.deepcopy(position)
    changes = dict(changes)
    fields[game.name]["players"][0] |= changes.pop("red", {})
    fields[game.name] |= changes
    with pytest.raises(BadPosition) as caught:
        game.from_position(fields)
    return [tuple(fault) for fault in caught.value.violations]


def faults_of_catalogue(shape: type[Catalogue], text: str) -> list[Fault]:
    """What is wrong with the text of a catalogue."""
    with pytest.raises(BadCatalogue) as caught:
        shape.parse(text)
    return [tuple(fault) for fault in caught.value.violations]


def changed_line(shape: type[Catalogue], card: str, line: str, to: str) -> str:
    """The shipped text with one line of one card, or of a table in brackets, changed."""
    text = shape.shipped.read_text()
    start = rf"^\[{card}\]$" if f"[{card}]" in text.splitlines() else rf'^id = "{card}"$'
    before = "" if line.startswith("id") else rf"{start}.*?"
    pattern = re.compile(rf"({before}^){re.escape(line)}$", re.DOTALL | re.MULTILINE)
    changed, count = pattern.subn(lambda match: match[1] + to, text, count=1)
    assert count == 1
    return changed


def assert_fault(found: list[Fault], field: str, description: str) -> None:
    """One of the faults is of the field, and says so."""
    assert [fault for fault in found if fault[0] == field and description in fault[1]], found
