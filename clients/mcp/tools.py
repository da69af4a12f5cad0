"""The tools that an AI assistant calls. They see what the seats of the assistant see: the server makes every view."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from anyio.lowlevel import checkpoint_if_cancelled
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from clerestory import __version__
from clerestory.clients import AdvisorError, AsyncAdvisor, AsyncHostedGame, GameSnapshot, ReviewedPly
from clerestory.engine.core import State
from clerestory.engine.errors import BadPosition, quoted
from clerestory.engine.games import from_position
from clerestory.mcp.answers import (
    Advice,
    Explanation,
    Move,
    NewGame,
    Review,
    Table,
    advice_of,
    move_of,
    position_table,
    review_of,
    table_of,
)
from clerestory.mcp.passages import about, introduction
from clerestory.service_errors import in_words

INSTRUCTIONS = """Host, teach and analyze games of The Pillars of the Earth (`cathedral`, 2 to 4 seats) and Builders
Duel (`duel`, 2 seats). Start with new_game. The seats of persons are yours: play them for yourself, or for the people
you talk to. Show the board and the legal actions, and play only actions from that list. You see what your seats see;
nobody can see the coming cards. recommend says what is good and why; explain_rules says what the rules and the cards
are; review says what decided a game, and how much of it was luck. Keep the handle of a game secret."""
MAX_WAIT = 300.0  # seconds for others to move
MAX_ITERATIONS = 10_000_000
SEED = 0  # of all searches, so that equal iterations give equal answers
READS, CHANGES = ToolAnnotations(read_only_hint=True), ToolAnnotations(read_only_hint=False, destructive_hint=False)

GameName = Annotated[Literal["cathedral", "duel", "toy"], Field(description="cathedral, duel, or toy (for tests).")]
Handle = Annotated[str, Field(description="Handle of a game, from new_game.")]
OptionalHandle = Annotated[str, Field(description="Handle of a game, from new_game; empty if you give a position.")]
Position = Annotated[
    dict[str, Any] | None, Field(description="A position file as a JSON object, instead of a game that is hosted here.")
]
Seat = Annotated[int | None, Field(description="Which of your seats looks; by default the one to decide.", ge=0)]
Wait = Annotated[float, Field(description="Seconds to wait until one of your seats has to decide.", ge=0, le=MAX_WAIT)]
Seconds = Annotated[float, Field(description="Time to search.", gt=0, le=600)]
Iterations = Annotated[
    int | None,
    Field(
        description="Search this much instead of for a time; then equal calls give equal answers.",
        ge=1,
        le=MAX_ITERATIONS,
    ),
]


class Tools:
    """The tools. Each raises ToolError with a message for the assistant.

    Args:
        advisor: client of the server that hosts and searches.
    """

    def __init__(self, advisor: AsyncAdvisor) -> None:
        self._advisor = advisor

    async def new_game(
        self,
        game: GameName,
        seats: Annotated[
            list[str],
            Field(
                description="Who holds each seat: `person` or `person:NAME` (played through you), `level:N` (a bot, 1"
                " weakest to 8), `bot` (full strength), `bot:CHARACTER`, or `open` (someone else may join on the page)."
            ),
        ],
        bot_seconds: Annotated[float, Field(description="Time of bots for a move.", gt=0, le=60)] = 1.0,
        wait: Wait = 60.0,
    ) -> NewGame:
        """Start a game, dealt at random, and return its handle and its table when one of your seats has to decide."""
        if not any(who.partition(":")[0] == "person" for who in seats):
            raise ToolError("seats: one of them must be `person`: a game without your seats cannot be seen")
        async with tool_errors():
            made = await self._advisor.games.create(game, seats, time=bot_seconds)
            return NewGame(handle_of(made), made.game_id, await self._table(made, 0, wait))

    async def show(
        self,
        game: OptionalHandle = "",
        position: Position = None,
        seat: Seat = None,
        with_position: Annotated[bool, Field(description="Also return the position as JSON.")] = False,
        wait: Wait = 0.0,
    ) -> Table:
        """Show a game as one of your seats sees it, or a position."""
        async with tool_errors():
            if position is not None:
                return position_table(state_of(position), await self._legal(position))
            return await self._table(self._game(game), None, wait, seat, with_position=with_position)

    async def legal_actions(self, game: OptionalHandle = "", position: Position = None) -> list[Move]:
        """List the legal actions of your seat, or of a position; at a chance event its outcomes with their odds."""
        async with tool_errors():
            if position is not None:
                return await self._legal(position)
            return [move_of(action) for action in (await self._game(game).look()).legal]

    async def play(
        self,
        game: Handle,
        action: Annotated[str, Field(description="Text of a legal action of your seat that has to decide.")],
        then: Annotated[
            list[str] | None, Field(description="Further actions of the same seat, right after it.")
        ] = None,
        wait: Wait = 60.0,
    ) -> Table:
        """Play an action, wait for the moves of others, and return what happened, and the table."""
        async with tool_errors():
            hosted = self._game(game)
            before = await hosted.look()
            await hosted.play(action, *(then or ()))
            return await self._table(hosted, before.ply, wait)

    async def recommend(
        self,
        game: OptionalHandle = "",
        position: Position = None,
        seconds: Seconds = 2.0,
        lines: Annotated[int, Field(description="Actions to return, best first.", ge=1, le=50)] = 5,
        level: Annotated[
            int | None,
            Field(description="Choose like a player of this level; by default, the strongest.", ge=1, le=8),
        ] = None,
        iterations: Iterations = None,
    ) -> Advice:
        """Search for the best action of your seat that has to decide, or in a position, with the reasons."""
        async with tool_errors():
            asked = position if position is not None else await self._view_to_decide(self._game(game))
            time = None if iterations else seconds
            answer = await self._advisor.recommend(
                asked, time, iterations=iterations, lines=lines, level=level, seed=SEED
            )
            return advice_of(answer, state_of(asked))

    async def explain_rules(
        self,
        game: GameName,
        topic: Annotated[
            str, Field(description="Words: a card, a place, an action, a term. Empty for an overview of the game.")
        ] = "",
    ) -> Explanation:
        """Explain a game, or a part of its rules and what its cards say."""
        if not topic.strip():
            return Explanation(introduction(game))
        async with tool_errors():
            found = about(game, topic, (await self._advisor.rules.catalogue(game))["entries"])
        if not found:
            raise ToolError(f"topic: {quoted(topic)} is nowhere in the rules of {game}; try fewer words, or none")
        return Explanation(found)

    async def review(
        self,
        game: OptionalHandle = "",
        record: Annotated[str, Field(description="A recorded game as JSON lines, instead of one hosted here.")] = "",
        seconds: Annotated[float, Field(description="Time for the review.", ge=1, le=600)] = 20.0,
        iterations: Annotated[
            int | None, Field(description="Iterations of each search, instead of a time.", ge=50, le=200_000)
        ] = None,
    ) -> Review:
        """Review a game: errors, luck and accuracy by seat. One that is not over is judged by what your seat knows."""
        async with tool_errors():
            reviewed = record or self._game(game)
            time = None if iterations else seconds
            plies: dict[int, ReviewedPly] = {}
            async for part in self._advisor.annotate(reviewed, time, iterations=iterations, seed=SEED):
                plies |= {ply.ply: ply for ply in part.plies}
                if part.review is not None:
                    return review_of(part.review, plies)
        raise ToolError("the server ended the review early")

    def _game(self, handle: str) -> AsyncHostedGame:
        """Return the game of a handle."""
        game_id, *seats = handle.split("/")
        tokens = dict(seat.partition(".")[::2] for seat in seats)
        if not game_id or not tokens or not all(seat.isdecimal() and token for seat, token in tokens.items()):
            raise ToolError(f"game: {handle[:20]!r} is not a handle that new_game returned")
        return self._advisor.games.open(game_id, tokens)

    async def _legal(self, position: Mapping[str, Any]) -> list[Move]:
        """Return the legal actions of a position."""
        return [move_of(action) for action in await (await self._advisor.rules.follow(position)).legal()]

    async def _table(
        self,
        hosted: AsyncHostedGame,
        since: int | None,
        wait: float,
        seat: int | None = None,
        *,
        with_position: bool = False,
    ) -> Table:
        """Return a game once a seat of the assistant has to decide, or the time to wait is over.

        Args:
            hosted: the game.
            since: the ply after which it says what happened; None for nothing.
            wait: seconds.
            seat: whose view is shown; None for the seat to decide.
            with_position: whether to return the position as JSON too.
        """
        if wait:
            await until_own_turn(hosted, wait)
        seen = await hosted.look(entries_from=None if since is None else since + 1)
        if seat is None:
            seat = seen.seat if seen.seat in hosted.tokens else min(hosted.tokens)
        position = view_of(seen, seat)
        table = table_of(seen, state_of(position), seat, hosted.tokens)
        return replace(table, position=position) if with_position else table

    async def _view_to_decide(self, hosted: AsyncHostedGame) -> dict[str, Any]:
        """Return the position as the seat to decide sees it, if it is a seat of the assistant."""
        seen = await hosted.look()
        if seen.seat not in hosted.tokens:
            why = "the game is over" if seen.status == "over" else f"seat {seen.seat} has to decide, which is not yours"
            raise ToolError(f"game: {why}")
        return view_of(seen, seen.seat)


def handle_of(game: AsyncHostedGame) -> str:
    """Return a handle: the game and the tokens of the seats held here, so that it outlasts this process."""
    return "/".join([game.game_id, *(f"{seat}.{token}" for seat, token in game.tokens.items())])


async def until_own_turn(hosted: AsyncHostedGame, seconds: float) -> None:
    """Wait until a seat of the assistant has to decide, the game does not go on, or the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), hosted.watch() as states:
            async for seen in states:
                if seen.legal or seen.status != "running":
                    return


def view_of(seen: GameSnapshot, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat sees it. Raises ToolError for a seat that is not the assistant's."""
    try:
        return seen.position(seat)
    except KeyError:
        raise ToolError(f"seat: {seat} is not yours in this game") from None


def state_of(position: Mapping[str, Any]) -> State:
    """Return a position. Raises ToolError."""
    try:
        return from_position(position)
    except BadPosition as error:
        faults = [(field if field == "position" else f"position.{field}", text) for field, text in error.violations]
        raise ToolError(in_words(faults)) from None


@asynccontextmanager
async def tool_errors() -> AsyncIterator[None]:
    """Raise ToolError, which the assistant reads, for an AdvisorError.

    Where a call was cancelled, gRPC raises another error, which the library would take for the end of the server.
    """
    try:
        yield
    except asyncio.CancelledError:
        await checkpoint_if_cancelled()  # raises the library's
        raise
    except AdvisorError as error:
        raise ToolError(f"{error} ({error.reason})" if error.reason else str(error)) from None


def mcp_server(advisor: AsyncAdvisor) -> MCPServer[Any]:
    """Return an MCP server whose tools ask a server through a client, which must stay open."""
    tools = Tools(advisor)
    return MCPServer(
        "clerestory",
        title="Clerestory",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        tools=[
            strict(tools.new_game, CHANGES),
            strict(tools.show, READS),
            strict(tools.legal_actions, READS),
            strict(tools.play, CHANGES),
            strict(tools.recommend, READS),
            strict(tools.explain_rules, READS),
            strict(tools.review, READS),
        ],
    )


def strict(function: Callable[..., Any], annotations: ToolAnnotations) -> Tool:
    """Return a tool that refuses arguments it does not have, which the library would ignore."""
    tool = Tool.from_function(function, annotations=annotations)
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema()
    return tool
