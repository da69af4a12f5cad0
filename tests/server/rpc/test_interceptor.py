"""Every call gets an identifier, a log line, and metrics."""

import hashlib
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import grpc
import pytest
from google.rpc.error_details_pb2 import RequestInfo

from clerestory.server.hardening.rate_limit import RateLimit
from clerestory.server.rpc.interceptor import Call, CallContext, CallInterceptor
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1.rules_pb2 import ListGamesRequest
from tests.conftest import TOKEN
from tests.server.rpc.harness import FORMATS, details, logged, question, refusal, served


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with logged("json") as written:
        yield written


def calls(log: io.StringIO) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line["event"] == "call"]


async def test_a_call_keeps_its_identifier_if_it_is_fit(log: io.StringIO) -> None:
    fit, unfit, answered = ("game-7:ply_12.a", "x" * 64), ("x" * 65, "a b", ""), list[str]()
    async with served() as server:
        for given in (*fit, *unfit):
            call = server.advisor.RecommendMove(question(iterations=1), metadata=(("x-request-id", given),))
            await call
            answered.append(dict(await call.trailing_metadata())["x-request-id"])
    assert answered[: len(fit)] == [*fit]
    assert not {*answered[len(fit) :]} & {*unfit}
    assert [line["request_id"] for line in calls(log)] == answered


async def test_an_error_has_the_identifier(log: io.StringIO) -> None:
    async with served() as server:
        error = await refusal(server.advisor.RecommendMove(question(), metadata=(("x-request-id", "seven"),)))
    assert details(error, RequestInfo).request_id == "seven"
    assert dict(error.trailing_metadata())["x-request-id"] == "seven"
    [line] = calls(log)
    assert (line["request_id"], line["method"], line["code"], line["reason"]) == (
        "seven",
        "AdvisorService/RecommendMove",
        "INVALID_ARGUMENT",
        "BAD_TIME_BUDGET",
    )


@pytest.mark.parametrize(
    ("reason", "by_address", "held"),
    [
        (Reason.TOO_MANY_WATCHERS, True, ["TOO_MANY_WATCHERS"] * 2),
        (Reason.TOO_MANY_WATCHERS, False, ["TOO_MANY_WATCHERS"] * 2),
        (Reason.BUSY, True, ["192.0.2.1", "192.0.2.2"]),
        (Reason.BUSY, False, []),
        (Reason.SLOW_REQUEST, True, []),
    ],
)
async def test_a_crowd_of_watchers_is_held_back_together_and_other_callers_each_alone(
    monkeypatch: pytest.MonkeyPatch, reason: Reason, by_address: bool, held: list[str]
) -> None:
    hold = AsyncMock()
    monkeypatch.setattr(RateLimit, "hold", hold)
    interceptor = CallInterceptor(Mock(), by_address=by_address)
    for address in ("192.0.2.1", "192.0.2.2"):
        call = Call()
        call.comes_from(address, f"peer:{address}", anonymous=True)
        await interceptor._hold(call, ServiceError(reason, [("", "")]), None)
    assert [call.args[0] for call in hold.call_args_list] == held


async def test_a_call_that_is_over_at_once_is_logged(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """gRPC no longer knows the origin of such a call, or whether it may name another caller."""
    monkeypatch.setattr(CallContext, "peer", lambda _: "")
    async with served() as server:
        call = server.rules.ListGames(ListGamesRequest(), metadata=(("x-on-behalf-of", "alice"),))
        assert (await refusal(call)).code() == grpc.StatusCode.CANCELLED
    assert [(line["code"], line["reason"]) for line in calls(log)] == [("CANCELLED", "")]


async def test_a_call_is_logged_with_its_caller_but_never_with_its_token(log: io.StringIO, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{TOKEN} on-behalf\n")
    headers = (("authorization", f"Bearer {TOKEN}"), ("x-on-behalf-of", "alice"))
    async with served(token_file=tmp_path / "tokens") as server:
        await server.advisor.RecommendMove(question(iterations=1), metadata=headers)
        await refusal(server.advisor.RecommendMove(question(), metadata=headers))
        await server.rules.ListGames(ListGamesRequest(), metadata=headers)
        await refusal(server.rules.ListGames(ListGamesRequest()))
    async with served() as server:
        await server.advisor.RecommendMove(question(iterations=1))
    known = f"token:{hashlib.sha256(TOKEN.encode()).hexdigest()[:8]}/alice"
    assert [(line["reason"], line["caller"]) for line in calls(log)] == [
        ("", known),
        ("BAD_TIME_BUDGET", known),
        ("", known),
        ("MISSING_TOKEN", "peer:127.0.0.1"),
        ("", "peer:127.0.0.1"),
    ]
    assert TOKEN not in log.getvalue()


def test_formats_of_logs(log: io.StringIO) -> None:
    assert FORMATS == ("json", "text")
    with logged("text") as written:
        logging.getLogger("clerestory").info("hello", extra={"method": "any"})
    assert "hello" in written.getvalue()
    assert "method=any" in written.getvalue()


def test_metadata_and_peer_are_asked_once_and_the_time_every_time() -> None:
    """Also if a call has no metadata, which is None."""
    asked = Mock(**{"invocation_metadata.return_value": None, "peer.return_value": "unix:"})
    asked.time_remaining.side_effect = [1.0, 0.5]
    context = CallContext(asked)
    assert [context.invocation_metadata(), context.invocation_metadata()] == [None, None]
    assert [context.peer(), context.peer()] == ["unix:", "unix:"]
    assert [context.time_remaining(), context.time_remaining()] == [1.0, 0.5]
    assert (asked.invocation_metadata.call_count, asked.peer.call_count) == (1, 1)
