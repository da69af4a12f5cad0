"""Messages in JSON: large ones are converted while the event loop goes on."""

import asyncio
import json
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.door.codec import LARGE, Codec
from clerestory.door.methods import methods
from tests.door.harness import RULES

LIST = methods()[RULES + "ListGames"]
JSON = Codec(json=True, streams=False)


def games(count: int) -> Any:
    return LIST.response(games=[{"name": f"game {number}"} for number in range(count)])


async def rounds(work: "asyncio.Future[Any]") -> int:
    """Return how often the event loop comes round until some work is done."""
    count = 0
    while not work.done():
        await asyncio.sleep(0)
        count += 1
    return count


@pytest.mark.parametrize("count", [1, 5000])
async def test_a_message_is_the_same_json_however_large(count: int) -> None:
    message = games(count)
    written = await JSON.response(LIST, message.SerializeToString())
    assert (len(message.SerializeToString()) > LARGE) == (count > 1)
    assert written.decode() == json.dumps(MessageToDict(message, preserving_proto_field_name=True))


async def test_a_large_answer_does_not_hold_the_event_loop() -> None:
    assert await rounds(asyncio.ensure_future(JSON.response(LIST, games(20_000).SerializeToString()))) > 3
