"""Games in memory are read once; store errors are reported to callers, and rarely logged."""

import asyncio
import gc
import logging
from contextlib import suppress
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, call

import pytest

from clerestory.server.games import background, cache
from clerestory.server.games.store import Unreadable
from tests.server.games.simulated import Database, Server, on_simulated_time
from tests.server.rpc.harness import until


def test_a_store_that_fails_fills_no_log(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Suppressed messages are counted."""
    seconds = [0.0]
    monkeypatch.setattr(background, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    failures = background.Seldom(logging.getLogger("tests"))
    for _ in range(20):
        failures.error("broken")
    seconds[0] = background.EVERY
    failures.error("broken")
    assert caplog.messages == ["broken", "broken (19 more errors before)"]


@on_simulated_time
async def test_a_game_is_read_once_for_all_who_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Database(), 1, shared=False)
    await server.create()

    async def ask() -> Any:
        async with server.manager.lend("game") as live:
            return live

    server.manager.cache.games.clear()
    monkeypatch.setattr(server.store, "load", load := AsyncMock(wraps=server.store.load))
    found = await asyncio.gather(*(ask() for _ in range(5)))
    assert (load.call_args_list, len({id(live) for live in found})) == ([call("game")], 1)


async def test_nobody_is_surprised_by_an_unreadable_game_after_the_caller_has_left() -> None:
    reached, go_on, unexpected = asyncio.Event(), asyncio.Event(), list[str]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unexpected.append(context["message"]))

    async def load(_: str) -> None:
        reached.set()
        await go_on.wait()
        raise Unreadable("damaged")

    store: Any = SimpleNamespace(load=load)
    in_memory = cache.GameCache(store)

    async def ask() -> None:
        async with in_memory.lend(f"{'a' * 21}A"):
            pass

    asking = asyncio.ensure_future(ask())
    await reached.wait()
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    go_on.set()
    await until(lambda: bool(in_memory.unreadable) and not in_memory._reading)
    gc.collect()
    assert unexpected == []
