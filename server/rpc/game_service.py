"""Handles the calls of GameService: hosted games."""

import asyncio
import base64
import binascii
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import grpc

from clerestory.server.games import commands
from clerestory.server.games.background import run_in_thread
from clerestory.server.games.cache import SetAside
from clerestory.server.games.creation import ONLOOKER, OWNER, seat_name
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import SeatKind
from clerestory.server.games.manager import GameManager, typed
from clerestory.server.games.requests import Requests
from clerestory.server.games.store import GameFilter
from clerestory.server.games.takebacks import take_back
from clerestory.server.games.viewer import (
    GAME_ID,
    TokenIssuer,
    Viewer,
    actor_of,
    digest_of,
    listed_to,
    sender_of,
    steps_since,
    viewer_of,
    views_of,
)
from clerestory.server.notices.targets import SeatTargets
from clerestory.server.rpc.callers import Callers
from clerestory.server.rpc.chunks import Chunks
from clerestory.server.rpc.translate_games import (
    read_end,
    read_join,
    read_phrase,
    read_plan,
    read_seat_plan,
    write_entries,
    write_game,
    write_line,
    write_record,
    write_unreadable,
    write_views,
)
from clerestory.server.rpc.watch import watch
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceServicer

CHANGES = 8  # cost of writing an entry with its changes, relative to one without

logger = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
A = TypeVar("A")
USUAL, MOST = 50, 100  # games on a page
MAX_TOKENS = 100
LATEST = (1 << 63) - 1  # milliseconds since 1970, the maximum that a store can hold
PAGE = re.compile(rf"(\d{{1,19}}) ({GAME_ID.pattern})", re.ASCII)
GAME = re.compile(r"[\w-]{0,64}", re.ASCII)  # the name of a game, known to this server or not
STATUSES = {games.GAME_STATUS_OPEN: "open", games.GAME_STATUS_RUNNING: "running", games.GAME_STATUS_OVER: "over"}


class GameHandlers(GameServiceServicer):
    """The gRPC handlers of GameService.

    Args:
        manager: the game manager.
        callers: identifies the caller of a call.
        chunks: splits the work of long responses into chunks.
        targets: the targets of notices.
        max_watchers: maximum number of watchers of one game with the same tokens, so that onlookers leave slots for
            players.
    """

    def __init__(
        self, manager: GameManager, callers: Callers, chunks: Chunks, targets: SeatTargets, max_watchers: int
    ) -> None:
        self._manager = manager
        self._callers = callers
        self._chunks = chunks
        self._targets = targets
        self._max_watchers = max_watchers
        self._requests = Requests(manager)

    # -- creating and joining ----------------------------------------------------------------------

    async def CreateGame(self, request: games.CreateGameRequest, context: Context) -> games.CreateGameResponse:
        """Create a game, once per request name. Raises ServiceError."""
        return await self._requests.create(read_plan(request), self._callers.of(context).origin, write_created)

    async def JoinGame(self, request: games.JoinGameRequest, context: Context) -> games.JoinGameResponse:
        """Take a seat, once per request name. Raises ServiceError."""
        seat, name = read_join(request)
        return await self._requests.join(request.game_id, seat, name, request.request_id, write_joined)

    # -- reading -----------------------------------------------------------------------------------

    async def GetGame(self, request: games.GetGameRequest, context: Context) -> games.GetGameResponse:
        """Return a game at a ply. Raises ServiceError."""
        try:
            return await self._shown(request)
        except SetAside as error:
            return games.GetGameResponse(game=write_unreadable(error.game_id, error.why))

    async def _shown(self, request: games.GetGameRequest) -> games.GetGameResponse:
        async with self._manager.lend(request.game_id) as live:
            viewer = viewer_of(live.hosted, request.tokens)
            hosted = await live.visible(viewer)
            ply = request.ply if request.HasField("ply") else hosted.ply
            if ply > hosted.ply:
                raise_error(Reason.BAD_PLY, "ply", f"is {ply}; the game has reached ply {hosted.ply}")
            listed = request.HasField("entries_from_ply") and not viewer.stranger
            first = request.entries_from_ply if listed else ply + 1
            entries = await run_in_thread(
                CHANGES * hosted.version if listed else 0, write_line, hosted, first, ply, viewer
            )
            return games.GetGameResponse(
                game=write_game(hosted),
                views=write_views(views_of(hosted, viewer, ply)),
                ply=ply,
                entries=entries,
                rematch_id=self._requests.rematch_id(hosted, viewer),
                push_key=self._targets.push_key if viewer.seats else "",
            )

    async def ListGames(
        self, request: games.GameServiceListGamesRequest, context: Context
    ) -> games.GameServiceListGamesResponse:
        """List games. Raises ServiceError."""
        wanted = wanted_of(request)
        with typed():
            found = await self._manager.store.select(wanted)
        turn, digests = self._chunks.of(context), wanted.tokens or ()
        listed = [self._listed(game_id, digests, turn) for game_id, _ in found[: wanted.limit - 1]]
        shown = [game for game in await asyncio.gather(*listed) if game is not None]
        if request.status:
            shown = [game for game in shown if game.status == request.status]
        return games.GameServiceListGamesResponse(games=shown, next_page_token=next_page(found, wanted.limit))

    async def _listed(
        self, game_id: str, digests: Sequence[str], turn: Callable[[], Awaitable[None]]
    ) -> games.Game | None:
        """Return a game of a list; None if it was deleted or is not visible to the holder of these tokens.

        A game that cannot be shown does not prevent the others from being shown.
        """
        await turn()
        try:
            async with self._manager.lend(game_id, asked=False) as live:
                viewer = listed_to(live.hosted, digests)
                return None if viewer is None else write_game(await live.visible(viewer), listed=True)
        except SetAside as error:
            return write_unreadable(game_id, error.why)
        except ServiceError as error:
            if error.reason == Reason.NO_SUCH_GAME:
                return None
            raise
        except Exception as error:
            logger.error("game %s cannot be shown: %r", game_id, error)
            return write_unreadable(game_id, "the server cannot show it; its log says why")

    async def WatchGame(  # type: ignore[override]  # grpc.aio also accepts a coroutine that writes
        self, request: games.WatchGameRequest, context: Context
    ) -> None:
        """Stream a running game. Raises ServiceError."""
        async with self._manager.lend(request.game_id) as live:
            viewer = viewer_of(live.hosted, request.tokens)
            require_sight(viewer)
            alike = live.watchers.alike(viewer)
            if alike >= self._max_watchers:
                raise_error(
                    Reason.TOO_MANY_WATCHERS, "game_id", f"{alike} watchers with these tokens, the most allowed"
                )
            cursor, turn = cursor_of(request), self._chunks.of(context)
            await watch(self._manager, live, viewer, cursor, context.write, turn, after_end=request.after_end)

    async def GetRecord(self, request: games.GetRecordRequest, context: Context) -> games.GetRecordResponse:
        """Return the record. Raises ServiceError."""
        async with self._manager.lend(request.game_id) as live:
            viewer = viewer_of(live.hosted, request.tokens)
            require_sight(viewer)
            commands.require_playable(live.hosted)
            hosted = await live.visible(viewer)
            return await run_in_thread(hosted.ply, write_record, hosted, viewer)

    # -- acting ------------------------------------------------------------------------------------

    async def PlayAction(self, request: games.PlayActionRequest, context: Context) -> games.PlayActionResponse:
        """Play an action, exactly once. Raises ServiceError."""
        act = partial(commands.play, version=request.version, text=request.action, then=request.then_actions)
        return await self._act(request, act, games.PlayActionResponse)

    async def SetPrivateOutcome(
        self, request: games.SetPrivateOutcomeRequest, context: Context
    ) -> games.SetPrivateOutcomeResponse:
        """Submit a private outcome that a seat has seen, exactly once. Raises ServiceError."""
        act = partial(commands.set_private_outcome, version=request.version, seat=request.seat, text=request.outcome)
        return await self._act(request, act, games.SetPrivateOutcomeResponse)

    async def TakeBack(self, request: games.TakeBackRequest, context: Context) -> games.TakeBackResponse:
        """Request a take-back, agree to it or decline it. Raises ServiceError."""
        act = partial(take_back, version=request.version, ply=request.ply, decline=request.decline)
        return await self._act(request, act, games.TakeBackResponse)

    async def _act(
        self,
        request: games.PlayActionRequest | games.SetPrivateOutcomeRequest | games.TakeBackRequest,
        act: Callable[..., int],
        response: Callable[..., A],
    ) -> A:
        """Run a command on a version of a game, and respond with the result."""

        def write(before: HostedGame, after: HostedGame, viewer: Viewer) -> A:
            return response(
                entries=write_entries(after, steps_since(before, after, viewer)),
                game=write_game(after),
                views=write_views(views_of(after, viewer)),
            )

        return await self._requests.act(request.game_id, request.tokens, request.version, act, write)

    async def SetSeat(self, request: games.SetSeatRequest, context: Context) -> games.SetSeatResponse:
        """Change the holder of a seat. Raises ServiceError."""
        version = request.version if request.HasField("version") else None
        act = partial(commands.set_seat, seat=request.seat, plan=read_seat_plan(request), version=version)
        return await self._requests.change(
            request.game_id, request.tokens, act, lambda hosted: games.SetSeatResponse(game=write_game(hosted))
        )

    async def EndGame(self, request: games.EndGameRequest, context: Context) -> games.EndGameResponse:
        """End a game early. Raises ServiceError."""
        reason, seat = read_end(request)
        act = partial(commands.end, reason=reason, seat=seat)
        return await self._requests.change(
            request.game_id, request.tokens, act, lambda hosted: games.EndGameResponse(game=write_game(hosted))
        )

    async def SendPhrase(self, request: games.SendPhraseRequest, context: Context) -> games.SendPhraseResponse:
        """Send a set phrase from a seat. Raises ServiceError."""
        phrase, seat = read_phrase(request)
        async with self._manager.lend(request.game_id) as live:
            live.say(sender_of(actor_of(live.hosted, request.tokens), seat), phrase, self._manager.now())
            return games.SendPhraseResponse()

    # -- targets of notices ------------------------------------------------------------------------

    async def AddNoticeTarget(
        self, request: games.AddNoticeTargetRequest, context: Context
    ) -> games.AddNoticeTargetResponse:
        """Add a target of a seat's notices. Raises ServiceError."""
        async with self._manager.lend(request.game_id) as live:
            seat = seat_of(request, live.hosted)
            commands.require_alive(live.hosted)
            if not request.HasField("push_keys"):
                secret = await self._targets.add_webhook(live.hosted, seat, request.url)
                return games.AddNoticeTargetResponse(webhook_secret=secret)
            keys = request.push_keys
            await self._targets.add_push(live.hosted, seat, request.url, keys.p256dh, keys.auth)
            return games.AddNoticeTargetResponse()

    async def RemoveNoticeTarget(
        self, request: games.RemoveNoticeTargetRequest, context: Context
    ) -> games.RemoveNoticeTargetResponse:
        """Remove a target of a seat's notices. Raises ServiceError."""
        async with self._manager.lend(request.game_id) as live:
            await self._targets.remove(live.hosted, seat_of(request, live.hosted), request.url)
            return games.RemoveNoticeTargetResponse()

    async def GetNoticeTarget(
        self, request: games.GetNoticeTargetRequest, context: Context
    ) -> games.GetNoticeTargetResponse:
        """Return whether a target of a seat is notified. Raises ServiceError."""
        async with self._manager.lend(request.game_id) as live:
            active = await self._targets.is_active(live.hosted, seat_of(request, live.hosted), request.url)
            return games.GetNoticeTargetResponse(active=active)


def seat_of(
    request: games.AddNoticeTargetRequest | games.RemoveNoticeTargetRequest | games.GetNoticeTargetRequest,
    hosted: HostedGame,
) -> int:
    """Return the seat that a target belongs to. Raises ServiceError: WRONG_SEAT_TOKEN."""
    seat = request.seat if request.HasField("seat") else None
    return sender_of(actor_of(hosted, request.tokens), seat)


def require_sight(viewer: Viewer) -> None:
    """Raise ServiceError for a viewer who may see only which seats are open."""
    if viewer.stranger:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "take a seat with JoinGame, or send the token of one")


def write_created(hosted: HostedGame, issuer: TokenIssuer) -> games.CreateGameResponse:
    """Return a new game with its tokens."""
    people = [seat for seat, holder in enumerate(hosted.head.seats) if holder.kind == SeatKind.PERSON]
    return games.CreateGameResponse(
        game=write_game(hosted),
        owner_token=issuer.token(OWNER),
        seat_tokens=[games.SeatToken(seat=seat, token=issuer.token(seat_name(seat))) for seat in people],
        onlooker_token=issuer.token(ONLOOKER) if hosted.head.onlooker else "",
    )


def write_joined(hosted: HostedGame, seat: int, token: str) -> games.JoinGameResponse:
    """Return a game with the token of a seat that was taken."""
    return games.JoinGameResponse(game=write_game(hosted), seat_token=games.SeatToken(seat=seat, token=token))


# -- pages of lists --------------------------------------------------------------------------------


def wanted_of(request: games.GameServiceListGamesRequest) -> GameFilter:
    """Return the query for a page plus one game, which shows whether more follow.

    Raises ServiceError: BAD_PAGE, BAD_GAME.
    """
    size = request.page_size or USUAL
    if size > MOST:
        raise_error(Reason.BAD_PAGE, "page_size", f"is {size}; must be {MOST} at most")
    if len(request.tokens) > MAX_TOKENS:
        raise_error(Reason.BAD_PAGE, "tokens", f"has {len(request.tokens)} tokens; must have {MAX_TOKENS} at most")
    if request.status and request.status not in STATUSES:
        raise_error(
            Reason.BAD_PAGE, "status", "must be open, running or over; frozen games are listed if it is left out"
        )
    if not GAME.fullmatch(request.game):
        raise_error(Reason.BAD_GAME, "game", f"{request.game[:40]!r} is not the name of a game")
    return GameFilter(
        limit=size + 1,
        game=request.game,
        status=STATUSES.get(request.status, ""),
        tokens=tuple(map(digest_of, request.tokens)) if request.tokens else None,
        before=read_page(request.page_token) if request.page_token else None,
    )


def next_page(found: Sequence[tuple[str, int]], limit: int) -> str:
    """Return the token of the next page; "" if there is none."""
    if len(found) < limit:
        return ""
    game_id, created = found[limit - 2]
    return base64.urlsafe_b64encode(f"{created} {game_id}".encode()).decode()


def read_page(token: str) -> tuple[int, str]:
    """Return the position at which a page begins. Raises ServiceError: BAD_PAGE."""
    try:
        found = PAGE.fullmatch(base64.urlsafe_b64decode(token.encode()).decode())
    except (ValueError, binascii.Error):
        found = None
    if found is None or int(found[1]) > LATEST:
        raise_error(Reason.BAD_PAGE, "page_token", "is not the next_page_token of an earlier answer")
    return int(found[1]), found[2]


def cursor_of(request: games.WatchGameRequest) -> int | None:
    """Return the version that a watcher already has; None for none."""
    return request.from_version if request.HasField("from_version") else None
