"""Signals to a server: it ends gracefully under full load, or reads tokens and certificates again."""

import asyncio
import logging
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_status import rpc_status

from clerestory.refusals import Reason
from clerestory.server.config import Settings
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED, WARNING_REASON_FINISHING, AnalyzeRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.server.harness import details, long_question, question, serving, until
from tests.server.secured import accepts, trusting
from tests.server.test_analyze import tables
from tests.server.test_certificates import write

pytestmark = pytest.mark.system

SERVE = [sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--workers", "1"]
MOVES, HINTS, PASSERS_BY = 8, 4, 4
# gRPC itself ends a call as cancelled that it has read, but not yet handed over, when it closes.
GONE = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}


async def knock(advisor: Any, met: list[str | None]) -> grpc.StatusCode:
    """Request small searches until the connection is gone; record how each ended, and return the code of the last."""
    while True:
        try:
            await advisor.RecommendMove(question(iterations=10))
            met.append(None)
        except grpc.aio.AioRpcError as error:
            if rpc_status.from_call(error) is None:
                return error.code()
            met.append(details(error, ErrorInfo).reason)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_under_full_load_answers_every_admitted_call(number: signal.Signals) -> None:
    options = ["--drain-delay", "0.3", "--grace", "600", "--log-level", "warning"]
    server = await asyncio.create_subprocess_exec(*SERVE, *options, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    match = re.match(r"clerestory serves on (\S+) ", (await server.stdout.readline()).decode())
    assert match
    async with grpc.aio.insecure_channel(match[1], [("grpc.enable_retries", 0)]) as channel:
        advisor, met = AdvisorServiceStub(channel), list[str | None]()
        moves = [asyncio.ensure_future(advisor.RecommendMove(long_question())) for _ in range(MOVES)]
        hints = [advisor.Analyze(AnalyzeRequest(question=long_question())) for _ in range(HINTS)]
        streams = [asyncio.ensure_future(tables(hint)) for hint in hints]
        knocking = [asyncio.ensure_future(knock(advisor, met)) for _ in range(PASSERS_BY)]
        await until(lambda: len(met) > 2 * PASSERS_BY)
        watch: Any = HealthStub(channel).Watch(HealthCheckRequest())
        assert (await watch.read()).status == HealthCheckResponse.SERVING
        server.send_signal(number)
        assert (await watch.read()).status == HealthCheckResponse.NOT_SERVING
        answers = await asyncio.gather(*moves)
        finals = [stream[-1] for stream in await asyncio.gather(*streams)]
        ends = await asyncio.gather(*knocking)
    assert await server.wait() == 0
    assert all(table.final for table in finals)
    for answer in (*answers, *(table.recommendation for table in finals)):
        assert answer.lines
        assert answer.statistics.stop_reason == STOP_REASON_STOPPED
        assert WARNING_REASON_FINISHING in [warning.reason for warning in answer.warnings]
    assert set(met) <= {None, Reason.FINISHING}
    assert set(ends) <= GONE


@pytest.mark.parametrize("terminal", [False, True])
async def test_a_hangup_ends_only_a_server_without_files_that_a_terminal_began(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A system's service manager sends it to every server alike, and does not start again what it ends."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(os, "isatty", lambda _: terminal)
    async with serving(Settings(listen="127.0.0.1:0", workers=1)):
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: ("draining" if terminal else "no tokens and certificates") in caplog.text)
        assert ("draining" in caplog.text) == terminal


async def test_a_hangup_has_tokens_and_certificates_read_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    old, new = trustme.CA(), trustme.CA()
    write(old.issue_cert("127.0.0.1"), tmp_path)
    (tmp_path / "tokens").write_text("first-token-of-all")
    files = {"tls_cert": tmp_path / "server.pem", "tls_key": tmp_path / "server.key", "token_file": tmp_path / "tokens"}
    async with serving(Settings(listen="127.0.0.1:0", workers=1, **files)) as (app, _):  # type: ignore[arg-type]
        write(new.issue_cert("127.0.0.1"), tmp_path)
        (tmp_path / "tokens").write_text("second-token-of-all")
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: "tokens read from" in caplog.text and "certificates read from" in caplog.text)
        assert [await accepts(app, trusting(one), "second-token-of-all") for one in (old, new)] == [False, True]
