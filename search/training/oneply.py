"""Games of one ply to begin with: a net plays itself without a search and is fitted to the games, round by round.

Hundreds of these games take the time of one searched game, so a net can see hundreds of thousands. No position is
stored: every round plays fresh games with the current weights and fits them once, so memory is bounded by one round.
All random choices of a game depend only on its number, the seed and the weights. A killed run repeats the interrupted
round. The weights are the same for any number of processes and any interruptions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from clerestory.engine.core import Game
from clerestory.engine.values.net import NetMemory
from clerestory.search.arena.afterstates import OnePlyGames
from clerestory.search.arena.match import derived_seed
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.training.columns import Array
from clerestory.search.training.fit import Progress, Schedule, continued, header_of
from clerestory.search.training.net import NetWeights, begin_weights, in_points, in_units, numpy_arrays
from clerestory.search.training.plan import LearningPlan, OnePlyHabits
from clerestory.search.training.samples import Lines, PositionRows, Samples

PIECE = 500  # games that a process plays at a time
ROWS = {
    "state": np.uint8,
    "seat": np.int16,
    "round": np.int16,
    "scores": np.float32,
    "returns": np.float32,
    "lead": np.float32,
    "shares": np.float32,
}


@dataclass(frozen=True, slots=True)
class OnePlyTask:
    """A task: some games of a round.

    Attributes:
        load: returns the game, as for Match.
        seats: number of players.
        seed, round, number: seed of the run, number of the round and of the piece in it.
        games: number of games.
        habits: how the games are played.
        weights: weights of the net in their shipped form.
    """

    load: Callable[[], Game]
    seats: int
    seed: int
    round: int
    number: int
    games: int
    habits: OnePlyHabits
    weights: NetWeights

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[tuple[int, int, PositionRows]]:
        """Return the seats, the number of the piece and the positions of its games; nothing if stopped."""
        game, parts = self.load(), []
        flat: Any = SimpleNamespace(arrays={name: array.ravel() for name, array in self.weights.items()})
        habits = {name: getattr(self.habits, name) for name in ("straying", "noise", "trace")}
        table, room = OnePlyGames(game, NetMemory(game, flat), self.seats, **habits), empty_rows(game, self.seats)
        for number in range(self.games):
            if stopped():
                return []
            count = table.play(self.seed_of(number), self.habits.kept, room, 0)
            parts.append({name: array[:count].copy() for name, array in room.items()})
        joined = {name: np.concatenate([part[name] for part in parts]) for name in ROWS}
        return [(self.seats, self.number, PositionRows(**{**joined, "seat": joined["seat"].astype(np.int64)}))]

    def seed_of(self, number: int) -> int:
        """Return the seed of one of its games."""
        return derived_seed("one-ply", self.seed, self.round, self.seats, self.number * PIECE + number)

    def header(self) -> dict[str, Any]:
        """Return what the games depend on besides the weights."""
        return {"oneply": 1, "seats": self.seats, "seed": self.seed, **asdict(self.habits)}


def empty_rows(game: Game, seats: int) -> dict[str, Array]:
    """Return empty rows for the positions of the longest game."""
    widths = {"state": (game.state_bytes,), **dict.fromkeys(("scores", "returns", "shares"), (seats,))}
    return {name: np.empty((game.max_plies, *widths.get(name, ())), kind) for name, kind in ROWS.items()}


def pieces(plan: LearningPlan, progress: Progress) -> Iterator[OnePlyTask]:
    """Yield the tasks of the next round."""
    weights, habits = in_points(progress.weights), plan.one_ply
    for players in plan.seats:
        for number, first in enumerate(range(0, habits.games, PIECE)):
            games = min(PIECE, habits.games - first)
            yield OnePlyTask(plan.load, players, plan.seed, progress.epoch, number, games, habits, weights)


def play_round(tasks: Iterator[OnePlyTask], workers: int, crew: Crew) -> Mapping[int, Samples]:
    """Play a round, and return its positions by number of seats, in the order of the games."""
    with crew(workers) as run:
        played = sorted((part for done in run(tasks) for part in done), key=lambda part: part[:2])
    seats = sorted({players for players, _, _ in played})
    return {
        players: Samples(PositionRows.joined([rows for here, _, rows in played if here == players]), no_lines())
        for players in seats
    }


def no_lines() -> Lines:
    """Return an empty set of lines."""
    return Lines(*(np.empty(0) for _ in fields(Lines)))


def rehearse(
    plan: LearningPlan,
    schedule: Schedule,
    kept: Path,
    *,
    workers: int = 1,
    crew: Crew = on_processes,
) -> Iterator[Progress]:
    """Learn from games of one ply, and yield the state after every round, always the same object.

    Args:
        plan: plan of the run; it starts with the shipped value, or random weights where none is shipped.
        schedule: settings of the fit; an epoch is a round.
        kept: file of the state.
        workers: number of processes that play.
        crew: the worker pool.

    Raises BadData for a file of another run.
    """
    game = plan.load()

    def supply(progress: Progress) -> Mapping[int, Samples]:
        return play_round(pieces(plan, progress), workers, crew)

    header = header_of(schedule, **asdict(plan.one_ply), **plan.header())
    return continued(supply, game.inputs, schedule, first_player(plan, schedule), (kept, header))


def first_player(plan: LearningPlan, schedule: Schedule) -> NetWeights:
    """Return the weights that play the first round, in their training form."""
    shipped = plan.weights(None)
    own, table = map(len, plan.load().input_names)
    return begin_weights(own, table, schedule.seed) if shipped is None else in_units(numpy_arrays(shipped))
