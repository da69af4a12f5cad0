"""Callers share a server and its workers, and none sees another's requests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from clerestory.server.analysis.caller import Caller
from clerestory.server.rpc.callers import ON_BEHALF, SEAT, VIA, Callers, address_of, caller_of
from clerestory.server.rpc.security import Tokens
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from tests.server.games.table import PERSON
from tests.server.rpc.harness import Served, assert_reason, long_question, opening, question, refusal, served, until
from tests.server.rpc.secured import bearer

PLACES = 8
NEW_GAME = games.CreateGameRequest(game="toy", seats=[PERSON, PERSON])
MANY, ONE, PROXY = "token-of-many-calls", "token-of-one-call", "token-of-a-proxy"


def behalf(name: str | bytes) -> tuple[tuple[str, str | bytes], ...]:
    return ((ON_BEHALF, name),)


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(f"{MANY}\n{ONE}\n  {PROXY} \t on-behalf\n")
    return path


@pytest.fixture
async def server(tokens: Path) -> AsyncIterator[Served]:
    async with served(token_file=tokens, max_searches=PLACES, min_iterations=1) as server:
        yield server


@asynccontextmanager
async def occupied(server: Served, number: int, metadata: Any) -> AsyncIterator[None]:
    """Hold a number of searches that do not end."""
    before = server.app.scheduler.admitted
    calls = [server.advisor.RecommendMove(long_question(), metadata=metadata) for _ in range(number)]
    await until(lambda: server.app.scheduler.admitted == before + number or any(call.done() for call in calls))
    for call in calls:
        assert not call.done(), await refusal(call)
    yield
    for call in calls:
        call.cancel()


PAIRS = [
    (bearer(MANY), bearer(ONE)),
    (bearer(MANY), bearer(PROXY)),
    ((*bearer(PROXY), *behalf("many")), (*bearer(PROXY), *behalf("one"))),
    ((*bearer(PROXY), *behalf("many")), bearer(PROXY)),
]


@pytest.mark.parametrize(("many", "one"), PAIRS)
async def test_one_caller_with_every_place_leaves_one_to_another(server: Served, many: Any, one: Any) -> None:
    async with occupied(server, PLACES, many):
        error = await refusal(server.advisor.RecommendMove(question(iterations=10), metadata=many))
        assert_reason(error, Reason.BUSY)
        answer = await server.advisor.RecommendMove(question(iterations=500), metadata=one)
        assert answer.statistics.iterations == 500
        stream = server.advisor.Analyze(AnalyzeRequest(question=question(iterations=500)), metadata=one)
        assert [table.final async for table in stream][-1]


OTHERS = (bearer(MANY), bearer(PROXY), (*bearer(PROXY), *behalf("one")), (*bearer(PROXY), *behalf(ONE)))


async def test_no_caller_gets_the_tree_of_another(server: Served) -> None:
    asked = question(opening(game="cathedral"), iterations=400, game_id="g")

    async def reused(metadata: Any) -> int:
        answer = await server.advisor.RecommendMove(asked, metadata=metadata)
        return int(answer.statistics.reused_iterations)

    assert await reused(bearer(ONE)) == 0
    assert [await reused(stranger) for stranger in OTHERS] == [0] * len(OTHERS)
    assert [await reused(one) for one in (bearer(ONE), *OTHERS)] == [400] * (1 + len(OTHERS))


BAD_NAMES: list[tuple[Any, Reason, grpc.StatusCode]] = [
    ((*bearer(ONE), *behalf("me")), Reason.ON_BEHALF_DENIED, grpc.StatusCode.PERMISSION_DENIED),
    ((*bearer(ONE), *behalf("")), Reason.ON_BEHALF_DENIED, grpc.StatusCode.PERMISSION_DENIED),
    ((*bearer(PROXY), *behalf("")), Reason.BAD_ON_BEHALF, grpc.StatusCode.INVALID_ARGUMENT),
    ((*bearer(PROXY), *behalf("a b")), Reason.BAD_ON_BEHALF, grpc.StatusCode.INVALID_ARGUMENT),
    ((*bearer(PROXY), *behalf("x" * 65)), Reason.BAD_ON_BEHALF, grpc.StatusCode.INVALID_ARGUMENT),
    ((*bearer(PROXY), *behalf("a"), *behalf("b")), Reason.BAD_ON_BEHALF, grpc.StatusCode.INVALID_ARGUMENT),
]


async def test_names_that_are_rejected(server: Served) -> None:
    for metadata, reason, code in BAD_NAMES:
        error = await refusal(server.advisor.RecommendMove(question(iterations=5), metadata=metadata))
        assert_reason(error, reason)
        assert error.code() == code, metadata


def context(peer: str, *metadata: tuple[str, str | bytes]) -> Any:
    return SimpleNamespace(peer=lambda: peer, invocation_metadata=lambda: metadata)


def test_without_tokens_a_caller_is_a_peer_and_may_name_another_on_this_machine() -> None:
    callers = Callers(None)
    assert callers.of(context("ipv4:192.0.2.1:50051")) == caller_of("peer:192.0.2.1", "")
    assert callers.of(context("ipv4:192.0.2.1:50052", *bearer(ONE))) == caller_of("peer:192.0.2.1", "")
    assert callers.of(context("ipv4:127.0.0.1:5", *behalf("a"))) == caller_of("peer:127.0.0.1", "a")
    assert callers.of(context("unix:", *behalf("a"))) == caller_of("peer:unix", "a")
    with pytest.raises(ServiceError) as caught:
        callers.of(context("ipv4:192.0.2.1:50051", *behalf("me")))
    assert caught.value.reason == Reason.ON_BEHALF_DENIED


def test_with_tokens_a_caller_is_a_token_wherever_it_calls_from(tokens: Path) -> None:
    callers = Callers(Tokens(tokens))
    ones = {callers.of(context(peer, *bearer(ONE))) for peer in ("ipv4:192.0.2.1:1", "unix:", "ipv4:127.0.0.1:2")}
    others = {callers.of(context("unix:", *bearer(token))) for token in (MANY, PROXY)}
    assert (len(ones), len(ones | others)) == (1, 3)
    assert ONE not in repr(ones)


@pytest.mark.parametrize(
    ("peer", "metadata", "label"),
    [
        ("unix:", (*bearer("made-up"), *behalf("192.0.2.9")), "peer:unix/192.0.2.9"),
        ("ipv4:127.0.0.1:5", behalf("192.0.2.9"), "peer:127.0.0.1/192.0.2.9"),
        ("ipv4:127.0.0.1:5", behalf("a b"), "peer:127.0.0.1"),
        ("ipv4:127.0.0.1:5", (*behalf("a"), *behalf("b")), "peer:127.0.0.1"),
        ("ipv4:192.0.2.1:5", behalf("192.0.2.9"), "peer:192.0.2.1"),
    ],
)
def test_a_stranger_is_an_address_or_near_a_name(tokens: Path, peer: str, metadata: Any, label: str) -> None:
    assert Callers(Tokens(tokens)).stranger(context(peer, *metadata)).label == label


def test_the_address_of_a_browser_does_not_count_beside_its_token(tokens: Path) -> None:
    callers = Callers(Tokens(tokens))
    through = (*behalf("192.0.2.9"), VIA)
    assert callers.of(context("unix:", *bearer(ONE), *through)) == callers.of(context("unix:", *bearer(ONE)))
    named = callers.of(context("unix:", *bearer(PROXY), *behalf("192.0.2.9")))
    assert callers.of(context("unix:", *bearer(PROXY), *through)) == named  # whose token may name others
    with pytest.raises(ServiceError) as caught:
        callers.of(context("ipv4:192.0.2.1:5", *bearer(ONE), *through))
    assert caught.value.reason == Reason.ON_BEHALF_DENIED


@pytest.mark.parametrize(
    ("calls", "name", "label"),
    [
        ("peer:192.0.2.1", "", "peer:192.0.2.1"),
        ("peer:unix", "ann", "peer:unix/ann"),
        ("token:0123456789abcdef", "", "token:01234567"),
        ("token:0123456789abcdef", "ann", "token:01234567/ann"),
    ],
)
def test_logs_name_callers_shortly(calls: str, name: str, label: str) -> None:
    caller = caller_of(calls, name)
    assert (caller.label, caller.at("seat:x:0").label) == (label, f"{label} seat:x:0")
    assert caller == Caller(caller.origin) != caller.at("seat:x:0")


async def test_a_player_at_a_game_has_a_part_of_the_share_of_a_token(server: Served) -> None:
    """People who share an address or (as here) a token cannot starve each other or, together, other callers."""
    made = await server.games.CreateGame(NEW_GAME, metadata=bearer(ONE))
    many, one = ((*bearer(ONE), (SEAT, f"{made.game.game_id} {token.token}")) for token in made.seat_tokens)
    async with occupied(server, PLACES, many):
        assert_reason(await refusal(server.advisor.RecommendMove(question(iterations=10), metadata=many)), Reason.BUSY)
        for metadata in (one, bearer(ONE), bearer(MANY)):
            answer = await server.advisor.RecommendMove(question(iterations=500), metadata=metadata)
            assert answer.statistics.iterations == 500


@pytest.mark.parametrize("shown", ["game", "game wrong", "other right", "", "game right right", b"game right"])
def test_an_invalid_seat_has_no_separate_share(shown: str | bytes) -> None:
    """Otherwise anybody could claim many parts with invented names."""
    seats = {("game", "right"): 1}
    callers = Callers(None, lambda *named: seats.get(named))
    near, own = "ipv4:127.0.0.1:5", caller_of("peer:127.0.0.1", "")
    assert callers.player_of(context(near, (SEAT, "game right"))) == own.at("seat:game:1")
    assert callers.player_of(context(near, (SEAT, shown))) == callers.of(context(near)) == own
    assert callers.of(context(near, (SEAT, "game right"))) == own  # who makes games is counted so


async def test_a_game_keeps_the_origin_of_its_maker(server: Served) -> None:
    """So the bots of a game use its maker's share."""
    for metadata in (bearer(ONE), (*bearer(PROXY), *behalf("ann"))):
        made = await server.games.CreateGame(NEW_GAME, metadata=metadata)
        async with server.app.manager.lend(made.game.game_id) as live:
            callers = Callers(server.app.tokens)
            assert live.hosted.head.maker == callers.of(context("unix:", *metadata)).origin


ADDRESSES = [
    ("ipv4:192.0.2.1:50051", "192.0.2.1"),
    ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50051", "2001:db8:1:2::/64"),
    ("ipv6:[2001:db8:1:2:ffff::]:1", "2001:db8:1:2::/64"),
    ("ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::/64"),
    ("ipv6:%5B::1%5D:7", "::1"),
    ("ipv6:%5B::ffff:192.0.2.1%5D:7", "192.0.2.1"),
    ("unix:", "unix"),
    ("unix:/somewhere/socket", "unix"),
]


@pytest.mark.parametrize(("peer", "address"), ADDRESSES)
def test_the_address_of_a_peer(peer: str, address: str) -> None:
    assert address_of(peer) == address
