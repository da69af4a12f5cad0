"""The scripted player: each rule in a position where it decides, and a fixed game."""

import hashlib
from typing import Any

import pytest

from clerestory.engine import NATURE, Rng
from clerestory.engine.cathedral import script
from clerestory.engine.cathedral.script import ScriptView
from clerestory.engine.toy.rules import TOY
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.errors import BadBot
from tests.shipped import CATHEDRAL


def table(**me: Any) -> ScriptView:
    """Return the first draft, in which the seat holds the given things."""
    state = CATHEDRAL.new(2, 3)
    state.play_nature(1)
    seen = script.view_of(state)
    return ScriptView(seen.all, {**seen.me, **me}, seen.cards)


def test_a_cube_goes_where_it_brings_most() -> None:
    """Two sand give the better mortar mixer one VP, so the other one gets none of four."""
    both = table(sand=4, craftsmen=["mortar_mixer", "mortar_mixer_1"])
    uses = script.plan(both)
    assert (uses["mortar_mixer_1"], uses["mortar_mixer"]) == (2, 0)
    assert script.convert(both, "mortar_mixer_1", "2") > 0 > script.convert(both, "mortar_mixer", "1")


ALONE = table(craftsmen=["mortar_mixer", "mason_1", "mason_2", "woodworker", "stonecutter"])
PAIR = table(craftsmen=["mortar_mixer", "mortar_mixer_1", "mason_1", "mason_2", "woodworker"])


def test_nobody_is_dismissed_whom_others_need_and_doing_nothing_is_worth_nothing() -> None:
    """The masons are idle without a mortar mixer."""
    assert script.dismiss(PAIR, "mortar_mixer") > script.dismiss(ALONE, "mortar_mixer")
    assert script.dismiss(ALONE, "mortar_mixer") < script.dismiss(ALONE, "stonecutter")
    assert script.rate(table(), "decline") == 0
    assert script.rate(table(), "use", "tax_exemption") > script.rate(table(), "save", "tax_exemption")


def test_another_game_is_rejected() -> None:
    state = TOY.new(2, 1)
    state.play_nature(1)
    with pytest.raises(BadBot, match="toy"):
        parse_bot("script-v1").choose(state, 0, Budget())


DIGESTS = {
    ("script-v1", 2): "d3a8856e136f28b5",
    ("script-v1", 3): "a2bd62d39de2c0ae",
    ("script-v1", 4): "0fc40d64614660f3",
    ("priced-v1", 2): "259c798e5b8b0a1e",
    ("priced-v1", 3): "e322d7a26b8da2bd",
    ("priced-v1", 4): "a9bebc4d612fba34",
}


@pytest.mark.parametrize(("name", "seats"), DIGESTS)
def test_it_plays_as_it_always_did(name: str, seats: int) -> None:
    """A stronger version needs another name."""
    state, rng, played = CATHEDRAL.new(seats, seats), Rng(seats), hashlib.sha256()
    bot = parse_bot(name)
    while not state.over:
        action = state.draw(rng).text if state.turn == NATURE else bot.choose(state, 0, Budget()).action
        played.update(f"{action}\n".encode())
        state.play(action)
    assert played.hexdigest()[:16] == DIGESTS[name, seats]
