"""No player's time runs out while the store is slow or full, the clock jumps, or the machine sleeps."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from clerestory.server.games import commands
from clerestory.server.games.clock_pauses import LEAST_NOTICE, ClockPauses
from clerestory.server.games.due import SCAN_INTERVAL_S
from clerestory.server.games.log import Entry, EntryKind
from clerestory.server.games.requests import Requests
from clerestory.service_errors import ServiceError
from tests.server.games import simulated
from tests.server.games.simulated import STARTED, Database, Server, SimulatedStore, clock, on_simulated_time

TIME = 3.0  # seconds for a move
SLOW = 2.0  # seconds that a write takes
HOUR = 3_600_000  # milliseconds
ROOM = 2 * SCAN_INTERVAL_S  # seconds within which a server makes a move that is due


async def timed_game(seconds: float = TIME) -> Server:
    """Return a server with a private store and a timed game of two people."""
    server = Server(Database(), 1, shared=False)
    await server.create(seconds_per_move=seconds)
    return server


async def played_on(server: Server) -> tuple[Entry, float]:
    """Wait until the server moves for a player; return the entry and the time in seconds."""
    async with server.manager.lend("game") as live:
        while not (found := [entry for entry in live.hosted.entries if entry.kind == EntryKind.PLAYED_ON]):
            await live.changed.wait()
        return found[0], clock()


def set_clock(monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    """Set the clock of the store ahead by `by` milliseconds."""
    monkeypatch.setattr(simulated, "STARTED", STARTED + by)


@pytest.mark.parametrize("plies", [0, 1])
@on_simulated_time
async def test_a_slow_store_takes_no_time_from_the_next_player(plies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the store answers more slowly than it is asked, the server moves soon after the deadline."""
    answer = SimulatedStore._answer

    async def late(store: SimulatedStore, do: Callable[[], Any], **options: Any) -> Any:
        found = await answer(store, do, **options)
        await asyncio.sleep(SLOW)
        return found

    monkeypatch.setattr(SimulatedStore, "_answer", late)
    server = await timed_game()
    shown = clock()
    for _ in range(plies):
        shown = await server.play()
    entry, _ = await played_on(server)
    assert TIME <= (entry.moment - STARTED) / 1000 - shown <= TIME + 10 * SLOW


@pytest.mark.parametrize(("seconds", "after"), [(TIME, 0.1), (TIME, 1.0), (TIME, TIME - 0.1), (4 * LEAST_NOTICE, 1.0)])
@on_simulated_time
async def test_a_clock_set_forward_takes_no_time(seconds: float, after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a machine has slept."""
    server = await timed_game(seconds)
    began = await server.play()
    await asyncio.sleep(after)
    set_clock(monkeypatch, HOUR)
    _, moved = await played_on(server)
    assert began + seconds <= moved <= began + seconds + LEAST_NOTICE + ROOM


@pytest.mark.parametrize("by", [HOUR, -HOUR])
@pytest.mark.parametrize("after", [0.1, 2 * SCAN_INTERVAL_S])
@on_simulated_time
async def test_later_turns_have_their_time_and_no_more(by: int, after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    server = await timed_game()
    await asyncio.sleep(0.5)
    set_clock(monkeypatch, by)
    await asyncio.sleep(after)
    began = await server.play()
    _, moved = await played_on(server)
    assert began + TIME <= moved <= began + TIME + ROOM


@pytest.mark.parametrize("by", [HOUR, -HOUR])
def test_the_end_of_a_break_is_known_by_the_clock_that_was_set(by: int) -> None:
    now = STARTED
    breaks = ClockPauses(lambda: now)
    breaks.look(0.0)
    breaks.bar("game")
    breaks.unbar("game")
    now += by
    breaks.look(1.0)
    assert breaks.began("game") <= now


@on_simulated_time
async def test_an_outage_of_the_store_is_followed_by_a_notice() -> None:
    """Even without an attempt to move while the store failed, and after the time of the player."""
    server = await timed_game(4 * SCAN_INTERVAL_S)
    server.database.failing = 1.0
    await asyncio.sleep(8 * SCAN_INTERVAL_S)
    ended, server.database.failing = clock(), 0.0
    _, moved = await played_on(server)
    assert ended + LEAST_NOTICE <= moved <= ended + LEAST_NOTICE + 2 * ROOM


@pytest.mark.parametrize("seconds", [TIME - 0.1, TIME + 0.5, 60.0])
@on_simulated_time
async def test_a_full_disk_costs_no_player_time(seconds: float) -> None:
    """A person tries to move once while the disk is full; the notice begins when there is space again."""
    database = Database()
    server = Server(database, 1)
    made = await server.create(seconds_per_move=TIME)
    database.full = True
    await asyncio.sleep(TIME - 0.5)
    with pytest.raises(ServiceError, match="no space"):
        await server.play()
    await asyncio.sleep(seconds - clock())
    ended, database.full = STARTED + 1000 * clock(), False
    while not (played := database.rows["game"].entries[made.version :]):
        await asyncio.sleep(0.1)
    assert ended + 1000 * LEAST_NOTICE <= played[0].moment <= ended + 1000 * (LEAST_NOTICE + 3 * SCAN_INTERVAL_S)


@on_simulated_time
async def test_a_player_who_waits_for_the_store_costs_the_next_one_no_time() -> None:
    server = await timed_game()
    async with server.manager.lend("game") as live:
        async with live.lock:
            playing = asyncio.create_task(server.play())
            await asyncio.sleep(1.0)
        await playing
        assert live.hosted.since >= STARTED + 1000


# -- a clock for the whole game ------------------------------------------------------------------------


async def restarted(seconds: float) -> Server:
    """Return a server that starts some seconds after another one, with a game of it, was killed."""
    server = Server(Database(), 1, shared=False)
    await server.create(seconds_per_game=60.0)
    await asyncio.sleep(50.0)
    server.kill()
    await asyncio.sleep(seconds)
    return Server(server.database, 2, shared=False)


async def clocks_after(server: Server, seconds: float) -> list[float]:
    """Let the player to move request an action after some seconds; return the seconds on the clock of each seat."""
    await asyncio.sleep(seconds)
    async with server.manager.lend("game") as live:
        version, text = live.hosted.version, live.hosted.position.legal_actions()[0].text
    act = partial(commands.play, version=version, text=text)
    tokens = ["seat 0", "seat 1"]
    seen = await Requests(server.manager).act("game", tokens, version, act, lambda _, hosted, __: hosted)
    async with server.manager.lend("game") as live:
        assert seen.version == live.hosted.version
    return sorted(round(clock / 1000) for clock in seen.clocks)


@on_simulated_time
async def test_after_a_restart_a_clock_runs_as_from_the_beginning_of_the_turn() -> None:
    server = await restarted(HOUR / 1000)
    began = clock()
    _, moved = await played_on(server)
    assert began + 60 <= moved <= began + 60 + ROOM


@on_simulated_time
async def test_a_player_gets_back_the_time_before_a_restart() -> None:
    assert await clocks_after(await restarted(HOUR / 1000), 20.0) == [40, 60]


@on_simulated_time
async def test_without_a_pause_nothing_is_given_back() -> None:
    server = Server(Database(), 1, shared=False)
    await server.create(seconds_per_game=60.0)
    assert await clocks_after(server, 20.0) == [40, 60]
    assert EntryKind.GIVEN_BACK not in [entry.kind for entry in server.database.rows["game"].entries]


@on_simulated_time
async def test_an_outage_of_the_store_takes_no_time_from_a_clock() -> None:
    server = Server(Database(), 1, shared=False)
    await server.create(seconds_per_game=60.0)
    await asyncio.sleep(10.0)
    server.database.failing = 1.0
    await asyncio.sleep(70.0)
    ended, server.database.failing = clock(), 0.0
    _, moved = await played_on(server)
    assert ended + 60 <= moved <= ended + 60 + 2 * ROOM


@on_simulated_time
async def test_once_the_clocks_are_at_zero_the_server_makes_all_moves() -> None:
    server = Server(Database(), 1, shared=False)
    await server.create(seconds_per_game=5.0)
    await server.until_over("game")
    entries = server.database.rows["game"].entries
    assert {entry.kind for entry in entries if entry.seat is not None} == {EntryKind.PLAYED_ON}
    assert clock() <= 2 * 5.0 + len(entries) * ROOM
