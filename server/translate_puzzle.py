"""Translates between the messages of PuzzleService and the shipped puzzles."""

from collections.abc import Sequence

from clerestory.engine.core import Game
from clerestory.engine.errors import GameError
from clerestory.engine.games import GAMES
from clerestory.refusals import Reason, refuse
from clerestory.review.puzzle import NoPuzzle, Puzzle, puzzle, puzzles
from clerestory.server.spoken import SPOKEN
from clerestory.server.translate_rules import read_game, write_action, write_position
from clerestory.texts.languages import ENGLISH
from clerestory.v1 import puzzle_pb2 as api


def read_puzzle(reference: api.PuzzleReference) -> Puzzle:
    """Return the puzzle that a message refers to. Raises Refusal: BAD_GAME, NO_SUCH_PUZZLE."""
    try:
        return puzzle(read_game(reference.game, "puzzle.game"), reference.number)
    except NoPuzzle as error:
        refuse(Reason.NO_SUCH_PUZZLE, "puzzle.number", str(error))


def read_files() -> None:
    """Read the puzzles of every game, so that no call has to."""
    for game in GAMES.values():
        known_puzzles(game)


def known_puzzles(game: Game) -> Sequence[Puzzle]:
    """Return the puzzles of a game; none if there are none for the cards in use."""
    try:
        return puzzles(game)
    except NoPuzzle:
        return ()


def write_list(known: Sequence[Puzzle]) -> api.ListPuzzlesResponse:
    """Return the summaries of puzzles, without positions, as a message."""
    return api.ListPuzzlesResponse(puzzles=map(write_summary, known))


def write_summary(one: Puzzle) -> api.PuzzleSummary:
    """Return the summary of a puzzle, without its position, as a message."""
    return api.PuzzleSummary(number=one.number, level=one.level, seats=one.seats, exact=one.exact)


def write_puzzle(one: Puzzle) -> api.GetPuzzleResponse:
    """Return a puzzle as a message, without its answer."""
    state = one.state
    return api.GetPuzzleResponse(summary=write_summary(one), position=write_position(state), seat=state.turn)


def read_try(one: Puzzle, request: api.TryPuzzleRequest) -> str:
    """Return the action that a request tries: the given one, or the first of a plan; "" for none.

    Raises Refusal, ILLEGAL_ACTION, for a plan that cannot be played.
    """
    state = one.state
    for number, text in enumerate(request.actions):
        try:
            state.play(text)
        except GameError:
            refuse(Reason.ILLEGAL_ACTION, f"actions[{number}]", f"{text[:80]!r} cannot be played there")
    return request.action or (request.actions[0] if request.actions else "")


def write_try(one: Puzzle, action: str) -> api.TryPuzzleResponse:
    """Return how good an action is; for "", only the answer. Raises Refusal: ILLEGAL_ACTION."""
    if action and action not in one.losses:
        refuse(Reason.ILLEGAL_ACTION, "action", f"{action[:80]!r} is no legal action of puzzle {one.number}")
    tried = api.TryPuzzleResponse()
    if action:
        tried.loss, tried.right = one.loss(action), one.solved_by(action)
    if tried.right or not action:
        tried.MergeFrom(write_answer(one))
    return tried


def write_answer(one: Puzzle) -> api.TryPuzzleResponse:
    """Return the answer of a puzzle, with its continuation, and with its reason, which is known in English only."""
    return api.TryPuzzleResponse(
        answer=write_action(one.game, one.answer),
        reason=one.reason if SPOKEN.get() == ENGLISH else "",
        principal_variation=one.line,
        next_best_loss=one.next_best_loss,
    )
