"""Nobody's time to move runs out while the store is slow, the clock jumps, or the machine sleeps."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from clerestory.games import course
from clerestory.games.breaks import LEAST_NOTICE, Breaks
from clerestory.games.due import LOOK
from clerestory.games.kept import ServerGame, settle
from clerestory.games.log import Entry, EntryKind
from tests.games import simulated
from tests.games.simulated import STARTED, Database, Server, SimulatedStore, clock, simulate
from tests.games.table import BOTH, first, head

TIME = 3.0  # seconds for a move
SLOW = 2.0  # seconds that a write takes
HOUR = 3_600_000  # milliseconds
ROOM = 2 * LOOK  # seconds within which a server moves that has to


class TimedGame:
    """A game of two with a time for moves, at a server of its own, and the seconds when each state was shown."""

    def __init__(self) -> None:
        database = Database(random.Random(1))
        self.server = Server(database, 1, shared=False)
        self.made = ServerGame(replace(head("toy", "pp", seconds_per_move=TIME), created=STARTED))
        settle(self.made, STARTED)

    async def __aenter__(self) -> "TimedGame":
        await self.server.keeper.create(self.made, [])
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.server.kill()

    async def play(self) -> float:
        """Play for whoever is to decide; return the second when that was shown."""
        keeper = self.server.keeper
        async with keeper.lend("game") as live:
            await keeper.change(live, lambda game: course.play(game, BOTH, game.version, first(game), keeper.now()))
        return clock()

    async def played_on(self) -> tuple[Entry, float]:
        """Wait until the server has moved for somebody; return how, and the second when it did."""
        async with asyncio.timeout(2 * HOUR / 1000), self.server.keeper.lend("game") as live:
            while not (found := [entry for entry in live.kept.entries if entry.kind == EntryKind.PLAYED_ON]):
                await live.changed.wait()
            return found[0], clock()


def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that is asked of the store take its time to be answered."""
    answer = SimulatedStore._answer

    async def late(store: SimulatedStore, do: Callable[[], Any], **options: Any) -> Any:
        found = await answer(store, do, **options)
        await asyncio.sleep(SLOW)
        return found

    monkeypatch.setattr(SimulatedStore, "_answer", late)


@pytest.mark.parametrize("plies", [0, 1])
def test_a_slow_store_takes_no_time_from_who_is_next(plies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though a look at the store takes longer than there is between two, the server moves soon after."""
    slow(monkeypatch)

    async def law() -> None:
        async with TimedGame() as game:
            shown = clock()
            for _ in range(plies):
                shown = await game.play()
            entry, _ = await game.played_on()
            assert TIME <= entry.moment / 1000 - STARTED / 1000 - shown <= TIME + 10 * SLOW

    simulate(law())


def set_clock(monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    """Set the clock of the store so many milliseconds ahead."""
    monkeypatch.setattr(simulated, "STARTED", STARTED + by)


@pytest.mark.parametrize("after", [0.1, 1.0, TIME - 0.1])
def test_a_clock_that_is_set_forward_takes_no_time_from_anybody(after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a machine has slept."""

    async def law() -> None:
        async with TimedGame() as game:
            began = await game.play()
            await asyncio.sleep(after)
            set_clock(monkeypatch, HOUR)
            _, moved = await game.played_on()
            assert began + TIME <= moved <= began + TIME + LEAST_NOTICE + ROOM

    simulate(law())


@pytest.mark.parametrize("by", [HOUR, -HOUR])
@pytest.mark.parametrize("after", [0.1, 2 * LOOK])
def test_turns_that_begin_after_a_clock_was_set_have_their_time_and_no_more(
    by: int, after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def law() -> None:
        async with TimedGame() as game:
            await asyncio.sleep(0.5)
            set_clock(monkeypatch, by)
            await asyncio.sleep(after)
            began = await game.play()
            _, moved = await game.played_on()
            assert began + TIME <= moved <= began + TIME + ROOM

    simulate(law())


@pytest.mark.parametrize("by", [HOUR, -HOUR])
def test_when_a_game_could_not_be_stored_is_known_by_the_clock_that_was_set(by: int) -> None:
    now = STARTED
    breaks = Breaks(lambda: now)
    breaks.look(0.0)
    breaks.bar("game")
    breaks.unbar("game")
    now += by
    breaks.look(1.0)
    assert breaks.began("game") <= now
