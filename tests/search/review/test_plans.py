"""Conversions of a round are judged as one decision."""

from dataclasses import replace

from clerestory.engine.core import NATURE
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.plans import as_one, plans
from tests.search.review.test_classes import decision

PARTS = frozenset({"convert", "finish"})


def converting(loss: int, ply: int, seat: int = 0, action: str = "convert mason_1 1"):  # type: ignore[no-untyped-def]
    return replace(decision(loss, ply=ply, seat=seat), action=action, round=1)


def test_decisions_of_a_plan_belong_together_and_chance_events_are_never_one() -> None:
    one, two, other = converting(0, 1), converting(30_000, 2), converting(0, 3, seat=1)
    again = converting(0, 9, action="place red market")
    assert plans([one, two, other, again], PARTS) == [[one, two], [other], [again]]
    assert plans([one, replace(two, round=2)], PARTS) == [[one], [replace(two, round=2)]]
    assert plans([one, two], frozenset()) == [[one], [two]]
    assert plans([], PARTS) == []
    event = replace(converting(0, 1), seat=NATURE)
    assert plans([event, event], PARTS) == [[event], [event]]


def test_a_plan_loses_what_its_parts_lose() -> None:
    parts = [converting(10_000, 1), converting(30_000, 2), converting(5_000, 3)]
    whole = as_one(parts)
    assert (whole.ply, whole.loss, sum(whole.after)) == (2, 45_000, UNIT)
    assert as_one(parts[:1]) == parts[0]
