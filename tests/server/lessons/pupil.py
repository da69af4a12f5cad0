"""A pupil who knows the answers, and transcripts of lessons: `python -m tests.server.lessons.pupil` rewrites them.

A transcript holds every text, label, change and highlight of a lesson. It changes with the rules and texts that the
lesson uses.
"""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clerestory.engine.games import GAMES, LIST
from clerestory.server.lessons import Course, Lesson, lessons
from clerestory.v1 import lessons_pb2 as api
from clerestory.v1.lessons_pb2_grpc import LessonServiceStub
from tests.server.rpc.harness import served

TRANSCRIPTS = Path(__file__).parents[2] / "data" / "lessons"
ALL = [one for game in GAMES.values() for one in lessons(game)]


def follow(lesson: Lesson, tried: Sequence[str]) -> Course:
    course = Course(lesson)
    for index, text in enumerate(tried):
        course.attempt(index, text)
    return course


def answers(lesson: Lesson) -> list[str]:
    """Return actions that complete a lesson without a mistake, from its tasks' answers or a rule of thumb."""
    course, tried = Course(lesson), []
    while course.step is not None and course.step.task is not None:
        for action in course.step.task.answer or [advised(course)]:
            course.attempt(len(tried), action)
            tried.append(action)
    return tried


def advised(course: Course) -> str:
    """Return an action by published rules of thumb."""
    script = LIST[course.lesson.game.name].scripts.get("script-v1")
    open_ = [action.text for action in course.actions()]
    advice = script(course.state)[0] if script else ""
    return advice if advice in open_ else open_[0]


def told(answer: api.FollowLessonResponse) -> Iterator[str]:
    """Yield the lines of a transcript for an answer."""
    for scene in answer.scenes:
        if scene.HasField("applied"):
            changes = "; ".join(change.text for change in scene.applied.changes)
            yield f"* {scene.applied.action.label}{': ' if changes else ''}{changes}"
        if scene.text:
            yield f"{'! ' if scene.wrong else ''}{scene.text} [{' '.join(scene.lights)}]"
    if answer.task:
        yield f"? {answer.task} [{' '.join(answer.lights)}]"
        yield from (f"    {action.action.label}" for action in answer.actions)


async def transcript(stub: Any, lesson: Lesson) -> str:
    """Return the transcript of a lesson that is played through the service without a mistake."""
    actions, lines = answers(lesson), [f"{lesson.game.name} {lesson.number}: {lesson.name}"]
    for count in range(len(actions) + 1):
        request = api.FollowLessonRequest(lesson=lesson.name, actions=actions[:count])
        answer = await stub.FollowLesson(request)
        lines += [*([f"> {actions[count - 1]}"] if count else []), *told(answer)]
    return "\n".join([*lines, f"{answer.stars} stars", ""])


async def write_all() -> None:
    async with served() as server:
        for lesson in ALL:
            (TRANSCRIPTS / f"{lesson.name}.txt").write_text(await transcript(LessonServiceStub(server.channel), lesson))


if __name__ == "__main__":
    asyncio.run(write_all())
