"""The root of a search: a position as the observer knows it, and the actions to be searched there."""

from collections.abc import Iterable
from copy import copy

from clerestory.engine.core import NATURE, OVER, State
from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide, WrongSeat


class Root:
    """The start of a search. Its constructor removes what the observer cannot know, so a search never sees it.

    Args:
        position: the position, with or without what is hidden from the observer.
        seat: the seat to decide; at a chance event the seat to be advised.
        observer: the seat whose knowledge is used, NATURE for an onlooker.

    Attributes:
        view: the position as the observer knows it.
        seat: as given; at a chance event the observer.
        observer: as given; NATURE if the observer has been shown the outcome of the pending chance event.
        codes: codes of the only actions to search, ascending; () for all.
    """

    __slots__ = ("codes", "observer", "seat", "view")

    def __init__(self, position: State, seat: int, observer: int) -> None:
        if position.foresees(observer):  # the outcomes are analysed with public knowledge
            observer = NATURE
        self.view = position.observe(observer)
        self.seat = observer if position.turn == NATURE else seat
        self.observer = observer
        self.codes: tuple[int, ...] = ()

    def only(self, codes: Iterable[int]) -> "Root":
        """Return the same root limited to some of its legal actions; an empty list means all."""
        limited = copy(self)
        limited.codes = tuple(sorted(codes))
        return limited

    def require_whole(self) -> None:
        """Raise HiddenFromSeat if the position lacks something that the observer knows."""
        if self.view.determinize(0).observe(self.observer) != self.view:
            raise HiddenFromSeat(
                f"the position leaves out what {self.view.game.seat_name(self.observer)} knows; add it to the position"
            )


def observe(
    position: State, seat: int | None = None, *, observer: int | None = None, actions: Iterable[str] | None = None
) -> Root:
    """Return the root of a search; a position can only be searched through this function.

    Args:
        position: a position; what the observer cannot know is removed before anything else happens.
        seat: the seat to decide; None for the seat whose turn it is. At a chance event the seat whose knowledge is
            used, None for an onlooker; the lines are then the outcomes.
        observer: the seat whose knowledge is used, if not `seat`: any seat, or NATURE for an onlooker. The lines are
            still those of the seat to decide; the observer may not know which of them are really legal.
        actions: texts of the only actions to search, each legal; None for all.

    Raises NothingToDecide, WrongSeat, HiddenFromSeat, or BadLimit for the actions.
    """
    decides = require_seat(position, seat)
    root = Root(position, decides, decides if observer is None else require_observer(position, observer))
    root.require_whole()
    return root if actions is None else root.only(require_actions(root.view, actions))


def observe_decision(position: State) -> Root:
    """Return the root for the seat to decide. Raises NothingToDecide, also at a chance event, or HiddenFromSeat."""
    if position.turn == NATURE:
        raise NothingToDecide("a chance event is due")
    return observe(position)


def require_seat(position: State, seat: int | None) -> int:
    """Return the seat to advise: the one to decide, or any at a chance event. Raises NothingToDecide or WrongSeat."""
    turn = position.turn
    if turn == OVER:
        raise NothingToDecide("the game is over")
    if turn == NATURE:
        if seat is not None and not 0 <= seat < position.seats:
            raise WrongSeat(f"seat {seat} is not one of 0 to {position.seats - 1}")
        return NATURE if seat is None else seat
    if seat is not None and seat != turn:
        raise WrongSeat(f"seat {seat} is not to decide: it is {position.game.seat_name(turn)}'s turn")
    return turn


def require_observer(position: State, observer: object) -> int:
    """Return a seat whose knowledge can be used, or NATURE for an onlooker. Raises WrongSeat."""
    if type(observer) is not int or not NATURE <= observer < position.seats:
        raise WrongSeat(f"observer {observer!r} is neither a seat from 0 to {position.seats - 1} nor an onlooker")
    return observer


def require_actions(view: State, actions: Iterable[str]) -> set[int]:
    """Return the codes of legal actions, at least one. Raises BadLimit."""
    legal = set(view.legal_codes())
    codes = set()
    for text in actions:
        try:
            code = view.game.parse_action(text).code
        except ValueError as error:  # BadText
            raise BadLimit("actions", str(error)) from None
        if code not in legal or view.turn == NATURE:
            raise BadLimit("actions", f"{text!r} is not a legal action")
        codes.add(code)
    if not codes:
        raise BadLimit("actions", "must name at least one legal action")
    return codes
