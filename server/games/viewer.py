"""Identifies the viewer of a hosted game by the tokens of the call, and decides how much of the game is visible."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Onlookers
from clerestory.service_errors import Reason, raise_error

MAX_TOKENS = 8  # in one call; more than a game has


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
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "has one of a seat that has been given to somebody else")


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
