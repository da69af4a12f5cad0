"""Lists the lessons that can be played with the cards in use."""

from functools import cache

from clerestory.engine.core import Game
from clerestory.engine.games import GAMES
from clerestory.server.lessons.course import Course, NotAllowed
from clerestory.server.lessons.lesson import BadLesson, Lesson, NoLesson, written
from clerestory.server.lessons.words import said


@cache
def lessons(game: Game) -> tuple[Lesson, ...]:
    """Return the lessons of a game in order, without those that the cards in use make impossible. Raises BadLesson."""
    return tuple(one for one in written(game) if is_sound(one))


def lesson(name: str) -> Lesson:
    """Return a lesson by its name. Raises NoLesson."""
    known = {one.name: one for game in GAMES.values() for one in lessons(game)}
    if name not in known:
        raise NoLesson(f"no lesson {name[:40]!r}; lessons with these cards are {', '.join(known) or 'none'}")
    return known[name]


def is_sound(one: Lesson) -> bool:
    """Return whether a lesson's answers still complete its tasks without mistakes, and its texts find their arguments.

    A task without an answer is assumed to be possible, and the steps after it are not checked.
    """
    try:
        course = Course(one)
        tell(course)
        while course.step is not None and course.step.task is not None and course.step.task.answer:
            at = course.step
            for action in at.task.answer if at.task else ():
                course.attempt(0, action)
                tell(course)
            if course.step is at or course.mistakes:
                return False
    except (BadLesson, NotAllowed, KeyError, IndexError):
        return False
    return True


def tell(course: Course) -> None:
    """Resolve all texts that a lesson shows now. Raises KeyError."""
    for scene in course.scenes:
        said(course.lesson, scene.words, scene.state)
    if course.step is not None:
        said(course.lesson, course.step.words, course.state)
