"""A referee gets the rules from the server, keeps the position, and shows seats only what the server allows."""

import pytest

from clerestory.clients import Advisor, AsyncAdvisor, FieldViolation, NotNow
from clerestory.clients.referee import plain
from clerestory.engine import GAMES, NATURE, from_position
from clerestory.engine.toy.rules import TOY


def test_a_game_is_refereed_to_its_end(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    assert (referee.seed, referee.chance, referee.seat, referee.over) == (4, True, None, False)
    assert sum(outcome.probability or 0 for outcome in referee.legal()) == pytest.approx(1)
    assert all(entry.drawn and entry.seat is None for entry in referee.draw(seed=1))
    while not referee.over:
        first = referee.legal()[0]
        assert (first.kind, first.probability) == (first.text.split()[0], None)
        seat = referee.seat
        applied = referee.apply(first, draw=True, seed=1)
        assert (applied[0].action, applied[0].seat, applied[0].drawn) == (first.action, seat, False)
    assert referee.legal() == []
    assert referee.outcome is not None
    assert sum(referee.outcome.win_shares) == pytest.approx(1)
    assert len(referee.outcome.message.scores) == len(referee.outcome.margins) == 2


def test_a_view_hides_what_the_seat_cannot_know(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    whole = from_position(referee.truth)
    for seat in (None, 0, 1):
        assert from_position(plain(referee.view(seat))) == whole.observe(NATURE if seat is None else seat)
        assert plain(referee.view(seat)) != referee.truth


def test_a_stored_game_continues(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 3, seed=4)
    referee.draw(seed=1)
    again = advisor.rules.resume(referee.truth)
    assert (again.truth, again.seat, again.message) == (referee.truth, referee.seat, referee.message)


def test_an_illegal_action_changes_nothing(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    referee.draw(seed=1)
    before = referee.truth
    with pytest.raises(NotNow) as caught:
        referee.apply("turn-up 1")
    assert caught.value.reason == "ILLEGAL_ACTION"
    assert referee.truth == before


def test_a_referee_lists_games_and_the_faults_of_a_position(advisor: Advisor) -> None:
    assert {game["name"] for game in advisor.rules.games()} == set(GAMES)
    position = TOY.new(2, 4).observe(0).to_position()
    assert advisor.rules.faults(position) == []
    position["toy"]["round"] = 9
    [fault] = advisor.rules.faults(position)
    assert (type(fault), fault.field) == (FieldViolation, "position.position.toy.round")


async def test_an_async_game_is_the_same_game(target: str) -> None:
    with Advisor(target) as advisor:
        referee, course = advisor.rules.start("toy", 2, seed=4), []
        course += referee.draw(seed=1)
        while not referee.over:
            course += referee.apply(referee.legal()[0], draw=True, seed=1)
    async with AsyncAdvisor(target) as advisor:
        other = await advisor.rules.start("toy", 2, seed=4)
        watched = await other.draw(seed=1)
        while not other.over:
            watched += await other.apply((await other.legal())[0], draw=True, seed=1)
        assert await other.legal() == []
    assert watched == course
    assert (other.truth, other.outcome, other.seed) == (referee.truth, referee.outcome, referee.seed)
