"""The errors of positions and catalogues with planted faults, as (field, description)."""

import copy
import re
from typing import Any

import pytest

from clerestory.engine import BadCatalogue, BadPosition, Game
from clerestory.engine.catalogue import Catalogue

Fault = tuple[str, str]
COLOURS = ("red", "blue", "green", "yellow")


def faults_of_position(game: Game, position: dict[str, Any], changes: dict[str, Any]) -> list[Fault]:
    """Return the errors of a position with some of its fields changed; `red`, `blue`... change a player's fields."""
    position = copy.deepcopy(position)
    fields = position[game.name]
    for name, value in changes.items():
        if name in COLOURS:
            fields["players"][COLOURS.index(name)] |= value
        else:
            fields[name] = value
    with pytest.raises(BadPosition) as caught:
        game.from_position(position)
    return [tuple(fault) for fault in caught.value.violations]


def faults_of_catalogue(shape: type[Catalogue], text: str) -> list[Fault]:
    with pytest.raises(BadCatalogue) as caught:
        shape.parse(text)
    return [tuple(fault) for fault in caught.value.violations]


def changed_line(shape: type[Catalogue], card: str, line: str, to: str) -> str:
    """Return the shipped text with one line of one card, or of a table in brackets, changed."""
    text = shape.shipped.read_text()
    start = rf"^\[{card}\]$" if f"[{card}]" in text.splitlines() else rf'^id = "{card}"$'
    before = "" if line.startswith("id") else rf"{start}.*?"
    pattern = re.compile(rf"({before}^){re.escape(line)}$", re.DOTALL | re.MULTILINE)
    changed, count = pattern.subn(lambda match: match[1] + to, text, count=1)
    assert count == 1
    return changed


def matching(found: list[Fault], field: str, description: str) -> list[Fault]:
    return [fault for fault in found if fault[0] == field and description in fault[1]]
