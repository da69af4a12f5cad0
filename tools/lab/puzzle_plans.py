"""Answers of puzzles: all plans of a position, their losses, and the weakest level of play that finds the best one.

A plan is valued by the position after it. All plans are searched briefly in the same worlds, then the best ones longer,
equally often; late in a game they are solved to the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clerestory.engine import NATURE, OVER, State
from clerestory.engine.games import LIST
from clerestory.engine.plans import Planner
from clerestory.engine.tuning import NUM_LEVELS, Level
from clerestory.search import Result, Searcher
from clerestory.search.arena.match import derived_seed
from clerestory.search.levels import choose_line, level_of
from clerestory.search.options import shipped
from clerestory.search.review.puzzle import PLAN_SEPARATOR, UNFOUND
from clerestory.search.root import Root, observe
from tools.lab.exact import Solver, TooLarge

MOST_PLANS = 150  # per position: people do not compare more
SEARCH_BYTES = 1 << 25
TRIES, FINDS = 5, 4  # tries per level, and how many must succeed

Ends = dict[str, State]  # the position after each plan, by its text


def planner_at(state: State) -> Planner | None:
    """Return the planner of the game if a plan can be made in the position."""
    planner = LIST[state.game.name].planner
    return planner if planner and planner.planned(state, {}, finish=True) is not None else None


def ends_of(state: State, planner: Planner) -> Ends:
    """Return the position after every plan in its best order; {} if there are more than MOST_PLANS."""
    ends: Ends = {}
    known: set[Any] = set()
    for played in orders(state.copy(), planner, state.turn, known):
        if len(ends) > MOST_PLANS:
            return {}
        plan = planner.planned(state, planner.held(played), finish=True)
        texts = (plan.actions if plan else ()) or played
        ends[PLAN_SEPARATOR.join(texts)] = after(state, texts)
    return ends


def orders(state: State, planner: Planner, seat: int, known: set[Any], *played: str) -> Iterator[tuple[str, ...]]:
    """Yield an order of actions for each plan, by playing all of them; `known` are the plans found so far."""
    for action in state.legal_actions():
        texts = (*played, action.text)
        counted = frozenset(planner.held(texts).items())
        state.play(action.text)
        ended = action.text == "finish" or state.turn != seat or planner_at(state) is None
        if (ended, counted) not in known:
            known.add((ended, counted))
            if ended:
                yield texts
            else:
                yield from orders(state, planner, seat, known, *texts)
        state.undo()


def after(state: State, texts: Sequence[str]) -> State:
    """Return the position after some actions."""
    end = state.copy()
    for text in texts:
        end.play(text)
    return end


# -- values of plans -------------------------------------------------------------------------------


def value(end: State, seat: int, iterations: int, seed: int) -> float:
    """Return a seat's win share in a position, based on its knowledge, according to the shipped search."""
    if end.turn == OVER:
        return float(end.win_shares()[seat])
    root = observe(end, seat) if end.turn == NATURE else observe(end, observer=seat)
    result = searched(root, seed, iterations)
    if end.turn == NATURE:
        return sum((line.probability or 0) * line.win_shares[seat] for line in result.lines)
    return result.best.win_shares[seat]


def searched(root: Root, seed: int, iterations: int, **more: Any) -> Result:
    """Return the result of the shipped search."""
    return searcher_of(root, seed, **more).run(iterations=iterations)


def searcher_of(root: Root, seed: int, **more: Any) -> Searcher:
    """Return the shipped search."""
    options = shipped(root.view.game, root.view.seats)
    return Searcher(root, seed=seed, max_bytes=SEARCH_BYTES, **options, **more)


def losses_of(ends: Mapping[str, State], seat: int, iterations: int, seed: int) -> dict[str, float]:
    """Return the loss of each plan against the best one, all searched with the same number of iterations."""
    values = {text: value(end, seat, iterations, seed) for text, end in ends.items()}
    return {text: max(values.values()) - one for text, one in values.items()}


def solved_losses(ends: Mapping[str, State], seat: int) -> dict[str, float] | None:
    """Return the exact loss of each plan; None if a position is too early to be solved."""
    solver = Solver(seat)
    try:
        values = {text: solver.values(end)[seat] for text, end in ends.items()}
    except TooLarge:
        return None
    return {text: max(values.values()) - one for text, one in values.items()}


def nearest(losses: Mapping[str, float], count: int) -> list[str]:
    """Return the plans with the smallest losses, best first."""
    return sorted(losses, key=losses.__getitem__)[:count]


def same_things(planner: Planner, losses: Mapping[str, float]) -> bool:
    """Whether the two best plans convert with the same craftsmen, so that they differ only in a count."""
    best, rival = (text.split(PLAN_SEPARATOR) for text in nearest(losses, 2))
    return best[0].startswith("convert") and planner.held(best).keys() == planner.held(rival).keys()


# -- plans of levels -------------------------------------------------------------------------------


def plan_of(state: State, planner: Planner, level: Level, seed: int) -> dict[str, int]:
    """Return the plan that a level of play carries out, as how often it uses each item."""
    seat, reached, played = state.turn, state.copy(), list[str]()
    while reached.turn == seat and planner_at(reached) is not None and "finish" not in played:
        own = derived_seed("plan", seed, len(played))
        legal = reached.legal_actions()
        line = choose_line(searched(observe(reached), own, level.iterations).lines, level, own) if legal[1:] else None
        played.append(line.action if line else legal[0].text)
        reached.play(played[-1])
    return planner.held(played)


# -- levels of play --------------------------------------------------------------------------------


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
