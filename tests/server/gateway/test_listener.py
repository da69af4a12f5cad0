"""The listener of the gateway closes every connection that it has accepted."""

import asyncio
import json
import socket

import pytest

from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.listener import FULL, Listener, full
from tests.server.gateway.harness import reason_of

SITE = "https://play.example.org"
SHARING = GatewaySettings("127.0.0.1:0", origins=(SITE,)).sharing


class FullHouse:
    """Connection slots, all of them taken."""

    full = True

    def enter(self, address: str) -> bool:
        return False


def is_received(sock: socket.socket) -> bool:
    try:
        return bool(sock.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


ASKED = b"POST / HTTP/1.1\r\nOrigin: %s\r\n\r\n"
ALLOWED = f"vary: origin\r\naccess-control-allow-origin: {SITE}\r\naccess-control-expose-headers: *\r\n"


@pytest.mark.parametrize(
    ("request_head", "headers"),
    [
        (b"", "vary: origin\r\n"),
        (ASKED % SITE.encode(), ALLOWED),
        (ASKED % b"https://evil.example", "vary: origin\r\n"),
    ],
    ids=["nothing sent", "listed", "other"],
)
async def test_a_connection_that_waits_for_a_place_is_rejected_at_the_end(
    request_head: bytes, headers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clerestory.server.gateway.listener.MOMENT", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        listener = Listener(sock, FullHouse(), lambda _: pytest.fail("there is no place"), SHARING)  # type: ignore[arg-type]
        reader, writer = await asyncio.open_connection(*sock.getsockname())
        while listener._waiting is None:
            await asyncio.sleep(0)
        writer.write(request_head)
        while request_head and not is_received(listener._waiting):
            await asyncio.sleep(0)
        listener.close()
        assert await reader.read() == full(headers)
        assert reason_of(json.loads(FULL)) == "BUSY"
        writer.close()
        await writer.wait_closed()
