"""The predictions of a value during games, and the results."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from clerestory.engine import Game, Rng, State


def foreseen_and_came(
    game: Game, seeds: Iterable[int], moment: Callable[[dict[str, Any]], bool], play: Callable[[State, Rng], int]
) -> Iterator[tuple[float, float]]:
    """Yield, of games for two, the lead of seat 0 that the value foresaw at a moment, and its margin at the end."""
    for seed in seeds:
        rng, lead = Rng(seed), None
        state = game.new(2, rng)
        while not state.over:
            if lead is None and moment(state.to_position()[game.name]):
                lead = state.value()[0] - state.value()[1]
            state.play(play(state, rng))
        if lead is not None:
            yield lead, state.margins()[0]
