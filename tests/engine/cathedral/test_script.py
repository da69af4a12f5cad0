"""The scripted player: each rule in a position where it decides, and the same game for ever."""

import hashlib
from typing import Any

import pytest

from clerestory.arena.bots import Budget, parse_bot
from clerestory.arena.errors import BadBot
from clerestory.engine import NATURE, Rng
from clerestory.engine.cathedral import script
from clerestory.engine.cathedral.script import ScriptView
from clerestory.engine.toy.rules import TOY
from tests.shipped import CATHEDRAL


def table(**me: Any) -> ScriptView:
    """The first draft, in which the seat holds the given things."""
    state = CATHEDRAL.new(2, 3)
    state.play_nature(1)
    seen = script.view_of(state)
    return ScriptView(seen.all, {**seen.me, **me}, seen.cards)


def test_a_cube_goes_where_it_brings_most() -> None:
    """Two sand give the better mortar mixer one VP, so the other one gets none of four."""
    uses = script.plan(table(sand=4, craftsmen=["mortar_mixer", "mortar_mixer_1"]))
    assert (uses["mortar_mixer_1"], uses["mortar_mixer"]) == (2, 0)
    both = table(sand=4, craftsmen=["mortar_mixer", "mortar_mixer_1"])
    assert script.convert(both, "mortar_mixer_1", "2") > 0 > script.convert(both, "mortar_mixer", "1")


def test_cubes_without_a_craftsman_are_not_fetched() -> None:
    assert script.take(table(craftsmen=["woodworker"]), "wood_2") > script.take(
        table(craftsmen=["stonecutter"]), "wood_2"
    )
    assert script.take(table(craftsmen=["stonecutter"]), "wood_2") < 0


def test_gold_is_kept_for_the_rounds_to_come() -> None:
    assert script.hire(table(gold=20), "mortar_mixer_1") > 0 > script.hire(table(gold=8), "mortar_mixer_1")
    assert script.buy(table(gold=20), "wood", "2") > 0 > script.buy(table(gold=8), "wood", "2")


def test_an_early_builder_is_too_dear() -> None:
    seen = table(gold=20)
    late = ScriptView({**seen.all, "cost": 2, "drawn": "red"}, seen.me, seen.cards)
    early = ScriptView({**seen.all, "cost": 7, "drawn": "red"}, seen.me, seen.cards)
    assert script.place(late, "red", "priory") > 0 > script.place(early, "red", "priory")


def test_nobody_is_dismissed_whom_others_need() -> None:
    """The masons are idle without a mortar mixer."""
    alone = table(craftsmen=["mortar_mixer", "mason_1", "mason_2", "woodworker", "stonecutter"])
    pair = table(craftsmen=["mortar_mixer", "mortar_mixer_1", "mason_1", "mason_2", "woodworker"])
    assert script.dismiss(pair, "mortar_mixer") > script.dismiss(alone, "mortar_mixer")
    assert script.dismiss(alone, "mortar_mixer") < script.dismiss(alone, "stonecutter")


def test_only_what_nobody_can_use_is_sold() -> None:
    assert script.sell(table(sand=12, craftsmen=["mortar_mixer"]), "sand", "3") > 0
    assert script.sell(table(sand=9, craftsmen=["mortar_mixer"]), "sand", "3") < 0


def test_what_protects_is_used_and_doing_nothing_is_worth_nothing() -> None:
    seen = table()
    assert script.rate(seen, "protect") > script.rate(seen, "decline") == 0
    assert script.rate(seen, "use", "tax_exemption") > script.rate(seen, "save", "tax_exemption")


def test_another_game_is_refused() -> None:
    state = TOY.new(2, 1)
    state.play_nature(1)
    with pytest.raises(BadBot, match="toy"):
        parse_bot("script-v1").choose(state, 0, Budget())


DIGESTS = {2: "d3a8856e136f28b5", 3: "a2bd62d39de2c0ae", 4: "0fc40d64614660f3"}


@pytest.mark.parametrize("seats", DIGESTS)
def test_it_plays_as_it_always_did(seats: int) -> None:
    """A stronger version needs another name."""
    state, rng, played = CATHEDRAL.new(seats, seats), Rng(seats), hashlib.sha256()
    bot = parse_bot("script-v1")
    while not state.over:
        action = state.draw(rng).text if state.turn == NATURE else bot.choose(state, 0, Budget()).action
        played.update(f"{action}\n".encode())
        state.play(action)
    assert played.hexdigest()[:16] == DIGESTS[seats]
