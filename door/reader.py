"""The reading of requests."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from clerestory.door.codec import LARGE, Codec
from clerestory.door.methods import Method
from clerestory.turns import Turns


class Reader:
    """Reads the messages of requests; long ones in JSON in a thread of its own, one at a time, of each address in turn.

    64 KiB of JSON can take a quarter of a second of processor time, before anybody has looked at the caller's token. In
    this thread they keep no answer waiting, and no request of another address but for one of theirs.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._thread = ThreadPoolExecutor(1, "requests")

    async def read(self, codec: Codec, method: Method, payload: bytes, address: str) -> bytes:
        """Return the message that a payload holds. Raises ConnectError.

        Args:
            codec: of the call.
            method: called.
            payload: as it came, unpacked.
            address: of the caller.
        """
        if not codec.json or len(payload) <= LARGE:
            return codec.message(method, payload)
        async with self._turns.taken(address):
            return await asyncio.get_running_loop().run_in_executor(self._thread, codec.message, method, payload)
