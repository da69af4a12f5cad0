"""Validates queries about positions, for all kinds of callers."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clerestory.engine.core import NATURE, OVER, State
from clerestory.engine.errors import BadText
from clerestory.search.errors import HiddenFromSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.root import Root
from clerestory.server.analysis.limits import Limits
from clerestory.service_errors import Faults, Reason, no_seat, raise_error

MAX_ACTIONS = 1000  # in one query; more than the longest games have

Explain = Callable[[Searcher, Result], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A validated query, as created by `validate_query`.

    Attributes:
        root: the position as the observer knows it, with the actions to search; no other information is kept.
        limits: the requested limits.
        seat: the seat to move; at a chance event the seat to advise, None for an onlooker.
        observer: the seat whose knowledge is used, NATURE for an onlooker; None for the seat to move.
        whole: whether to run all iterations regardless of delays, with a tree of exactly `max_tree_bytes`, so that the
            answer does not depend on other searches.
        options: the options of the search; None for the game's defaults.
        explain: computes the final result from the tree; None for explanations as time permits.
    """

    root: Root
    limits: Limits
    seat: int | None = None
    observer: int | None = None
    whole: bool = False
    options: Mapping[str, Any] | None = None
    explain: Explain | None = None

    @property
    def view(self) -> State:
        """The position as the observer knows it."""
        return self.root.view

    @property
    def chance(self) -> bool:
        """Whether a chance event is due."""
        return self.view.turn == NATURE

    @property
    def kind(self) -> Hashable:
        """Searches of one kind are about equally fast."""
        return self.whole, self.view.game.name, self.view.seats

    @property
    def tree_key(self) -> Hashable | None:
        """The key under which the tree is kept for the next query, by observer; None if it is not kept."""
        limits = self.limits
        plain = limits.seed is None and limits.level is None and not self.root.codes
        if not limits.game_id or not plain or self.chance or self.whole:
            return None
        whose = ("seat", self.seat) if self.observer is None else ("observer", self.observer)
        return (limits.game_id, self.kind, *whose)


def validate_query(
    position: State,
    limits: Limits,
    *,
    seat: int | None = None,
    observer: int | None = None,
    consider: Sequence[str] = (),
    avoid: Sequence[str] = (),
) -> Question:
    """Return a validated query about a position.

    Args:
        position: the position; information hidden from the observer is not used.
        limits: the requested limits.
        seat: the seat to move, None for the one whose turn it is; at a chance event the seat to advise, None for an
            onlooker.
        observer: the seat whose knowledge to use, NATURE for an onlooker; None for the seat to move.
        consider: texts of the only actions to search; () for all.
        avoid: texts of actions not to search.

    Raises ServiceError, which lists all faults.
    """
    faults = Faults()
    limits.check(faults)
    return posed(position, limits, faults, seat=seat, observer=observer, consider=consider, avoid=avoid)


def posed(
    position: State,
    limits: Limits,
    faults: Faults,
    *,
    seat: int | None,
    observer: int | None,
    consider: Sequence[str],
    avoid: Sequence[str],
) -> Question:
    """Return a query, as `validate_query` does, for checked limits; `faults` are those found so far."""
    seat = deciding(position, seat, faults)
    watcher = None if observer is None else observing(position, observer, faults)
    if position.turn == NATURE and watcher is not None:
        seat = None if watcher == NATURE else watcher
    asks = NATURE if seat is None else seat
    root = Root(position, asks, asks if watcher is None else watcher)
    codes = codes_to_search(root.view, consider, avoid, faults)
    faults.require_none()
    require_whole(root)
    return Question(root=root.only(codes) if codes else root, limits=limits, seat=seat, observer=watcher)


# -- checks ----------------------------------------------------------------------------------------


def deciding(position: State, seat: int | None, faults: Faults) -> int | None:
    """Return the seat to move; at a chance event the seat to advise, None for an onlooker."""
    turn = position.turn
    if turn == OVER:
        faults.add(Reason.GAME_OVER, "position", "the game is over")
    if seat is None:
        return turn if turn >= 0 else None
    if not 0 <= seat < position.seats:
        faults.add(Reason.BAD_SEAT, "seat", no_seat(seat, position.seats))
        return None
    if turn >= 0 and seat != turn:
        faults.add(Reason.NOT_SEATS_TURN, "seat", f"is {seat}; seat {turn} is to decide")
    return seat


def observing(position: State, observer: int, faults: Faults) -> int:
    """Return the seat whose knowledge to use, NATURE for an onlooker."""
    if NATURE <= observer < position.seats:
        return observer
    faults.add(Reason.BAD_SEAT, "observer", no_seat(observer, position.seats))
    return NATURE


def require_whole(root: Root) -> None:
    """Raise ServiceError, HIDDEN_FROM_SEAT, if the position lacks information that its observer has."""
    try:
        root.require_whole()
    except HiddenFromSeat as error:
        raise_error(Reason.HIDDEN_FROM_SEAT, "position", str(error))


def codes_to_search(position: State, consider: Sequence[str], avoid: Sequence[str], faults: Faults) -> list[int]:
    """Return the codes of the actions to search; [] for all."""
    if not (consider or avoid) or position.turn == OVER:
        return []
    before = len(faults.found)
    considered = codes_of(position, consider, Reason.BAD_CONSIDER_ACTIONS, "consider", faults)
    avoided = codes_of(position, avoid, Reason.BAD_AVOID_ACTIONS, "avoid", faults)
    legal = position.legal_codes()
    left = [code for code in legal if (not considered or code in considered) and code not in avoided]
    if not left and len(faults.found) == before:
        faults.add(Reason.BAD_AVOID_ACTIONS, "avoid", "leaves no legal action to search; leave out fewer")
    return left


def codes_of(position: State, texts: Sequence[str], reason: Reason, name: str, faults: Faults) -> set[int]:
    """Return the codes of legal actions by their texts."""
    if texts and position.turn == NATURE:
        faults.add(reason, name, "must be empty: a chance event is due, and all its outcomes are searched")
        return set()
    if len(texts) > MAX_ACTIONS:
        faults.add(reason, name, f"has {len(texts)} actions; must have {MAX_ACTIONS} at most")
        return set()
    codes, legal = set(), set(position.legal_codes())
    for i, text in enumerate(texts):
        code = code_of(position, text)
        if code not in legal:
            faults.add(reason, f"{name}[{i}]", f"{text[:40]!r} is not a legal action")
        codes.add(code)
    return codes


def code_of(position: State, text: str) -> int:
    """Return the code of an action by its text; -1 if it is invalid."""
    try:
        return position.game.parse_action(text).code
    except BadText:
        return -1
