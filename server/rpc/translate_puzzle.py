"""Translates between messages of PuzzleService and the shipped puzzles."""

from collections.abc import Sequence

from clerestory.engine.core import Game
from clerestory.engine.games import GAMES
from clerestory.search.reasons import in_english
from clerestory.search.review.puzzle import BadTry, NoPuzzle, Puzzle, puzzle, puzzles
from clerestory.server.games.rulebook import some_of
from clerestory.server.rpc.translate_answers import in_one_line, write_plan, write_text
from clerestory.server.rpc.translate_rules import read_game, write_action, write_position
from clerestory.service_errors import Reason, raise_error
from clerestory.v1 import puzzle_pb2 as api


def read_puzzle(reference: api.PuzzleReference) -> Puzzle:
    """Return the puzzle that a message refers to. Raises ServiceError: BAD_GAME, NO_SUCH_PUZZLE."""
    try:
        return puzzle(read_game(reference.game, "puzzle.game"), reference.number)
    except NoPuzzle as error:
        raise_error(Reason.NO_SUCH_PUZZLE, "puzzle.number", str(error))


def read_files() -> None:
    """Load the puzzles of every game, so that no call has to."""
    for game in GAMES.values():
        known_puzzles(game)


def known_puzzles(game: Game) -> Sequence[Puzzle]:
    """Return the puzzles of a game; () if there are none for the cards in use."""
    try:
        return puzzles(game)
    except NoPuzzle:
        return ()


def write_list(known: Sequence[Puzzle]) -> api.ListPuzzlesResponse:
    """Return puzzle summaries, without positions, as a message."""
    return api.ListPuzzlesResponse(puzzles=map(write_summary, known))


def write_summary(one: Puzzle) -> api.PuzzleSummary:
    """Return the summary of a puzzle, without its position, as a message."""
    return api.PuzzleSummary(number=one.number, level=one.level, seats=one.seats, exact=one.exact, step=one.step)


def write_puzzle(one: Puzzle) -> api.GetPuzzleResponse:
    """Return a puzzle as a message, without its answer."""
    state = one.state
    return api.GetPuzzleResponse(summary=write_summary(one), position=write_position(state), seat=state.turn)


def read_try(one: Puzzle, request: api.TryPuzzleRequest) -> tuple[str, ...]:
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


def write_try(one: Puzzle, texts: Sequence[str]) -> api.TryPuzzleResponse:
    """Return the result of an attempt; without one, only the answer. Raises ServiceError: ILLEGAL_ACTION."""
    tried = api.TryPuzzleResponse()
    if texts:
        try:
            tried.loss, tried.right = one.loss(texts), one.solved_by(texts)
        except KeyError:
            raise_error(Reason.ILLEGAL_ACTION, "actions", f"are no plan of puzzle {one.number}")
    if tried.right or not texts:
        tried.MergeFrom(write_answer(one))
    return tried


def write_answer(one: Puzzle) -> api.TryPuzzleResponse:
    """Return the answer of a puzzle, with its reason and continuation."""
    actions = [write_action(one.game, action) for action in one.answer]
    reasons, plan = one.reasons, one.plan(action.text for action in one.answer)
    return api.TryPuzzleResponse(
        answer=actions[0],
        answer_actions=actions,
        plan=write_plan(one.game, plan),
        reason=in_one_line(reasons, in_english(reasons, one.game.name), one.game),
        reasons=[write_text(reason, one.game) for reason in reasons],
        principal_variation=one.line,
        next_best_loss=one.next_best_loss,
    )
