"""Replays stored games: the decisions that were compared, and what was on the table at the start of each round."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clerestory.engine import GAMES, State
from tools.lab.facts.games import Table


@dataclass(frozen=True, slots=True)
class Compared:
    """A decision with the estimates of all actions.

    Attributes:
        game: number of the stored game.
        round: round of the game.
        seat: the seat to decide.
        fields: the fields of the position.
        preferred: the two actions that an independent search preferred, the best first.
        lines: win share and margin of each action.
    """

    game: int
    round: int
    seat: int
    fields: Mapping[str, Any]
    preferred: Sequence[str]
    lines: Mapping[str, Sequence[float]]

    def worth(self, action: str) -> tuple[float, float]:
        """Return how much better an action is than the best other one, in win share and in points."""
        other = next(one for one in self.preferred if one != action)
        (share, margin), (other_share, other_margin) = self.lines[action], self.lines[other]
        return share - other_share, margin - other_margin


@dataclass(frozen=True, slots=True)
class RoundStart:
    """The start of a round, at its first decision; also the end of the game, as the round after the last.

    Attributes:
        game: number of the stored game.
        round: number of the round.
        fields: the fields of the position.
        scores: points so far, by seat.
        returns: result of the game, by seat.
        over: whether the game is over.
    """

    game: int
    round: int
    fields: Mapping[str, Any]
    scores: Sequence[float]
    returns: Sequence[float]
    over: bool


def compared(table: Table) -> Iterator[Compared]:
    """Yield all compared decisions."""
    for game, row in enumerate(table.rows):
        tried = {one["ply"]: one for one in row["tried"]}
        for ply, state in enumerate(positions(table, row)):
            if one := tried.get(ply):
                fields = state.to_position()[table.game]
                yield Compared(game, state.round_number(), one["seat"], fields, one["preferred"], one["lines"])


def round_starts(table: Table) -> Iterator[RoundStart]:
    """Yield the starts of all rounds, and the ends of all games."""
    for game, row in enumerate(table.rows):
        last = 0
        for state in positions(table, row):
            now = state.round_number() + state.over
            if now != last and (state.turn >= 0 or state.over):
                last = now
                fields = state.to_position()[table.game]
                yield RoundStart(game, now, fields, state.current_scores(), row["returns"], state.over)


def positions(table: Table, row: Mapping[str, Any]) -> Iterator[State]:
    """Yield the position before each ply of a stored game, and the final one."""
    state = GAMES[table.game].new(table.seats, row["seed"])
    for code in row["actions"]:
        yield state
        state.play(code)
    yield state
