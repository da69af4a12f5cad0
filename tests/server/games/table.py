"""Hosted games for tests, made without a server or played through one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE
from clerestory.server.games import commands, takebacks
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, GameOptions, Head, Holder, SeatKind, TakeBacks
from clerestory.server.games.viewer import Viewer, digest_of
from clerestory.service_errors import ServiceError
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.rpc.harness import Served, served

PERSON = games.SeatPlan(kind=games.SEAT_KIND_PERSON)
OPEN = games.SeatPlan(kind=games.SEAT_KIND_OPEN)
BOT = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(level=1))
STORED = 1_000_000  # a moment
BOTH = Viewer((0, 1))
NOW = STORED + 5_000
OWNER = Viewer(owner=True)


def head(game: str = "toy", seats: str = "pp", seed: int = 7, **options: Any) -> Head:
    """Return the head of a game; `p`, `o` and `b` are its seats of people, open ones and bots."""
    rules = GAMES[game]
    opening = rules.new(len(seats), seed)
    if options.get("table"):
        opening = opening.observe(NATURE)
    holders = {
        "p": lambda seat: Holder(SeatKind.PERSON, token=digest_of(f"seat {seat}")),
        "o": lambda seat: Holder(SeatKind.OPEN),
        "b": lambda seat: Holder(SeatKind.BOT, bot=BotSettings(1)),
    }
    return Head(
        game_id="game",
        game=game,
        rules_revision=rules.rules_revision,
        catalogue=rules.catalogue,
        opening=opening.to_json(),
        seed=None if options.get("table") else seed,
        seed_chosen=False,
        salt="0" * 32,
        seats=tuple(holders[kind](seat) for seat, kind in enumerate(seats)),
        options=GameOptions(**options),
        owner=digest_of("owner"),
        onlooker=digest_of("onlooker"),
        created=STORED,
    )


def hosted(game: str = "toy", seats: str = "pp", seed: int = 7, **options: Any) -> HostedGame:
    """Return a game that has begun, unless a seat is open."""
    made = HostedGame(head(game, seats, seed, **options))
    commands.advance_automatic(made, STORED)
    return made


@dataclass(frozen=True)
class Table:
    """A client of the service, and a game of it."""

    stub: Any
    app: Any
    made: games.CreateGameResponse

    @property
    def game_id(self) -> str:
        return self.made.game.game_id

    @property
    def owner(self) -> list[str]:
        return [self.made.owner_token]

    def tokens(self, *seats: int) -> list[str]:
        """Return the tokens of seats, of all for none."""
        return [one.token for one in self.made.seat_tokens if not seats or one.seat in seats]

    def call(self, method: str, **fields: Any) -> Any:
        request = getattr(games, f"{method}Request")(game_id=self.game_id, **fields)
        return getattr(self.stub, method)(request)

    async def look(self, *seats: int, **fields: Any) -> games.GetGameResponse:
        found: games.GetGameResponse = await self.call("GetGame", tokens=self.tokens(*seats), **fields)
        return found

    async def play(self, action: str, version: int, *seats: int) -> games.PlayActionResponse:
        tokens = self.tokens(*seats)
        played: games.PlayActionResponse = await self.call("PlayAction", tokens=tokens, version=version, action=action)
        return played

    async def play_first(self, *seats: int) -> games.PlayActionResponse:
        """Play the first legal action that any of the seats has."""
        seen = await self.look(*seats)
        return await self.play(first_action(seen), seen.game.version, *seats)

    def watch(self, *seats: int, **fields: Any) -> Any:
        return self.call("WatchGame", tokens=self.tokens(*seats), **fields)

    async def record(self) -> Any:
        """Return the record as all seats know it, and whether it is whole."""
        return await self.call("GetRecord", tokens=self.tokens() or self.owner)

    async def ended(self) -> games.WatchGameResponse:
        """Watch the game to its end as its owner."""
        state: games.WatchGameResponse = [one async for one in self.call("WatchGame", tokens=self.owner)][-1]
        assert state.game.status == games.GAME_STATUS_OVER
        return state

    def at(self, server: Any) -> "Table":
        """Return the same game, requested from another server."""
        return Table(GameServiceStub(server.channel), server.app, self.made)


def first_action(seen: Any) -> str:
    """Return the first action of the first view that has any."""
    return next(view.actions[0].action.text for view in seen.views if view.actions)


async def seated(stub: Any, app: Any, *seats: games.SeatPlan, game: str = "toy", **fields: Any) -> Table:
    fields = {"seed": 7} | fields
    if fields["seed"] is None:
        del fields["seed"]
    return Table(stub, app, await stub.CreateGame(games.CreateGameRequest(game=game, seats=seats, **fields)))


async def seated_at(server: Served, *seats: games.SeatPlan, **fields: Any) -> Table:
    """Make a game at a server, by default of two people at one screen."""
    return await seated(GameServiceStub(server.channel), server.app, *(seats or (PERSON, PERSON)), **fields)


@asynccontextmanager
async def table(
    *seats: games.SeatPlan, game: str = "toy", settings: dict[str, Any] | None = None, **fields: Any
) -> AsyncIterator[Table]:
    """Yield a game of a new server, by default of two people at one screen."""
    async with served(**settings or {}) as server:
        yield await seated_at(server, *seats, game=game, **fields)


async def play_out(played: Table, *seats: int) -> games.WatchGameResponse:
    """Play the first action of each choice until the game is over; return its last state."""
    async for state in played.watch(*seats):
        if any(view.actions for view in state.views):
            await played.play(first_action(state), state.game.version, *seats)
    last: games.WatchGameResponse = state
    return last


def at(game: HostedGame, version: int) -> HostedGame:
    """Return a game as it was at a version."""
    return HostedGame(game.head, game.entries[:version])


def first(game: HostedGame) -> str:
    return game.position.legal_actions()[0].text


def play(game: HostedGame, viewer: Viewer = BOTH) -> int:
    return commands.play(game, viewer, game.version, first(game), NOW)


def everybody(game: HostedGame) -> Viewer:
    return Viewer(tuple(range(len(game.seats))))


def play_text(game: HostedGame, text: str) -> int:
    return commands.play(game, everybody(game), game.version, text, NOW)


def take_back(game: HostedGame, ply: int, *seats: int, decline: bool = False) -> int:
    return takebacks.take_back(game, Viewer(seats), game.version, ply, decline, NOW)


def play_one(game: HostedGame, number: int = 0) -> int:
    """Let the seat to decide play one of its actions, or the bot."""
    legal = game.position.legal_actions()
    text = legal[number % len(legal)].text
    if game.mover is not None:
        commands.play_bot(game, game.version, text, NOW)
        return game.version
    return commands.play(game, everybody(game), game.version, text, NOW)


def refused(act: Callable[[], object]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        act()
    return caught.value


def played(seats: str = "pp", plies: int = 1, **options: TakeBacks) -> tuple[HostedGame, int]:
    """Return a game continued by a number of plies, and the number of the ply where it began."""
    game = hosted(seats=seats, **options)
    ply = game.ply
    while game.ply < ply + plies:
        play_one(game)
    return game, ply
