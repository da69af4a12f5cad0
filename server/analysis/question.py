"""Validates queries about positions, for all kinds of callers."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from clerestory.engine.core import NATURE, OVER, State
from clerestory.engine.errors import BadText
from clerestory.engine.tuning import NUM_LEVELS, character_fault
from clerestory.search.errors import HiddenFromSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import LONGEST_TIME, MAX_ITERATIONS, MIN_BYTES
from clerestory.search.result import Result
from clerestory.search.root import Root
from clerestory.service_errors import Faults, Reason, no_seat, raise_error

LEAST_INTERVAL = 0.01  # seconds between two answers of a stream
USUAL_INTERVAL = 0.25
LONGEST_INTERVAL = 3600.0
LONGEST_GAME_ID = 64  # bytes
MAX_ACTIONS = 1000  # in one query; more than the longest games have

LARGEST_SPOKEN = 2**53  # larger bounds are technical, and only errors about exceeding them mention them
NUMBERS = (  # reasons and ranges of the terms
    ("iterations", Reason.BAD_ITERATIONS, 1, MAX_ITERATIONS),
    ("max_tree_bytes", Reason.BAD_MAX_TREE_BYTES, MIN_BYTES, (1 << 64) - 1),
    ("level", Reason.BAD_LEVEL, 1, NUM_LEVELS),
    ("threads", Reason.BAD_THREADS, 1, (1 << 32) - 1),
)

Explain = Callable[[Searcher, Result], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of a search. One of seconds, iterations and level is required.

    Attributes:
        seconds: time for the answer, above 0 and at most LONGEST_TIME; None for the engine's limit.
        iterations: maximum iterations; None for no limit.
        seed: the seed; None to draw one.
        max_tree_bytes: maximum size of the tree, at least MIN_BYTES; None for the engine's limit.
        level: 1 to NUM_LEVELS; None for full strength.
        character: one of CHARACTERS, with `level` set to its level; "" for none.
        threads: number of threads on the tree, each with a share of the workers; None for one, which idle workers help
            unless `iterations`, `seed` or `level` is given.
        early_stop: whether to stop once nothing can change the best line; None for the default: yes for a single
            answer, no for a stream.
        game_id: ID of the game, whose tree is kept for its next query; "" for none.
        interval: seconds between two answers of a stream, LEAST_INTERVAL to LONGEST_INTERVAL.
        certainty: certainty at which a stream ends, above 0.5 and below 1; None to continue to its limits.
    """

    seconds: float | None = None
    iterations: int | None = None
    seed: int | None = None
    max_tree_bytes: int | None = None
    level: int | None = None
    character: str = ""
    threads: int | None = None
    early_stop: bool | None = None
    game_id: str = ""
    interval: float = USUAL_INTERVAL
    certainty: float | None = None

    @property
    def helped(self) -> bool:
        """Whether idle workers help: no term requires a reproducible result."""
        return self.threads is None and self.iterations is None and self.seed is None and self.level is None

    def check(self, faults: Faults) -> None:
        """Collect all faults of the terms."""
        if text := time_fault(self.interval, LEAST_INTERVAL, LONGEST_INTERVAL):
            faults.add(Reason.BAD_UPDATE_INTERVAL, "interval", text)
        if self.certainty is not None and not 0.5 < self.certainty < 1:
            faults.add(Reason.BAD_TARGET_CERTAINTY, "certainty", f"is {self.certainty}; must be above 0.5 and below 1")
        if self.seconds is None and self.iterations is None and self.level is None:
            text = "is missing, and so are iterations and level; give one of them"
            faults.add(Reason.BAD_TIME_BUDGET, "seconds", text)
        if text := character_fault(self.character, self.level):
            faults.add(Reason.BAD_CHARACTER, "character", text)
        for name, reason, least, most in NUMBERS:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                bounds = f"at least {least}" if value < least and most > LARGEST_SPOKEN else f"{least} to {most}"
                faults.add(reason, name, f"is {value}; must be {bounds}")
        if (size := len(self.game_id.encode())) > LONGEST_GAME_ID:
            faults.add(Reason.BAD_GAME_ID, "game_id", f"is {size} bytes long; must be at most {LONGEST_GAME_ID}")
        if self.seconds is not None and (text := time_fault(self.seconds)):
            faults.add(Reason.BAD_TIME_BUDGET, "seconds", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A validated query, as created by `validate_query`.

    Attributes:
        root: the position as the observer knows it, with the actions to search; no other information is kept.
        terms: the terms of the search.
        seat: the seat to move; at a chance event the seat to advise, None for an onlooker.
        observer: the seat whose knowledge is used, NATURE for an onlooker; None for the seat to move.
        whole: whether to run all iterations regardless of delays, with a tree of exactly `max_tree_bytes`, so that the
            answer does not depend on other searches.
        options: the options of the search; None for the game's defaults.
        explain: computes the final result from the tree; None for explanations as time permits.
    """

    root: Root
    terms: Terms
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
        terms = self.terms
        plain = terms.seed is None and terms.level is None and not self.root.codes
        if not terms.game_id or not plain or self.chance or self.whole:
            return None
        whose = ("seat", self.seat) if self.observer is None else ("observer", self.observer)
        return (terms.game_id, self.kind, *whose)


def validate_query(
    position: State,
    terms: Terms,
    *,
    seat: int | None = None,
    observer: int | None = None,
    consider: Sequence[str] = (),
    avoid: Sequence[str] = (),
) -> Question:
    """Return a validated query about a position.

    Args:
        position: the position; information hidden from the observer is not used.
        terms: the terms of the search.
        seat: the seat to move, None for the one whose turn it is; at a chance event the seat to advise, None for an
            onlooker.
        observer: the seat whose knowledge to use, NATURE for an onlooker; None for the seat to move.
        consider: texts of the only actions to search; () for all.
        avoid: texts of actions not to search.

    Raises ServiceError, which lists all faults.
    """
    faults = Faults()
    terms.check(faults)
    return posed(position, terms, faults, seat=seat, observer=observer, consider=consider, avoid=avoid)


def posed(
    position: State,
    terms: Terms,
    faults: Faults,
    *,
    seat: int | None,
    observer: int | None,
    consider: Sequence[str],
    avoid: Sequence[str],
) -> Question:
    """Return a query, as `validate_query` does, for validated terms; `faults` are those found so far."""
    seat = deciding(position, seat, faults)
    watcher = None if observer is None else observing(position, observer, faults)
    if position.turn == NATURE and watcher is not None:
        seat = None if watcher == NATURE else watcher
    asks = NATURE if seat is None else seat
    root = Root(position, asks, asks if watcher is None else watcher)
    codes = codes_to_search(root.view, consider, avoid, faults)
    faults.require_none()
    require_whole(root)
    return Question(root=root.only(codes), terms=terms, seat=seat, observer=watcher)


# -- checks ----------------------------------------------------------------------------------------


def time_fault(seconds: float, least: float = 0.0, most: float = LONGEST_TIME) -> str:
    """Return the fault of a time in seconds, which must be positive and in the given range; "" for none."""
    if seconds > 0 and least <= seconds <= most:
        return ""
    if isnan(seconds):
        return "is no valid duration; its nanoseconds must be less than a second, and have the sign of its seconds"
    limit = f"from {least:g} s to" if least else "above 0 s and at most"
    longest = f"{most / 3600:g} h" if most >= 3600 else f"{most:g} s"
    return f"is {str(seconds).removesuffix('.0')} s; must be {limit} {longest}"


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
