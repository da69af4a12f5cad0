"""Announces each beginning of a person's turn to other programs, with retries as long as the turn lasts."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from clerestory.server.games.hosted import HostedGame

MAX_PENDING = 1000  # notices of a route that are being sent or wait for another attempt; further ones are dropped
MAX_SENDING = 8  # notices of a route that are being sent, unless it has another limit
RETRY_DELAYS_S = (1.0, 5.0, 30.0, 120.0, 600.0)  # before each further attempt


class Delivery(StrEnum):
    """The result of an attempt to deliver a notice."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"  # another attempt would end the same
    FAILED = "failed"  # another attempt may succeed


class Outcome(StrEnum):
    """What became of a notice."""

    DELIVERED = "delivered"
    REJECTED = "rejected"
    FAILED = "failed"  # at every attempt
    OUTDATED = "outdated"  # the turn ended before
    DROPPED = "dropped"  # too many others were waiting


@dataclass(frozen=True, slots=True)
class TurnNotice:
    """A turn that has begun. It contains only what everyone who knows the game may know.

    Attributes:
        game: name of the rules.
        began: milliseconds since 1970.
        deadline: when the server will move for the seat, in milliseconds since 1970; None for no limit.
        holder: digest of the seat's token, which is not part of the content.
    """

    game_id: str
    game: str
    version: int
    ply: int
    seat: int
    began: int
    deadline: int | None
    holder: str = ""

    @property
    def name(self) -> str:
        """The name of the notice, the same at every attempt."""
        return f"{self.game_id}.{self.version}"

    def to_json(self) -> str:
        """Return the content of the notice."""
        fields = {
            "type": "turn.began",
            "timestamp": written(self.began),
            "data": {
                "game_id": self.game_id,
                "game": self.game,
                "version": self.version,
                "ply": self.ply,
                "seat": self.seat,
                "move_deadline": None if self.deadline is None else written(self.deadline),
            },
        }
        return json.dumps(fields, separators=(",", ":"))


def written(moment: int) -> str:
    """Return a moment, in milliseconds since 1970, as RFC 3339 has it."""
    return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Send = Callable[[TurnNotice], Awaitable[Delivery]]  # makes one attempt to deliver a notice
Find = Callable[[TurnNotice], Awaitable[Sequence[Send]]]  # returns the receivers of a notice


class Route:
    """A group of receivers, with separate limits, so that slow ones do not delay those of other routes.

    Args:
        find: returns the receivers of a notice.
        durable: whether it finds only receivers that have not had the notice yet, even if the server has restarted.
        sending: maximum number of notices that are being sent.
    """

    def __init__(self, find: Find, *, durable: bool = False, sending: int = MAX_SENDING) -> None:
        self.find = find
        self.durable = durable
        self.slots = asyncio.Semaphore(sending)
        self.pending = 0


class TurnNotices:
    """Sends the notices of all games.

    Args:
        routes: their destinations.
        count: called with what became of each notice.
    """

    def __init__(self, routes: Sequence[Route], count: Callable[[Outcome], None]) -> None:
        self._routes = routes
        self._count = count
        self._current: dict[str, TurnNotice] = {}  # undelivered notices of turns that have not ended, by game
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def durable(self) -> bool:
        """Whether a route can announce turns again after a restart."""
        return any(route.durable for route in self._routes)

    def note(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """React to a stored game and its previous state, None for a new game."""
        if before is not None and before.turn != hosted.turn:
            self._current.pop(hosted.head.game_id, None)
        if begins_turn(before, hosted):
            self._announce(hosted, self._routes)

    def announce_again(self, hosted: HostedGame) -> None:
        """Announce a turn that began before the server was started to those who do not know of it."""
        if hosted.person_to_move is not None and hosted.head.game_id not in self._current:
            self._announce(hosted, [route for route in self._routes if route.durable])

    def _announce(self, hosted: HostedGame, routes: Sequence[Route]) -> None:
        self._current[hosted.head.game_id] = notice = notice_of(hosted)
        task = asyncio.create_task(self._deliver(notice, routes))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, notice: TurnNotice, routes: Sequence[Route]) -> None:
        await asyncio.gather(*(self._send_along(route, notice) for route in routes))
        if self._current.get(notice.game_id) is notice:
            del self._current[notice.game_id]

    async def _send_along(self, route: Route, notice: TurnNotice) -> None:
        """Send a notice to all its receivers of a route, and count what became of it."""
        if route.pending >= MAX_PENDING:
            self._count(Outcome.DROPPED)
            return
        route.pending += 1
        try:
            sends = await route.find(notice)
            await asyncio.gather(*(self._send_to(send, route, notice) for send in sends))
        finally:
            route.pending -= 1

    async def _send_to(self, send: Send, route: Route, notice: TurnNotice) -> None:
        self._count(await self._attempt(send, route, notice))

    async def _attempt(self, send: Send, route: Route, notice: TurnNotice) -> Outcome:
        """Send a notice until it is accepted or rejected, its turn ends, or there have been enough attempts."""
        for delay in (0.0, *RETRY_DELAYS_S):
            await asyncio.sleep(delay)
            async with route.slots:
                if self._current.get(notice.game_id) is not notice:
                    return Outcome.OUTDATED
                delivery = await send(notice)
            if delivery != Delivery.FAILED:
                return Outcome.DELIVERED if delivery == Delivery.ACCEPTED else Outcome.REJECTED
        return Outcome.FAILED

    async def finish(self) -> None:
        """Give up all notices that have not been delivered."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def begins_turn(before: HostedGame | None, hosted: HostedGame) -> bool:
    """Return whether a change began the turn of a person, who need not be there."""
    seat = hosted.person_to_move
    return seat is not None and (before is None or before.person_to_move != seat)


def notice_of(hosted: HostedGame) -> TurnNotice:
    """Return the notice of the current turn, which is a person's."""
    assert hosted.turn is not None
    return TurnNotice(
        game_id=hosted.head.game_id,
        game=hosted.head.game,
        version=hosted.version,
        ply=hosted.ply,
        seat=hosted.turn,
        began=hosted.since,
        deadline=None if hosted.deadline is None else int(hosted.deadline),
        holder=hosted.seats[hosted.turn].token,
    )
