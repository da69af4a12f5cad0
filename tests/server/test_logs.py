"""The log of failures: enough to find the fault, and no secrets."""

import io
import logging
import re
from pathlib import Path
from typing import Any

import grpc
import pytest
from structlog.contextvars import bound_contextvars
from structlog.stdlib import ProcessorFormatter

from clerestory.server.logs import FRAMES, LONGEST, SHARED, JsonLines, processors
from clerestory.server.rpc import game_service
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.games.table import PERSON, Table, seated
from tests.server.rpc.harness import FORMATS, Served, assert_reason, logged, refusal, served, until

BEARER = "bearer.token/of~a+door=="
FAULT = "unexpected error in a call"


@pytest.fixture
def gateway(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(f"{BEARER}\n")
    return path


def opened(server: Served, **options: Any) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(server.app.address, options=[*options.items()], interceptors=[Bearer()])


class Bearer(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return await continuation(details._replace(metadata=AUTHORIZED), request)


AUTHORIZED = (("authorization", f"Bearer {BEARER}"),)


def secrets_of(played: Table) -> list[str]:
    head = played.app.manager.cache.games[played.game_id].hosted.head
    tokens = [played.made.owner_token, played.made.onlooker_token, *played.tokens()]
    return [head.salt, str(head.seed), *tokens]


def failing(*secrets: object) -> Any:

    def fail(*arguments: Any, **named: Any) -> Any:
        raise ValueError(f"{secrets} {arguments} {named} authorization: Bearer {BEARER}")

    return fail


@pytest.mark.parametrize("form", FORMATS)
async def test_no_failure_writes_a_secret(form: str, gateway: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with logged(form) as log:
        async with served(token_file=gateway) as server, opened(server) as channel:
            options = games.GameOptions(onlookers=games.ONLOOKERS_LINK, take_backs=games.TAKE_BACKS_ALL)
            played = await seated(GameServiceStub(channel), server.app, PERSON, PERSON, seed=None, options=options)
            secrets, seen = secrets_of(played), await played.look()
            with monkeypatch.context() as patched:
                patched.setattr(played.app.manager.store, "append", failing(*secrets))
                assert_reason(await refusal(played.play_first()), Reason.INTERNAL)
            with monkeypatch.context() as patched:
                patched.setattr(game_service, "write_views", failing(*secrets))
                assert_reason(await refusal(played.look()), Reason.INTERNAL)
            assert (await played.look()).game == seen.game
    text = log.getvalue()
    assert text.count(FAULT) == 2
    assert "ValueError: (" in text
    assert [secret for secret in (BEARER, *secrets) if secret in text] == []


@pytest.mark.parametrize("form", FORMATS)
async def test_a_traceback_is_short(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(*_: Any, left: int = 200) -> Any:
        local_of_a_frame = left
        if left:
            return deep(left=local_of_a_frame - 1)
        raise ValueError("word " * 100_000)

    with logged(form) as log:
        async with served() as server:
            played = await seated(server.games, server.app, PERSON, PERSON)
            monkeypatch.setattr(game_service, "write_views", deep)
            assert_reason(await refusal(played.look()), Reason.INTERNAL)
    text = log.getvalue()
    assert text.count(FAULT) == 1
    assert 0 < text.count("in deep") <= FRAMES
    assert 0 < text.count("word ") <= 1 + LONGEST / 5  # one in the line of the frame
    assert "local_of_a_frame = 3" not in text


async def test_a_write_that_fails_is_no_fault_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raised by gRPC if the caller has left before the handler is notified."""

    async def write(*_: Any, **__: Any) -> None:
        raise grpc.aio.InternalError("Failed grpc_call_start_batch")

    monkeypatch.setattr(game_service, "watch", write)
    with logged("text") as log:
        async with served() as server:
            played = await seated(server.games, server.app, PERSON, PERSON)
            with pytest.raises(grpc.aio.AioRpcError):
                await played.watch().read()
            await until(lambda: left(log, "WatchGame") == 1)
    assert FAULT not in log.getvalue()


def left(log: io.StringIO, method: str) -> int:
    """Return how many calls of a method are logged as abandoned by their callers."""
    return sum(method in line and "CANCELLED" in line for line in log.getvalue().splitlines())


@pytest.mark.parametrize(
    ("message", "arguments", "extra"),
    [
        ("call", (), {"method": "AdvisorService/RecommendMove", "seconds": 0.25, "unlogged": 3}),
        ("%s tokens read from %s", (3, Path("tokens")), {}),
        (f"authorization: Bearer {BEARER}", (), {"path": Path("a"), "event": "x" * 600}),
    ],
)
def test_a_line_of_json_is_structlogs(message: str, arguments: tuple[object, ...], extra: dict[str, object]) -> None:
    fields = {"name": "a.b", "levelno": 20, "levelname": "INFO", "msg": message, "args": arguments, **extra}
    record = logging.makeLogRecord(fields)
    chains: Any = {"foreign_pre_chain": SHARED, "processors": processors("json")}
    with bound_contextvars(request_id="r", caller="peer:unix"):
        lines = [made(**chains).format(record) for made in (JsonLines, ProcessorFormatter)]
    ours, theirs = (re.sub(r'("timestamp": ")[\d:.T-]+(Z")', r"\1\2", line) for line in lines)
    assert ours == theirs
