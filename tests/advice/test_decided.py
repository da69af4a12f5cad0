"""Early ends over the wire: the same request, continued to its limits, gets the same answer."""

from typing import Any

import pytest

from clerestory.advice import analyst, memory
from clerestory.advice.allowance import Allowance, allow
from clerestory.advice.capacity import Capacity
from clerestory.advice.lead import Lead
from clerestory.advice.question import Question
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.result import StopReason
from clerestory.v1.advisor_pb2 import STOP_REASON_DECIDED, STOP_REASON_TIME
from tests.search.clock import HICCUPS, Clock
from tests.search.positions import decisions
from tests.server.harness import duration, question, served

SPEED = 5000  # iterations a second
SLICE = 0.004
AHEAD = 3600.0  # seconds by which calls arrive in the future: no timer of the real clock ends their searches


class Timed(Searcher):
    """A search with a simulated clock, run slice by slice."""

    clock: Clock

    def step(self, pause: float, **limits: Any) -> tuple[StopReason, int]:
        self.clock.wait(0.0)
        return super().step(self.clock.now + SLICE, **limits)


@pytest.mark.parametrize("hiccup", HICCUPS)
async def test_what_the_service_says_is_decided_is_true(hiccup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = list[float]()

    def allowed(asked: Question, capacity: Capacity, _: Lead, moment: float, *left: Any, **more: Any) -> Allowance:
        arrived.append(moment + AHEAD)
        return allow(asked, capacity, Lead(), arrived[-1], *left, **more)

    def timed(*arguments: Any, **options: Any) -> Searcher:
        clock = Clock(SPEED, hiccup, begin=arrived[-1])
        searcher = Timed(*arguments, clock=clock, **options)
        clock.searcher, searcher.clock = searcher, clock
        return searcher

    monkeypatch.setattr(analyst, "allow", allowed)
    monkeypatch.setattr(memory, "Searcher", timed)
    async with served() as server:
        for position in decisions(TOY, 3, 1)[:2]:
            asked = question(position, time_budget=duration(2.0), seed=1)
            full = await server.advisor.RecommendMove(asked)
            asked.ClearField("early_stop")
            early = await server.advisor.RecommendMove(asked)
            assert full.statistics.stop_reason == STOP_REASON_TIME
            assert early.statistics.stop_reason == STOP_REASON_DECIDED
            assert early.best == full.best
            ahead = early.lines[0].visits - early.lines[1].visits
            assert full.statistics.iterations - early.statistics.iterations < ahead
