"""Certificates and tokens: which callers are accepted, and with which settings a server does not start."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.declared import BadSettings
from clerestory.metadata import ON_BEHALF, VIA
from clerestory.refusals import Reason
from clerestory.server import app as app_module
from clerestory.server.app import App, serve, start
from clerestory.server.config import Settings
from clerestory.server.life import Life
from clerestory.server.security import LEAST_TOKEN, SPEAKS, Tokens, bearer_token
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2 import CreateGameRequest, WatchGameRequest
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.games.table import PERSON
from tests.server.harness import assert_reason, duration, long_question, question, refusal, telling, until

FIRST, SECOND = "first-token-of-all", "second.token~+/_=="
BEARER = (("authorization", f"Bearer {FIRST}"),)


@dataclass(frozen=True)
class Files:
    """Files: certificates of two authorities, and tokens."""

    folder: Path
    authority: trustme.CA
    stranger: trustme.CA

    def __getitem__(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder, authority, stranger = tmp_path_factory.mktemp("security"), trustme.CA(), trustme.CA()
    for name, issuer in (("server", authority), ("other", stranger)):
        issued = issuer.issue_cert("127.0.0.1", "localhost")
        issued.private_key_pem.write_to_path(folder / f"{name}.key")
        for pem in issued.cert_chain_pems:
            pem.write_to_path(folder / f"{name}.pem", append=True)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    (folder / "tokens").write_text(f"# those who may ask\n\n  {FIRST}  \n{SECOND}\n")
    (folder / "no tokens").write_text("# nobody\n\n")
    (folder / "spaces").write_text(f"{FIRST}\nmy secret\n")
    (folder / "empty").write_text("")
    return Files(folder, authority, stranger)


def settings(files: Files, *parts: str, **others: Any) -> Settings:
    """Return the settings of a server with the parts asked for: tls, mtls, tokens."""
    fields: dict[str, Any] = {"listen": "127.0.0.1:0", "workers": 1}
    if "tls" in parts or "mtls" in parts:
        fields |= {"tls_cert": files["server.pem"], "tls_key": files["server.key"]}
    if "mtls" in parts:
        fields |= {"tls_client_ca": files["ca.pem"]}
    if "tokens" in parts:
        fields |= {"token_file": files["tokens"]}
    return Settings(**fields | others)


@asynccontextmanager
async def secured(files: Files, *parts: str) -> AsyncIterator[App]:
    app = await start(settings(files, *parts))
    try:
        yield app
    finally:
        await app.finish()


def pem(blobs: list[trustme.Blob]) -> bytes:
    return b"".join(blob.bytes() for blob in blobs)


def proof(files: Files, *, trusts: str = "authority", shows: str | None = None) -> grpc.ChannelCredentials:
    """Return the credentials of a client that trusts one of the authorities and shows a certificate of one, or none."""
    root = getattr(files, trusts).cert_pem.bytes()
    if shows is None:
        return grpc.ssl_channel_credentials(root)
    issued = getattr(files, shows).issue_cert("client@example.org")
    return grpc.ssl_channel_credentials(root, issued.private_key_pem.bytes(), pem(issued.cert_chain_pems))


def channel(app: App, credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    if credentials is None:
        return grpc.aio.insecure_channel(app.address)
    return grpc.aio.secure_channel(app.address, credentials)


async def games(app: App, credentials: grpc.ChannelCredentials | None, metadata: Any = ()) -> int:
    """Return the number of games that a server lists."""
    async with channel(app, credentials) as connection:
        stub: Any = RulesServiceStub(connection)
        return len((await stub.ListGames(ListGamesRequest(), metadata=metadata, timeout=20)).games)


# -- certificates ----------------------------------------------------------------------------------

CONNECTIONS: list[tuple[str, dict[str, Any] | None, bool]] = [
    ("tls", {}, True),
    ("tls", {"trusts": "stranger"}, False),
    ("tls", None, False),
    ("mtls", {"shows": "authority"}, True),
    ("mtls", {"shows": "stranger"}, False),
    ("mtls", {}, False),
    ("mtls", None, False),
]


@pytest.mark.parametrize(("part", "client", "accepted"), CONNECTIONS)
async def test_connection(files: Files, part: str, client: dict[str, Any] | None, accepted: bool) -> None:
    async with secured(files, part) as app:
        credentials = None if client is None else proof(files, **client)
        if accepted:
            assert await games(app, credentials) > 0
        else:
            assert (await refusal(games(app, credentials))).code() == grpc.StatusCode.UNAVAILABLE


async def test_a_socket_file_can_have_a_certificate_as_well(files: Files, tmp_path: Path) -> None:
    app = await start(settings(files, "tls", listen=f"unix:{tmp_path}/socket"))
    option = (("grpc.ssl_target_name_override", "localhost"),)
    async with grpc.aio.secure_channel(app.address, proof(files), options=option) as connection:
        stub: Any = RulesServiceStub(connection)
        assert (await stub.ListGames(ListGamesRequest(), timeout=20)).games
    await app.finish()


# -- tokens ----------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(("metadata", "reason"), HEADERS)
async def test_token(files: Files, metadata: Any, reason: Reason | None) -> None:
    async with secured(files, "tls", "tokens") as app:
        if reason is None:
            assert await games(app, proof(files), metadata) > 0
            return
        error = await refusal(games(app, proof(files), metadata))
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED
    assert_reason(error, reason)
    assert FIRST[:-1] not in str(error.details())


async def test_two_tokens_in_one_call_are_told_so(files: Files) -> None:
    two = (*BEARER, ("authorization", f"Bearer {SECOND}"))
    async with secured(files, "tokens") as app:
        assert "`authorization` 2 times" in str((await refusal(games(app, None, two))).details())


@pytest.mark.parametrize(("length", "long_enough"), [(LEAST_TOKEN - 1, False), (LEAST_TOKEN, True)])
def test_tokens_have_a_least_length(tmp_path: Path, length: int, long_enough: bool) -> None:
    listed = tmp_path / "tokens"
    listed.write_text(f"{FIRST}\n{'x' * length}\n")
    if long_enough:
        assert Tokens(listed).know("x" * length)
    else:
        with pytest.raises(BadSettings, match=rf"^token_file: .*tokens: line 2 is shorter than {LEAST_TOKEN} char"):
            Tokens(listed)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_tokens_may_come_from_an_editor_on_windows(tmp_path: Path, encoding: str) -> None:
    listed = tmp_path / "tokens"
    listed.write_text(f"{FIRST}\r\n{SECOND}\r\n", encoding)
    assert all(Tokens(listed).know(token) for token in (FIRST, SECOND))


async def test_a_refused_call_is_logged_like_any_other(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with secured(files, "tokens") as app:
        await refusal(games(app, None))
    [record] = [record for record in caplog.records if record.message == "call"]
    assert (vars(record)["method"], vars(record)["reason"]) == ("RulesService/ListGames", Reason.MISSING_TOKEN)


async def first_answer(stream: Any) -> Any:
    return await stream.read()


async def test_every_method_but_health_asks_for_the_token(files: Files) -> None:
    async with secured(files, "tokens") as app, grpc.aio.insecure_channel(app.address) as connection:
        advisor: Any = AdvisorServiceStub(connection)
        rules: Any = RulesServiceStub(connection)
        reflection: Any = ServerReflectionStub(connection)
        analysis = AnalyzeRequest(question=question(iterations=5))
        listing = iter([ServerReflectionRequest(list_services="")])
        calls = [
            advisor.RecommendMove(question(iterations=5)),
            first_answer(advisor.Analyze(analysis)),
            rules.ListGames(ListGamesRequest()),
            first_answer(reflection.ServerReflectionInfo(listing)),
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


async def test_tokens_are_read_again_on_a_signal(
    files: Files, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    listed = tmp_path / "tokens"
    listed.write_text(FIRST)
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()
    life = Life()
    serving = asyncio.ensure_future(serve(settings(files, token_file=listed), partial(telling, ready), life))
    app = await ready

    async def known(token: str) -> bool:
        try:
            return await games(app, None, (("authorization", f"Bearer {token}"),)) > 0
        except grpc.aio.AioRpcError:
            return False

    async def reread(text: str, message: str) -> None:
        listed.write_text(text)
        caplog.clear()
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: message in caplog.text)

    assert (await known(FIRST), await known(SECOND)) == (True, False)
    await reread(SECOND, "1 tokens read from")
    assert (await known(FIRST), await known(SECOND)) == (False, True)
    await reread("# nobody", "tokens stay as they were: token_file: ")
    assert (await known(FIRST), await known(SECOND)) == (False, True)
    life.end("enough")
    await serving
    asyncio.get_running_loop().remove_signal_handler(signal.SIGHUP)


async def test_streams_of_a_token_that_is_withdrawn_end(files: Files, tmp_path: Path) -> None:
    listed = tmp_path / "tokens"
    listed.write_text(f"{FIRST}\n{SECOND}\n")
    app = await start(settings(files, token_file=listed))
    async with grpc.aio.insecure_channel(app.address) as connection:
        first, second = [await long_streams(connection, token) for token in (FIRST, SECOND)]
        listed.write_text(SECOND)
        app.reload()
        app.reload()  # while they end
        for stream in first:
            error = await refusal(rest_of(stream))
            assert error.code() == grpc.StatusCode.UNAUTHENTICATED
            assert_reason(error, Reason.BAD_TOKEN)
        assert await second[-1].read() is not grpc.aio.EOF
        assert not any(stream.done() for stream in second)
    await app.finish()


async def test_streams_on_behalf_of_somebody_end_when_their_token_may_no_longer_name_others(
    files: Files, tmp_path: Path
) -> None:
    listed = tmp_path / "tokens"
    listed.write_text(f"{FIRST} {SPEAKS}")
    app = await start(settings(files, token_file=listed))
    async with grpc.aio.insecure_channel(app.address) as connection:
        named = await long_streams(connection, FIRST, (ON_BEHALF, "ann"))
        others = [await long_streams(connection, FIRST, *more) for more in ((), ((ON_BEHALF, "192.0.2.1"), VIA))]
        listed.write_text(FIRST)
        app.reload()
        for stream in named:
            error = await refusal(rest_of(stream))
            assert error.code() == grpc.StatusCode.PERMISSION_DENIED
            assert_reason(error, Reason.ON_BEHALF_DENIED)
        for streams in others:  # of the token itself, and of a browser, whose address the door may name
            assert await streams[-1].read() is not grpc.aio.EOF
            assert not any(stream.done() for stream in streams)
    await app.finish()


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
    """Read a stream to its end."""
    while await stream.read() is not grpc.aio.EOF:
        pass


async def test_no_token_is_ever_logged_or_shown(files: Files, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    async with secured(files, "tokens") as app:
        assert await games(app, None, BEARER) > 0
        await refusal(games(app, None, (("authorization", "Bearer wrong-secret"),)))
        assert app.tokens is not None
        app.tokens.reload()
        shown = caplog.text + repr(vars(app.tokens)) + repr(app)
    with pytest.raises(BadSettings) as caught:
        Tokens(files["spaces"])
    for secret in (FIRST, SECOND, "wrong-secret", "my secret", "secret"):
        assert secret not in shown + str(caught.value)


@pytest.mark.parametrize(
    ("authorization", "token"),
    [
        ("Bearer x", "x"),
        ("BEARER  x ", "x"),
        ("Bearer", None),
        ("Basic x", None),
    ],
)
def test_bearer_token(authorization: str, token: str | None) -> None:
    assert bearer_token(authorization) == token


# -- what no server starts with --------------------------------------------------------------------

PUBLIC = "0.0.0.0:50051"

BAD_COMBINATIONS: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    ((), {"tls_cert": "server.pem"}, "tls_cert: requires tls_key"),
    ((), {"tls_key": "server.key"}, "tls_key: requires tls_cert"),
    ((), {"tls_client_ca": "ca.pem"}, "tls_client_ca: requires tls_cert"),
    ((), {"listen": PUBLIC}, "listen: calls from other machines to 0.0.0.0:50051 would not be encrypted; give"),
    (("tokens",), {"listen": PUBLIC}, "listen: calls .* would not be encrypted, nor would their tokens; give"),
]

BAD_FILES: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    (("tls",), {"tls_cert": "missing"}, "tls_cert: .*missing cannot be read: No such file"),
    (("tls",), {"tls_key": "missing"}, "tls_key: .*missing cannot be read: No such file"),
    (("mtls",), {"tls_client_ca": "missing"}, "tls_client_ca: .*missing cannot be read: No such file"),
    ((), {"token_file": "missing"}, "token_file: .*missing cannot be read: No such file"),
    ((), {"token_file": "."}, "token_file: .* cannot be read: Is a directory"),
    (("tls",), {"tls_cert": "empty"}, "tls_cert: .*empty holds no certificate in PEM"),
    (("tls",), {"tls_cert": "server.key"}, "tls_cert: .*server.key holds no certificate in PEM"),
    (("tls",), {"tls_key": "empty"}, "tls_key: .*empty is not the key of .*server.pem"),
    (("tls",), {"tls_key": "other.key"}, "tls_key: .*other.key is not the key of .*server.pem"),
    (("tls",), {"tls_key": "server.pem"}, "tls_key: .*server.pem is not the key of .*server.pem"),
    (("mtls",), {"tls_client_ca": "tokens"}, "tls_client_ca: .*tokens holds no certificate in PEM"),
    ((), {"token_file": "no tokens"}, "token_file: .*no tokens holds no token"),
    ((), {"token_file": "empty"}, "token_file: .*empty holds no token"),
    ((), {"token_file": "spaces"}, "token_file: .*spaces: line 2 is no token"),
]


def fields_of(files: Files, given: dict[str, str]) -> dict[str, Any]:
    return {name: value if name == "listen" else files[value] for name, value in given.items()}


@pytest.mark.parametrize(("parts", "given", "message"), BAD_COMBINATIONS)
def test_bad_combination(files: Files, parts: tuple[str, ...], given: dict[str, str], message: str) -> None:
    with pytest.raises(BadSettings, match=f"^{message}"):
        settings(files, *parts, **fields_of(files, given))


@pytest.mark.parametrize(("parts", "given", "message"), BAD_FILES)
async def test_bad_file(files: Files, parts: tuple[str, ...], given: dict[str, str], message: str) -> None:
    with pytest.raises(BadSettings, match=f"^{message}"):
        await start(settings(files, *parts, **fields_of(files, given)))


async def test_an_unreadable_file(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be allowed to read everything, so the file system is made to refuse."""

    def forbidden(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(BadSettings, match=r"^token_file: .*tokens cannot be read: Permission denied$"):
        await start(settings(files, "tokens"))


@pytest.mark.parametrize(
    ("parts", "others"), [(("tls",), {}), (("mtls", "tokens"), {}), (("tokens",), {"insecure": True})]
)
def test_open_to_other_machines(files: Files, parts: tuple[str, ...], others: dict[str, Any]) -> None:
    assert settings(files, *parts, listen=PUBLIC, **others).listen == PUBLIC


def test_every_service_is_named_for_health() -> None:
    names = ("Advisor", "Rules", "Game", "Annotation", "Puzzle", "Lesson")
    assert tuple(f"clerestory.v1.{name}Service" for name in names) == app_module.SERVICES
