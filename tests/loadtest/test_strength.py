"""Games played through a server."""

from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from clerestory.engine import GAMES, State
from clerestory.search.arena.bots import Budget, Move
from loadtest import strength
from loadtest.strength import alone, figures, if_any, play, under_load
from tests.search.positions import decisions


@pytest.mark.system
def test_games_of_the_service_are_counted() -> None:
    loaded = under_load(4, 0.4, alone("random", Budget(iterations=1)), [3, 4])
    assert (loaded["games"], loaded["load"]) == (4, 2.0)
    assert loaded["iterations"] > 0
    assert 0 <= loaded["score"][1] <= loaded["score"][0] <= loaded["score"][2] <= 1


def test_the_iterations_of_a_call_do_not_depend_on_how_late_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that takes twice its budget is one call, not two of half the iterations."""

    slow = MagicMock()
    slow.return_value.__enter__.return_value.recommend = lambda view, *_, **__: SimpleNamespace(
        best=view.legal_actions()[0], iterations=700
    )
    times = count()
    monkeypatch.setattr(strength, "own_server", lambda *_: nullcontext(SimpleNamespace(target="")))
    monkeypatch.setattr(strength, "Advisor", slow)
    monkeypatch.setattr(strength, "monotonic", lambda: float(next(times)))
    assert under_load(1, 0.5, alone("random", Budget(iterations=1)), [3])["iterations"] == 700


def test_the_seat_of_a_question_is_the_one_that_asks() -> None:
    games = play(alone("greedy", Budget(iterations=1)), alone("random", Budget(iterations=1)), [1, 2], 2)
    assert [[game.seat for game in deal] for deal in games] == [[0, 1], [0, 1]]
    assert figures(games)["score"][0] == 1
    assert figures(games)["elo"][0] is None


def test_nobody_is_asked_who_has_no_choice() -> None:
    def fails(view: State, seed: int) -> Move:
        raise AssertionError(view, seed)

    found = decisions_by_choice()
    assert if_any(fails)(found[True], 1).action == found[True].legal_actions()[0].text
    with pytest.raises(AssertionError):
        if_any(fails)(found[False], 1)


def decisions_by_choice() -> dict[bool, State]:
    """Return a position without a choice, and one with a choice."""
    return {len(position.legal_actions()) == 1: position for position in decisions(GAMES["duel"], 2, 1)}
