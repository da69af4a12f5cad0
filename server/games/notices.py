"""Announces each beginning of a person's turn to another program, with retries as long as the turn lasts."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from clerestory.server.games.hosted import HostedGame

MAX_PENDING = 1000  # notices that are being sent or wait for another attempt; further ones are dropped
MAX_SENDING = 8  # notices that are being sent
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
    """

    game_id: str
    game: str
    version: int
    ply: int
    seat: int
    began: int
    deadline: int | None

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


Send = Callable[[TurnNotice], Awaitable[Delivery]]


class TurnNotices:
    """Sends the notices of all games.

    Args:
        send: makes one attempt to deliver a notice.
        count: called with what became of each notice.
    """

    def __init__(self, send: Send, count: Callable[[Outcome], None]) -> None:
        self._send = send
        self._count = count
        self._current: dict[str, TurnNotice] = {}  # undelivered notices of turns that have not ended, by game
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(MAX_SENDING)

    def note(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """React to a stored game and its previous state, None for a new game."""
        game_id = hosted.head.game_id
        if before is not None and before.turn != hosted.turn:
            self._current.pop(game_id, None)
        if not begins_turn(before, hosted):
            return
        if len(self._tasks) >= MAX_PENDING:
            self._count(Outcome.DROPPED)
            return
        self._current[game_id] = notice = notice_of(hosted)
        task = asyncio.create_task(self._deliver(notice))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, notice: TurnNotice) -> None:
        self._count(await self._attempt(notice))
        if self._current.get(notice.game_id) is notice:
            del self._current[notice.game_id]

    async def _attempt(self, notice: TurnNotice) -> Outcome:
        """Send a notice until it is accepted or rejected, its turn ends, or there have been enough attempts."""
        for delay in (0.0, *RETRY_DELAYS_S):
            await asyncio.sleep(delay)
            async with self._slots:
                if self._current.get(notice.game_id) is not notice:
                    return Outcome.OUTDATED
                delivery = await self._send(notice)
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
    )
