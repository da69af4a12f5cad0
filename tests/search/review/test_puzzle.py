"""The shipped puzzles: one answer each, which the search finds, and nothing that reveals it."""

import json

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.search import Searcher
from clerestory.search.options import shipped
from clerestory.search.review import puzzle as module
from clerestory.search.review.puzzle import LEAST, PLAN_SEPARATOR, NoPuzzle, Puzzle, puzzle, puzzles
from clerestory.search.root import observe
from tests.shipped import CATHEDRAL, DUEL
from tools.lab.puzzle_plans import ends_of, losses_of, nearest, planner_at
from tools.lab.puzzles import ANSWER, LONGER

SHIPPED = [CATHEDRAL, DUEL]


def chosen(one: Puzzle, iterations: int, seed: int) -> str:
    """Return the choice of the shipped search: an action, or a plan."""
    if one.is_plan and (planner := planner_at(one.state)):
        return nearest(losses_of(ends_of(one.state, planner), one.state.turn, iterations // 2, seed), 1)[0]
    options = shipped(one.game, one.state.seats)
    return Searcher(observe(one.state), seed=seed, **options).run(iterations=iterations).best.action


@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: game.name)
def test_every_puzzle_has_one_answer(game: Game) -> None:
    for one in puzzles(game):
        planner = planner_at(one.state)
        legal = ends_of(one.state, planner) if planner else {action.text for action in one.state.legal_actions()}
        assert set(one.losses) == set(legal)
        assert len(legal) > 2
        others = {text: loss for text, loss in one.losses.items() if text != one.best}
        assert one.losses[one.best] == 0
        assert min(others.values()) >= LEAST
        assert one.next_best_loss == min(others.values())
        assert one.solved_by(one.best.split(PLAN_SEPARATOR))
        assert not any(one.solved_by(text.split(PLAN_SEPARATOR)) for text in others)
        assert 1 <= one.level <= NUM_LEVELS
        assert one.line[0] == one.answer[0].text


@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: game.name)
def test_puzzles_are_views_of_their_seats_each_once_and_easy_ones_first(game: Game) -> None:
    known = puzzles(game)
    assert [one.number for one in known if one.state.observe(one.state.turn) != one.state] == []
    assert [one.number for one in known if one.seats != one.state.seats] == []
    assert len({json.dumps(one.position) for one in known}) == len(known)
    assert [one.level for one in known] == sorted(one.level for one in known)
    assert [one.number for one in known] == list(range(1, len(known) + 1))


@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: game.name)
def test_the_search_finds_some_of_each_level(game: Game) -> None:
    for one in {one.level: one for one in puzzles(game)}.values():
        if not one.exact and not one.is_plan:
            assert chosen(one, ANSWER, 77) == one.best


@pytest.mark.slow
@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: game.name)
def test_no_answer_changes_with_ten_times_the_time(game: Game) -> None:
    changed = [
        one.number
        for one in puzzles(game)
        if not one.exact and {chosen(one, ANSWER, 5), chosen(one, LONGER * ANSWER, 6)} != {one.best}
    ]
    assert len(changed) <= len(puzzles(game)) // 50, changed  # seeds differ from those used to select them


def test_unknown_puzzles_and_games_without_puzzles_are_rejected() -> None:
    for number in (0, 100_000):
        with pytest.raises(NoPuzzle, match="has the puzzles 1 to"):
            puzzle(DUEL, number)
    with pytest.raises(NoPuzzle, match="toy: no puzzles are shipped"):
        puzzles(GAMES["toy"])
    assert {name for name in GAMES if module.read(GAMES[name])} == {"cathedral", "duel"}


def test_puzzles_are_for_the_cards_they_were_made_with(monkeypatch: pytest.MonkeyPatch) -> None:
    [first, *_] = puzzles(DUEL)
    other = module.from_line(
        DUEL, 1, {**{name: getattr(first, name) for name in FIELDS}, "position": {**first.position, "catalogue": "x"}}
    )
    monkeypatch.setattr(module, "read", lambda _: (other,))
    with pytest.raises(NoPuzzle, match="for the shipped cards only"):
        puzzles(DUEL)


FIELDS = ("level", "exact", "losses", "gains", "line", "seed", "ply")
