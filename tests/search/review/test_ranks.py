"""The level of play for a mean loss."""

import re
from pathlib import Path

import pytest

from clerestory.engine import Game
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.search.review import ranks
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.plan import ITERATIONS
from clerestory.search.review.ranks import FEWEST, LEAST, SHORTEST, level_like, losses
from tests.shipped import CATHEDRAL, DUEL

TABLE = (0.040, 0.030, 0.030, 0.020, 0.010, 0.008, 0.002, 0.001)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "losses", lambda game, seats: TABLE if (game, seats) == (DUEL, 2) else ())


@pytest.mark.parametrize(
    ("mean_loss", "level"),
    [(90_000, 1), (40_000, 1), (30_000, 2), (21_000, 4), (15_000, 4), (14_000, 5), (1_500, 7), (1_000, 8), (0, 8)],
)
def test_it_is_the_nearest_as_a_ratio(measured: None, mean_loss: float, level: int) -> None:
    assert level_like(DUEL, 2, mean_loss, FEWEST, ITERATIONS) == level


def test_short_games_short_reviews_and_games_without_a_table_have_no_level(measured: None) -> None:
    assert level_like(DUEL, 2, None, 0, ITERATIONS) is None
    assert level_like(DUEL, 2, 10_000, FEWEST - 1, ITERATIONS) is None
    assert level_like(CATHEDRAL, 2, 10_000, 100, ITERATIONS) is None
    told = [level_like(DUEL, 2, 10_000, FEWEST, iterations) for iterations in (200, SHORTEST - 1, SHORTEST)]
    assert told == [None, None, 5]


def test_the_reviews_of_the_page_are_long_enough() -> None:
    page = Path(__file__).parents[3] / "clients" / "web" / "src" / "review" / "review.ts"
    asked = re.search(r"const ITERATIONS = \{ review: (\d+)", page.read_text(encoding="utf-8"))
    assert asked is not None
    assert int(asked[1]) >= SHORTEST


@pytest.mark.parametrize(("game", "seats"), [(game, seats) for game in (CATHEDRAL, DUEL) for seats in game.seats])
def test_a_table_has_every_level_and_never_rises(game: Game, seats: int) -> None:
    known = losses(game, seats)
    assert len(known) in (0, NUM_LEVELS)
    assert list(known) == sorted(known, reverse=True)
    assert all(loss >= LEAST for loss in known)


@pytest.mark.parametrize("game", [CATHEDRAL, DUEL], ids=lambda game: game.name)
def test_the_loss_of_a_level_gives_that_level(game: Game) -> None:
    told = [level_like(game, 2, loss * UNIT, FEWEST, ITERATIONS) for loss in losses(game, 2)]
    assert told == list(range(1, NUM_LEVELS + 1))
