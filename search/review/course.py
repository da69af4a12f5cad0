"""The plies of a game for a review, each with the knowledge used to judge it.

A decision is judged with the knowledge of its seat, a chance event with public knowledge. Apart from the seat's own
cards, only information that the record reveals is used: a coming event that was shown to a seat counts only if the
event was revealed later. Records with the same actions thus have the same review, whatever the other cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clerestory.engine.core import NATURE, Action, State
from clerestory.search.errors import HiddenFromSeat
from clerestory.search.root import Root, observe


@dataclass(frozen=True, slots=True)
class Ply:
    """An action of the record, and the position in which it was chosen.

    Attributes:
        number: number of the ply, from 1.
        round: round of the game, from 1; 0 in a game without rounds.
        turn: the seat that decided, NATURE for a chance event.
        action: the action or outcome.
        root: the position with the judge's knowledge; None if there was no choice.
        foreseen: for a chance event, whether a seat has made a decision knowing its outcome.
    """

    number: int
    round: int
    turn: int
    action: Action
    root: Root | None
    foreseen: bool = False


def plies_of(end: State, viewer: int | None = None) -> list[Ply]:
    """Return the plies of a game.

    Args:
        end: last position of the game, with the history from the opening.
        viewer: the seat whose knowledge is used for every ply, required for an unfinished game; None for a finished
            game, or if the whole record may be known.

    Raises WrongSeat for a viewer that does not exist.
    """
    position, actions, plies = end.origin, end.history, []
    announced: set[Action | None] = set()
    for number, action in enumerate(actions, 1):
        root, turn = None, position.turn
        if len(position.legal_codes()) > 1:
            root = known(position, viewer, actions[number - 1 :])
            announced.add(shown(position, actions[number - 1 :]))
        plies.append(Ply(number, round_of(position), turn, action, root, turn == NATURE and action in announced))
        position.play(action)
    return plies


def shown(position: State, later: Sequence[Action]) -> Action | None:
    """Return the event shown to the seat to decide; None if there was none, or if it was never revealed."""
    possible = () if position.turn == NATURE else position.observe(NATURE).private_outcomes(position.turn)
    return next((action for action in later if action in possible), None) if possible else None


def round_of(position: State) -> int:
    """Return the round of a position; 0 in a game without rounds."""
    return position.round_number() if position.game.has_guide else 0


def last_root(end: State, viewer: int | None = None) -> Root | None:
    """Return the last position with the judge's knowledge; None if the game is over."""
    return None if end.over else known(end.copy(), viewer, ())


def known(position: State, viewer: int | None, later: Sequence[Action]) -> Root:
    """Return a position with the judge's knowledge.

    Args:
        position: a position with everything in the record.
        viewer: as in `plies_of`.
        later: the later actions of the record.
    """
    judge = position.turn if viewer is None else viewer
    if viewer is None and judge != NATURE and position.observe(NATURE).private_outcomes(judge):
        return foreseen(position, judge, shown(position, later))
    try:
        return observe(position, observer=judge)
    except HiddenFromSeat:  # the record lacks the seat's own cards
        return observe(position, observer=NATURE)


def foreseen(position: State, seat: int, event: Action | None) -> Root:
    """Return a position whose seat was shown an event: its own view if the event came up, else the public one."""
    view = position.observe(NATURE)
    if event is None:
        return observe(view, observer=NATURE)
    view.set_private_outcome(seat, event)
    try:
        return observe(view, observer=seat)
    except HiddenFromSeat:  # the seat has other private information
        return observe(position, observer=seat)
