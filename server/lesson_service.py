"""The handlers of LessonService: cheap, so that they run on the event loop itself."""

from clerestory.server.pieces import Pieces
from clerestory.server.service import Context
from clerestory.server.translate_lessons import (
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
    """LessonService, which keeps nothing between calls.

    The lessons are read at the start: that takes as long as no call may hold the event loop.

    Args:
        pieces: of long answers.
    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        read_files()

    async def ListLessons(self, request: api.ListLessonsRequest, context: Context) -> api.ListLessonsResponse:
        """List the lessons of a game, or of all. Raises Refusal."""
        return write_list(read_lessons(request))

    async def FollowLesson(self, request: api.FollowLessonRequest, context: Context) -> api.FollowLessonResponse:
        """Play a lesson up to the next decision, a piece for each action. Raises Refusal."""
        course, turn = read_course(request), self._pieces.of(context)
        for index, text in enumerate(request.actions):
            await turn()
            attempt(course, index, text)
        return write_course(course)
