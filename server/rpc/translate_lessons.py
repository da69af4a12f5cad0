"""Translates between messages of LessonService and the progress of lessons."""

from clerestory.engine.games import GAMES
from clerestory.engine.scoring import changes_of
from clerestory.server.games.rulebook import PlayedAction, require_few
from clerestory.server.lessons import Course, Lesson, NoLesson, NotAllowed, lesson, lessons
from clerestory.server.lessons.course import LessonView
from clerestory.server.lessons.words import about, said, title
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate_rules import read_game, write_legal, write_played, write_position, write_turn
from clerestory.service_errors import Reason, raise_error
from clerestory.v1 import lessons_pb2 as api
from clerestory.v1.rules_pb2 import AppliedAction

MOST_TRIED = 250  # actions in a lesson, including mistakes: seven times what the longest one needs


def read_files() -> None:
    """Load the lessons of every game, so that no call has to."""
    for game in GAMES.values():
        lessons(game)


def read_lessons(request: api.ListLessonsRequest) -> list[Lesson]:
    """Return the requested lessons. Raises ServiceError: BAD_GAME."""
    games = [read_game(request.game)] if request.game else list(GAMES.values())
    return [one for game in games for one in lessons(game)]


def read_course(request: api.FollowLessonRequest) -> Course:
    """Return the requested lesson at its start. Raises ServiceError: NO_SUCH_LESSON, TOO_MANY_ACTIONS."""
    require_few("actions", len(request.actions), MOST_TRIED)
    try:
        return Course(lesson(request.lesson))
    except NoLesson as error:
        raise_error(Reason.NO_SUCH_LESSON, "lesson", str(error))


def attempt(course: Course, index: int, text: str) -> None:
    """Play an action of the learner. Raises ServiceError: ILLEGAL_ACTION."""
    try:
        course.attempt(index, text)
    except NotAllowed as error:
        raise_error(Reason.ILLEGAL_ACTION, f"actions[{error.index}]", str(error))


def write_list(known: list[Lesson]) -> api.ListLessonsResponse:
    """Return lesson summaries as a message."""
    return api.ListLessonsResponse(lessons=map(write_summary, known))


def write_summary(one: Lesson) -> api.LessonSummary:
    """Return the summary of a lesson as a message, in the locale of the call."""
    return api.LessonSummary(
        lesson=one.name,
        game=one.game.name,
        number=one.number,
        title=title(one, LOCALE.get()),
        about=about(one, LOCALE.get()),
        minutes=one.minutes,
    )


def write_course(course: Course) -> api.FollowLessonResponse:
    """Return what to show and do next as a message."""
    answer = api.FollowLessonResponse(
        summary=write_summary(course.lesson),
        seat=course.lesson.seat,
        scenes=[write_scene(course.lesson, scene) for scene in course.scenes],
        actions=[write_legal(course.lesson.game, action, None) for action in course.actions()],
        mistakes=course.mistakes,
        done=course.done(),
        stars=course.stars(),
    )
    if step := course.step:
        answer.task = said(course.lesson, step.words, course.state, LOCALE.get())
        answer.lights.extend(step.words.light)
        answer.hints = bool(step.task and step.task.hints)
    else:
        answer.record = "\n".join(course.record())
    return answer


def write_scene(one: Lesson, scene: LessonView) -> api.LessonScene:
    """Return a moment of a lesson as a message."""
    return api.LessonScene(
        position=write_position(scene.state),
        turn=write_turn(scene.state.turn),
        applied=write_applied(scene),
        text=said(one, scene.words, scene.state, LOCALE.get()),
        lights=scene.words.light if scene.words else (),
        wrong=scene.wrong,
        points=scene.state.current_scores(),
    )


def write_applied(scene: LessonView) -> AppliedAction | None:
    """Return the action that led to a moment as a message; None if there was none."""
    if scene.before is None or scene.action is None:
        return None
    changes = changes_of(scene.before, scene.action.text, scene.state)
    return write_played(scene.state.game, PlayedAction(scene.before.turn, scene.action, False, changes))
