"""The gate: the matches that a new value must win before it replaces the previous one.

The candidate plays one seat against opponents in all others, with paired deals and a sequential test for each number of
players, budget and opponent. Equal iterations test its accuracy; equal time includes its cost. A match still undecided
after all its games counts for the likelier of the two hypotheses: with 0 and 20, for a candidate that leads by more
than 10 Elo.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clerestory.engine.core import Game
from clerestory.search.arena.match import Match
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import Report, play_match, report
from clerestory.search.arena.statistics import Sprt
from clerestory.search.training.errors import BadPlan

Count = Callable[[int], None]  # called with the number of newly finished games


@dataclass(frozen=True, slots=True)
class GateOptions:
    """The parameters of the matches.

    Attributes:
        budgets: budgets of a move, in the order in which they are played.
        references: bots that do not change from generation to generation.
        games: maximum games of a match; a deal is always finished.
        elo0, elo1: the two hypotheses about the Elo difference, elo0 the lower.
        seed: seed of the first deal.
    """

    budgets: tuple[str, ...] = ("2000it", "10ms")
    references: tuple[str, ...] = ()
    games: int = 400
    elo0: float = 0.0
    elo1: float = 20.0
    seed: int = 1 << 40

    def __post_init__(self) -> None:
        """Check every setting. Raises BadPlan."""
        if not self.budgets:
            raise BadPlan("budgets: needs at least one, as in 2000it")
        if self.games < 1:
            raise BadPlan(f"gate games: {self.games} is not a whole number above 0")
        if not self.elo0 < self.elo1:
            raise BadPlan(f"sprt: {self.elo0:g} is not below {self.elo1:g}")

    @property
    def sprt(self) -> Sprt:
        """The test of each match."""
        return Sprt(self.elo0, self.elo1)

    def matches(self, load: Callable[[], Game], seats: tuple[int, ...], bot: str, before: str) -> list[Match]:
        """Return all matches of a candidate, starting with those against the previous value."""
        return [
            Match(load, players, (bot, opponent), budget, self.seed, -(-self.games // players))
            for opponent in dict.fromkeys((before, *self.references))
            for budget in self.budgets
            for players in seats
        ]


def play_gate(
    gate: GateOptions, matches: list[Match], folder: Path, *, workers: int, crew: Crew = on_processes, count: Count
) -> Iterator[dict[str, Any]]:
    """Play matches until one is lost, store their games in a folder, and yield the outcome of each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, match in enumerate(matches):
        match.rehearse()
        with open_results(folder / f"{number:02}-{match.seats}p-{match.budget}.jsonl", match) as results:
            count(len(results.of(match)))
            with closing(play_match(match, results, workers=workers, sprt=gate.sprt, crew=crew)) as games:
                for _ in games:
                    count(1)
            found = outcome(match, report(match, results, gate.sprt))
        yield found
        if not found["passed"]:
            return


def outcome(match: Match, found: Report | None) -> dict[str, Any]:
    """Return the outcome of a match: figures with their intervals, and whether the candidate passed."""
    assert found is not None
    assert found.llr is not None
    return {
        "seats": match.seats,
        "opponent": match.bots[1],
        "budget": match.budget,
        "games": found.games,
        "score": asdict(found.score),
        "elo": {name: bounded(elo) for name, elo in asdict(found.elo).items()},
        "margin": found.margin.mean,
        "llr": found.llr,
        "verdict": str(found.verdict),
        "passed": found.llr > 0,
    }


def bounded(elo: float) -> float:
    """Return an Elo difference as a finite number, for JSON."""
    return max(min(elo, 9999.0), -9999.0)
