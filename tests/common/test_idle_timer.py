"""A timer that is restarted costs nothing, and expires when it has run long enough."""

import asyncio
from typing import Any

import pytest

from clerestory.idle_timer import IdleTimer
from tests.server.rpc.harness import LoopClock


@pytest.fixture
async def timers(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the timers that the event loop is given."""
    loop, made = asyncio.get_running_loop(), list[object]()
    call_at = loop.call_at

    def counted(*given: Any, **more: Any) -> asyncio.TimerHandle:
        made.append(call_at(*given, **more))
        return made[-1]  # type: ignore[return-value]

    monkeypatch.setattr(loop, "call_at", counted)
    return made


async def test_a_timer_that_is_restarted_a_thousand_times_is_one_for_the_event_loop(timers: list[object]) -> None:
    with IdleTimer(3600.0, lambda: None) as timer:
        for _ in range(1000):
            timer.restart()
            timer.stop()
        assert len(timers) == 1
    assert timers[0].cancelled()  # type: ignore[attr-defined]


async def test_it_expires_only_after_its_last_restart() -> None:
    clock, acted = LoopClock(), list[int]()
    with IdleTimer(3600.0, lambda: acted.append(1)) as timer:
        for _ in range(3):
            timer.restart()
            clock.advance(3000.0)
            await asyncio.sleep(0)
            assert not acted
        timer.stop()
        clock.advance(3700.0)
        await asyncio.sleep(0)
        assert not acted
        timer.restart()
        await clock.advance_until(lambda: bool(acted), 3600.0)
        assert timer.expired
        timer.restart()
        assert not timer.expired
