"""Puzzles and lessons of a server, which stores nothing about them between calls."""

from dataclasses import dataclass
from typing import Any

from clerestory.clients.referee import LegalAction, plain, read_legal
from clerestory.clients.types import Action
from clerestory.clients.unary_call import AsyncCalls, MakeUnaryCall, SyncCalls, UnaryCall, unary
from clerestory.clients.wire import Actions, action_texts, filled, is_one_action, read_action, set_field
from clerestory.v1 import lessons_pb2, puzzle_pb2


@dataclass(frozen=True, slots=True)
class PosedPuzzle:
    """A puzzle without its answer.

    Attributes:
        game: name of its rules.
        number: from 1, easy ones first.
        level: the weakest level of play that finds the answer, 1 to 8.
        position: as the seat to decide knows it, for `recommend` or `rules.follow`.
        seat: the one to decide.
        message: the original message.
    """

    game: str
    number: int
    level: int
    position: dict[str, Any]
    seat: int
    message: puzzle_pb2.GetPuzzleResponse


@dataclass(frozen=True, slots=True)
class PuzzleVerdict:
    """How good a try is; from `answer` on only if it is right, or if the answer was requested.

    Attributes:
        right: it loses less than 0.02 of a win.
        loss: share of a win that it loses, 0 to 1.
        answer: the actions of the answer, several of a plan.
        reason: what the answer gains over the next best, in a sentence.
        principal_variation: texts of the expected continuation, the answer first.
        next_best_loss: share of a win that the next best answer loses.
        message: the original message.
    """

    right: bool
    loss: float
    answer: tuple[Action, ...]
    reason: str
    principal_variation: tuple[str, ...]
    next_best_loss: float
    message: puzzle_pb2.TryPuzzleResponse


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """A lesson after what the learner has tried.

    Attributes:
        seat: the learner's.
        scenes: what happened after the last try, as dictionaries, each with `text`, `position` and what was applied.
        task: the next task; "" at the end.
        actions: what the learner may do; empty at the end.
        mistakes: how many tries failed.
        done: share of the lesson, 0 to 1.
        stars: how well it was done, 1 to 3; 0 before the end.
        message: the original message.
    """

    seat: int
    scenes: tuple[dict[str, Any], ...]
    task: str
    actions: tuple[LegalAction, ...]
    mistakes: int
    done: float
    stars: int
    message: lessons_pb2.FollowLessonResponse


class PuzzleBookBase:
    """The puzzles that a server has. Every method raises AdvisorError.

    Args:
        call: makes a call, and returns the message of the response.
    """

    def __init__(self, call: MakeUnaryCall) -> None:
        self._call = call

    @unary
    def list(self, game: str) -> UnaryCall[list[dict[str, Any]]]:
        """Return the puzzles of a game as dictionaries: number, level, seats, exact, step."""
        request = filled(puzzle_pb2.ListPuzzlesRequest, game=game)
        return UnaryCall("ListPuzzles", request, lambda answer: [plain(one) for one in answer.puzzles])

    @unary
    def pose(self, game: str, number: int) -> UnaryCall[PosedPuzzle]:
        """Return a puzzle without its answer; numbers count from 1."""

        def read(answer: puzzle_pb2.GetPuzzleResponse) -> PosedPuzzle:
            return PosedPuzzle(game, number, answer.summary.level, plain(answer.position), answer.seat, answer)

        return UnaryCall("GetPuzzle", filled(puzzle_pb2.GetPuzzleRequest, puzzle=reference(game, number)), read)

    @unary
    def judge(self, game: str, number: int, actions: Actions = ()) -> UnaryCall[PuzzleVerdict]:
        """Return how good a try is.

        Args:
            game: name of its rules.
            number: of the puzzle.
            actions: one action, which may begin a plan; or a list, which is a whole plan; () for the answer.
        """
        texts: Any = action_texts(actions)
        tried = {"action": texts[0]} if is_one_action(actions) else {"actions": texts}
        request = filled(puzzle_pb2.TryPuzzleRequest, puzzle=reference(game, number), **tried)
        return UnaryCall("TryPuzzle", request, read_verdict)


class LessonBookBase:
    """The lessons that a server has. Every method raises AdvisorError.

    Args:
        call: makes a call, and returns the message of the response.
    """

    def __init__(self, call: MakeUnaryCall) -> None:
        self._call = call

    @unary
    def list(self, game: str = "") -> UnaryCall[list[dict[str, Any]]]:
        """Return the lessons of a game, "" for all games, as dictionaries: lesson, game, number, title, about."""
        request = filled(lessons_pb2.ListLessonsRequest, game=game)
        return UnaryCall("ListLessons", request, lambda answer: [plain(one) for one in answer.lessons])

    @unary
    def follow(self, lesson: str, actions: Actions = ()) -> UnaryCall[LessonProgress]:
        """Return a lesson after everything that the learner has tried in it, mistakes too."""
        request = filled(lessons_pb2.FollowLessonRequest, lesson=lesson, actions=action_texts(actions))
        return UnaryCall("FollowLesson", request, read_progress)


class PuzzleBook(SyncCalls, PuzzleBookBase):
    """The puzzles that a server has; `Advisor.puzzles` is one."""


class AsyncPuzzleBook(AsyncCalls, PuzzleBookBase):
    """The puzzles that a server has; `AsyncAdvisor.puzzles` is one."""


class LessonBook(SyncCalls, LessonBookBase):
    """The lessons that a server has; `Advisor.lessons` is one."""


class AsyncLessonBook(AsyncCalls, LessonBookBase):
    """The lessons that a server has; `AsyncAdvisor.lessons` is one."""


def reference(game: str, number: int) -> puzzle_pb2.PuzzleReference:
    """Return what names a puzzle. Raises BadRequest."""
    named = filled(puzzle_pb2.PuzzleReference, game=game)
    set_field(named, "number", number)
    return named


def read_verdict(answer: puzzle_pb2.TryPuzzleResponse) -> PuzzleVerdict:
    """Return the judgement of a try."""
    return PuzzleVerdict(
        right=answer.right,
        loss=answer.loss,
        answer=tuple(map(read_action, answer.answer_actions)),
        reason=answer.reason,
        principal_variation=tuple(answer.principal_variation),
        next_best_loss=answer.next_best_loss,
        message=answer,
    )


def read_progress(answer: lessons_pb2.FollowLessonResponse) -> LessonProgress:
    """Return how far a lesson has come."""
    return LessonProgress(
        seat=answer.seat,
        scenes=tuple(map(plain, answer.scenes)),
        task=answer.task,
        actions=tuple(map(read_legal, answer.actions)),
        mistakes=answer.mistakes,
        done=answer.done,
        stars=answer.stars,
        message=answer,
    )
