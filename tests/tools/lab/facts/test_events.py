"""Events: one a round, worth what they bring beyond the mean of those that could have come."""

import pytest

from clerestory.engine import GAMES, State
from clerestory.engine.values.value import value_of
from tools.lab.facts.events import events, points_after_decision
from tools.lab.facts.games import FIRST_SEED, Table, play
from tools.lab.facts.replay import positions


@pytest.fixture(scope="module")
def table() -> Table:
    return Table("cathedral", 3, [play("cathedral", 3, FIRST_SEED)])


def test_every_round_has_an_event(table: Table) -> None:
    found = events(table)
    assert [event.label[-1] for event in found] == list("123456")
    assert len({event.label for event in found}) == 6  # no card comes twice
    for event in found:
        assert sum(event.shares) == pytest.approx(0, abs=1e-9)  # what one wins, others lose


def test_the_events_of_a_round_bring_nothing_on_average(table: Table) -> None:
    valuation, event = value_of(GAMES["cathedral"], "net"), events(table)[2]
    state = next(state for state in positions(table, table.rows[0]) if comes(state) and state.round_number() == 3)
    points = {}
    for action, odds in zip(state.legal_actions(), state.odds(), strict=True):
        after = state.copy()
        after.play(action.text)
        points[action.text.removeprefix("event ")] = odds, points_after_decision(valuation, after)[0]
    mean = sum(odds * own for odds, own in points.values())
    assert event.points[0] == pytest.approx(points[event.label.partition(",")[0]][1] - mean)


def comes(state: State) -> bool:
    """Whether an event is due."""
    return not state.over and state.legal_actions()[0].text.startswith("event ")
