"""Long answers are built in chunks: one chunk of one answer in each iteration of the event loop.

Of streams, nothing is kept for those who do not read them.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import create_autospec

import pytest

from clerestory.engine import GAMES, State
from clerestory.server.lessons import lesson
from clerestory.server.rpc import chunks
from clerestory.server.rpc.callers import ON_BEHALF, Callers
from clerestory.server.rpc.chunks import Chunks, write_each
from clerestory.server.rpc.game_service import GameHandlers
from clerestory.server.rpc.lesson_service import Lessons
from clerestory.server.rpc.rules_service import ACTIONS_PER_CHUNK, RulesHandlers
from clerestory.server.rpc.security import Tokens
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2, lessons_pb2, rules_pb2
from tests.laws import walk
from tests.server.games.table import OPEN
from tests.server.lessons.pupil import answers
from tests.server.rpc.harness import LoopClock, Served, until
from tests.server.rpc.rules import whole

CALLS = 4  # of one caller, at once


def context(name: str, *more: tuple[str, str]) -> Any:
    metadata = ((ON_BEHALF, name), *more)
    return SimpleNamespace(peer=lambda: "ipv4:127.0.0.1:5", invocation_metadata=lambda: metadata, payload=b"")


async def rounds(*calls: Awaitable[object]) -> int:
    """Return how often the event loop comes round until some calls have ended."""
    ended, count = asyncio.gather(*calls), 0
    while not ended.done():
        await asyncio.sleep(0)
        count += 1
    await ended
    return count


async def test_actions_are_applied_a_piece_at_a_time() -> None:
    *_, last = walk(GAMES["cathedral"], 4, 4)
    request = rules_pb2.ApplyActionsRequest(
        position=whole(last.origin), actions=[action.text for action in last.history]
    )
    rules, parts = RulesHandlers(Chunks(Callers(None))), len(last.history) // ACTIONS_PER_CHUNK
    assert await rounds(*(rules.ApplyActions(request, context("ann")) for _ in range(CALLS))) >= CALLS * parts > CALLS


async def test_lessons_are_followed_a_piece_at_a_time() -> None:
    tried = answers(lesson("places"))
    request = lessons_pb2.FollowLessonRequest(lesson="places", actions=tried)
    lessons = Lessons(Chunks(Callers(None)))
    assert await rounds(*(lessons.FollowLesson(request, context("ann")) for _ in range(CALLS))) >= CALLS * len(tried)


async def test_plans_are_found_in_a_thread_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile the event loop does other work, such as another piece of the same caller."""
    begun, admission = list[State](), threading.Event()

    def find(state: State, *given: Any, **more: Any) -> None:
        begun.append(state)
        admission.wait()

    monkeypatch.setattr("clerestory.server.rpc.rules_service.planned", find)
    rules = RulesHandlers(Chunks(Callers(None)))
    request = rules_pb2.PlanConversionsRequest(position=whole(GAMES["cathedral"].new(2, 1)))
    calls = [asyncio.ensure_future(rules.PlanConversions(request, context("ann"))) for _ in range(3)]
    try:
        await until(lambda: bool(begun))
        applied = rules_pb2.ApplyActionsRequest(position=request.position)
        assert (await rules.ApplyActions(applied, context("ann"))).HasField("position")
        assert len(begun) == 1
    finally:
        admission.set()
    await asyncio.gather(*calls)
    assert len(begun) == len(calls)


async def test_listed_games_are_read_together_and_written_a_piece_at_a_time(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, listed = asyncio.Barrier(3), GameHandlers._listed
    turn = create_autospec(Chunks.turn, side_effect=Chunks.turn)

    async def wait_for_others(*args: Any) -> games_pb2.Game | None:
        await together.wait()
        return await listed(*args)

    monkeypatch.setattr(GameHandlers, "_listed", wait_for_others)
    monkeypatch.setattr(Chunks, "turn", turn)
    options = games_pb2.GameOptions(listed=True)
    for _ in range(3):
        await server.games.CreateGame(games_pb2.CreateGameRequest(game="toy", seats=[OPEN, OPEN], options=options))
    shown = (await server.games.ListGames(games_pb2.GameServiceListGamesRequest())).games
    assert len({game.game_id for game in shown}) == turn.call_count == 3


async def test_a_call_under_way_gets_its_answer_though_its_token_may_name_nobody_any_more(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("token-of-a-proxy on-behalf")
    tokens = Tokens(tmp_path / "tokens")
    request = lessons_pb2.FollowLessonRequest(lesson="places", actions=answers(lesson("places")))
    named = context("ann", ("authorization", "Bearer token-of-a-proxy"))
    call = asyncio.ensure_future(Lessons(Chunks(Callers(tokens))).FollowLesson(request, named))
    await asyncio.sleep(0)
    (tmp_path / "tokens").write_text("token-of-a-proxy")
    tokens.reload()
    assert not call.done()
    assert (await call).summary.lesson == "places"


async def test_a_crowd_of_one_caller_delays_another_by_a_piece_for_each_of_its_own() -> None:
    tried = answers(lesson("places"))
    lessons = Lessons(Chunks(Callers(None)))
    await lessons.ListLessons(lessons_pb2.ListLessonsRequest(), context("ann"))  # loads the lessons
    crowd = asyncio.gather(
        *(
            lessons.FollowLesson(lessons_pb2.FollowLessonRequest(lesson="places", actions=tried), context("ann"))
            for _ in range(CALLS)
        )
    )
    await asyncio.sleep(0)
    request = lessons_pb2.FollowLessonRequest(lesson="places", actions=tried[:2])
    alone = 2 * 2  # rounds for its chunks alone
    assert await rounds(lessons.FollowLesson(request, context("bob"))) <= 3 * alone
    assert not crowd.done()
    await crowd


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_stream_nobody_reads_is_closed(leaves: bool, clock: LoopClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the caller takes something after all, or leaves."""
    monkeypatch.setattr(chunks, "STALL_SECONDS", 1200.0)
    closed, taken, written = asyncio.Event(), asyncio.Event(), list[int]()

    async def answers() -> AsyncGenerator[int, None]:
        try:
            for number in range(9):
                yield number
        finally:
            closed.set()

    async def write(number: int) -> None:
        written.append(number)
        if number == 2:
            await taken.wait()

    call = asyncio.ensure_future(write_each(answers(), write))
    await until(lambda: written == [0, 1, 2])
    clock.advance(600.0)
    await asyncio.sleep(0)
    assert not closed.is_set()
    clock.advance(600.0)
    await closed.wait()
    assert not call.done()
    if leaves:
        call.cancel()
    taken.set()
    with pytest.raises(asyncio.CancelledError if leaves else ServiceError) as caught:
        await call
    assert leaves or caught.value.reason == Reason.SLOW_READER
    assert written == [0, 1, 2]
