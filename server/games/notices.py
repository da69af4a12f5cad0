"""Announces each beginning of a person's turn to other programs, with retries as long as the turn lasts.

A notice has the same name at every attempt, by any server: the game and the version with which the turn began. Before
each attempt, the game as it is in the store decides whether the notice still holds.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from weakref import WeakValueDictionary

from clerestory.server.games.background import contained
from clerestory.server.games.hosted import HostedGame

MAX_PENDING = 1000  # notices of a route that are being sent or wait for another attempt
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
    OUTDATED = "outdated"  # the turn ended before, the target was removed, or another server does it
    DROPPED = "dropped"  # too many others were waiting, and the route is not durable


OUTCOMES = {
    Delivery.ACCEPTED: Outcome.DELIVERED,
    Delivery.REJECTED: Outcome.REJECTED,
    Delivery.FAILED: Outcome.FAILED,
}  # of the last attempt


@dataclass(frozen=True, slots=True)
class TurnNotice:
    """A turn that has begun. It contains only what everyone who knows the game may know.

    Attributes:
        game: name of the rules.
        version: the version with which the turn began.
        began: milliseconds since 1970.
        deadline: when the server will move for the seat, in milliseconds since 1970; None for no limit.
        holder: digest of the seat's token; like `maker` it is not part of the content.
        maker: origin of the creator of the game.
    """

    game_id: str
    game: str
    version: int
    ply: int
    seat: int
    began: int
    deadline: int | None
    holder: str = ""
    maker: str = ""

    @property
    def name(self) -> str:
        """The name of the notice, which no other turn has."""
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
Holds = Callable[[TurnNotice], Awaitable[bool]]  # returns whether the turn of a notice goes on, by the store


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver of notices.

    Attributes:
        url: its address.
        host: the host of the address.
    """

    url: str
    host: str
    send: Send = field(compare=False)


Find = Callable[[TurnNotice], Awaitable[Sequence[Receiver]]]  # returns the receivers that lack a notice


class Slots:
    """Limits the notices that are being sent: in all, of the games of one maker, and to one host.

    Args:
        most: maximum number in all.
        each: maximum number of a maker; None for no such limit, nor one of a host.
    """

    def __init__(self, most: int, each: int | None) -> None:
        self._all = asyncio.Semaphore(most)
        self._host, self._maker = most // 2, each
        self._of: WeakValueDictionary[tuple[str, str], asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def taken(self, maker: str, host: str) -> AsyncIterator[bool]:
        """Hold a slot during the block; yield whether it had to be waited for."""
        needed = [*self._limits(maker, host), self._all]
        waits = any(one.locked() for one in needed)
        async with AsyncExitStack() as held:
            for one in needed:
                await held.enter_async_context(one)
            yield waits

    def _limits(self, maker: str, host: str) -> list[asyncio.Semaphore]:
        """Return the limits of a maker and of a host."""
        if self._maker is None:
            return []
        kinds = ("maker", maker, self._maker), ("host", host, self._host)
        return [self._of.setdefault((kind, name), asyncio.Semaphore(most)) for kind, name, most in kinds]


class Route:
    """A group of receivers, with separate limits, so that slow ones do not delay those of other routes.

    Args:
        find: returns the receivers that a notice is to be sent to; asked again before each attempt if it is durable.
        durable: whether it finds only receivers that have not had the notice yet, even if the server has restarted.
        sending: maximum number of notices that are being sent.
        each: maximum number of those of the games of one maker; then half of all may go to one host. None for neither.
    """

    def __init__(
        self, find: Find, *, durable: bool = False, sending: int = MAX_SENDING, each: int | None = None
    ) -> None:
        self.find = find
        self.durable = durable
        self.slots = Slots(sending, each)
        self.pending = 0


class TurnNotices:
    """Sends the notices of all games.

    Args:
        routes: their destinations.
        count: called with what became of each notice.
        holds: asked before each attempt.

    Attributes:
        postponed: whether a turn was not announced yet, because too many others were waiting.
    """

    def __init__(self, routes: Sequence[Route], count: Callable[[Outcome], None], holds: Holds) -> None:
        self._routes = routes
        self._count = count
        self._holds = holds
        self._under_way: dict[str, asyncio.Task[None]] = {}  # by the name of the notice
        self._finishing = asyncio.Event()
        self.postponed = False

    @property
    def durable(self) -> bool:
        """Whether a route can announce turns again after a restart."""
        return any(route.durable for route in self._routes)

    @property
    def busy(self) -> bool:
        """Whether turns are to be announced again only later, to leave room for those that begin here."""
        return len(self._under_way) >= MAX_PENDING // 2

    def note(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """React to a stored game and its previous state, None for a new game."""
        if begins_turn(before, hosted):
            self._announce(hosted, self._routes)

    def announce_again(self, hosted: HostedGame) -> None:
        """Announce a turn that began at a server that may have ended to those who do not know of it."""
        if hosted.called is not None:
            self._announce(hosted, [route for route in self._routes if route.durable])

    def _announce(self, hosted: HostedGame, routes: Sequence[Route]) -> None:
        notice = notice_of(hosted)
        if notice.name not in self._under_way and not self._finishing.is_set():
            self._under_way[notice.name] = task = asyncio.create_task(self._deliver(notice, routes))
            task.add_done_callback(lambda _: self._under_way.pop(notice.name))

    async def _deliver(self, notice: TurnNotice, routes: Sequence[Route]) -> None:
        await asyncio.gather(*(self._send_along(route, notice) for route in routes))

    async def _send_along(self, route: Route, notice: TurnNotice) -> None:
        """Send a notice to all its receivers of a route, and count what became of it."""
        if route.pending >= MAX_PENDING:
            if route.durable:
                self.postponed = True
            else:
                self._count(Outcome.DROPPED)
            return
        route.pending += 1
        try:
            await self._attempts(route, notice)
        finally:
            route.pending -= 1

    async def _attempts(self, route: Route, notice: TurnNotice) -> None:
        """Send a notice until nobody lacks it, its turn ends, or there have been enough attempts."""
        lacking = 0
        for delay in (0.0, *RETRY_DELAYS_S):
            if await self._finished_within(delay):
                return
            outcomes = await self._attempt(route, notice, lacking)
            outcomes += [Outcome.OUTDATED] * (lacking - len(outcomes))
            lacking = outcomes.count(Outcome.FAILED)
            for outcome in outcomes:
                if outcome != Outcome.FAILED:
                    self._count(outcome)
            if not lacking:
                return
        for _ in range(lacking):
            self._count(Outcome.FAILED)

    async def _finished_within(self, seconds: float) -> bool:
        """Wait, unless the server ends; return whether it does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._finishing.wait()
        return self._finishing.is_set()

    async def _attempt(self, route: Route, notice: TurnNotice, lacking: int) -> list[Outcome]:
        """Send a notice once to all who lack it, by now so many; return what became of it."""
        with contained("reading the targets of notices"):
            found = await route.find(notice)
            return [*await asyncio.gather(*(self._send(receiver, route, notice) for receiver in found))]
        return [Outcome.FAILED] * max(lacking, 1)

    async def _send(self, receiver: Receiver, route: Route, notice: TurnNotice) -> Outcome:
        async with route.slots.taken(notice.maker, receiver.host) as waited:
            if self._finishing.is_set():
                return Outcome.FAILED
            with contained("reading the game of a notice"):
                if waited and receiver not in await route.find(notice):
                    return Outcome.OUTDATED
                if not await self._holds(notice):
                    return Outcome.OUTDATED
                return OUTCOMES[await receiver.send(notice)]
        return Outcome.FAILED

    async def finish(self) -> None:
        """Give up all notices that have not been delivered, except those that are just being sent."""
        self._finishing.set()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)


def begins_turn(before: HostedGame | None, hosted: HostedGame) -> bool:
    """Return whether a change began the turn of a person, who need not be there."""
    return hosted.called is not None and (before is None or before.called != hosted.called)


def notice_of(hosted: HostedGame) -> TurnNotice:
    """Return the notice of the current turn, which a person has not moved in."""
    assert hosted.turn is not None
    assert hosted.called is not None
    return TurnNotice(
        game_id=hosted.head.game_id,
        game=hosted.head.game,
        version=hosted.called,
        ply=hosted.ply,
        seat=hosted.turn,
        began=hosted.since,
        deadline=None if hosted.deadline is None else int(hosted.deadline),
        holder=hosted.seats[hosted.turn].token,
        maker=hosted.head.maker,
    )
