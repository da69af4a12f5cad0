"""Tokens: which callers are accepted, and with which settings a server does not start."""

import logging
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.declared import BadSettings
from clerestory.metadata import ON_BEHALF, VIA
from clerestory.server.rpc.errors import CODES
from clerestory.server.rpc.security import LEAST_TOKEN, SPEAKS, Tokens
from clerestory.service_errors import Reason
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2 import CreateGameRequest, WatchGameRequest
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.server.games.table import PERSON
from tests.server.rpc.harness import assert_reason, duration, long_question, question, refusal
from tests.server.rpc.secured import FIRST, SECOND, Files, accepts, bearer, list_games, running, settings, trusting

BEARER = bearer(FIRST)

HEADERS: list[tuple[Any, Reason | None]] = [
    (BEARER, None),
    ((("authorization", f"bearer {SECOND}"),), None),
    ((), Reason.MISSING_TOKEN),
    ((("authorization", ""),), Reason.MISSING_TOKEN),
    ((("authorization", "Bearer "),), Reason.MISSING_TOKEN),
    ((("authorization", f"Basic {FIRST}"),), Reason.MISSING_TOKEN),
    ((("authorization", FIRST),), Reason.MISSING_TOKEN),
    ((("token", FIRST),), Reason.MISSING_TOKEN),
    ((*BEARER, *BEARER), Reason.BAD_TOKEN),
    ((("authorization", f"Bearer {FIRST[:-1]}"),), Reason.BAD_TOKEN),
    ((("authorization", f"Bearer {FIRST}x"),), Reason.BAD_TOKEN),
    ((("authorization", "Bearer # those who may ask"),), Reason.BAD_TOKEN),
]


async def test_a_call_needs_one_known_token(files: Files) -> None:
    async with running(settings(files, "tls", "tokens")) as app:
        for metadata, reason in HEADERS:
            if reason is None:
                assert await list_games(app, trusting(files.authority), metadata) > 0
                continue
            error = await refusal(list_games(app, trusting(files.authority), metadata))
            assert error.code() == grpc.StatusCode.UNAUTHENTICATED, metadata
            assert_reason(error, reason)
            assert FIRST[:-1] not in str(error.details())
            assert len(metadata) < 2 or "`authorization` 2 times" in str(error.details())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_tokens_may_come_from_an_editor_on_windows(tmp_path: Path, encoding: str) -> None:
    listed = tmp_path / "tokens"
    listed.write_text(f"{FIRST}\r\n{SECOND}\r\n", encoding)
    assert all(Tokens(listed).know(token) for token in (FIRST, SECOND))


async def test_every_method_but_health_asks_for_the_token(files: Files) -> None:
    async with running(settings(files, "tokens")) as app, grpc.aio.insecure_channel(app.address) as connection:
        advisor: Any = AdvisorServiceStub(connection)
        rules: Any = RulesServiceStub(connection)
        reflection: Any = ServerReflectionStub(connection)
        analysis = AnalyzeRequest(question=question(iterations=5))
        listing = iter([ServerReflectionRequest(list_services="")])
        calls = [
            advisor.RecommendMove(question(iterations=5)),
            advisor.Analyze(analysis).read(),
            rules.ListGames(ListGamesRequest()),
            reflection.ServerReflectionInfo(listing).read(),
        ]
        for call in calls:
            error = await refusal(call)
            assert error.code() == grpc.StatusCode.UNAUTHENTICATED
            assert_reason(error, Reason.MISSING_TOKEN)
        unknown = await refusal(connection.unary_unary("/clerestory.v1.RulesService/NoSuchMethod")(b""))
        assert unknown.code() == grpc.StatusCode.UNIMPLEMENTED
        health = await HealthStub(connection).Check(HealthCheckRequest())
        assert health.status == HealthCheckResponse.SERVING
        assert (await advisor.RecommendMove(question(iterations=5), metadata=BEARER)).lines
        tables = [table async for table in advisor.Analyze(analysis, metadata=BEARER)]
        assert tables[-1].final


async def test_tokens_are_read_again(files: Files, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    listed = tmp_path / "tokens"
    listed.write_text(FIRST)
    async with running(settings(files, token_file=listed)) as app:
        for text, message, accepted in [
            (FIRST, "1 tokens read from", [True, False]),
            (SECOND, "1 tokens read from", [False, True]),
            ("# nobody", "tokens stay as they were: token_file: ", [False, True]),
        ]:
            caplog.clear()
            listed.write_text(text)
            app.reload()
            assert message in caplog.text
            assert [await accepts(app, None, token) for token in (FIRST, SECOND)] == accepted


NAMED, BROWSER = (ON_BEHALF, "ann"), ((ON_BEHALF, "192.0.2.1"), VIA)


@pytest.mark.parametrize(
    ("before", "after", "ended", "stays", "reason"),
    [
        (f"{FIRST}\n{SECOND}", SECOND, (FIRST,), [(SECOND,)], Reason.BAD_TOKEN),
        (f"{FIRST} {SPEAKS}", FIRST, (FIRST, NAMED), [(FIRST,), (FIRST, *BROWSER)], Reason.ON_BEHALF_DENIED),
    ],
    ids=["withdrawn", "may name nobody any more"],
)
async def test_streams_end_when_their_token_loses_its_rights(
    files: Files, tmp_path: Path, before: str, after: str, ended: Any, stays: Any, reason: Reason
) -> None:
    """Those of a browser stay, whose address the gateway may always name."""
    listed = tmp_path / "tokens"
    listed.write_text(before)
    server = running(settings(files, token_file=listed))
    async with server as app, grpc.aio.insecure_channel(app.address) as connection:
        ending = await long_streams(connection, *ended)
        others = [await long_streams(connection, *one) for one in stays]
        listed.write_text(after)
        app.reload()
        app.reload()  # while they end
        assert app.tokens is not None
        assert len(app.tokens._streams) == len(others) * len(ending)
        for stream in ending:
            error = await refusal(rest_of(stream))
            assert_reason(error, reason)
            assert error.code() == CODES[reason]
        for streams in others:
            assert await streams[-1].read() is not grpc.aio.EOF
            assert not any(stream.done() for stream in streams)


async def long_streams(connection: grpc.aio.Channel, token: str, *more: tuple[str, str]) -> list[Any]:
    """Return streams of one caller that have begun: a game and a study; `more`: metadata besides the token."""
    metadata = (("authorization", f"Bearer {token}"), *more)
    played = GameServiceStub(connection)
    made = await played.CreateGame(CreateGameRequest(game="toy", seats=[PERSON, PERSON]), metadata=metadata)
    watched = WatchGameRequest(game_id=made.game.game_id, tokens=[made.seat_tokens[0].token])
    asked = AnalyzeRequest(question=long_question(), update_interval=duration(0.02))
    streams = [
        played.WatchGame(watched, metadata=metadata),
        AdvisorServiceStub(connection).Analyze(asked, metadata=metadata),
    ]
    for stream in streams:
        assert await stream.read() is not grpc.aio.EOF
    return streams


async def rest_of(stream: Any) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


async def test_no_token_is_ever_logged_or_shown(files: Files, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    async with running(settings(files, "tokens")) as app:
        assert await list_games(app, None, BEARER) > 0
        await refusal(list_games(app, None, (("authorization", "Bearer wrong-secret"),)))
        assert app.tokens is not None
        app.tokens.reload()
        shown = caplog.text + repr(vars(app.tokens)) + repr(app)
    with pytest.raises(BadSettings) as caught:
        Tokens(files["spaces"])
    for secret in (FIRST, SECOND, "wrong-secret", "my secret", "secret"):
        assert secret not in shown + str(caught.value)


PUBLIC = "0.0.0.0:50051"

BAD_COMBINATIONS: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    ((), {"tls_cert": "server.pem"}, "tls_cert: requires tls_key"),
    ((), {"tls_key": "server.key"}, "tls_key: requires tls_cert"),
    ((), {"tls_client_ca": "ca.pem"}, "tls_client_ca: requires tls_cert"),
    ((), {"listen": PUBLIC}, "listen: calls from other machines to 0.0.0.0:50051 would not be encrypted; give"),
    (("tokens",), {"listen": PUBLIC}, "listen: calls .* would not be encrypted, nor would their tokens; give"),
]


@pytest.mark.parametrize(("parts", "given", "message"), BAD_COMBINATIONS)
def test_settings_that_do_not_fit(files: Files, parts: tuple[str, ...], given: dict[str, str], message: str) -> None:
    fields: dict[str, Any] = {name: value if name == "listen" else files[value] for name, value in given.items()}
    with pytest.raises(BadSettings, match=f"^{message}"):
        settings(files, *parts, **fields)


@pytest.mark.parametrize(
    ("parts", "others"), [(("tls",), {}), (("mtls", "tokens"), {}), (("tokens",), {"insecure": True})]
)
def test_a_server_can_be_open_to_other_machines(files: Files, parts: tuple[str, ...], others: dict[str, Any]) -> None:
    assert settings(files, *parts, listen=PUBLIC, **others).listen == PUBLIC


BAD_TOKENS = [
    (None, " cannot be read: No such file"),
    ("# nobody\n\n", " holds no token"),
    ("", " holds no token"),
    (f"{FIRST}\nmy secret\n", ": line 2 is no token"),
    *[
        (line.format(FIRST), ": line 1 is no token")
        for line in ("{} on behalf", "{} on-behalf on-behalf", "on-behalf {}", "{} ON-BEHALF")
    ],
    (f"{FIRST}\n{'x' * (LEAST_TOKEN - 1)}\n", f": line 2 is shorter than {LEAST_TOKEN} char"),
]


@pytest.mark.parametrize(("content", "says"), BAD_TOKENS)
def test_a_file_without_valid_tokens_is_rejected_and_not_quoted(content: str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadSettings, match=f"^token_file: .*tokens{says}") as caught:
        Tokens(path)
    assert FIRST not in str(caught.value)


def test_a_token_may_have_the_least_length(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("x" * LEAST_TOKEN)
    assert Tokens(tmp_path / "tokens").know("x" * LEAST_TOKEN)
