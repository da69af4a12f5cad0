"""The viewers of a hosted game: the tokens that identify them, and what each may see.

This module creates all views of games, only with `State.observe`.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

from clerestory.engine.changes import Change
from clerestory.engine.core import NATURE, Action, State
from clerestory.engine.record import Record
from clerestory.engine.scoring import changes_of
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Entry, Onlookers
from clerestory.service_errors import Reason, raise_error

MAX_TOKENS = 8  # in one call; more than a game has
GAME_BYTES, TOKEN_BYTES = 16, 32
GAME_ID = re.compile(r"[\w-]{1,22}", re.ASCII)  # matches every ID ever issued


# -- viewers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Viewer:
    """The viewer of a game.

    Attributes:
        seats: seats whose tokens the call has, ascending.
        owner: whether the call has the owner's token.
        stranger: whether the viewer may see only that the game has open seats.
    """

    seats: tuple[int, ...] = ()
    owner: bool = False
    stranger: bool = False

    @property
    def late(self) -> bool:
        """Whether the viewer sees the game with its delay."""
        return not (self.seats or self.owner)


@dataclass(frozen=True, slots=True)
class Presence:
    """The watchers of a game: their seats, ascending, and the number of onlookers."""

    seats: tuple[int, ...]
    onlookers: int


def presence_of(watching: Mapping[Viewer, int]) -> Presence:
    """Return the presence for the numbers of watchers with equal tokens."""
    seats = {seat for viewer in watching for seat in viewer.seats}
    return Presence(tuple(sorted(seats)), sum(number for viewer, number in watching.items() if not viewer.seats))


def digest_of(token: str) -> str:
    """Return the digest of a token, which is stored instead of the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def viewer_of(hosted: HostedGame, tokens: Sequence[str]) -> Viewer:
    """Return the viewer with these tokens. Raises ServiceError: WRONG_SEAT_TOKEN, BAD_OPTIONS for too many."""
    if len(tokens) > MAX_TOKENS:
        raise_error(Reason.BAD_OPTIONS, "tokens", f"has {len(tokens)} tokens; must have {MAX_TOKENS} at most")
    digests, known = [digest_of(token) for token in tokens], known_to(hosted)
    for number, digest in enumerate(digests):
        if digest not in known:
            raise_error(Reason.WRONG_SEAT_TOKEN, f"tokens[{number}]", "is not a token of this game, or no longer is")
    return seen_by(hosted, digests)


def sender_of(viewer: Viewer, seat: int | None) -> int:
    """Return the seat that a request is about; None for the first of the viewer's seats.

    Raises ServiceError: WRONG_SEAT_TOKEN without the token of that seat.
    """
    if not viewer.seats or seat not in (None, *viewer.seats):
        whose = "a seat" if seat is None else f"seat {seat}"
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"must have the token of {whose}")
    return viewer.seats[0] if seat is None else seat


def actor_of(hosted: HostedGame, tokens: Sequence[str]) -> Viewer:
    """Return the viewer with these tokens, who must have the token of a seat or the owner's.

    Onlookers are rejected before the request is validated, because its errors could reveal more than they may see.
    Raises ServiceError: WRONG_SEAT_TOKEN.
    """
    viewer = viewer_of(hosted, tokens) if tokens else Viewer()
    if viewer.late:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "must have the token of a seat, or the owner's")
    return viewer


def require_valid(hosted: HostedGame, holders: Mapping[int, str]) -> None:
    """Raise ServiceError, WRONG_SEAT_TOKEN, unless seats still have the tokens with these digests."""
    if any(hosted.seats[seat].token != digest for seat, digest in holders.items()):
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "has one of a seat that has been given to another player")


def listed_to(hosted: HostedGame, digests: Sequence[str]) -> Viewer | None:
    """Return the viewer of a listed game, by those digests that belong to the game.

    None if none does: the token that found the game was of a seat that has been reassigned since.
    """
    if not digests:
        return Viewer()
    mine = known_to(hosted).intersection(digests)
    return seen_by(hosted, mine) if mine else None


def known_to(hosted: HostedGame) -> set[str]:
    """Return the digests of all tokens of a game."""
    return {holder.token for holder in hosted.seats} | {hosted.head.owner, hosted.head.onlooker}


def seen_by(hosted: HostedGame, digests: Collection[str]) -> Viewer:
    """Return the viewer with tokens of a game. Raises ServiceError: WRONG_SEAT_TOKEN."""
    seats = tuple(seat for seat, holder in enumerate(hosted.seats) if holder.token in digests)
    viewer = Viewer(seats, hosted.head.owner in digests)
    return viewer if not viewer.late else onlooker_of(hosted, hosted.head.onlooker in digests)


def onlooker_of(hosted: HostedGame, invited: bool) -> Viewer:
    """Return a viewer without a seat; `invited` means with the onlookers' token.

    Raises ServiceError: WRONG_SEAT_TOKEN.
    """
    rule = hosted.head.options.onlookers
    if rule == Onlookers.ALL or (rule == Onlookers.LINK and invited):
        return Viewer()
    if not hosted.waiting:
        what = (
            "requires the onlookers' token or the token of a seat"
            if rule == Onlookers.LINK
            else "admits no onlookers; send the token of a seat"
        )
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"the game {what}")
    return Viewer(stranger=True)


def horizon(hosted: HostedGame, viewer: Viewer) -> int:
    """Return the latest version that a viewer may see: an earlier one for onlookers, until the game is over."""
    late = hosted.head.options.delay_plies if viewer.late and not hosted.over else 0
    version, plies = hosted.version, 0
    while plies < late and version > 0:
        version -= 1
        plies += hosted.entries[version].moves
    return version


# -- tokens ----------------------------------------------------------------------------------------


def text_of(data: bytes) -> str:
    """Return bytes as letters, digits, `-` and `_`."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenIssuer:
    """Issues the game ID and the tokens of one request.

    For a named request, they are derived from its name and the store's secret, so a repeated request gets them without
    their being stored.

    Args:
        secret: the store's secret.
        request: name of the request, "" for one that is never repeated.
    """

    def __init__(self, secret: bytes, request: str) -> None:
        self._key = hmac.digest(secret, request.encode(), hashlib.sha256) if request else secrets.token_bytes(32)
        self.digest = digest_of(f"request {request}") if request else ""

    def game_id(self) -> str:
        """Return a game ID. It does not begin with `-`, so that commands do not mistake it for an option."""
        return re.sub("^-", "_", text_of(self._make("game")[:GAME_BYTES]))

    def token(self, whose: str) -> str:
        """Return the token of `owner`, `onlooker`, or a seat."""
        return text_of(self._make(whose)[:TOKEN_BYTES])

    def _make(self, what: str) -> bytes:
        return hmac.digest(self._key, what.encode(), hashlib.sha256)


# -- views -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatView:
    """A position as one seat knows it.

    Attributes:
        seat: the seat; None for the public view.
        state: the position as the seat knows it.
        acts: whether the viewer may act for the seat now, so that its legal actions are useful.
        private: coming outcomes that the seat may have seen.
    """

    seat: int | None
    state: State
    acts: bool
    private: Sequence[Action]


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry with its context.

    Attributes:
        entry: the entry.
        version: version of the game after it.
        ply: ply after it.
        from_ply: ply before it.
        position: the complete position before it, which must not be shown; None if it is not a move or the game is
            frozen.
        changes: its changes, as far as the viewer may know them.
    """

    entry: Entry
    version: int
    ply: int
    from_ply: int
    position: State | None
    changes: Sequence[Change] = ()


def views_of(hosted: HostedGame, viewer: Viewer, ply: int | None = None, *, latest: bool = True) -> list[SeatView]:
    """Return the views of a viewer's seats at a ply; with no seat or several, the public view comes first.

    Args:
        hosted: the game.
        viewer: the viewer.
        ply: the ply, None for the current one.
        latest: whether the game is at its latest version, so that actions are possible.
    """
    if hosted.positions is None or viewer.stranger:
        return []
    present = latest and hosted.running and ply in (None, hosted.ply)
    position = hosted.positions.at(hosted.ply if ply is None else ply)
    by_seat: list[int | None] = [*viewer.seats]
    if len(by_seat) != 1:
        by_seat.insert(0, None)
    enters = hosted.head.options.table and not viewer.late
    return [view_of(position, seat, present=present, enters=enters) for seat in by_seat]


def view_of(position: State, seat: int | None, *, present: bool, enters: bool) -> SeatView:
    """Return a position as a seat knows it; None for the public view.

    Args:
        position: the complete position.
        seat: the seat.
        present: whether actions are possible in this position.
        enters: whether chance outcomes are entered, and the viewer may enter them.
    """
    eyes = NATURE if seat is None else seat
    known = position.observe(eyes)
    mine = known.turn == seat if known.turn != NATURE else enters
    return SeatView(seat, known, present and mine, known.private_outcomes(eyes) if present else ())


def steps_since(before: HostedGame, hosted: HostedGame, viewer: Viewer) -> Iterator[EntryView]:
    """Yield the entries of a game since `before`."""
    walk = before.copy()
    for entry in hosted.entries[before.version :]:
        position, ply = None if walk.frozen or not entry.moves else walk.position, walk.ply
        walk.add(entry)
        changes = () if position is None else changes_for(viewer, position, entry, walk.position)
        yield EntryView(entry, walk.version, walk.ply, ply, position, changes)


def steps_of_line(hosted: HostedGame, first: int, last: int, viewer: Viewer) -> Iterator[EntryView]:
    """Yield the entries of the current line between two plies, both included."""
    numbers = {id(entry): number for number, entry in enumerate(hosted.entries, 1)}
    first = max(first, 1)
    positions = repeat((None, None)) if hosted.positions is None else pairwise(hosted.positions.since(first - 1))
    for ply, (position, after) in zip(range(first, last + 1), positions, strict=False):
        entry = hosted.line[ply - 1]
        changes = () if position is None or after is None else changes_for(viewer, position, entry, after)
        yield EntryView(entry, numbers[id(entry)], ply, ply - 1, position, changes)


def changes_for(viewer: Viewer, position: State, entry: Entry, after: State) -> Sequence[Change]:
    """Return the changes of an entry as a viewer knows them: by the only seat, otherwise the public ones."""
    eyes = viewer.seats[0] if len(viewer.seats) == 1 else NATURE
    return changes_of(position.observe(eyes), entry.text, after.observe(eyes))


def record_for(hosted: HostedGame, viewer: Viewer) -> Record:
    """Return the record of a game as far as a viewer may know it: complete once the game is over."""
    return hosted.record(None if hosted.over else viewer.seats[0] if viewer.seats else NATURE)
