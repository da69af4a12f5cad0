"""Handles the calls of GameService: hosted games."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import grpc

from clerestory.refusals import Reason, Refusal, refuse
from clerestory.server.games import course
from clerestory.server.games.aside import aside
from clerestory.server.games.cache import SetAside
from clerestory.server.games.keeper import Keeper, typed
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.log import SeatKind
from clerestory.server.games.making import ONLOOKER, OWNER, seat_name
from clerestory.server.games.requests import Requests
from clerestory.server.games.tokens import Mint
from clerestory.server.games.viewer import Viewer, listed_to, viewer_of
from clerestory.server.games.views import steps_since, views_of
from clerestory.server.rpc.callers import Callers
from clerestory.server.rpc.pieces import Pieces
from clerestory.server.rpc.translate_games import (
    write_entries,
    write_game,
    write_line,
    write_record,
    write_unreadable,
    write_views,
)
from clerestory.server.rpc.translate_pages import cursor_of, next_page, wanted_of
from clerestory.server.rpc.translate_plans import read_end, read_join, read_plan, read_seat_plan
from clerestory.server.rpc.watch import watch
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceServicer

CHANGES = 8  # cost of writing an entry with its changes, relative to one without

logger = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
A = TypeVar("A")


class GameHandlers(GameServiceServicer):
    """The gRPC handlers of GameService.

    Args:
        keeper: the game manager.
        callers: identifies the caller of a call.
        pieces: splits the work of long responses into chunks.
        max_watchers: maximum number of watchers of one game with the same tokens, so that onlookers leave slots for
            players.
    """

    def __init__(self, keeper: Keeper, callers: Callers, pieces: Pieces, max_watchers: int) -> None:
        self._keeper = keeper
        self._callers = callers
        self._pieces = pieces
        self._max_watchers = max_watchers
        self._requests = Requests(keeper)

    # -- creating and joining ----------------------------------------------------------------------

    async def CreateGame(self, request: games.CreateGameRequest, context: Context) -> games.CreateGameResponse:
        """Create a game, once per request name. Raises Refusal."""
        return await self._requests.create(read_plan(request), self._callers.of(context).origin, write_created)

    async def JoinGame(self, request: games.JoinGameRequest, context: Context) -> games.JoinGameResponse:
        """Take a seat, once per request name. Raises Refusal."""
        seat, name = read_join(request)
        return await self._requests.join(request.game_id, seat, name, request.request_id, write_joined)

    # -- reading -----------------------------------------------------------------------------------

    async def GetGame(self, request: games.GetGameRequest, context: Context) -> games.GetGameResponse:
        """Return a game at a ply. Raises Refusal."""
        try:
            return await self._shown(request)
        except SetAside as error:
            return games.GetGameResponse(game=write_unreadable(error.game_id, error.why))

    async def _shown(self, request: games.GetGameRequest) -> games.GetGameResponse:
        async with self._keeper.lend(request.game_id) as live:
            viewer = viewer_of(live.kept, request.tokens)
            kept = await live.visible(viewer)
            ply = request.ply if request.HasField("ply") else kept.ply
            if ply > kept.ply:
                refuse(Reason.BAD_PLY, "ply", f"is {ply}; the game has reached ply {kept.ply}")
            listed = request.HasField("entries_from_ply") and not viewer.stranger
            first = request.entries_from_ply if listed else ply + 1
            entries = await aside(CHANGES * kept.version if listed else 0, write_line, kept, first, ply, viewer)
            return games.GetGameResponse(
                game=write_game(kept),
                views=write_views(views_of(kept, viewer, ply)),
                ply=ply,
                entries=entries,
                rematch_id=self._requests.rematch_id(kept, viewer),
            )

    async def ListGames(
        self, request: games.GameServiceListGamesRequest, context: Context
    ) -> games.GameServiceListGamesResponse:
        """List games. Raises Refusal."""
        wanted = wanted_of(request)
        with typed():
            found = await self._keeper.store.select(wanted)
        shown, turn = list[games.Game](), self._pieces.of(context)
        for game_id, _ in found[: wanted.limit - 1]:
            await turn()
            game = await self._listed(game_id, wanted.tokens or ())
            if game is not None and request.status in (games.GAME_STATUS_UNSPECIFIED, game.status):
                shown.append(game)
        return games.GameServiceListGamesResponse(games=shown, next_page_token=next_page(found, wanted.limit))

    async def _listed(self, game_id: str, digests: Sequence[str]) -> games.Game | None:
        """Return a game of a list; None if it was deleted or is not visible to the holder of these tokens.

        A game that cannot be shown does not prevent the others from being shown.
        """
        try:
            async with self._keeper.lend(game_id, asked=False) as live:
                viewer = listed_to(live.kept, digests)
                return None if viewer is None else write_game(await live.visible(viewer), listed=True)
        except SetAside as error:
            return write_unreadable(game_id, error.why)
        except Refusal as error:
            if error.reason == Reason.NO_SUCH_GAME:
                return None
            raise
        except Exception as error:
            logger.error("game %s cannot be shown: %r", game_id, error)
            return write_unreadable(game_id, "the server cannot show it; its log says why")

    async def WatchGame(  # type: ignore[override]  # grpc.aio also accepts a coroutine that writes
        self, request: games.WatchGameRequest, context: Context
    ) -> None:
        """Stream a running game. Raises Refusal."""
        async with self._keeper.lend(request.game_id) as live:
            viewer = viewer_of(live.kept, request.tokens)
            require_sight(viewer)
            alike = live.watchers.alike(viewer)
            if alike >= self._max_watchers:
                refuse(Reason.TOO_MANY_WATCHERS, "game_id", f"{alike} watchers with these tokens, the most allowed")
            await watch(self._keeper, live, viewer, cursor_of(request), context.write, self._pieces.of(context))

    async def GetRecord(self, request: games.GetRecordRequest, context: Context) -> games.GetRecordResponse:
        """Return the record. Raises Refusal."""
        async with self._keeper.lend(request.game_id) as live:
            viewer = viewer_of(live.kept, request.tokens)
            require_sight(viewer)
            course.require_playable(live.kept)
            kept = await live.visible(viewer)
            return await aside(kept.ply, write_record, kept, viewer)

    # -- acting ------------------------------------------------------------------------------------

    async def PlayAction(self, request: games.PlayActionRequest, context: Context) -> games.PlayActionResponse:
        """Play an action, exactly once. Raises Refusal."""
        act = partial(course.play, version=request.version, text=request.action, then=request.then_actions)
        return await self._act(request, act, games.PlayActionResponse)

    async def SayShown(self, request: games.SayShownRequest, context: Context) -> games.SayShownResponse:
        """Submit a private outcome that a seat has seen, exactly once. Raises Refusal."""
        act = partial(course.enter_private_outcome, version=request.version, seat=request.seat, text=request.outcome)
        return await self._act(request, act, games.SayShownResponse)

    async def TakeBack(self, request: games.TakeBackRequest, context: Context) -> games.TakeBackResponse:
        """Request a take-back, agree to it or decline it. Raises Refusal."""
        act = partial(course.take_back, version=request.version, ply=request.ply, decline=request.decline)
        return await self._act(request, act, games.TakeBackResponse)

    async def _act(
        self,
        request: games.PlayActionRequest | games.SayShownRequest | games.TakeBackRequest,
        act: Callable[..., int],
        response: Callable[..., A],
    ) -> A:
        """Run a command on a version of a game, and respond with the result."""

        def write(before: ServerGame, after: ServerGame, viewer: Viewer) -> A:
            return response(
                entries=write_entries(after, steps_since(before, after, viewer)),
                game=write_game(after),
                views=write_views(views_of(after, viewer)),
            )

        return await self._requests.act(request.game_id, request.tokens, request.version, act, write)

    async def SetSeat(self, request: games.SetSeatRequest, context: Context) -> games.SetSeatResponse:
        """Change the holder of a seat. Raises Refusal."""
        act = partial(course.set_seat, seat=request.seat, plan=read_seat_plan(request))
        return await self._requests.change(
            request.game_id, request.tokens, act, lambda kept: games.SetSeatResponse(game=write_game(kept))
        )

    async def EndGame(self, request: games.EndGameRequest, context: Context) -> games.EndGameResponse:
        """End a game early. Raises Refusal."""
        reason, seat = read_end(request)
        act = partial(course.end, reason=reason, seat=seat)
        return await self._requests.change(
            request.game_id, request.tokens, act, lambda kept: games.EndGameResponse(game=write_game(kept))
        )


def require_sight(viewer: Viewer) -> None:
    """Raise Refusal for a viewer who may see only which seats are open."""
    if viewer.stranger:
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "take a seat with JoinGame, or send the token of one")


def write_created(kept: ServerGame, mint: Mint) -> games.CreateGameResponse:
    """Return a new game with its tokens."""
    people = [seat for seat, holder in enumerate(kept.head.seats) if holder.kind == SeatKind.PERSON]
    return games.CreateGameResponse(
        game=write_game(kept),
        owner_token=mint.token(OWNER),
        seat_tokens=[games.SeatToken(seat=seat, token=mint.token(seat_name(seat))) for seat in people],
        onlooker_token=mint.token(ONLOOKER) if kept.head.onlooker else "",
    )


def write_joined(kept: ServerGame, seat: int, token: str) -> games.JoinGameResponse:
    """Return a game with the token of a seat that was taken."""
    return games.JoinGameResponse(game=write_game(kept), seat_token=games.SeatToken(seat=seat, token=token))
