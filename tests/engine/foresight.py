"""The predictions of a value during games, and the results."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from clerestory.engine import Game, Rng, State


def foreseen_and_came(
    game: Game, seeds: Iterable[int], moment: Callable[[dict[str, Any]], bool], play: Callable[[State, Rng], int]
) -> Iterator[tuple[float, float]]:
    """Yield the lead of seat 0 that the value foresaw, and its margin at the end, of games of two that had the moment.

    Args:
        game: its rules.
        seeds: one for each game.
        moment: whether a position's fields are those at which the value is asked, the first time that they are.
        play: returns the code of a decision, or of what Nature brings up.
    """
    for seed in seeds:
        rng, lead = Rng(seed), None
        state = game.new(2, rng)
        while not state.over:
            if lead is None and moment(state.to_position()[game.name]):
                lead = state.value()[0] - state.value()[1]
            state.play(play(state, rng))
        if lead is not None:
            yield lead, state.margins()[0]
