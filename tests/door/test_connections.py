"""Connections that wait, or take nothing: they cost others nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from clerestory.door.config import BadDoor, DoorSettings
from clerestory.door.protocol import Protocol
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from tests.door.harness import ADVICE, RULES, Caller, door, enveloped, parts, read_head, unchunked
from tests.door.test_calls import STREAM, analysis, long_question
from tests.server.harness import duration

FEW = 16  # connections of a door under test: eight for each address
LIST = RULES + "ListGames"
ELSEWHERE = "127.0.0.9"


async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """Ask on a connection, by the wrong verb, so that the door itself answers; return the status."""
    writer.write(f"HEAD {LIST} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    return (await read_head(reader))[0]


async def let_in(caller: Caller) -> bool:
    """Whether a new connection finds a place."""
    try:
        return (await caller.call(LIST, b"")).status == 200
    except (ConnectionError, asyncio.IncompleteReadError):
        return False


@asynccontextmanager
async def crowd(caller: Caller, addresses: list[str], sent: bytes = b"") -> AsyncIterator[list[asyncio.StreamReader]]:
    """Hold a connection from each address, each of which has sent something."""
    pairs = [await caller.connected(address) for address in addresses]
    for _, writer in pairs:
        writer.write(sent)
    try:
        yield [reader for reader, _ in pairs]
    finally:
        for _, writer in pairs:
            writer.close()


ONE = ["127.0.0.1"] * 3 * FEW
MANY = [f"127.0.1.{number}" for number in range(1, 3 * FEW)]


@pytest.mark.parametrize("sent", [b"", b"GET / HT"], ids=["silent", "head"])
@pytest.mark.parametrize("addresses", [ONE, MANY], ids=["one", "many"])
async def test_a_crowd_keeps_nobody_out(addresses: list[str], sent: bytes) -> None:
    async with door(connections=FEW) as caller:
        kept = await caller.connected(ELSEWHERE)
        assert await answered(*kept) == 405
        async with crowd(caller, addresses, sent):
            new = await caller.connected(ELSEWHERE)
            assert await answered(*new) == 405
            assert await answered(*kept) == 405
        for _, writer in (kept, new):
            writer.close()


async def test_a_crowd_of_bodies_that_do_not_come_keeps_nobody_out() -> None:
    async with door(connections=FEW) as caller:
        head = (
            f"POST {LIST} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\ncontent-length: 9\r\n\r\n"
        )
        async with crowd(caller, MANY, head.encode()):
            reader, writer = await caller.connected(ELSEWHERE)
            assert await answered(reader, writer) == 405
            writer.close()


async def test_those_who_are_being_answered_keep_their_places() -> None:
    async with door(connections=FEW) as caller:
        body = enveloped(analysis(time_budget=duration(1.5)))
        async with caller.sent("POST", ADVICE + "Analyze", body, {"content-type": STREAM}) as reader:
            await read_head(reader)
            async with crowd(caller, MANY):
                assert parts(unchunked(await reader.read()))[-1] == (2, b"{}")


async def test_whoever_finds_all_places_in_use_is_told() -> None:
    async with door(connections=1) as caller:
        body = enveloped(AnalyzeRequest(question=long_question()).SerializeToString())
        async with caller.sent("POST", ADVICE + "Analyze", body, {"content-type": STREAM}) as stream:
            await read_head(stream)
            reader, writer = await caller.connected()
            assert (await read_head(reader))[0] == 503
            writer.close()
        while not await let_in(caller):  # until the door has seen that the caller has left
            await asyncio.sleep(0.01)


async def test_a_proxy_has_no_share() -> None:
    proxied = door(proxies=("127.0.0.0/24",), connections=2 * FEW)
    async with proxied as caller, crowd(caller, ["127.0.0.1"] * FEW) as readers:
        assert (await caller.call(LIST, b"")).status == 200
        assert not any(reader.at_eof() for reader in readers)


@pytest.mark.parametrize(("proxies", "named"), [(("127.0.0.1",), ["192.0.2.7"]), ((), ["127.0.0.1"])])
async def test_only_a_proxy_says_who_calls(
    proxies: tuple[str, ...], named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr("clerestory.door.app.BrowserCall", lambda *fields: seen.append(fields[4]))
    async with door(proxies=proxies) as caller:
        await caller.call(LIST, b"", x_forwarded_for="198.51.100.1, 192.0.2.7")
    assert seen == named


def test_a_proxy_that_is_no_address() -> None:
    with pytest.raises(BadDoor, match=r"web_proxy: 'castle\.example'"):
        DoorSettings("127.0.0.1:0", proxies=("castle.example",))


@pytest.mark.parametrize("name", ["https://play.example.org", "play.example.org:443", "a b", ""])
def test_a_name_under_which_no_browser_could_reach_the_page(name: str) -> None:
    with pytest.raises(BadDoor, match=rf"web_name: '{name}' is not a host name"):
        DoorSettings("127.0.0.1:0", names=("play.example.org", "[::1]", name))


async def test_a_caller_who_takes_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.protocol.STALL_SECONDS", 0.2)
    (tmp_path / "index.html").write_bytes(b"x" * (8 << 20))
    ended, connection_lost = asyncio.Event(), Protocol.connection_lost

    def lost(connection: Protocol, error: Exception | None) -> None:
        ended.set()
        connection_lost(connection, error)

    monkeypatch.setattr(Protocol, "connection_lost", lost)
    async with door(page=tmp_path) as caller:
        reader, writer = await caller.connected()
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await ended.wait()  # nobody has read meanwhile
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(8 << 20)
        writer.close()


async def test_requests_that_do_not_end_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.door.places.BYTES", 50_000)
    head = (
        f"POST {LIST} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\ncontent-length: 20000\r\n\r\n"
    )
    async with door() as caller, crowd(caller, MANY[:6], head.encode() + b"x" * 15_000) as readers:
        for reader in readers[:3]:
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
        assert (await caller.call(LIST, b"")).status == 200
        assert not any(reader.at_eof() or reader.exception() for reader in readers[3:])


async def test_those_who_leave_an_answer_leave_no_lines_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "index.html").write_bytes(b"x" * (1 << 20))
    asked = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with door(page=tmp_path, connections=FEW) as caller, crowd(caller, MANY * 4, asked):
        while not await let_in(caller):  # the test fails by its timeout
            await asyncio.sleep(0.05)
    assert {record.name for record in caplog.records} <= {"clerestory.door.places"}


async def test_the_log_has_a_line_a_second_at_most(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with door(connections=FEW) as caller, crowd(caller, MANY * 4):
            reader, writer = await caller.connected(ELSEWHERE)
            assert await answered(reader, writer) == 405
            writer.close()
            lines = [record for record in caplog.records if "connections closed" in record.getMessage()]
            seconds = {int(record.created - lines[0].created) for record in lines}
    assert len(lines) == len(seconds) > 0
