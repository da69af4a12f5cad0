"""Translates between messages of LessonService and PuzzleService, the progress of lessons, and the shipped puzzles."""

from collections.abc import Sequence

from clerestory.engine.core import Game
from clerestory.engine.games import GAMES
from clerestory.engine.scoring import changes_of
from clerestory.search.reasons import in_english
from clerestory.search.review.puzzle import BadTry, NoPuzzle, Puzzle, puzzle, puzzles
from clerestory.server.games.rulebook import PlayedAction, require_few, some_of
from clerestory.server.lessons import Course, Lesson, NoLesson, NotAllowed, lesson, lessons
from clerestory.server.lessons.course import LessonView
from clerestory.server.lessons.words import about, format_words, title
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate import write_action, write_position, write_text, write_turn
from clerestory.server.rpc.translate_advisor import in_one_line, write_plan
from clerestory.server.rpc.translate_rules import read_game, write_legal, write_played
from clerestory.service_errors import Reason, raise_error
from clerestory.v1 import lessons_pb2 as lesson_api
from clerestory.v1 import puzzle_pb2 as puzzle_api
from clerestory.v1.rules_pb2 import AppliedAction

MOST_TRIED = 250  # actions in a lesson, including mistakes: seven times what the longest one needs


# -- lessons ---------------------------------------------------------------------------------------


def load_lessons() -> None:
    """Load the lessons of every game, so that later calls find them in memory. Thread-safe."""
    for game in GAMES.values():
        lessons(game)


def read_lessons(request: lesson_api.ListLessonsRequest) -> list[Lesson]:
    """Return the requested lessons. Raises ServiceError: BAD_GAME."""
    games = [read_game(request.game)] if request.game else list(GAMES.values())
    return [one for game in games for one in lessons(game)]


def read_course(request: lesson_api.FollowLessonRequest) -> Course:
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


def write_lessons(known: list[Lesson]) -> lesson_api.ListLessonsResponse:
    """Return lesson summaries as a message."""
    return lesson_api.ListLessonsResponse(lessons=map(write_lesson_summary, known))


def write_lesson_summary(one: Lesson) -> lesson_api.LessonSummary:
    """Return the summary of a lesson as a message, in the locale of the call."""
    return lesson_api.LessonSummary(
        lesson=one.name,
        game=one.game.name,
        number=one.number,
        title=title(one, LOCALE.get()),
        about=about(one, LOCALE.get()),
        minutes=one.minutes,
    )


def write_course(course: Course) -> lesson_api.FollowLessonResponse:
    """Return what to show and do next as a message."""
    answer = lesson_api.FollowLessonResponse(
        summary=write_lesson_summary(course.lesson),
        seat=course.lesson.seat,
        scenes=[write_scene(course.lesson, scene) for scene in course.scenes],
        actions=[write_legal(course.lesson.game, action, None) for action in course.actions()],
        mistakes=course.mistakes,
        done=course.done(),
        stars=course.stars(),
    )
    if step := course.step:
        answer.task = format_words(course.lesson, step.words, course.state, LOCALE.get())
        answer.lights.extend(step.words.light)
        answer.hints = bool(step.task and step.task.hints)
    else:
        answer.record = "\n".join(course.record())
    return answer


def write_scene(one: Lesson, scene: LessonView) -> lesson_api.LessonScene:
    """Return a moment of a lesson as a message."""
    return lesson_api.LessonScene(
        position=write_position(scene.state),
        turn=write_turn(scene.state.turn),
        applied=write_applied(scene),
        text=format_words(one, scene.words, scene.state, LOCALE.get()),
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


# -- puzzles ---------------------------------------------------------------------------------------


def read_puzzle(reference: puzzle_api.PuzzleReference) -> Puzzle:
    """Return the puzzle that a message refers to. Raises ServiceError: BAD_GAME, NO_SUCH_PUZZLE."""
    try:
        return puzzle(read_game(reference.game, "puzzle.game"), reference.number)
    except NoPuzzle as error:
        raise_error(Reason.NO_SUCH_PUZZLE, "puzzle.number", str(error))


def load_puzzles() -> None:
    """Load the puzzles of every game, so that later calls find them in memory. Thread-safe."""
    for game in GAMES.values():
        known_puzzles(game)


def known_puzzles(game: Game) -> Sequence[Puzzle]:
    """Return the puzzles of a game; () if there are none for the cards in use."""
    try:
        return puzzles(game)
    except NoPuzzle:
        return ()


def write_puzzles(known: Sequence[Puzzle]) -> puzzle_api.ListPuzzlesResponse:
    """Return puzzle summaries, without positions, as a message."""
    return puzzle_api.ListPuzzlesResponse(puzzles=map(write_puzzle_summary, known))


def write_puzzle_summary(one: Puzzle) -> puzzle_api.PuzzleSummary:
    """Return the summary of a puzzle, without its position, as a message."""
    return puzzle_api.PuzzleSummary(number=one.number, level=one.level, seats=one.seats, exact=one.exact, step=one.step)


def write_puzzle(one: Puzzle) -> puzzle_api.GetPuzzleResponse:
    """Return a puzzle as a message, without its answer."""
    state = one.state
    return puzzle_api.GetPuzzleResponse(
        summary=write_puzzle_summary(one), position=write_position(state), seat=state.turn
    )


def read_try(one: Puzzle, request: puzzle_api.TryPuzzleRequest) -> tuple[str, ...]:
    """Return the texts of the action or plan in a request; () for none.

    Raises ServiceError for an attempt that cannot be played: BAD_ACTION, or ILLEGAL_ACTION with some legal actions.
    """
    texts = tuple(request.actions) or ((request.action,) if request.action else ())
    try:
        return one.tried(texts, ended=bool(request.actions))
    except BadTry as error:
        place = f"actions[{error.number}]" if request.actions else "action"
        typed = repr(texts[error.number][:40])
        if error.legal is None:
            raise_error(Reason.BAD_ACTION, place, f"{typed} is not an action of {one.game.name}")
        says = f"{typed} is not legal there in puzzle {one.number}; there are {some_of(error.legal)}"
        raise_error(Reason.ILLEGAL_ACTION, place, says)


def write_try(one: Puzzle, texts: Sequence[str]) -> puzzle_api.TryPuzzleResponse:
    """Return the result of an attempt; without one, only the answer. Raises ServiceError: ILLEGAL_ACTION."""
    tried = puzzle_api.TryPuzzleResponse()
    if texts:
        try:
            tried.loss, tried.right = one.loss(texts), one.solved_by(texts)
        except KeyError:
            raise_error(Reason.ILLEGAL_ACTION, "actions", f"are no plan of puzzle {one.number}")
    if tried.right or not texts:
        tried.MergeFrom(write_answer(one))
    return tried


def write_answer(one: Puzzle) -> puzzle_api.TryPuzzleResponse:
    """Return the answer of a puzzle, with its reason and continuation."""
    actions = [write_action(one.game, action) for action in one.answer]
    reasons, plan = one.reasons, one.plan(action.text for action in one.answer)
    return puzzle_api.TryPuzzleResponse(
        answer=actions[0],
        answer_actions=actions,
        plan=write_plan(one.game, plan),
        reason=in_one_line(reasons, in_english(reasons, one.game.name), one.game),
        reasons=[write_text(reason, one.game) for reason in reasons],
        principal_variation=one.line,
        next_best_loss=one.next_best_loss,
    )
