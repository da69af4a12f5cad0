"""Declared fields: RULES.md agrees with them, hidden ones are cleared when observed, and memory is read correctly."""

from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Rng
from clerestory.engine.core import Game
from clerestory.engine.kinds import Choice, Each, Number
from clerestory.engine.layout import Field, Layout
from clerestory.texts.sentences import text
from tests.laws import walk
from tools.fields import with_tables

ENGINE = Path(__file__).parents[2] / "engine"


def rules_of(game: Game) -> str:
    return (ENGINE / game.name / "RULES.md").read_text()


@pytest.mark.parametrize("name", GAMES)
def test_the_tables_of_the_rules_are_the_declared_ones(name: str) -> None:
    """The tables are those that `make reference` writes."""
    description = GAMES[name].layout.description()
    assert description in rules_of(GAMES[name])
    stale = rules_of(GAMES[name]).replace("| `players` | by seat, below |\n", "")
    assert with_tables(stale, description) == rules_of(GAMES[name])
    text = (
        "before\n\n| field | content |\n| a | b |\n\n| field of a player | content |\n| c | d |\n\n- x | after\n| a |\n"
    )
    assert with_tables(text, "tables\n") == "before\n\ntables\n\n- x | after\n| a |\n"


def is_unknown(value: Any) -> bool:
    return not value or not any(value)


@pytest.mark.parametrize("name", GAMES)
def test_hidden_fields_are_unknown_to_those_they_are_hidden_from(name: str) -> None:
    layout = GAMES[name].layout
    secrets = [field.name for field in layout.fields if field.hidden == "all"]
    own = [field.name for field in layout.player_fields if field.hidden == "others"]
    known = 0
    assert secrets
    for state in walk(GAMES[name], 2, 3):
        known += any(not is_unknown(state.to_position()[name][field]) for field in secrets)
        for seat in (NATURE, *range(state.seats)):
            fields = state.observe(seat).to_position()[name]
            assert all(is_unknown(fields[field]) for field in secrets)
            others = [player for i, player in enumerate(fields["players"]) if i != seat]
            assert all(is_unknown(player[field]) for player in others for field in own)
    assert known


@pytest.mark.parametrize("name", GAMES)
def test_every_byte_is_declared_or_zero(name: str) -> None:
    """A byte that no field claims cannot hold anything."""
    game, free = GAMES[name], 0
    memory = game.new(game.seats[0], Rng(1)).to_bytes()
    for i, byte in enumerate(memory):
        changed = bytes([*memory[:i], byte ^ 128, *memory[i + 1 :]])
        free += game.check_bytes(changed) == 2
    assert game.check_bytes(memory) == 0
    assert free


@pytest.mark.parametrize("name", GAMES)
def test_fields_say_all_of_the_memory(name: str) -> None:
    layout = GAMES[name].layout
    for state in walk(GAMES[name], 2, 5):
        memory = state.to_bytes()
        assert layout.pack(layout.unpack(memory)) == memory


def test_a_card_twice_in_one_field_is_named() -> None:
    pair = Field("shown", (1, "B", 2), Each(Choice(("", "ox", "ram")), 2), home="cards")
    layout = Layout(
        "farm",
        range(1, 2),
        (0, 4),
        (3, 1),
        [pair, pair._replace(name="sold")],
        [Field("gold", (3, "B", 1), Number(0, 9))],
    )
    assert list(layout.place_faults({"shown": ["ox", "ox"], "sold": ["", ""], "players": [{"gold": 0}]})) == [
        ("shown", text("fault.place", value="'ox'", place="shown"))
    ]
