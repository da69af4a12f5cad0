"""Service errors: their reasons and faults, independent of gRPC; only the server turns them into a status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn


class Reason(StrEnum):
    """The reason in an ErrorInfo, with the meaning that documentation and users get."""

    meaning: str

    def __new__(cls, name: str, meaning: str) -> "Reason":
        """Return a member with its meaning."""
        member = str.__new__(cls, name)
        member._value_, member.meaning = name, meaning
        return member

    UNREADABLE_REQUEST = "UNREADABLE_REQUEST", "no message of the method, or, at the gateway, one of over 64 KiB"
    SLOW_REQUEST = "SLOW_REQUEST", "not here within 5 s, from a browser 10 s, or its connection had most on their way"
    SLOW_READER = "SLOW_READER", "nothing of a stream was taken for 30 s; `WatchGame` resumes with `from_version`"
    NO_SUCH_METHOD = "NO_SUCH_METHOD", "the server has no such method"
    BAD_POSITION = "BAD_POSITION", "malformed, too large, inconsistent, of the wrong kind, or for other rules or cards"
    HIDDEN_FROM_SEAT = (
        "HIDDEN_FROM_SEAT",
        "the position lacks what the seat to decide, or the `observer`, knows: its own hand",
    )
    BAD_SEAT = "BAD_SEAT", "the seat does not exist"
    BAD_TIME_BUDGET = (
        "BAD_TIME_BUDGET",
        "not above 0, over 24 h, or missing without iterations or level; for a review: under 1 s, or with iterations",
    )
    BAD_ITERATIONS = "BAD_ITERATIONS", "0, or 2^63 or more; for a review: outside 50 to 200,000"
    BAD_MAX_TREE_BYTES = "BAD_MAX_TREE_BYTES", "less than 64 KiB"
    BAD_LEVEL = "BAD_LEVEL", "not 1 to 8"
    BAD_CHARACTER = "BAD_CHARACTER", "nobody has that name, or plays at that level"
    BAD_THREADS = "BAD_THREADS", "`threads` is 0"
    BAD_GAME_ID = "BAD_GAME_ID", "longer than 64 bytes"
    BAD_CONSIDER_ACTIONS = (
        "BAD_CONSIDER_ACTIONS",
        "one is not a legal action, there are over 1000, or a chance event is due",
    )
    BAD_AVOID_ACTIONS = "BAD_AVOID_ACTIONS", "the same, or nothing is left to search"
    BAD_UPDATE_INTERVAL = "BAD_UPDATE_INTERVAL", "under 10 ms, or over 1 h"
    BAD_TARGET_CERTAINTY = "BAD_TARGET_CERTAINTY", "not above 0.5 and below 1"
    BAD_GAME = "BAD_GAME", "no game has that name"
    BAD_SEATS = "BAD_SEATS", "the game cannot be played with so many"
    BAD_ACTION = (
        "BAD_ACTION",
        "a text names no action of the game, each is listed; or a plan names an item twice, or over 60 times",
    )
    TOO_MANY_ACTIONS = "TOO_MANY_ACTIONS", "there are more actions in one call than it may have"
    GAME_OVER = "GAME_OVER", "the game is over; a call that names an older version is `STALE_VERSION`"
    NOT_SEATS_TURN = "NOT_SEATS_TURN", "another seat is to decide"
    ILLEGAL_ACTION = "ILLEGAL_ACTION", "`actions[i]` is not legal at that point; the description lists some that are"
    NO_SUCH_GAME = "NO_SUCH_GAME", "no game has that `game_id`"
    WRONG_SEAT_TOKEN = "WRONG_SEAT_TOKEN", "a token does not belong to this game, or none of them permits the call"
    STALE_VERSION = (
        "STALE_VERSION",
        'the game has a newer version; `metadata["version"]` of the ErrorInfo is the current one',
    )
    SEAT_TAKEN = "SEAT_TAKEN", "the seat, or every seat, is taken"
    NOT_STARTED = "NOT_STARTED", "the game is waiting for players to take the open seats"
    FROZEN = "FROZEN", "other rules or cards than the server's, or unreadable; the description says which"
    TAKE_BACK_REFUSED = (
        "TAKE_BACK_REFUSED",
        "a chance event has happened since, a bot has shown a hidden card, or take-backs are off",
    )
    LOG_FULL = "LOG_FULL", "the game has 4,000 entries or more: only moves can be added, and its end"
    BAD_OPTIONS = "BAD_OPTIONS", "an option, a seat plan, a name, a request's name or number of tokens is out of range"
    BAD_PLY = "BAD_PLY", "the game has no such ply"
    BAD_PAGE = "BAD_PAGE", "the page size or page token is invalid"
    BAD_RECORD = "BAD_RECORD", "the record is invalid; the description names the line"
    BAD_FIGURES = "BAD_FIGURES", "the figures of reviewed games are missing, too many, or out of range"
    NO_HINTS_YET = "NO_HINTS_YET", "a review was requested of a running game that allows hints only after its end"
    NO_SUCH_PUZZLE = "NO_SUCH_PUZZLE", "the game has no puzzle with that number, or none for the cards in use"
    NO_SUCH_LESSON = "NO_SUCH_LESSON", "there is no lesson with that name, or none for the cards in use"
    TOO_MANY_GAMES = (
        "TOO_MANY_GAMES",
        "a limit of what is kept: `metadata` has its name, `limit`, and the `most` it allows",
    )
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS", "the game has reached its limit of watchers"
    BAD_PHRASE = "BAD_PHRASE", "`phrase` is none of the set phrases"
    TOO_MANY_PHRASES = "TOO_MANY_PHRASES", "the seat has sent its limit of phrases; send another after the given delay"
    BAD_NOTICE_TARGET = (
        "BAD_NOTICE_TARGET",
        "the address or a key of a notice target is invalid, or its host private",
    )
    TOO_MANY_NOTICE_TARGETS = "TOO_MANY_NOTICE_TARGETS", "the seat has its limit of notice targets; remove one first"
    NOTICES_OFF = "NOTICES_OFF", "the server sends no notices to targets of this kind"
    DISK_FULL = "DISK_FULL", "there is no space to store it: nothing was done, and the game is unchanged"
    STORE_FAILED = "STORE_FAILED", "the store failed in another way: nobody saw a change; the server's log says why"
    MISSING_TOKEN = "MISSING_TOKEN", "the server requires a token, and the call has none"
    BAD_TOKEN = "BAD_TOKEN", "the token is unknown, or the call has `authorization` more than once"
    BAD_ON_BEHALF = "BAD_ON_BEHALF", "the metadata `x-on-behalf-of` is not a valid name, or is given more than once"
    ON_BEHALF_DENIED = "ON_BEHALF_DENIED", "the caller may not act for others"
    BUSY = "BUSY", "no room for one more search, or too many calls of the caller; retry after the given delay"
    OUT_OF_TIME = "OUT_OF_TIME", "the deadline of the call leaves no time for a search"
    FINISHING = "FINISHING", "the server is shutting down; ask another"
    INTERNAL = "INTERNAL", "a fault of the server; its log says which"


# Reasons of requests that could succeed at another time or in another game. Invalid arguments are reported first.
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
        Reason.NOTICES_OFF,
    }
)


class ServiceError(Exception):
    """A service error: a request cannot be fulfilled.

    Args:
        reason: the reason.
        faults: (name, fault) pairs, at least one. The name is the domain's name of the argument at fault; "" if none
            is.
        retry: seconds after which the request may be retried; None if that is pointless.
        metadata: further facts for programs.
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
    """Return the first fault in words, and how many more there are."""
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return ": ".join(filter(None, faults[0])) + more


def no_seat(seat: int, seats: int) -> str:
    """Return the fault of a seat number that is out of range."""
    return f"is {seat}; the seats are 0 to {seats - 1}"


def raise_error(reason: Reason, blamed: str, description: str) -> NoReturn:
    """Raise a ServiceError with one fault; `blamed` is the argument at fault, "" if there is none."""
    raise ServiceError(reason, [(blamed, description)])


@dataclass(slots=True)
class Faults:
    """A collector of faults."""

    found: list[tuple[Reason, str, str]] = field(default_factory=list)

    def add(self, reason: Reason, blamed: str, description: str) -> None:
        """Add the fault of an argument."""
        self.found.append((reason, blamed, description))

    def require_none(self) -> None:
        """Raise a ServiceError with all faults of the first reason, invalid arguments before untimely requests."""
        if not self.found:
            return
        first = [fault for fault in self.found if fault[0] not in UNTIMELY] or self.found
        raise ServiceError(first[0][0], [(blamed, description) for _, blamed, description in first])
