"""Tasks take turns, one piece at a time, fairly by caller."""

import asyncio
import gc
import threading

import pytest

from clerestory.service_errors import Reason, ServiceError
from clerestory.turns import Turns


class Works:
    """Tasks of callers, each of several pieces, with a record of the piece that ran in each round of the event loop."""

    def __init__(self, **works: list[int]) -> None:
        self.done: list[str] = []
        self.rounds: list[int] = []
        self.turns = Turns()
        self._round = 0
        self._works = works

    async def run(self) -> None:
        works = [self._work(caller, pieces) for caller, all_ in self._works.items() for pieces in all_]
        whole = asyncio.gather(*works)
        while not whole.done():
            await asyncio.sleep(0)
            self._round += 1
        await whole

    async def _work(self, caller: str, pieces: int) -> None:
        for _ in range(pieces):
            async with self.turns.taken(caller):
                self.done.append(caller)
                self.rounds.append(self._round)


@pytest.mark.parametrize("pieces", [{"ann": [10]}, {"ann": [3] * 20, "bob": [5]}], ids=["alone", "two callers"])
async def test_one_piece_is_done_in_each_round_of_the_event_loop(pieces: dict[str, list[int]]) -> None:
    works = Works(**pieces)
    await works.run()
    assert len(works.done) == len(set(works.rounds)) == sum(map(sum, pieces.values()))


async def test_callers_take_turns_however_many_works_they_have() -> None:
    works = Works(ann=[4] * 10, bob=[4], cleo=[4])
    await works.run()
    assert works.done[1:13] == ["ann", "bob", "cleo"] * 4  # ann came first, when there was no other task


async def test_the_works_of_one_caller_take_turns() -> None:
    turns, done = Turns(), []

    async def work(name: int) -> None:
        for _ in range(3):
            async with turns.taken("ann"):
                done.append(name)

    await asyncio.gather(*map(work, range(3)))
    assert done[1:] == [0, 1, 2, 0, 1, 2, 1, 2]  # the first task came when there was no other


async def test_a_turn_lasts_until_its_piece_is_done() -> None:
    turns, end, other = Turns(), asyncio.Event(), asyncio.Event()

    async def long() -> None:
        async with turns.taken("ann"):
            await end.wait()

    async def short() -> None:
        async with turns.taken("bob"):
            other.set()

    works = asyncio.gather(long(), short())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not other.is_set()
    end.set()
    await works
    assert other.is_set()


@pytest.mark.parametrize("rounds", range(8), ids=lambda rounds: f"after {rounds} rounds")
async def test_a_work_that_is_cancelled_holds_nobody_up(rounds: int) -> None:
    """Also if the turn comes at the same moment."""
    turns, done = Turns(), []

    async def work(name: str) -> None:
        async with turns.taken(name):
            await asyncio.sleep(0)
            done.append(name)

    works = [asyncio.ensure_future(work(name)) for name in ("ann", "bob", "cleo")]
    for _ in range(rounds):
        await asyncio.sleep(0)
    works[1].cancel()
    await asyncio.gather(*works, return_exceptions=True)
    assert {"ann", "cleo"} <= set(done)
    async with turns.taken("dora"):
        done.append("dora")
    assert done[-1] == "dora"


async def test_a_thread_keeps_its_turn_when_nobody_waits_for_it_any_more() -> None:
    turns, begun, gate = Turns(), list[str](), threading.Event()

    def work(name: str) -> str:
        begun.append(name)
        gate.wait()
        return name

    works = [asyncio.ensure_future(turns.run_in_thread("ann", work, name)) for name in ("first", "second", "third")]
    try:
        while not begun:
            await asyncio.sleep(0.001)
        for one in works[:2]:
            one.cancel()
        await asyncio.wait(works[:2])
        for _ in range(100):
            await asyncio.sleep(0)
        assert begun == ["first"]
    finally:
        gate.set()
    assert await works[2] == "third"
    assert begun == ["first", "third"]


@pytest.mark.parametrize(
    ("error", "logged"), [(ServiceError(Reason.BAD_RECORD, [("record", "is none")]), 0), (RuntimeError("a fault"), 1)]
)
async def test_an_error_that_nobody_waits_for_any_more_is_logged_unless_it_is_a_rejection(
    error: Exception, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    turns, begun, gate = Turns(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        gate.wait()
        raise error

    left = asyncio.ensure_future(turns.run_in_thread("ann", work))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    left.cancel()
    await asyncio.wait([left])
    gate.set()
    async with turns.taken("bob"):  # begins once the task has ended
        await asyncio.sleep(0)
    del left
    gc.collect()
    assert [record.levelname for record in caplog.records] == ["ERROR"] * logged
