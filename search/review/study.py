"""The study of one ply: the searches it needs, and their evaluation.

A study is a generator that yields SearchTasks and receives the Result of each. Its caller runs the searches: one by one
(`annotating.py`), or on the threads of an analysis engine.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clerestory.engine.core import NATURE
from clerestory.engine.scoring import source_of_luck
from clerestory.i18n.sentences import Text
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import REVIEW_TREE_BYTES
from clerestory.search.lines import Line
from clerestory.search.reasons import holding, in_english, stated, traded
from clerestory.search.result import Result
from clerestory.search.review.classes import CLASSES
from clerestory.search.review.course import Ply
from clerestory.search.review.ledger import SHOWN, UNIT, PlyValuation, Shares, in_units
from clerestory.search.review.plan import MOST, ReviewPlan
from clerestory.search.root import Root
from clerestory.sums import total


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTask:
    """The parameters of a search to run.

    Attributes:
        root: what to search.
        seed: seed of its random choices.
        iterations: number of iterations.
        options: options of the search.
        compared: texts of two actions; the result's reason states what the first gains over the second.
        tree_bytes: memory of its tree.
    """

    root: Root
    seed: int
    iterations: int
    options: Mapping[str, Any] = field(default_factory=dict)
    compared: tuple[str, str] | None = None
    tree_bytes: int = REVIEW_TREE_BYTES


WORLDS, PLIES = 50, 10_000  # limits of the playouts behind a comparison's reason: about a millisecond
LONGER = (1, 4, 16)  # times the iterations of a search, for comparisons of a suspected error
DOUBTED = CLASSES[-1][2] / UNIT  # share of a win: loss at which an error is suspected; a smaller loss has no class
STANDS = 0.9  # share of a shorter comparison's loss that a longer one must confirm to be the last

Study = Generator[SearchTask, Result, PlyValuation]


def study(ply: Ply, plan: ReviewPlan) -> Study:
    """Value a ply that had more than one action or outcome."""
    return study_chance(ply, plan) if ply.turn == NATURE else study_decision(ply, plan)


def study_chance(ply: Ply, plan: ReviewPlan) -> Study:
    """Value every outcome in the same worlds; luck is the share after the actual outcome minus the weighted mean."""
    root = require_root(ply)
    outcomes = len(root.view.legal_codes())
    result = yield question(ply, plan, root, 0, plan.outcome_iterations(outcomes), allocation="even")
    came = line_of(result, ply.action.text)
    return PlyValuation(
        ply=ply.number,
        round=ply.round,
        seat=NATURE,
        action=ply.action.text,
        label=ply.action.label,
        source=SHOWN if ply.foreseen else source_of_luck(root.view.game, ply.action.text),
        before=in_units(mean_of(result.lines)),
        after=in_units(came.win_shares),
        iterations=result.iterations,
    )


def study_decision(ply: Ply, plan: ReviewPlan) -> Study:
    """Find the best action, then compare it with the one played, in the same worlds and equally often."""
    root = require_root(ply)
    table = yield question(ply, plan, root, 0, plan.iterations)
    best = played = table.best
    spent = table.iterations
    reasons: tuple[Text, ...] = ()
    if best.action != ply.action.text:
        best, played, reasons, more = yield from compare(ply, plan, root, best.action)
        spent += more
    return PlyValuation(
        ply=ply.number,
        round=ply.round,
        seat=ply.turn,
        action=ply.action.text,
        label=ply.action.label,
        source="",
        before=in_units(best.win_shares),
        after=in_units(played.win_shares),
        best=best.action,
        best_label=best.label,
        points=round(max(best.margin - played.margin, 0.0), 3),
        stake=stake(table.lines, ply.turn),
        iterations=spent,
        line=variation(table, best),
        reason=in_english(reasons, root.view.game.name),
        reasons=reasons,
    )


def compare(
    ply: Ply, plan: ReviewPlan, root: Root, best: str
) -> Generator[SearchTask, Result, tuple[Line, Line, tuple[Text, ...], int]]:
    """Compare the best action with the one played; return the better and the played line, the reasons, all iterations.

    A suspected error is compared again, with LONGER times the iterations, until a longer comparison confirms the loss
    or finds none. Late in a game a short comparison may report a loss of 0.19 where there is none. A loss that would
    reach zero if it kept shrinking as in the last comparison is not an error.
    """
    loss, spent = float("inf"), 0
    for times in LONGER:
        pair = yield comparison(ply, plan, root, best, times)
        spent += pair.iterations
        found, taken = ordered(pair, best, ply.action.text, ply.turn)
        before, loss = loss, found.win_shares[ply.turn] - taken.win_shares[ply.turn]
        if loss < DOUBTED or loss >= STANDS * before:
            break
    else:
        found = found if 2 * loss - before >= DOUBTED else taken
    return found, taken, pair.reasons if found is not taken else (), spent


def comparison(ply: Ply, plan: ReviewPlan, root: Root, best: str, times: int = 1) -> SearchTask:
    """Return the search that compares the best action with the one played."""
    texts = (best, ply.action.text)
    codes = [root.view.game.parse_action(text).code for text in texts]
    only, iterations = root.only(codes), min(times * plan.iterations, MOST)
    return replace(question(ply, plan, only, 1, iterations, allocation="even"), compared=texts)


def compared(searcher: Searcher, question: SearchTask, result: Result) -> Result:
    """Return the result of a task with the requested reason, if the game's guide can provide one."""
    if question.compared is None or not question.root.view.game.has_guide:
        return result
    _, gains = searcher.foresee(question.compared, worlds=WORLDS, plies=PLIES)
    view = question.root.view
    held = stated(holding(gains, view.game.tuning.worth_naming), view.game.tuning.explained)
    reasons = traded(held, view, question.root.seat)
    return replace(result, reasons=reasons, reason=in_english(reasons, view.game.name))


def ordered(pair: Result, best: str, played: str, seat: int) -> tuple[Line, Line]:
    """Return the lines of the better action and of the one played; the same line twice if the played one is no worse.

    The same applies if the played action was not legal in any of the judge's worlds.
    """
    found, taken = line_of(pair, best), line_of(pair, played)
    if not taken.visits:
        return found, found
    return (taken, taken) if taken.win_shares[seat] >= found.win_shares[seat] else (found, taken)


def value_of(root: Root, plan: ReviewPlan, number: int) -> Generator[SearchTask, Result, Shares]:
    """Return the shares of the last position of an unfinished game; `number` is the number of the next ply."""
    chance = root.view.turn == NATURE
    result = yield SearchTask(
        root=root,
        seed=plan.seed_of(number, 0),
        iterations=plan.outcome_iterations(len(root.view.legal_codes())) if chance else plan.iterations,
        options={**plan.settings(root.view.game, root.view.seats), **({"allocation": "even"} if chance else {})},
    )
    return in_units(mean_of(result.lines) if chance else result.best.win_shares)


def question(ply: Ply, plan: ReviewPlan, root: Root, number: int, iterations: int, **options: Any) -> SearchTask:
    """Return a search of a ply."""
    settings = {**plan.settings(root.view.game, root.view.seats), **options}
    return SearchTask(root=root, seed=plan.seed_of(ply.number, number), iterations=iterations, options=settings)


def require_root(ply: Ply) -> Root:
    """Return the root of a ply. Raises ValueError for a ply without a choice."""
    if ply.root is None:
        raise ValueError(f"ply {ply.number} had no choice")
    return ply.root


def line_of(result: Result, action: str) -> Line:
    """Return the line of an action."""
    return next(line for line in result.lines if line.action == action)


def mean_of(lines: Sequence[Line]) -> list[float]:
    """Return the mean win shares of outcomes, weighted by their odds."""
    return [
        total((line.probability or 0.0) * line.win_shares[seat] for line in lines)
        for seat in range(len(lines[0].win_shares))
    ]


def stake(lines: Sequence[Line], seat: int) -> int:
    """Return the difference between the best and the worst visited line for a seat, in millionths."""
    shares = [line.win_shares[seat] for line in lines if line.visits]
    return round(UNIT * (max(shares) - min(shares)))


def variation(table: Result, best: Line) -> tuple[str, ...]:
    """Return the principal variation of an action, from the search of all actions."""
    return line_of(table, best.action).principal_variation
