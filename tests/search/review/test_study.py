"""The searches of a ply and their evaluation, with made-up results."""

from collections.abc import Sequence
from typing import Any

import pytest

from clerestory.engine import NATURE, State
from clerestory.engine.core import Game
from clerestory.engine.scoring import source_of_luck
from clerestory.search.lines import Line
from clerestory.search.result import Result, StopReason
from clerestory.search.review.course import Ply, plies_of
from clerestory.search.review.ledger import PlyValuation
from clerestory.search.review.plan import OUTCOME_SHARE, ReviewPlan
from clerestory.search.review.study import SearchTask, study
from tests.search.review.games import random_game
from tests.shipped import CATHEDRAL, DUEL

PLAN = ReviewPlan(iterations=1000)
GAME = random_game("toy", 2, 1)


def line(action: str, share: float, visits: int = 500, margin: float = 0.0, probability: float | None = None) -> Line:
    figures: Any = (visits, visits, (share, 1 - share), (0.0, 0.0), margin, 0.0, share, 0.0, share, 0.0)
    return Line(action, action.upper(), *figures, (action, "and so on"), probability=probability)


def result(lines: Sequence[Line]) -> Result:
    return Result(
        *(0, 0, tuple(lines), sum(line.visits for line in lines), 0, 1, 1, 1, 1, 0.0),
        *(StopReason.ITERATIONS, False, 0, 1.0),
    )


def studied(ply: Ply, *answers: Sequence[Line]) -> tuple[list[SearchTask], PlyValuation]:
    """Return the requested searches, and the valuation made from their results."""
    asking, questions = study(ply, PLAN), []
    question = next(asking)
    for lines in answers:
        questions.append(question)
        try:
            question = asking.send(result(lines))
        except StopIteration as end:
            valuation: PlyValuation = end.value
            return questions, valuation
    raise AssertionError(f"it asks for more: {question}")


def ply_of(state: State, *, chance: bool) -> Ply:
    return next(ply for ply in plies_of(state) if ply.root and ply.turn == (NATURE if chance else 0))


DECISION, CHANCE = ply_of(GAME, chance=False), ply_of(GAME, chance=True)
PLAYED = DECISION.action.text
OTHER = next(text for text in (DECISION.root.view.legal_actions() if DECISION.root else ()) if text.text != PLAYED).text


def test_the_best_action_takes_one_search() -> None:
    [question], valuation = studied(DECISION, [line(PLAYED, 0.6), line(OTHER, 0.4)])
    assert (question.iterations, question.options.get("allocation")) == (1000, None)
    assert valuation.loss == 0
    assert valuation.before == valuation.after == (600_000, 400_000)
    assert (valuation.best, valuation.stake, valuation.iterations) == (PLAYED, 200_000, 1000)


def test_another_action_is_compared_with_the_best_in_even_searches() -> None:
    table = [line(OTHER, 0.7, 900), line(PLAYED, 0.2, 100)]
    pair = [line(PLAYED, 0.58, margin=1.0), line(OTHER, 0.62, margin=2.5)]
    questions, valuation = studied(DECISION, table, pair, pair)
    assert questions[1].options["allocation"] == "even"
    assert len(questions[1].root.codes) == 2
    assert questions[1].iterations == PLAN.iterations  # half of them for each action
    assert questions[0].seed != questions[1].seed
    assert valuation.change == (-40_000, 40_000)  # instead of the 0.5 of the first table
    assert (valuation.best, valuation.points, valuation.iterations) == (OTHER, 1.5, 3000)
    assert valuation.line == (OTHER, "and so on")


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([0.019], 0.019),  # has no class: asked once
        ([0.19, 0.18], 0.18),  # confirmed
        ([0.19, 0.25], 0.25),
        ([0.19, -0.01], 0.0),  # disappears
        ([0.19, 0.14, 0.01], 0.01),  # shrinks to almost nothing
        ([0.19, 0.14, 0.10], 0.10),  # the longest comparison decides
        ([0.19, 0.14, 0.05], 0.0),  # would disappear if it kept shrinking
    ],
)
def test_an_error_is_named_only_if_longer_searches_say_so(losses: list[float], expected: float) -> None:
    table = [line(OTHER, 0.7, 900), line(PLAYED, 0.2, 100)]
    pairs = [[line(OTHER, 0.6), line(PLAYED, 0.6 - loss)] for loss in losses]
    questions, valuation = studied(DECISION, table, *pairs)
    assert [question.iterations for question in questions[1:]] == [1000, 4000, 16000][: len(losses)]
    assert valuation.loss == round(expected * 1e6)


def test_an_action_that_is_no_worse_or_was_never_seen_possible_is_no_error() -> None:
    table = [line(OTHER, 0.7, 900), line(PLAYED, 0.2, 100)]
    _, valuation = studied(DECISION, table, [line(PLAYED, 0.63, margin=-1.0), line(OTHER, 0.62)])
    assert (valuation.loss, valuation.best, valuation.points) == (0, PLAYED, 0.0)
    assert valuation.before == (630_000, 370_000)
    _, valuation = studied(DECISION, [line(OTHER, 0.7), line(PLAYED, 0, 0)], [line(PLAYED, 0, 0), line(OTHER, 0.6)])
    assert (valuation.loss, valuation.after) == (0, (600_000, 400_000))


def test_luck_is_what_came_less_the_mean_by_the_odds() -> None:
    came = CHANCE.action.text
    outcomes = [line("rare", 0.9, probability=0.25), line(came, 0.5, probability=0.75)]
    [question], valuation = studied(CHANCE, outcomes)
    assert question.options["allocation"] == "even"
    assert valuation.before == (600_000, 400_000)
    assert valuation.change == (-100_000, 100_000)
    assert (valuation.seat, valuation.loss, valuation.best, valuation.source) == (NATURE, 0, "", came.split()[0])


@pytest.mark.parametrize(("outcomes", "iterations"), [(2, 1000), (20, 1000), (36, 1800)])
def test_many_outcomes_have_more_iterations(outcomes: int, iterations: int) -> None:
    assert PLAN.outcome_iterations(outcomes) == iterations
    assert iterations // outcomes >= PLAN.iterations // OUTCOME_SHARE


@pytest.mark.parametrize(
    ("game", "text", "source"),
    [
        (CATHEDRAL, "draw red", "builders drawn"),
        (CATHEDRAL, "leave-out sand_3 stone_2", "resource cards"),
        (DUEL, "face 3", "flips"),
        (GAME.game, "turn-up 3", "turn-up"),
    ],
)
def test_luck_has_a_name(game: Game, text: str, source: str) -> None:
    assert source_of_luck(game, text) == source


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_every_kind_of_luck_that_comes_up_has_words(name: str) -> None:
    end = random_game(name, 2, 1)
    kinds = {ply.action.text for ply in plies_of(end) if ply.turn == NATURE}
    assert all(source_of_luck(end.game, text) != text.split()[0] or text.startswith("roll ") for text in kinds)
