"""Long JSON requests are parsed in a thread, one at a time, with addresses taking turns."""

import asyncio
import threading

import pytest

from clerestory.server.gateway import codec
from clerestory.server.gateway.codec import LARGE, Codec, Reader
from clerestory.server.gateway.methods import Method, methods
from tests.server.gateway.harness import JSON, RULES, gateway
from tests.server.rpc.harness import until

CREATE = methods()["/clerestory.v1.GameService/CreateGame"]
IN_JSON = Codec(json=True, streams=False)
PADDED = b" " * LARGE


class SlowReading:
    """Replaces the JSON parser; blocks each call until `go_on` is set, and records what was begun, and where."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[bytes] = []
        self.threads: set[threading.Thread] = set()
        self.go_on = threading.Event()
        monkeypatch.setattr(codec, "message_of", self._message)

    def _message(self, _: Method, payload: bytes) -> bytes:
        self.read.append(payload.strip())
        self.threads.add(threading.current_thread())
        assert self.go_on.wait(600)
        return payload.strip()


async def test_one_is_read_at_a_time_in_a_thread_of_each_address_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, reader = SlowReading(monkeypatch), Reader()
    asked = [("a", b"1"), ("a", b"2"), ("a", b"3"), ("b", b"4"), ("c", b"5")]
    readings = [asyncio.ensure_future(reader.read(IN_JSON, CREATE, text + PADDED, address)) for address, text in asked]
    await until(lambda: slow.read == [b"1"])
    assert await reader.read(Codec(json=False, streams=False), CREATE, PADDED, "d") == PADDED  # waits for none of them
    assert slow.read == [b"1"]
    slow.go_on.set()
    assert await asyncio.gather(*readings) == [text for _, text in asked]
    assert slow.read == [b"1", b"2", b"4", b"5", b"3"]
    assert len(slow.threads - {threading.main_thread()}) == len(slow.threads) == 1


async def test_the_request_of_a_caller_who_leaves_while_waiting_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, reader = SlowReading(monkeypatch), Reader()
    readings = [asyncio.ensure_future(reader.read(IN_JSON, CREATE, text + PADDED, "a")) for text in (b"1", b"2", b"3")]
    await until(lambda: slow.read == [b"1"])
    readings[1].cancel()
    slow.go_on.set()
    await asyncio.wait(readings)
    assert slow.read == [b"1", b"3"]


async def test_a_request_is_given_up_when_its_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def read(*_: object) -> bytes:
        begun.set()
        try:
            return await asyncio.Future[bytes]()
        finally:
            ended.set()

    monkeypatch.setattr(Reader, "read", read)
    async with gateway() as caller:
        async with caller.sent("POST", RULES + "StartPosition", b"{}", {"content-type": JSON}):
            await begun.wait()
        await ended.wait()
