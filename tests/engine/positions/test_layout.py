"""Declared fields: hidden ones are cleared when observed, and memory is read correctly."""

import random
from typing import Any

import pytest

from clerestory.engine import GAMES, Rng
from clerestory.engine.core import Game
from clerestory.engine.positions.kinds import Choice, Each, Number
from clerestory.engine.positions.layout import Field, Layout
from clerestory.i18n.sentences import text
from tests.laws import observers, walk
from tests.shipped import CATHEDRAL, DUEL


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
        for seat in observers(state):
            fields = state.observe(seat).to_position()[name]
            assert all(is_unknown(fields[field]) for field in secrets)
            others = [player for i, player in enumerate(fields["players"]) if i != seat]
            assert all(is_unknown(player[field]) for player in others for field in own)
    assert known


@pytest.mark.parametrize("name", GAMES)
def test_every_byte_is_declared_or_zero(name: str) -> None:
    game, free = GAMES[name], 0
    memory = game.new(game.seats[0], Rng(1)).to_bytes()
    for i, byte in enumerate(memory):
        free += game.check_bytes(bytes([*memory[:i], byte ^ 128, *memory[i + 1 :]])) == 2
    assert game.check_bytes(memory) == 0
    assert free


@pytest.mark.parametrize("game", [CATHEDRAL, DUEL], ids=lambda game: game.name)
def test_memory_of_any_content_is_checked_without_harm(game: Game) -> None:
    source = random.Random(1)
    for _ in range(2000):
        noise = bytearray(source.randbytes(game.state_bytes))
        noise[0] = source.randrange(5)
        assert 0 < game.check_bytes(bytes(noise)) < len(game.invariants)
    with pytest.raises(ValueError, match=f"memory: 3 bytes; a position has {game.state_bytes}"):
        game.check_bytes(b"abc")


def test_a_card_twice_in_one_field_is_named() -> None:
    pair = Field("shown", (1, "B", 2), Each(Choice(("", "ox", "ram")), 2), home="cards")
    gold = Field("gold", (3, "B", 1), Number(0, 9))
    layout = Layout("farm", range(1, 2), (0, 4), (3, 1), [pair, pair._replace(name="sold")], [gold])
    [(field, fault)] = layout.place_faults({"shown": ["ox", "ox"], "sold": ["", ""], "players": [{"gold": 0}]})
    assert (field, fault) == ("shown", text("fault.place", value="'ox'", place="shown"))
