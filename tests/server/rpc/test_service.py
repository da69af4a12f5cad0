"""A call is admitted once, before its message is read, and its position is read from the received bytes."""

from typing import Any
from unittest.mock import Mock

import pytest

from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.caller import HERE
from clerestory.server.analysis.demand import Priority
from clerestory.server.rpc import translate
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveResponse
from tests.server.rpc.harness import question, served


@pytest.mark.parametrize("stream", [False, True])
async def test_a_call_is_admitted_once(stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server:
        engine: Any = server.app.analysis
        monkeypatch.setattr(engine, "admit", admit := Mock(wraps=engine.admit))
        asked = question(iterations=10)
        if stream:
            assert [table.final async for table in server.advisor.Analyze(AnalyzeRequest(question=asked))][-1]
        else:
            await server.advisor.RecommendMove(asked)
    assert admit.call_count == 1


async def test_a_position_is_read_from_the_bytes_that_were_received(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty field that no encoder writes shows whether the position was written again."""
    read, asked = list[bytes](), question(iterations=10)
    kept = translate.kept_position
    monkeypatch.setattr(translate, "kept_position", lambda *given: read.append(given[1]) or kept(*given))
    position = asked.position.SerializeToString() + b"\x12\x00"
    asked.ClearField("position")
    payload = asked.SerializeToString() + b"\x0a" + bytes([len(position)]) + position
    async with served() as server:
        call = server.channel.unary_unary("/clerestory.v1.AdvisorService/RecommendMove")
        assert RecommendMoveResponse.FromString(await call(payload)).statistics.iterations == 10
    assert len(position) < 128
    assert read == [position]


def test_the_time_of_a_question_begins_when_its_message_has_arrived() -> None:
    admission = Admission(HERE, Priority.MOVE, arrived=0.0, remaining=9.0, asker="RecommendMove")
    received = admission.received(5.0)
    assert received.arrived > 0.0
    assert (received.remaining, received.asker, received.caller) == (5.0, "RecommendMove", HERE)
