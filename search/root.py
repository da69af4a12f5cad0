"""What a search may begin with: a seat to decide, a view to decide by, and the actions that come into question."""

from collections.abc import Iterable

from clerestory.engine.core import NATURE, OVER, State
from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide, WrongSeat


def owed_turn(position: State, seat: int | None) -> int:
    """Return the seat to decide. Raises NothingToDecide or WrongSeat."""
    if position.turn == NATURE:
        raise NothingToDecide("a chance event is due")
    return owed_seat(position, seat)


def owed_watcher(position: State, observer: object) -> int:
    """Return a seat, or NATURE for an onlooker, whose knowledge can be used. Raises WrongSeat."""
    if type(observer) is not int or not NATURE <= observer < position.seats:
        raise WrongSeat(f"observer {observer!r} is not one of the seats 0 to {position.seats - 1}, and no onlooker")
    return observer


def owed_seat(position: State, seat: int | None) -> int:
    """Return who asks: the one to decide, or any at a chance event. Raises NothingToDecide, WrongSeat."""
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


def considered_codes(position: State, actions: Iterable[str] | None) -> tuple[int, ...]:
    """Return the codes of the actions that a search is limited to, ascending; () for no such limit. Raises BadLimit."""
    if actions is None:
        return ()
    legal = set(position.legal_codes())
    codes = set()
    for text in actions:
        try:
            code = position.game.parse_action(text).code
        except ValueError as error:  # BadText
            raise BadLimit("actions", str(error)) from None
        if code not in legal or position.turn == NATURE:
            raise BadLimit("actions", f"{text!r} is not a legal action")
        codes.add(code)
    if not codes:
        raise BadLimit("actions", "none is left to search")
    return tuple(sorted(codes))


def known(position: State, seat: int) -> State:
    """Return what the seat knows. Raises HiddenFromSeat unless dealing leaves that as it is."""
    observed = position.observe(seat)
    if observed.deal(0).observe(seat) != observed:
        raise HiddenFromSeat(f"the position hides what {observed.game.seat_name(seat)} knows")
    return observed
