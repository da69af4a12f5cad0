"""Ray plays the same games as the process pool; a clear error if it is not installed."""

import importlib.util
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from clerestory.search.arena.errors import BadBot, BadMatch
from clerestory.search.arena.match import DealTask, GameResult, Match
from clerestory.search.arena.on_ray import load_ray, on_ray, play_if_same, session
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.arena.results import Results
from clerestory.search.arena.series import play_match
from tests.parts import missing
from tests.search.arena.matches import toy


@pytest.fixture(autouse=True)
def ray(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("slow") and importlib.util.find_spec("ray") is None:
        missing("Ray", "make test-extras")


MATCH = Match(toy, 3, ("ismcts-plain", "random"), "20it", seed=4, deals=5)


def games(match: Match, crew: Crew) -> list[GameResult]:
    results = Results()
    for _ in play_match(match, results, workers=2, crew=crew):
        pass
    return [replace(game, seconds=[]) for game in results.of(match)]


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_named() -> None:
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:1\b"):
        games(MATCH, partial(on_ray, address="127.0.0.1:1"))


@pytest.mark.slow
def test_a_ray_of_its_own_ends_with_the_match() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with on_ray(1) as run:
        assert load_ray().is_initialized()
        assert signal.getsignal(signal.SIGTERM) == before
        assert [game.seat for game in next(run(iter([DealTask(MATCH, 7, [0, 2])])))] == [0, 2]
    assert not load_ray().is_initialized()


@pytest.fixture(scope="module")
def connection() -> Iterator[None]:
    """One local Ray for all following tests; an existing connection is reused."""
    with session(load_ray(), 2, None):
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("connection")
def test_games_are_those_of_the_pool() -> None:
    played = games(MATCH, on_ray)
    assert len(played) == 15
    assert played == games(MATCH, on_processes)


@pytest.mark.slow
@pytest.mark.usefixtures("connection")
def test_what_a_worker_rejects_is_heard_as_it_is() -> None:
    with pytest.raises(BadBot, match=r"^'nobody'"):
        games(replace(MATCH, bots=("nobody", "random")), on_ray)


@pytest.mark.slow
@pytest.mark.usefixtures("connection")
def test_what_is_not_wanted_any_more_is_not_played() -> None:
    """A match that would take hours is closed after one game; Ray has free workers for the next one at once."""
    playing = play_match(replace(MATCH, budget="500it", deals=100_000), Results(), workers=2, crew=on_ray)
    next(playing)
    playing.close()
    assert len(games(MATCH, on_ray)) == 15


def test_another_game_on_another_machine_is_rejected() -> None:
    header = MATCH.header()
    assert len(play_if_same(DealTask(MATCH, 4, [1]), header)) == 1
    with pytest.raises(BadMatch, match="another game"):
        play_if_same(DealTask(MATCH, 4, [1]), {**header, "rules_revision": 0})


def test_a_missing_ray_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadMatch, match=r"clerestory\[ray\]"):
        games(MATCH, on_ray)
