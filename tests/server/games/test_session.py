"""Watchers are counted once per change and notified at most once per interval, on simulated time."""

import asyncio
from itertools import pairwise
from unittest.mock import patch

from clerestory.server.games import session
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.session import INTERVAL_EACH_S, PRESENCE_INTERVAL_S, WAKES, GameSession, Watchers
from clerestory.server.games.viewer import Presence, Viewer, presence_of
from tests.server.games.simulated import clock, on_simulated_time
from tests.server.games.table import played

ONLOOKER = Viewer()


@on_simulated_time
async def test_watchers_are_counted_by_kind() -> None:
    watchers = Watchers()
    for viewer in (Viewer((1,)), Viewer((0, 1)), ONLOOKER, ONLOOKER):
        watchers.enter(viewer)
    assert watchers.presence == Presence((0, 1), 2)
    assert (watchers.alike(ONLOOKER), watchers.alike(Viewer((0,))), len(watchers)) == (2, 0, 4)


@on_simulated_time
async def test_presence_is_computed_once_for_all_who_ask() -> None:
    watchers = Watchers()
    for _ in range(100):
        watchers.enter(ONLOOKER)
    with patch.object(session, "presence_of", wraps=presence_of) as computed:
        assert {watchers.presence.onlookers for _ in range(100)} == {100}
    assert computed.call_count == 1


@on_simulated_time
async def test_a_change_is_sent_at_once_and_further_ones_after_the_interval() -> None:
    watchers, moments = Watchers(), list[float]()
    news = watchers.enter(Viewer((0,)))
    for number in range(1, 6):
        for _ in range(10):
            watchers.enter(ONLOOKER)
        await news.wait()
        news.clear()
        moments.append(clock())
        assert watchers.number == number
    assert all(later - moment >= PRESENCE_INTERVAL_S for moment, later in pairwise(moments))


@on_simulated_time
async def test_many_watchers_are_notified_less_often() -> None:
    watchers, moments = Watchers(), list[float]()
    for number in range(2):
        for _ in range(1000 if number == 0 else 1):
            watchers.enter(ONLOOKER)
        while watchers.number == number:
            await asyncio.sleep(0.1)
        moments.append(clock())
    assert moments[1] - moments[0] >= 1000 * INTERVAL_EACH_S - 0.1


@on_simulated_time
async def test_watchers_are_woken_a_few_at_a_time_and_none_is_left_out() -> None:
    watchers = Watchers()
    events = [watchers.enter(ONLOOKER) for _ in range(5 * WAKES)]
    await asyncio.sleep(10.0)
    for news in events:
        news.clear()
    watchers.wake()
    woken = list[int]()
    while not woken or woken[-1] < len(events):
        woken.append(sum(news.is_set() for news in events))
        if len(woken) == 2:
            watchers.wake()  # another change: those already woken may have to be woken again
        await asyncio.sleep(0)
    assert max(later - before for before, later in pairwise(woken)) <= WAKES
    assert woken[0] == WAKES


@on_simulated_time
async def test_viewers_who_left_are_not_notified() -> None:
    watchers = Watchers()
    watchers.leave(watchers.enter(ONLOOKER))
    await asyncio.sleep(10.0)
    assert (watchers.number, len(watchers), watchers.alike(ONLOOKER)) == (0, 0, 0)


@on_simulated_time
async def test_the_steps_of_a_change_are_made_only_for_watchers() -> None:
    later, _ = played(plies=4)
    earlier = HostedGame(later.head, later.entries[:1])
    alone, watched = GameSession(earlier), GameSession(earlier)
    alone.become(later, 0)
    assert not alone.steps
    with watched.watched_by(ONLOOKER):
        watched.become(later, 0)
        assert [(version, step.version) for version, step in watched.steps.items()] == [
            (version, version) for version in range(1, later.version + 1)
        ]
    assert not watched.steps
