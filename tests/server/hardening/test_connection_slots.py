"""Connections that wait, or do not read their answer, cost others nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from clerestory.server.gateway.protocol import Protocol
from clerestory.server.hardening.connection_slots import PAUSE, ClosureLog, ConnectionSlots
from tests.server.gateway.harness import HOUR_S, LIST, Caller, gateway, read_head
from tests.server.rpc.harness import LoopClock, until

FEW = 16  # connections of a gateway under test: eight for each address
ELSEWHERE = "127.0.0.9"


async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """Send a request with the wrong verb, so that the gateway itself answers; return the status."""
    writer.write(f"HEAD {LIST} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    return (await read_head(reader))[0]


async def accepted(caller: Caller) -> bool:
    try:
        return (await caller.call(LIST, b"")).status == 200
    except (ConnectionError, asyncio.IncompleteReadError):
        return False


@asynccontextmanager
async def crowd(caller: Caller, addresses: list[str], sent: bytes = b"") -> AsyncIterator[list[asyncio.StreamReader]]:
    async with AsyncExitStack() as held:
        pairs = [await held.enter_async_context(caller.connection(address)) for address in addresses]
        for _, writer in pairs:
            writer.write(sent)
        yield [reader for reader, _ in pairs]


ONE = ["127.0.0.1"] * 3 * FEW
MANY = [f"127.0.1.{number}" for number in range(1, 3 * FEW)]
BODY = f"POST {LIST} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\ncontent-length: 20000\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", BODY.encode()], ids=["silent", "head", "body"])
@pytest.mark.parametrize("addresses", [ONE, MANY], ids=["one", "many"])
async def test_a_crowd_keeps_nobody_out(addresses: list[str], sent: bytes) -> None:
    async with gateway(connections=FEW) as caller, caller.connection(ELSEWHERE) as hosted:
        assert await answered(*hosted) == 405
        async with crowd(caller, addresses, sent), caller.connection(ELSEWHERE) as new:
            assert await answered(*new) == 405
            assert await answered(*hosted) == 405


async def test_a_connection_that_is_being_answered_keeps_its_place() -> None:
    async with gateway(connections=FEW) as caller, caller.streaming() as reader:
        await read_head(reader)
        async with crowd(caller, MANY):
            assert await reader.readexactly(10_000)


async def test_a_caller_learns_that_all_places_are_in_use() -> None:
    async with gateway(connections=1) as caller:
        async with caller.streaming() as stream:
            await read_head(stream)
            async with caller.connection() as (reader, _):
                assert (await read_head(reader))[0] == 503
        while not await accepted(caller):  # until the gateway has seen that the caller has left
            await asyncio.sleep(0.01)


async def test_a_proxy_has_no_share() -> None:
    proxied = gateway(proxies=("127.0.0.0/24",), connections=2 * FEW)
    async with proxied as caller, crowd(caller, ["127.0.0.1"] * FEW) as readers:
        assert (await caller.call(LIST, b"")).status == 200
        assert not any(reader.at_eof() for reader in readers)


async def test_who_takes_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: LoopClock) -> None:
    (tmp_path / "index.html").write_bytes(b"x" * (8 << 20))
    ended, connection_lost = asyncio.Event(), Protocol.connection_lost

    def lost(connection: Protocol, error: Exception | None) -> None:
        ended.set()
        connection_lost(connection, error)

    monkeypatch.setattr(Protocol, "connection_lost", lost)
    async with gateway(page=tmp_path) as caller, caller.connection() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await read_head(reader)
        await clock.advance_until(ended.is_set, HOUR_S)  # nothing is read meanwhile
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(8 << 20)


async def test_unfinished_requests_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.hardening.connection_slots.BYTES", 50_000)
    async with gateway() as caller, crowd(caller, MANY[:6], BODY.encode() + b"x" * 15_000) as readers:

        def closed() -> int:
            return sum(reader.at_eof() or reader.exception() is not None for reader in readers)

        await until(lambda: closed() == 3)
        assert (await caller.call(LIST, b"")).status == 200
        assert closed() == 3


async def test_callers_who_leave_an_answer_are_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "index.html").write_bytes(b"x" * (1 << 20))
    asked = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with gateway(page=tmp_path, connections=FEW) as caller, crowd(caller, MANY, asked):
        while not await accepted(caller):
            await asyncio.sleep(0.01)
    assert {record.name for record in caplog.records} <= {"clerestory.server.hardening.connection_slots"}


@dataclass(eq=False)
class FakeConnection:
    address: str = "192.0.2.1"
    size: int = 0
    closed: bool = False

    def leave(self) -> None:
        self.closed = True


async def test_the_longest_waiting_connection_of_the_larger_kind_makes_room() -> None:
    places = ConnectionSlots(4)
    idle, first, second, third = made = [FakeConnection(f"192.0.2.{number}") for number in range(4)]
    assert all(places.enter(one.address) for one in made)
    assert places.full
    places.rests(idle)
    for one in (first, second, third):
        places.asks(one)
    places.works(first)
    assert places.enter("192.0.2.9")
    assert [one.closed for one in made] == [False, False, True, False]


async def test_an_address_with_its_share_makes_room_among_its_own() -> None:
    places = ConnectionSlots(4 * FEW)
    other, *made = [FakeConnection("192.0.2.9"), *(FakeConnection() for _ in range(FEW))]
    for one in (other, *made):
        assert places.enter(one.address)
        places.asks(one)
    assert places.enter(made[0].address)
    assert [one.closed for one in (other, *made)] == [False, True, *[False] * (FEW - 1)]
    for one in made:
        places.works(one)
    assert not places.enter(made[0].address)  # all are being answered
    assert places.enter(other.address)


async def test_the_longest_unfinished_request_makes_room_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.hardening.connection_slots.BYTES", 100)
    places, made = ConnectionSlots(9), [FakeConnection() for _ in range(4)]
    for one in made:
        places.asks(one)
    for one in made[1:]:
        places.fills(one, 40)
    assert [one.closed for one in made] == [False, True, False, False]


async def test_closed_connections_are_logged_once_a_pause(clock: LoopClock, caplog: pytest.LogCaptureFixture) -> None:
    log = ClosureLog()

    async def pause() -> list[str]:
        clock.advance(PAUSE)
        for _ in range(3):  # rounds of the event loop
            await asyncio.sleep(0)
        return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]

    for _ in range(5):
        log.add("of tests")
    assert len(caplog.records) == 1
    assert await pause() == [f"connections closed: {count} because of tests" for count in (1, 4)]
    assert len(await pause()) == 2  # without events there is no line
    log.add("of tests")
    assert len(caplog.records) == 3
