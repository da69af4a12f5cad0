"""A small match that many tests play, and a pool without processes."""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.engine.toy.rules import TOY
from clerestory.search.arena.match import GameResult, Match
from clerestory.search.arena.pool import Crew, TaskRunner, on_pool, on_processes
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import Report, play_match, report
from clerestory.search.arena.statistics import Sprt


def toy() -> Game:
    return TOY


def cathedral() -> Game:
    return GAMES["cathedral"]


MATCH = Match(toy, 3, ("expectimax:samples=2", "random"), "50it", seed=4, deals=5)


def run(
    match: Match, path: Path | None = None, sprt: Sprt | None = None, crew: Crew = on_processes, workers: int = 1
) -> tuple[Report, list[GameResult]]:
    """Return the report and the games, without their times."""
    with open_results(path, match) as results:
        for _ in play_match(match, results, workers=workers, sprt=sprt, crew=crew):
            pass
        outcome = report(match, results, sprt)
        assert outcome is not None
        a, b = (replace(side, ms_per_move=0) for side in (outcome.a, outcome.b))
        return replace(outcome, a=a, b=b), [replace(game, seconds=[]) for game in results.of(match)]


def played(deal: int, seat: int, returns: list[float]) -> GameResult:
    margins = [8 * share - 4 for share in returns]
    return GameResult(deal, seat, returns, margins, None, 8, [2] * len(returns), [0.5, 1.5], [0] * len(returns))


class InlinePool:
    """Runs a task in this process as soon as it is submitted; finished tasks may be taken in any order."""

    def submit(self, _: object, task: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(task.play())
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def inline(workers: int, pool: object = None) -> Iterator[TaskRunner]:
    """A worker pool whose tasks finish in any order, as on processes."""
    yield lambda tasks: on_pool(cast(Any, pool or InlinePool()), tasks, 2 * workers)
