"""Who watches a game is counted once a change, and told at most once an interval, on simulated time."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise

import pytest

from clerestory.games import watchers as watching
from clerestory.games.viewer import Presence, Viewer, presence_of
from clerestory.games.watchers import INTERVAL_EACH_S, PRESENCE_INTERVAL_S, WAKES, Watchers
from tests.games.simulated import clock, simulate

ONLOOKER = Viewer()


def test_who_watches_is_counted_by_kind_of_viewer() -> None:
    async def run() -> None:
        watchers = Watchers()
        for viewer in (Viewer((1,)), Viewer((0, 1)), ONLOOKER, ONLOOKER):
            watchers.enter(viewer)
        assert watchers.presence == Presence((0, 1), 2)
        assert (watchers.alike(ONLOOKER), watchers.alike(Viewer((0,))), len(watchers)) == (2, 0, 4)

    simulate(run())


def test_presence_is_computed_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = list[int]()

    def noted(viewers: Mapping[Viewer, int]) -> Presence:
        computed.append(len(viewers))
        return presence_of(viewers)

    async def run() -> None:
        watchers = Watchers()
        for _ in range(100):
            watchers.enter(ONLOOKER)
        assert {watchers.presence.onlookers for _ in range(100)} == {100}

    monkeypatch.setattr(watching, "presence_of", noted)
    simulate(run())
    assert computed == [1]


def test_a_change_is_told_at_once_and_further_ones_after_the_interval() -> None:
    async def run() -> list[tuple[float, int]]:
        watchers, told = Watchers(), list[tuple[float, int]]()
        news = watchers.enter(Viewer((0,)))
        while watchers.presence.onlookers < 50:
            for _ in range(10):
                watchers.enter(ONLOOKER)
            await news.wait()
            news.clear()
            told.append((clock(), watchers.number))
        return told

    told = simulate(run())
    moments = [moment for moment, _ in told]
    assert [number for _, number in told] == [1, 2, 3, 4, 5]
    assert all(later - moment >= PRESENCE_INTERVAL_S for moment, later in pairwise(moments))


def test_many_watchers_are_told_less_often() -> None:
    async def run() -> float:
        watchers, number = Watchers(), 0
        for _ in range(1000):
            watchers.enter(ONLOOKER)
        while watchers.number == number:
            await asyncio.sleep(0.1)
        began, number = clock(), watchers.number
        watchers.enter(ONLOOKER)
        while watchers.number == number:
            await asyncio.sleep(0.1)
        return clock() - began

    assert simulate(run()) >= 1000 * INTERVAL_EACH_S - 0.1


def test_watchers_are_woken_a_few_at_a_time_and_none_is_left_out() -> None:
    async def run() -> list[int]:
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
                watchers.wake()  # something is new again: those who were woken may have to be told again
            await asyncio.sleep(0)
        return woken

    woken = simulate(run())
    assert max(later - before for before, later in pairwise(woken)) <= WAKES
    assert woken[0] == WAKES


def test_who_left_is_not_told() -> None:
    async def run() -> None:
        watchers = Watchers()
        news = watchers.enter(ONLOOKER)
        watchers.leave(news)
        await asyncio.sleep(10.0)
        assert (watchers.number, len(watchers), watchers.alike(ONLOOKER)) == (0, 0, 0)

    simulate(run())
