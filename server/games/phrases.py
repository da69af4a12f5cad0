"""Set phrases between the players of a game: kept in memory only, with a limit for each seat."""

from collections import deque
from typing import NamedTuple

from clerestory.server.games.viewer import Viewer
from clerestory.service_errors import Reason, ServiceError, raise_error

BURST = 3  # phrases of a seat in a row
INTERVAL_MS = 5000  # milliseconds until a seat may send another one after those
KEPT = 32  # latest phrases, for watchers that have not read them yet


class SentPhrase(NamedTuple):
    """A phrase of a seat, with its number in the game, from 1."""

    number: int
    seat: int
    phrase: int


class Phrases:
    """The latest phrases of a game.

    Attributes:
        number: phrases sent so far.
    """

    def __init__(self) -> None:
        self.number = 0
        self._latest: deque[SentPhrase] = deque(maxlen=KEPT)
        self._sent: dict[int, tuple[int, int]] = {}  # by seat: its latest phrase, and when
        self._full: dict[int, int] = {}  # by seat: when its leaky bucket is empty, in milliseconds since 1970

    def send(self, seat: int, phrase: int, now: int) -> bool:
        """Add a phrase; return False for a repetition, which has no effect.

        Args:
            seat: the seat that sends it.
            phrase: number of the phrase.
            now: milliseconds since 1970.

        Raises ServiceError: TOO_MANY_PHRASES.
        """
        latest, sent = self._sent.get(seat, (0, 0))
        if phrase == latest and now - sent < INTERVAL_MS:
            return False
        empty = max(self._full.get(seat, now), now)
        wait = empty - now - (BURST - 1) * INTERVAL_MS
        if wait > 0:
            fault = f"seat {seat} has sent {BURST} in a row; the next is possible in {wait} ms"
            raise ServiceError(Reason.TOO_MANY_PHRASES, [("phrase", fault)], retry=wait / 1000)
        self._full[seat], self._sent[seat] = empty + INTERVAL_MS, (phrase, now)
        self.number += 1
        self._latest.append(SentPhrase(self.number, seat, phrase))
        return True

    def since(self, number: int) -> tuple[SentPhrase, ...]:
        """Return the phrases after a number, as far as they are kept."""
        return tuple(one for one in self._latest if one.number > number)


def sender_of(viewer: Viewer, seat: int | None) -> int:
    """Return the seat that sends a phrase; None for the first of the viewer's seats.

    Raises ServiceError: WRONG_SEAT_TOKEN without the token of that seat.
    """
    if not viewer.seats or seat not in (None, *viewer.seats):
        whose = "a seat" if seat is None else f"seat {seat}"
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"must have the token of {whose}")
    return viewer.seats[0] if seat is None else seat
