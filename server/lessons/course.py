"""Plays a lesson: computes what to show next from the learner's actions so far; lists the playable lessons."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from clerestory.engine.core import NATURE, Action, Game, State
from clerestory.engine.games import GAMES
from clerestory.engine.record import Record
from clerestory.engine.rng import Rng
from clerestory.server.lessons.goals import Start, allowed, hold, matches
from clerestory.server.lessons.lesson import BadLesson, Lesson, NoLesson, Step, Task, Words, written
from clerestory.server.lessons.words import format_words

AGAIN = "again"  # key of the text for a failed attempt without a more specific one
MOST_STARS = 3


class NotAllowed(ValueError):
    """A lesson does not allow an action; the message names some allowed ones.

    Attributes:
        index: index of the action, from 0.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True, slots=True)
class LessonView:
    """A moment of a lesson, as visible to the learner.

    Attributes:
        state: the position.
        before: the previous position; None if nothing was played.
        action: the action that led to the position; None if nothing was played.
        words: the text to show; None for none.
        wrong: whether the text is about a failed attempt.
    """

    state: State
    before: State | None = None
    action: Action | None = None
    words: Words | None = None
    wrong: bool = False


class Course:
    """The progress of a learner through a lesson.

    Attributes:
        lesson: the lesson.
        scenes: the moments since the learner's last action.
        mistakes: number of failed attempts.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.scenes: list[LessonView] = []
        self.mistakes = 0
        self._at = 0
        self._state = next(iter(lesson.positions.values())).copy()
        self._start = Start(self._state, ())
        self._used: set[int] = set()  # indices of the script's plies
        self._seen: set[int] = set()
        self._go_on()

    # -- the current step ------------------------------------------------------------------------------

    @property
    def step(self) -> Step | None:
        """The step that waits for the learner; None at the end."""
        steps = self.lesson.steps
        return steps[self._at] if self._at < len(steps) else None

    @property
    def state(self) -> State:
        """The position, as visible to the learner."""
        return self._state.observe(self.lesson.seat)

    def actions(self) -> list[Action]:
        """Return the actions that the learner may choose."""
        step = self.step
        return allowed(self._state, self.lesson.seat, step.task.allow) if step and step.task else []

    def done(self) -> float:
        """Return the completed share of the lesson, 0 to 1."""
        return self._at / len(self.lesson.steps)

    def stars(self) -> int:
        """Return the rating of the completed lesson, 1 to MOST_STARS; 0 before its end."""
        return 0 if self.step else max(1, MOST_STARS - self.mistakes)

    def record(self) -> list[str]:
        """Return the lines of a record of the plies since the last initial position."""
        return list(Record(self._state).lines())

    # -- progress --------------------------------------------------------------------------------------

    def attempt(self, index: int, text: str) -> None:
        """Play an action of the learner. Raises NotAllowed."""
        self.scenes = []
        step, open_ = self.step, self.actions()
        if step is None:
            raise NotAllowed(index, f"{text[:40]!r} comes after the end of the lesson")
        if step.task is None or text not in [action.text for action in open_]:
            allowed = ", ".join(action.text for action in open_[:6])
            raise NotAllowed(index, f"{text[:40]!r} is not allowed here; allowed: {allowed}")
        self._play(self._state.game.parse_action(text), step.task)
        self._judge(step.task, text)

    def _judge(self, task: Task, text: str) -> None:
        """Play until the task is completed, has failed, or waits for the learner again."""
        hasty = next((one for one in task.wrong if one.at_once and matches(text, one.play)), None)
        while not self._is_due(task):
            if hasty:
                self._again(hasty.words)
                return
            if self._state.over or self._state.turn == self.lesson.seat:
                break
            self._play(self._forced(), task)
        if self._is_due(task) and hold(task.goal, self._state, self._start):
            self._at += 1
            self._go_on()
        elif failed := self._failure(task, text):
            self._again(failed)

    def _is_due(self, task: Task) -> bool:
        """Return whether this position decides the task."""
        return hold(task.until or task.goal, self._state, self._start)

    def _failure(self, task: Task, text: str) -> Words | None:
        """Return the text about an attempt that can no longer succeed; None if it still can."""
        for one in task.wrong:
            if (not one.play or matches(text, one.play)) and (
                hold(one.when, self._state, self._start) and (one.when or one.play)
            ):
                return one.words
        judged = bool(task.until) and self._is_due(task)
        return Words(AGAIN) if judged or self._state.over or not self.actions() else None

    def _again(self, words: Words) -> None:
        """Reset to the beginning of the task."""
        self.mistakes += 1
        self._state = self._start.state.copy(history=True)
        self._used, self._seen = set(), set()
        self._show(words, wrong=True)

    def _go_on(self) -> None:
        """Take the next steps, up to the next task or the end."""
        while (step := self.step) is not None:
            self._enter(step)
            if step.task is not None:
                self._start = Start(self._state.copy(history=True), step.task.allow)
                self._used, self._seen = set(), set()
                break
            self._at += 1
        if not self.scenes or self.scenes[-1].state != self.state:
            self._show(Words())

    def _enter(self, step: Step) -> None:
        """Begin a step: set its position, play its forced plies, and show its text."""
        if step.at:
            self._state = self.lesson.positions[step.at].copy()
        for pattern in step.play:
            if (found := first(self._state.legal_actions(), pattern)) is None:
                raise BadLesson(f"{self.lesson.name}, step {self._at + 1}: {pattern!r} is not legal")
            self._play(found, None)
        if step.task is None and step.words.say:
            self._show(step.words)

    # -- plies -----------------------------------------------------------------------------------------

    def _forced(self) -> Action:
        """Return the next ply of chance or the opponent: by script, by habit, else at random or the first."""
        legal = self._state.legal_actions()
        task = self.step.task if self.step else None
        for number, pattern in enumerate(task.script if task else ()):
            if number not in self._used and (found := first(legal, pattern)):
                self._used.add(number)
                return found
        for pattern in self.lesson.habits:
            if found := first(legal, pattern):
                return found
        if self._state.turn != NATURE:
            return legal[0]
        return self._state.draw(Rng(self._state.plies))

    def _play(self, action: Action, task: Task | None) -> None:
        """Play a ply, and show it with its text."""
        before = self.state
        self._state.play(action)
        self.scenes.append(LessonView(self.state, before, action, self._remark_on(action, task)))

    def _remark_on(self, action: Action, task: Task | None) -> Words | None:
        """Return the text about a ply, if it has not been shown yet."""
        for number, one in enumerate(task.tell if task else ()):
            if number not in self._seen and matches(action.text, one.play) and hold(one.when, self._state, self._start):
                self._seen.add(number)
                return one.words
        return None

    def _show(self, words: Words, *, wrong: bool = False) -> None:
        """Show the position with a text."""
        self.scenes.append(LessonView(self.state, words=words if words.say else None, wrong=wrong))


def first(legal: Sequence[Action], pattern: str) -> Action | None:
    """Return the first action that matches a pattern; None if none does."""
    return next((action for action in legal if matches(action.text, [pattern])), None)


@cache
def lessons(game: Game) -> tuple[Lesson, ...]:
    """Return the lessons of a game in order, without those that the cards in use make impossible. Raises BadLesson."""
    return tuple(one for one in written(game) if is_sound(one))


def lesson(name: str) -> Lesson:
    """Return a lesson by its name. Raises NoLesson."""
    known = {one.name: one for game in GAMES.values() for one in lessons(game)}
    if name not in known:
        raise NoLesson(f"{name[:40]!r} is no lesson; lessons with these cards are {', '.join(known) or 'none'}")
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
        format_words(course.lesson, scene.words, scene.state)
    if course.step is not None:
        format_words(course.lesson, course.step.words, course.state)
