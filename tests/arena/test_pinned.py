"""Pinned players always play the same games, so that strength can be compared over time."""

import hashlib
from dataclasses import fields

import pytest

from clerestory.arena.bots import BOTS, PINNED, Budget, parse_bot
from clerestory.arena.errors import BadBot
from clerestory.engine import GAMES, NATURE, Rng
from clerestory.engine.value import value_of
from clerestory.search.options import Options

BUDGET = Budget(iterations=60)
CASES = [(bot, name, seats) for bot in PINNED for name, game in GAMES.items() for seats in game.seats]

# Of what was played, and of how much was looked at. A change of rules or cards changes them, and makes other players of
# these: give those new names. Anything else that changes them is to be undone, or to become an option that pinned.toml
# names as it was.
DIGESTS = {
    "greedy-v2 cathedral 2": "f8394074116320a4",
    "greedy-v2 cathedral 3": "d3dc5724a7f1400d",
    "greedy-v2 cathedral 4": "559f26eace44924d",
    "greedy-v2 duel 2": "daa96c7399bf71cd",
    "greedy-v2 toy 2": "06e4be139bbd9b30",
    "greedy-v2 toy 3": "f90e692f2f84b664",
    "greedy-v2 toy 4": "52c455d7775c4ddd",
    "expectimax-v2 cathedral 2": "58d4cfcfcbf8ad73",
    "expectimax-v2 cathedral 3": "85956a08efae8d07",
    "expectimax-v2 cathedral 4": "ae66270c946d03a2",
    "expectimax-v2 duel 2": "1bf16d3e37f0a0d9",
    "expectimax-v2 toy 2": "dfb971cce2fa6d4e",
    "expectimax-v2 toy 3": "f90e692f2f84b664",
    "expectimax-v2 toy 4": "52c455d7775c4ddd",
    "ismcts-v1 cathedral 2": "d99e5c9a3c65c001",
    "ismcts-v1 cathedral 3": "8d72bf91ce99ba41",
    "ismcts-v1 cathedral 4": "7eb8a5077fad6178",
    "ismcts-v1 duel 2": "de9d0f19d7f872d3",
    "ismcts-v1 toy 2": "41b07e3cb5d094c6",
    "ismcts-v1 toy 3": "9b7487534213402f",
    "ismcts-v1 toy 4": "a3a0e6ad5cf5fbde",
}


def digest(bot: str, name: str, seats: int) -> str:
    """Play a game in which the bot has every seat; return a digest of it."""
    player, rng, state = parse_bot(bot), Rng(seats), GAMES[name].new(seats, seats)
    played = hashlib.sha256()
    while not state.over:
        if state.turn == NATURE:
            action, looked = state.draw(rng).text, 0
        else:
            move = player.choose(state, len(state.history), BUDGET)
            action, looked = move.action, move.iterations
        played.update(f"{action} {looked}\n".encode())
        state.play(action)
    return played.hexdigest()[:16]


@pytest.mark.parametrize(("bot", "name", "seats"), CASES)
def test_they_play_as_ever(bot: str, name: str, seats: int) -> None:
    assert digest(bot, name, seats) == DIGESTS[f"{bot} {name} {seats}"]


def test_every_option_of_the_search_is_named() -> None:
    """Otherwise a changed default could change the player; new options are pinned to the old behaviour."""
    of_the_search = {field.name for field in fields(Options)}
    assert of_the_search <= set(PINNED["ismcts-v1"])


@pytest.mark.parametrize("bot", PINNED)
def test_their_value_is_their_own(bot: str) -> None:
    assert PINNED[bot]["value"] == "hand-v1"
    for game in GAMES.values():
        assert value_of(game, "hand-v1") is not value_of(game, "hand")


@pytest.mark.parametrize("bot", PINNED)
def test_they_take_no_options(bot: str) -> None:
    with pytest.raises(BadBot, match="never changes"):
        parse_bot(f"{bot}:samples=3")
    assert bot in BOTS


def test_two_values_meet() -> None:
    """Two values are used in one process, and they differ."""
    game = GAMES["cathedral"]
    game.hand_values["none"] = game.hand_values["hand"][:]
    for place in range(len(game.hand_values["none"])):
        game.hand_values["none"][place] = 0.0
    state, rng = game.new(2, 1), Rng(1)
    while state.turn == NATURE:
        state.play(state.draw(rng))
    try:
        for bot in ("greedy", "expectimax", "ismcts"):
            chosen = [parse_bot(f"{bot}:value={value}").choose(state, 1, BUDGET).action for value in ("hand", "none")]
            assert len(set(chosen)) == 2 or bot == "ismcts"
        scores, shares = value_of(game, "none")(state)
        assert (scores, shares) == ((2.0, 2.0), None)
    finally:
        del game.hand_values["none"]


def test_a_value_that_there_is_not_is_named() -> None:
    state = GAMES["toy"].new(2, 1)
    while state.turn == NATURE:
        state.play(state.draw(1))
    with pytest.raises(BadBot, match="greedy: value: 'nonsense': no value of toy"):
        parse_bot("greedy:value=nonsense").choose(state, 1, BUDGET)
