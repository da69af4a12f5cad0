"""The levels of puzzles: the weakest level of play that finds the answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from clerestory.engine import State
from clerestory.engine.plans import Planner
from clerestory.engine.tuning import NUM_LEVELS, Level
from clerestory.search.arena.match import derived_seed
from clerestory.search.levels import choose_line, level_of
from clerestory.search.review.puzzle import PLAN_SEPARATOR, UNFOUND
from clerestory.search.root import Root
from tools.lab.puzzle_plans import nearest, plan_of, searched

TRIES, FINDS = 5, 4  # tries per level, and how many must succeed


@dataclass(frozen=True, slots=True)
class PuzzleCandidate:
    """A decision that may become a puzzle.

    Attributes:
        state: the view of the seat to decide.
        root: root of its searches.
        seed: seed of its game.
        ply: number of the next ply.
        planner: planner of the game, if a plan begins there.
    """

    state: State
    root: Root
    seed: int
    ply: int
    planner: Planner | None = None


def grade(candidate: PuzzleCandidate, losses: Mapping[str, float]) -> int:
    """Return the weakest level that finds the answer, as do all above it; UNFOUND if the strongest does not."""
    level = NUM_LEVELS + 1
    while level > 1 and finds(candidate, losses, level - 1):
        level -= 1
    return UNFOUND if level > NUM_LEVELS else level


def finds(candidate: PuzzleCandidate, losses: Mapping[str, float], number: int) -> bool:
    """Whether a level finds the answer in most of its tries."""
    level, best, right = level_of(candidate.state.game, number), nearest(losses, 1)[0], 0
    for attempt in range(TRIES):
        own = derived_seed("try", candidate.seed, number, attempt)
        right += is_right(candidate, best, level, own)
    return right >= FINDS


def is_right(candidate: PuzzleCandidate, best: str, level: Level, seed: int) -> bool:
    """Whether a level finds an answer in one try."""
    if candidate.planner:
        wanted = candidate.planner.held(best.split(PLAN_SEPARATOR))
        return plan_of(candidate.state, candidate.planner, level, seed) == wanted
    table = searched(candidate.root, seed, level.iterations)
    return choose_line(table.lines, level, seed).action == best
