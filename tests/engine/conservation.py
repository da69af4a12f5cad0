"""A machine that plays any legal action, Nature's included, and takes some back. Games add what is conserved."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clerestory.engine import GAMES, State


class Conservation(RuleBasedStateMachine):
    """Plays the game `name`."""

    name: str
    state: State

    @initialize(data=st.data(), seed=st.integers(0, 2**64 - 1))
    def set_up(self, data: st.DataObject, seed: int) -> None:
        game = GAMES[self.name]
        self.state = game.new(data.draw(st.sampled_from(list(game.seats))), seed)

    @rule(choices=st.lists(st.integers(0, 10_000), min_size=1, max_size=50))
    def play(self, choices: list[int]) -> None:
        for choice in choices:
            if not self.state.over:
                legal = self.state.legal_codes()
                self.state.play(legal[choice % len(legal)])

    @precondition(lambda self: self.state.history)
    @rule(count=st.integers(1, 5))
    def take_back(self, count: int) -> None:
        for _ in range(min(count, len(self.state.history))):
            self.state.undo()

    @property
    def fields(self) -> dict[str, Any]:
        inner: dict[str, Any] = self.state.to_position()[self.name]
        return inner

    @invariant()
    def core_finds_nothing_wrong(self) -> None:
        assert self.state.check() == 0
