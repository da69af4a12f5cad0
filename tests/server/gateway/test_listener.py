"""The listener of the gateway closes every connection that it has accepted."""

import asyncio
import socket

import pytest

from clerestory.server.gateway.listener import FULL, Listener


class FullHouse:
    """Connection slots, all of them taken."""

    full = True

    def enter(self, address: str) -> bool:
        return False


async def test_a_connection_that_waits_for_a_place_is_rejected_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.gateway.listener.MOMENT", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        listener = Listener(sock, FullHouse(), lambda address: pytest.fail("there is no place"))  # type: ignore[arg-type]
        reader, writer = await asyncio.open_connection(*sock.getsockname())
        while listener._waiting is None:
            await asyncio.sleep(0)
        listener.close()
        assert await reader.read() == FULL
        writer.close()
        await writer.wait_closed()
