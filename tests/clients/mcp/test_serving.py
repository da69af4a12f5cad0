"""`clerestory mcp` as a process, over standard input and output and over HTTP, with the package's own client."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from clerestory.engine import Rng, game
from tests.clients.cli.command import announced, failed, run, started

pytestmark = pytest.mark.system


async def first_move(client: Client, **options: Any) -> str:
    """Start a game, play the recommended action, and return the handle."""
    made = (await client.call_tool("new_game", {"game": "toy", "seats": ["person", "level:1"]})).structured_content
    assert made is not None
    game = made["game"]
    advice = (await client.call_tool("recommend", {"game": game, "iterations": 50})).structured_content
    assert advice is not None
    played = await client.call_tool("play", {"game": game, "action": advice["best"]["action"]})
    assert not played.is_error
    return str(game)


def test_a_game_outlasts_the_process_that_talks_over_standard_input_and_output(tmp_path: Path) -> None:
    words = ["-m", "clerestory", "mcp", "--store", str(tmp_path / "games.db")]
    server = StdioServerParameters(command=sys.executable, args=words)

    async def play() -> str:
        async with Client(server) as client:
            return await first_move(client)

    async def look(game: str) -> Any:
        async with Client(server) as client:
            return (await client.call_tool("show", {"game": game})).structured_content

    table = asyncio.run(look(asyncio.run(play())))
    assert (table["status"], table["to_decide"]) == ("running", 0)


def test_a_cancelled_call_does_not_end_the_process() -> None:
    view = dict(game("duel").new(2, Rng(1)).observe(0).to_position())
    long = [
        ("recommend", {"position": view, "seconds": 60}),
        ("new_game", {"game": "duel", "seats": ["bot", "person"], "bot_seconds": 60}),
    ]

    async def cancel() -> None:
        async with Client(StdioServerParameters(command=sys.executable, args=["-m", "clerestory", "mcp"])) as client:
            for tool, arguments in long:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(client.call_tool(tool, arguments), 0.5)
            assert not (await client.call_tool("legal_actions", {"position": view})).is_error

    asyncio.run(cancel())


def test_clients_play_over_http() -> None:
    async def play(url: str) -> None:
        async with Client(url) as client:
            await first_move(client)

    with started("mcp", "--http", "127.0.0.1:0") as server:
        asyncio.run(play(announced(server, r"clerestory serves MCP at (\S+)")))
        server.terminate()
        assert server.wait() == 128 + signal.SIGTERM


def test_http_is_for_this_machine() -> None:
    assert run("mcp", "--http", "0.0.0.0:8000") == failed(
        "--http: '0.0.0.0:8000' is not HOST:PORT of this machine, as in 127.0.0.1:8000"
    )
