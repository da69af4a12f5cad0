"""The course of a game as a review goes through it: each ply, and by whose knowledge it is judged.

A decision is judged by what its seat could know, a chance event by what everyone could see. Beyond the seat's own cards
nothing is used that the actions of the record do not bring to light: what a seat was shown of an event to come counts
only if the event came up. So two records of the same actions have the same review, however the rest of the decks lay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clerestory.engine.core import NATURE, Action, State
from clerestory.search.errors import HiddenFromSeat
from clerestory.search.root import Root, observe


@dataclass(frozen=True, slots=True)
class Ply:
    """An action of the record, and the position that it was chosen in.

    Attributes:
        number: from 1.
        round: of the game, from 1; 0 in a game that counts none.
        turn: the seat that decided, NATURE for a chance event.
        action: what was played, or came up.
        root: the position as it is judged; None where there was no choice.
        others: where the seat has just been shown what is to come: the position as it would be judged had it been
            shown anything else, all of it equally likely; else ().
        foreseen: of a chance event, whether a seat has decided something knowing what would come up.
    """

    number: int
    round: int
    turn: int
    action: Action
    root: Root | None
    others: tuple[Root, ...] = ()
    foreseen: bool = False


def plies_of(end: State, viewer: int | None = None) -> list[Ply]:
    """Return the plies of a game.

    Args:
        end: its last position, with the history from the opening.
        viewer: the seat by whose knowledge every ply is judged, as it must be while the game is running; None for a
            finished game, or for whoever may know all of the record.

    Raises WrongSeat for a viewer that there is not.
    """
    position, actions, plies = end.origin, end.history, []
    told: set[Action] = set()
    for number, action in enumerate(actions, 1):
        root: Root | None = None
        others: tuple[Root, ...] = ()
        turn = position.turn
        if len(position.legal_codes()) > 1:
            root = known(position, viewer, actions[number - 1 :])
            if viewer is None and turn != NATURE:
                others = shown_now(position, actions[number - 1 :], told)
        foreseen = turn == NATURE and action in told
        plies.append(Ply(number, round_of(position), turn, action, root, others, foreseen))
        position.play(action)
    return plies


def shown_now(position: State, later: Sequence[Action], told: set[Action]) -> tuple[Root, ...]:
    """Return what `Ply.others` is at a decision, and add what was shown to what has been told; () the second time."""
    seat = position.turn
    view = position.observe(NATURE)
    possible = view.unsaid(seat)
    event = next((action for action in later if action in possible), None)
    if event is None or event in told:
        return ()
    told.add(event)
    try:
        return tuple(saying(view, seat, other) for other in possible if other != event)
    except HiddenFromSeat:  # it has more of its own, which goes with what it was really shown
        return ()


def saying(view: State, seat: int, event: Action) -> Root:
    """Return a position as a seat knows it that was shown an event. Raises HiddenFromSeat."""
    told = view.copy()
    told.say(seat, event)
    return observe(told, observer=seat)


def round_of(position: State) -> int:
    """Return the round of a position; 0 in a game that counts none."""
    return position.round_number() if position.game.has_guide else 0


def last_root(end: State, viewer: int | None = None) -> Root | None:
    """Return the last position as it is judged; None if the game is over."""
    return None if end.over else known(end.copy(), viewer, ())


def known(position: State, viewer: int | None, later: Sequence[Action]) -> Root:
    """Return a position as whoever judges it knows it.

    Args:
        position: with all that the record holds.
        viewer: as in `plies_of`.
        later: the actions from here on.
    """
    judge = position.turn if viewer is None else viewer
    if viewer is None and judge != NATURE:
        shown = position.observe(NATURE).unsaid(judge)
        if shown:
            return foreseen(position, judge, next((action for action in later if action in shown), None))
    try:
        return observe(position, observer=judge)
    except HiddenFromSeat:  # a record that never held the seat's own cards
        return observe(position, observer=NATURE)


def foreseen(position: State, seat: int, event: Action | None) -> Root:
    """Return the position of a seat that was shown an event: by its own knowledge if it came up, else by everyone's."""
    view = position.observe(NATURE)
    if event is None:
        return observe(view, observer=NATURE)
    try:
        return saying(view, seat, event)
    except HiddenFromSeat:  # it has more of its own
        return observe(position, observer=seat)
