"""Refusals: why something is not done, in words of the room that refuses it. Only the wire makes a Status of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn


class Reason(StrEnum):
    """The reason of an ErrorInfo. docs/protocol.md says what each means."""

    UNREADABLE_REQUEST = "UNREADABLE_REQUEST"
    SLOW_REQUEST = "SLOW_REQUEST"
    NO_SUCH_METHOD = "NO_SUCH_METHOD"
    BAD_POSITION = "BAD_POSITION"
    HIDDEN_FROM_SEAT = "HIDDEN_FROM_SEAT"
    BAD_SEAT = "BAD_SEAT"
    BAD_TIME_BUDGET = "BAD_TIME_BUDGET"
    BAD_ITERATIONS = "BAD_ITERATIONS"
    BAD_MAX_TREE_BYTES = "BAD_MAX_TREE_BYTES"
    BAD_LEVEL = "BAD_LEVEL"
    BAD_THREADS = "BAD_THREADS"
    BAD_GAME_ID = "BAD_GAME_ID"
    BAD_CONSIDER_ACTIONS = "BAD_CONSIDER_ACTIONS"
    BAD_AVOID_ACTIONS = "BAD_AVOID_ACTIONS"
    BAD_UPDATE_INTERVAL = "BAD_UPDATE_INTERVAL"
    BAD_TARGET_CERTAINTY = "BAD_TARGET_CERTAINTY"
    BAD_GAME = "BAD_GAME"
    BAD_SEATS = "BAD_SEATS"
    BAD_ACTION = "BAD_ACTION"
    TOO_MANY_ACTIONS = "TOO_MANY_ACTIONS"
    GAME_OVER = "GAME_OVER"
    NOT_SEATS_TURN = "NOT_SEATS_TURN"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    NO_SUCH_GAME = "NO_SUCH_GAME"
    WRONG_SEAT_TOKEN = "WRONG_SEAT_TOKEN"
    STALE_VERSION = "STALE_VERSION"
    SEAT_TAKEN = "SEAT_TAKEN"
    NOT_STARTED = "NOT_STARTED"
    FROZEN = "FROZEN"
    TAKE_BACK_REFUSED = "TAKE_BACK_REFUSED"
    LOG_FULL = "LOG_FULL"
    BAD_OPTIONS = "BAD_OPTIONS"
    BAD_PLY = "BAD_PLY"
    BAD_PAGE = "BAD_PAGE"
    BAD_RECORD = "BAD_RECORD"
    NO_HINTS_YET = "NO_HINTS_YET"
    NO_SUCH_PUZZLE = "NO_SUCH_PUZZLE"
    TOO_MANY_GAMES = "TOO_MANY_GAMES"
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS"
    DISK_FULL = "DISK_FULL"
    STORE_FAILED = "STORE_FAILED"
    MISSING_TOKEN = "MISSING_TOKEN"
    BAD_TOKEN = "BAD_TOKEN"
    BAD_ON_BEHALF = "BAD_ON_BEHALF"
    ON_BEHALF_DENIED = "ON_BEHALF_DENIED"
    BUSY = "BUSY"
    OUT_OF_TIME = "OUT_OF_TIME"
    FINISHING = "FINISHING"
    INTERNAL = "INTERNAL"


# What is refused for these would be right at another time, or in another game. Wrong arguments are told first.
UNTIMELY = frozenset(
    {
        Reason.GAME_OVER,
        Reason.NOT_SEATS_TURN,
        Reason.ILLEGAL_ACTION,
        Reason.SEAT_TAKEN,
        Reason.NOT_STARTED,
        Reason.FROZEN,
        Reason.TAKE_BACK_REFUSED,
        Reason.LOG_FULL,
        Reason.NO_HINTS_YET,
    }
)


class Refusal(Exception):
    """Something is not done.

    Args:
        reason: why.
        faults: (what is to blame, what is wrong with it), at least one. What is to blame is called what the room that
            refuses calls it, and "" if it is nothing that the caller has given.
        retry: seconds after which it may be tried again, if that makes sense.
        metadata: what a program may want to know beside the reason.
    """

    def __init__(
        self,
        reason: Reason,
        faults: Sequence[tuple[str, str]],
        retry: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        self.reason = reason
        self.faults = list(faults)
        self.retry = retry
        self.metadata = metadata or {}
        super().__init__(in_words(self.faults))


def in_words(faults: Sequence[tuple[str, str]]) -> str:
    """Return the first of some faults, and how many more there are."""
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return ": ".join(filter(None, faults[0])) + more


def refuse(reason: Reason, blamed: str, description: str) -> NoReturn:
    """Raise the Refusal for one fault; `blamed` is empty if nothing that was given is to blame."""
    raise Refusal(reason, [(blamed, description)])


@dataclass(slots=True)
class Faults:
    """Faults, collected as they are found."""

    found: list[tuple[Reason, str, str]] = field(default_factory=list)

    def add(self, reason: Reason, blamed: str, description: str) -> None:
        """Add what is wrong with something."""
        self.found.append((reason, blamed, description))

    def require_none(self) -> None:
        """Raise a Refusal with all faults of the first kind: wrong arguments, or if there are none, untimely ones."""
        if not self.found:
            return
        first = [fault for fault in self.found if fault[0] not in UNTIMELY] or self.found
        raise Refusal(first[0][0], [(blamed, description) for _, blamed, description in first])
