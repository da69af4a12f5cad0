"""Matches: every seating of every deal, and the same games for the same seed."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.arena.errors import BadBot, BadMatch
from clerestory.search.arena.match import decisions, derived_seed, nature_of, play_game
from clerestory.search.errors import BadLimit
from tests.foretold import ALL, foretold
from tests.search.arena.matches import MATCH, cathedral, run, toy


@pytest.mark.parametrize("seats", TOY.seats)
def test_every_deal_is_played_from_every_seat(seats: int) -> None:
    match = replace(MATCH, seats=seats, deals=6)
    _, games = run(match)
    seatings = Counter((game.deal, game.seat) for game in games)
    assert seatings == {(deal, seat): 1 for deal in range(4, 10) for seat in range(seats)}


def test_a_deal_has_one_opening_and_one_luck() -> None:
    """Deterministic bots get the same cards: greedy against itself has the same result in every seating."""
    games = [play_game(replace(MATCH, bots=("greedy", "greedy")), 3, seat) for seat in range(3)]
    assert len({tuple(game.returns + game.margins) for game in games if game}) == 1


def test_luck_reveals_nothing_of_the_cards() -> None:
    """The players are random, so that only the luck can depend on the deck."""

    def game(deal: int) -> State:
        state, choices = GAMES["duel"].new(2, deal), Rng(derived_seed("choices", deal))
        for _ in decisions(state, nature_of(deal)):
            legal = state.legal_codes()
            state.play(legal[choices.below(len(legal))])
        return state

    assert foretold(map(game, range(300))) < ALL / 3


@pytest.mark.parametrize("load", [toy, cathedral])
def test_a_match_can_be_repeated(load: Any) -> None:
    match = replace(MATCH, load=load, bots=("ismcts-plain", "greedy:samples=1"), budget="5it", deals=1)
    assert run(match) == run(match)
    assert run(match)[1] != run(replace(match, seed=40))[1]


def test_moves_have_seeds_of_their_own() -> None:
    """The documented hash, computed by another program (b2sum -l 64); random bots play differently in each seating."""
    assert derived_seed("move", 0, 1, 2) == int.from_bytes(bytes.fromhex("9a304303c74abb11"), "little")
    seeds = {derived_seed("move", deal, seat, ply) for deal in range(9) for seat in range(4) for ply in range(9)}
    assert len(seeds) == 9 * 4 * 9
    games = [play_game(replace(MATCH, load=cathedral, bots=("random", "random")), 3, seat) for seat in range(3)]
    assert len({tuple(game.margins) for game in games if game}) > 1


def test_a_game_can_be_stopped_between_moves() -> None:
    asked = iter([False, False, True])
    assert play_game(MATCH, 1, 0, lambda: next(asked)) is None
    assert next(asked, None) is None


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"seats": 5}, BadMatch, "seats: 5"),
        ({"deals": 0}, BadMatch, "deals"),
        ({"seed": -1}, BadMatch, "deals"),
        ({"seed": 2**64 - 4}, BadMatch, "deals"),
        ({"budget": "soon"}, BadLimit, "budget: 'soon'"),
        ({"bots": ("greedy", "nobody")}, BadBot, "'nobody'"),
        ({"bots": ("greedy", "ismcts-plain:depth=3")}, BadBot, "depth"),
        ({"bots": ("ismcts-plain:exploration=x", "greedy")}, BadLimit, "exploration"),
    ],
)
def test_a_match_that_cannot_be_played_is_rejected(change: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        replace(MATCH, **change).rehearse()


def test_the_last_seed_is_taken() -> None:
    replace(MATCH, seed=2**64 - 5).rehearse()
