"""Decodes the requests of browsers without blocking the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from clerestory.server.gateway.codec import LARGE, Codec
from clerestory.server.gateway.methods import Method
from clerestory.turns import Turns


class Reader:
    """Decodes requests; long JSON is decoded in one thread, which takes the addresses in turn.

    64 KiB of JSON can take a quarter of a second of CPU time, before the server checks the caller's token. In the
    thread, it blocks no response, and a request of another address waits for at most one of this address.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._thread = ThreadPoolExecutor(1, "requests")

    async def read(self, codec: Codec, method: Method, payload: bytes, address: str) -> bytes:
        """Return the message in a payload. Raises ConnectError.

        Args:
            codec: the encoding of the call.
            method: the method of the call.
            payload: the decompressed payload.
            address: the client's network.
        """
        if not codec.json or len(payload) <= LARGE:
            return codec.message(method, payload)
        async with self._turns.taken(address):
            return await asyncio.get_running_loop().run_in_executor(self._thread, codec.message, method, payload)
