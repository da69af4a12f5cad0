"""Makes automatic moves, for bots and for people who are out of time, with ordinary searches."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from clerestory.server.games.background import remember
from clerestory.server.games.changes import Changes
from clerestory.server.games.commands import play_bot
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings
from clerestory.server.games.session import GameSession
from clerestory.service_errors import Reason, ServiceError

REMEMBERED = 1000  # chosen moves that could not be stored

T = TypeVar("T")
# takes a game, a seat and its bot settings; returns the text of a move
Choose = Callable[[HostedGame, int, BotSettings], Awaitable[str]]


class AutoPlayer:
    """Chooses moves and plays them.

    Args:
        choose: searches a move.
        changes: applies changes to games.
        now: returns milliseconds since 1970.
        turn: waits until a piece of work on a game may be done.
        give_back: as `GameManager.give_back`.
    """

    def __init__(
        self,
        choose: Choose,
        changes: Changes,
        now: Callable[[], int],
        turn: Callable[[], Awaitable[None]],
        give_back: Callable[[HostedGame, HostedGame], int],
    ) -> None:
        self._choose = choose
        self._changes = changes
        self._now = now
        self._turn = turn
        self._give_back = give_back
        self._chosen: OrderedDict[str, tuple[int, str]] = OrderedDict()  # version and unstored move, by game

    async def move(self, live: GameSession) -> None:
        """Make the move that is due, unless the game changes first.

        Raises ServiceError; Conflict if another server owns the game.
        """
        hosted = live.hosted
        seat, bot = to_move(hosted)
        version, text = self._chosen.pop(hosted.head.game_id, (-1, ""))
        if version != hosted.version:
            chosen = await either(self._choose(hosted, seat, bot), live)
            if chosen is None:
                return
            text = chosen
            await self._turn()
        await self._play(live, hosted.version, text)

    async def _play(self, live: GameSession, version: int, text: str) -> None:
        def act(game: HostedGame) -> None:
            play_bot(game, version, text, self._now())
            self._give_back(live.hosted, game)

        try:
            await self._changes.change(live, act, lambda _: (), owned=True)
        except ServiceError as error:
            if error.reason in (Reason.DISK_FULL, Reason.STORE_FAILED):
                remember(self._chosen, live.hosted.head.game_id, (version, text), REMEMBERED)
            raise


def to_move(hosted: HostedGame) -> tuple[int, BotSettings]:
    """Return the seat that the server has to move for, and its bot settings."""
    seat = hosted.turn
    assert seat is not None
    return seat, hosted.seats[seat].bot or hosted.head.options.play_on


async def either(doing: Awaitable[T], live: GameSession) -> T | None:
    """Return the result of an awaitable, or cancel it and return None if the game changes first."""
    task, changed = asyncio.ensure_future(doing), asyncio.ensure_future(live.changed.wait())
    try:
        await asyncio.wait((task, changed), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for one in (task, changed):
            one.cancel()
        await asyncio.gather(task, changed, return_exceptions=True)
