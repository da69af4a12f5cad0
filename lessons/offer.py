"""The lessons that can be played with the cards in use."""

from functools import cache

from clerestory.engine.core import Game
from clerestory.engine.games import GAMES
from clerestory.lessons.course import Course, NotAllowed
from clerestory.lessons.lesson import BadLesson, Lesson, NoLesson, written
from clerestory.lessons.words import said


@cache
def lessons(game: Game) -> tuple[Lesson, ...]:
    """Return the lessons of a game in their order, without those that the cards in use rule out. Raises BadLesson."""
    return tuple(one for one in written(game) if is_sound(one))


def lesson(name: str) -> Lesson:
    """Return the lesson of a name. Raises NoLesson."""
    known = {one.name: one for game in GAMES.values() for one in lessons(game)}
    if name not in known:
        raise NoLesson(f"no lesson {name[:40]!r}; lessons with these cards are {', '.join(known) or 'none'}")
    return known[name]


def is_sound(one: Lesson) -> bool:
    """Whether the answers of a lesson still do its tasks without a mistake, and its texts find what they speak of.

    A task without an answer is taken to be possible, and what follows it is not looked at.
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
    """Find the words of everything that a course shows now. Raises KeyError."""
    for scene in course.scenes:
        said(course.lesson, scene.words, scene.state)
    if course.step is not None:
        said(course.lesson, course.step.words, course.state)
