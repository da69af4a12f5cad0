"""The rules by way of a server, for programs with an asyncio event loop: what `referee` has, to be awaited."""

from collections.abc import Awaitable, Callable
from typing import Any

from clerestory.clients.errors import FieldViolation
from clerestory.clients.referee import (
    Applied,
    Course,
    LegalAction,
    as_known,
    as_truth,
    ask_for_view,
    ask_to_apply,
    ask_to_start,
    plain,
    read_faults,
    read_legal,
)
from clerestory.clients.wire import Actions, PositionLike
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.position_pb2 import Position

Call = Callable[[str, Any], Awaitable[Any]]  # (method, request) -> response


class AsyncRules:
    """The games that a server knows; `AsyncAdvisor.rules` is one. Its methods and errors are those of `Rules`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def games(self) -> list[dict[str, Any]]:
        """Return the games, as `Rules.games`."""
        return [plain(game) for game in (await self._call("ListGames", api.ListGamesRequest())).games]

    async def start(self, game: str, seats: int, seed: int | None = None) -> "AsyncReferee":
        """Return a new game, as `Rules.start`."""
        answer = await self._call("StartPosition", ask_to_start(game, seats, seed))
        return AsyncReferee(self._call, api.AnyPosition(referee=answer.referee), answer.turn, answer.seed)

    async def follow(self, position: PositionLike) -> "AsyncReferee":
        """Return a game as far as `position` knows it, as `Rules.follow`."""
        return await self._resume(as_known(position))

    async def resume(self, truth: PositionLike) -> "AsyncReferee":
        """Return the game that a `truth` was kept of, as `Rules.resume`."""
        return await self._resume(as_truth(truth))

    async def _resume(self, position: api.AnyPosition) -> "AsyncReferee":
        answer = await self._call("ListActions", api.ListActionsRequest(position=position))
        return AsyncReferee(self._call, position, answer.turn)

    async def faults(self, position: PositionLike) -> list[FieldViolation]:
        """Return everything that is wrong with a position, as `Rules.faults`."""
        request = api.ValidatePositionRequest(position=as_known(position))
        return read_faults(await self._call("ValidatePosition", request))


class AsyncReferee(Course):
    """A game that goes on, one call after the other. Its methods and errors are those of `Referee`."""

    def __init__(self, call: Call, position: api.AnyPosition, turn: api.Turn, seed: int | None = None) -> None:
        super().__init__(position, turn, seed)
        self._call = call

    async def view(self, seat: int | None = None) -> Position:
        """Return what a seat may know, as `Referee.view`."""
        if self._position.HasField("position"):
            return self._position.position
        view: Position = (await self._call("ObservePosition", ask_for_view(self._position, seat))).position
        return view

    async def legal(self) -> list[LegalAction]:
        """Return the legal actions, or the possible outcomes, as `Referee.legal`."""
        answer = await self._call("ListActions", api.ListActionsRequest(position=self._position))
        return [read_legal(action) for action in answer.actions]

    async def apply(self, actions: Actions, *, draw: bool = False, seed: int | None = None) -> list[Applied]:
        """Apply actions and outcomes in order, as `Referee.apply`."""
        return self._go_on(await self._call("ApplyActions", ask_to_apply(self._position, actions, draw, seed)))

    async def draw(self, seed: int | None = None) -> list[Applied]:
        """Let the server draw the chance events that are due, as `Referee.draw`."""
        return await self.apply([], draw=True, seed=seed)
