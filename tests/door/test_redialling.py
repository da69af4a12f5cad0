"""A door that goes on by another connection to its server: which channels it keeps."""

from dataclasses import dataclass, field
from typing import Any

import grpc

from clerestory.clients.connection import Connection, dial
from clerestory.door.config import DoorSettings
from clerestory.door.serve import opened
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from tests.door.harness import ADVICE, RULES, Caller, address_of, enveloped, read_head
from tests.server.harness import duration, long_question, served, until

LONG = enveloped(AnalyzeRequest(question=long_question(), update_interval=duration(0.02)).SerializeToString())
STREAM = {"content-type": "application/connect+proto"}


@dataclass(frozen=True)
class Dialled:
    """A connection that remembers the channel that is made from it."""

    connection: Connection
    made: list[grpc.aio.Channel] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def channel(self, kind: Any) -> Any:
        self.made.append(self.connection.channel(kind))
        return self.made[-1]

    @property
    def closed(self) -> bool:
        """Whether its only channel is."""
        [channel] = self.made
        return channel.get_state() is grpc.ChannelConnectivity.SHUTDOWN


async def test_a_channel_without_calls_is_closed() -> None:
    async with served() as server:
        first, second = [Dialled(dial(server.app.address, None, None, retries=False)) for _ in range(2)]
        async with opened(DoorSettings("127.0.0.1:0"), first) as web:  # type: ignore[arg-type]
            caller = Caller(*address_of(web.url), server)
            assert (await caller.call(RULES + "ListGames", b"")).status == 200
            web.redial(second)  # type: ignore[arg-type]
            await until(lambda: first.closed)
            assert (await caller.call(RULES + "ListGames", b"")).status == 200
            assert not second.closed
        assert second.closed


async def test_a_channel_is_closed_when_its_last_call_has_ended() -> None:
    async with served() as server:
        first, second = [Dialled(dial(server.app.address, None, None, retries=False)) for _ in range(2)]
        async with opened(DoorSettings("127.0.0.1:0"), first) as web:  # type: ignore[arg-type]
            caller = Caller(*address_of(web.url), server)
            async with caller.sent("POST", ADVICE + "Analyze", LONG, STREAM) as reader:
                await read_head(reader)
                assert await reader.read(1)
                web.redial(second)  # type: ignore[arg-type]
                assert (await caller.call(RULES + "ListGames", b"")).status == 200
                assert await reader.readexactly(10_000)
                assert not first.closed
            await until(lambda: first.closed)
            assert not second.closed
