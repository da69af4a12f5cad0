"""Handles the calls of LessonService and PuzzleService on the event loop, because they are cheap."""

import asyncio
from collections.abc import Callable

from clerestory.server.rpc.chunks import Chunks
from clerestory.server.rpc.service import Context
from clerestory.server.rpc.translate_lessons import (
    attempt,
    known_puzzles,
    load_lessons,
    load_puzzles,
    read_course,
    read_lessons,
    read_puzzle,
    read_try,
    write_course,
    write_lessons,
    write_puzzle,
    write_puzzles,
    write_try,
)
from clerestory.server.rpc.translate_rules import read_game
from clerestory.v1 import lessons_pb2 as lesson_api
from clerestory.v1 import puzzle_pb2 as puzzle_api
from clerestory.v1.lessons_pb2_grpc import LessonServiceServicer
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceServicer


class LoadedOnce:
    """Data that the first call loads, in a thread: it takes memory, and a time that would block the event loop."""

    def __init__(self, load: Callable[[], None]) -> None:
        self._load = load
        self._loading: asyncio.Future[None] | None = None

    async def __call__(self) -> None:
        """Wait until the data has been loaded."""
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(self._load))
        await asyncio.shield(self._loading)


class Lessons(LessonServiceServicer):
    """The gRPC handlers of LessonService, which is stateless. The lessons take 4 MB.

    Args:
        chunks: splits the work of long responses into chunks.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._loaded = LoadedOnce(load_lessons)

    async def ListLessons(
        self, request: lesson_api.ListLessonsRequest, context: Context
    ) -> lesson_api.ListLessonsResponse:
        """List the lessons of a game, or of all. Raises ServiceError."""
        await self._loaded()
        return write_lessons(read_lessons(request))

    async def FollowLesson(
        self, request: lesson_api.FollowLessonRequest, context: Context
    ) -> lesson_api.FollowLessonResponse:
        """Play a lesson up to the next decision, one action at a time. Raises ServiceError."""
        turn = self._chunks.of(context)  # the caller is known even if its token is withdrawn meanwhile
        await self._loaded()
        course = read_course(request)
        for index, text in enumerate(request.actions):
            await turn()
            attempt(course, index, text)
        return write_course(course)


class Puzzles(PuzzleServiceServicer):
    """The gRPC handlers of PuzzleService, which is stateless. The puzzles take 6 MB."""

    def __init__(self) -> None:
        self._loaded = LoadedOnce(load_puzzles)

    async def ListPuzzles(
        self, request: puzzle_api.ListPuzzlesRequest, context: Context
    ) -> puzzle_api.ListPuzzlesResponse:
        """List the puzzles of a game. Raises ServiceError."""
        await self._loaded()
        return write_puzzles(known_puzzles(read_game(request.game)))

    async def GetPuzzle(self, request: puzzle_api.GetPuzzleRequest, context: Context) -> puzzle_api.GetPuzzleResponse:
        """Return a puzzle without its answer. Raises ServiceError."""
        await self._loaded()
        return write_puzzle(read_puzzle(request.puzzle))

    async def TryPuzzle(self, request: puzzle_api.TryPuzzleRequest, context: Context) -> puzzle_api.TryPuzzleResponse:
        """Judge an action. Raises ServiceError."""
        await self._loaded()
        one = read_puzzle(request.puzzle)
        return write_try(one, read_try(one, request))
