"""Handles the calls of LessonService on the event loop, because they are cheap."""

from clerestory.server.rpc.chunks import Chunks
from clerestory.server.rpc.service import Context
from clerestory.server.rpc.translate_lessons import (
    attempt,
    read_course,
    read_files,
    read_lessons,
    write_course,
    write_list,
)
from clerestory.v1 import lessons_pb2 as api
from clerestory.v1.lessons_pb2_grpc import LessonServiceServicer


class Lessons(LessonServiceServicer):
    """The gRPC handlers of LessonService, which is stateless.

    The lessons are loaded at startup, because loading them would block the event loop for too long.

    Args:
        chunks: splits the work of long responses into chunks.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        read_files()

    async def ListLessons(self, request: api.ListLessonsRequest, context: Context) -> api.ListLessonsResponse:
        """List the lessons of a game, or of all. Raises ServiceError."""
        return write_list(read_lessons(request))

    async def FollowLesson(self, request: api.FollowLessonRequest, context: Context) -> api.FollowLessonResponse:
        """Play a lesson up to the next decision, one action at a time. Raises ServiceError."""
        course, turn = read_course(request), self._chunks.of(context)
        for index, text in enumerate(request.actions):
            await turn()
            attempt(course, index, text)
        return write_course(course)
