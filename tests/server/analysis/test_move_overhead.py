"""Searches end early enough for their answers to be on time."""

import random

import pytest

from clerestory.server.analysis.granting import LONGEST, MOST, UNSEEN, MoveOverhead


def test_no_search_gives_up_more_than_its_share() -> None:
    lead = MoveOverhead()
    for _ in range(9):
        lead.learn(60.0, explained=True)
    assert lead.of(0.01, explained=True) == pytest.approx(MOST * 0.01)
    assert lead.of(0.01, explained=False) <= MOST * 0.01


def test_few_answers_take_longer_than_was_learned() -> None:
    luck, lead = random.Random(1), MoveOverhead()
    slower = 0
    for number in range(4000):
        took = luck.lognormvariate(-6.5, 0.7)  # 1.5 ms, one in twenty 4.8
        slower += number >= 1000 and took > lead.of(1e6, explained=False) - UNSEEN
        lead.learn(took, explained=False)
    assert 0 < slower < 0.05 * 3000


def test_one_slow_answer_is_forgotten() -> None:
    lead = MoveOverhead()
    for _ in range(1000):
        lead.learn(0.002, explained=True)
    usual = lead.of(1e6, explained=True)
    lead.learn(60.0, explained=True)
    assert usual + 0.01 < lead.of(1e6, explained=True) < usual + LONGEST
    for _ in range(2000):
        lead.learn(0.002, explained=True)
    assert lead.of(1e6, explained=True) == pytest.approx(usual, abs=1e-4)


def test_explained_answers_are_apart() -> None:
    lead = MoveOverhead()
    before = lead.of(1e6, explained=False)
    lead.learn(0.5, explained=True)
    assert lead.of(1e6, explained=False) == before
