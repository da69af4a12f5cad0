"""Many searches at once, small.

A search gets its minimum if it reaches the server with time left for it, so budgets outlast what a busy machine delays.
"""

import asyncio

import pytest

from lab.load.corpus import positions
from lab.load.crowd import ROOM, calls, crowd
from lab.load.server import own_server

NUMBER, SECONDS = 8, 1.5


@pytest.mark.parametrize("kind", ["move", "hint"])
def test_everybody_is_answered(kind: str) -> None:
    with own_server("--workers", "1", *ROOM) as server:
        asked = positions(server.target)[:1]
        figures = asyncio.run(crowd(server, asked, calls(kind, NUMBER, SECONDS)))
    assert (figures["at_once"], figures["answered"]) == (NUMBER, NUMBER)
    assert figures["least_iterations"] > 0
    assert figures["iterations_per_s"] * SECONDS >= NUMBER * figures["least_iterations"]
    assert (figures["first_table_ms"] is None) == (kind == "move")
