"""The tools of the MCP server, called through the package's own client in this process."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from mcp import Client

from clerestory.clients import AsyncAdvisor, AsyncHostedGame
from clerestory.engine import Rng, from_position, game
from clerestory.engine.core import State
from clerestory.mcp.tools import handle_of, mcp_server
from tests.servers import running_server

NAMES = ["new_game", "show", "legal_actions", "play", "recommend", "explain_rules", "review"]


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with running_server() as address:
        yield address


@pytest.fixture
async def advisor(target: str) -> AsyncIterator[AsyncAdvisor]:
    async with AsyncAdvisor(target) as client:
        yield client


async def call(advisor: AsyncAdvisor, tool: str, **arguments: Any) -> Any:
    """Return the answer of a tool; of one that fails, the text for the assistant."""
    async with Client(mcp_server(advisor)) as client:
        done = await client.call_tool(tool, arguments)
    return done.content[0].text if done.is_error else done.structured_content


async def test_each_tool_says_what_it_takes_and_returns(advisor: AsyncAdvisor) -> None:
    async with Client(mcp_server(advisor)) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.description
        assert tool.output_schema
        assert [name for name, one in tool.input_schema["properties"].items() if "description" not in one] == []
        assert tool.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("tool", NAMES)
async def test_an_argument_that_a_tool_does_not_have_is_refused(advisor: AsyncAdvisor, tool: str) -> None:
    position = dict(game("toy").new(2, Rng(1)).observe(0).to_position())
    needed: dict[str, dict[str, Any]] = {
        "new_game": {"game": "toy", "seats": ["person", "level:1"]},
        "play": {"game": "x", "action": "pass"},
        "explain_rules": {"game": "toy"},
        "review": {"record": "{}"},
    }
    told = await call(advisor, tool, **needed.get(tool, {"position": position}), secconds=1)
    assert "secconds\n  Extra inputs are not permitted" in told


async def test_an_assistant_plays_a_game_to_its_end_and_reviews_it(advisor: AsyncAdvisor) -> None:
    made = await call(advisor, "new_game", game="toy", seats=["person:Ann", "level:1"], bot_seconds=0.01)
    handle, table = made["game"], made["table"]
    assert table["seats"] == ["seat 0, seat 0: person Ann (yours)", "seat 1, seat 1: bot of level 1"]
    while table["status"] == "running":
        advice = await call(advisor, "recommend", game=handle, iterations=50)
        assert advice["best"]["action"] in [move["action"] for move in table["legal"]]
        table = await call(advisor, "play", game=handle, action=advice["best"]["action"])
        assert table["happened"][0].startswith(f"seat 0: {advice['best']['action']} (")
    assert table["result"].startswith("share of the win: seat 0 ")
    assert await call(advisor, "legal_actions", game=handle) == {"result": []}
    assert "the game is over" in await call(advisor, "recommend", game=handle)
    review = await call(advisor, "review", game=handle, iterations=50)
    for seat in review["seats"]:
        parts = (seat[part] for part in ("start", "luck", "errors", "gifts", "revaluation"))
        assert sum(parts) == pytest.approx(seat["final"], abs=0.001)


async def test_a_position_that_is_not_hosted_is_shown_and_analyzed(advisor: AsyncAdvisor) -> None:
    position = opening("duel").observe(0).to_position()
    table = await call(advisor, "show", position=position)
    assert table["board"] == str(from_position(position))
    listed = await call(advisor, "legal_actions", position=position)
    assert listed["result"] == table["legal"]
    advice = await call(advisor, "recommend", position=position, iterations=200, lines=2)
    assert (advice["seat"], len(advice["lines"])) == (table["to_decide"], 2)
    moves = advice["lines"][0]["continuation"]
    assert moves
    assert {move.partition(": ")[0] for move in moves} <= {"red", "blue", "nature"}


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("show", {"game": "x"}, "game: 'x' is not a handle that new_game returned"),
        ("show", {"game": "abc/0.def"}, "(NO_SUCH_GAME)"),
        ("show", {"position": {"toy": {}}}, "position.rules_revision: is missing"),
        ("new_game", {"game": "toy", "seats": ["bot", "bot"]}, "seats: one of them must be `person`"),
        ("new_game", {"game": "toy", "seats": ["person", "pawn"]}, "seats[1]: 'pawn' is not person"),
        ("explain_rules", {"game": "toy", "topic": "zeppelin"}, "topic: 'zeppelin' is nowhere in the rules of toy"),
        ("review", {"record": "{}"}, "(BAD_RECORD)"),
    ],
)
async def test_an_assistant_reads_what_is_wrong(
    advisor: AsyncAdvisor, tool: str, arguments: dict[str, Any], text: str
) -> None:
    assert text in await call(advisor, tool, **arguments)


# -- hidden information ----------------------------------------------------------------------------


def opening(name: str) -> State:
    """Return a position of two seats at the first decision of seat 0, with everything."""
    luck = Rng(7)
    state = game(name).new(2, luck)
    while state.turn != 0:
        state.play_nature(luck) if state.turn < 0 else state.play(state.legal_actions()[0])
    return state


def other_worlds(truth: State) -> list[State]:
    """Return positions that differ from one only in what seat 0 cannot know."""
    dealt = [truth.observe(0).determinize(number) for number in range(1, 9)]
    return [one for one in dealt if one != truth][:2]


async def hosted(advisor: AsyncAdvisor, truth: State) -> AsyncHostedGame:
    """Host a position; the assistant plays only seat 0."""
    made = await advisor.games.create(truth.game.name, ["person", "person"], seed=3, opening=truth.to_position())
    made.tokens = {0: made.tokens[0]}
    return made


async def answers(advisor: AsyncAdvisor, handle: str) -> list[str]:
    """Return all that the tools say about a game, and about an action, as texts."""
    legal = (await call(advisor, "legal_actions", game=handle))["result"]
    said = [
        legal,
        await call(advisor, "show", game=handle, with_position=True),
        await call(advisor, "show", game=handle, seat=1),
        await call(advisor, "recommend", game=handle, iterations=300),
        await call(advisor, "play", game=handle, action=legal[0]["action"], wait=0),
        await call(advisor, "recommend", game=handle, iterations=300),
        await call(advisor, "review", game=handle, iterations=50),
    ]
    return [json.dumps(one, sort_keys=True) for one in said]


@pytest.mark.parametrize("name", ["toy", "cathedral", "duel"])
async def test_what_the_seat_cannot_know_changes_no_answer(advisor: AsyncAdvisor, name: str) -> None:
    truth = opening(name)
    expected = await answers(advisor, handle_of(await hosted(advisor, truth)))
    assert "seat: 1 is not yours in this game" in expected[2]
    worlds = other_worlds(truth)
    assert len(worlds) == 2
    for other in worlds:
        assert await answers(advisor, handle_of(await hosted(advisor, other))) == expected


@pytest.mark.parametrize(
    ("tool", "field", "value", "most"),
    [
        ("recommend", "iterations", 10**9, "10000000"),
        ("recommend", "seconds", 601, "600"),
        ("review", "iterations", 10**6, "200000"),
        ("review", "seconds", 601, "600"),
        ("play", "wait", 301, "300"),
        ("new_game", "bot_seconds", 61, "60"),
    ],
)
async def test_too_long_a_search_is_an_error_that_names_the_limit(
    advisor: AsyncAdvisor, tool: str, field: str, value: int, most: str
) -> None:
    asked = {"game": "duel", "seats": ["person"], "action": "pass", field: value}
    told = await call(advisor, tool, **asked)
    assert re.search(rf"\b{field}\b[^.]*less than or equal to {most}\b", told)


async def test_errors_name_a_field_once_and_quote_little(advisor: AsyncAdvisor) -> None:
    assert "show: position: must have one field" in await call(advisor, "show", position={})
    assert len(await call(advisor, "explain_rules", game="duel", topic="x" * 10_000)) < 300
    assert len(await call(advisor, "new_game", game="duel", seats=["x" * 10_000, "person"])) < 300
