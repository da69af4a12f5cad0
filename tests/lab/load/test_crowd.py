"""Many searches at once, small."""

import asyncio

import pytest

from lab.load.corpus import positions
from lab.load.crowd import ROOM, calls, crowd
from lab.load.server import own_server


@pytest.mark.parametrize("kind", ["move", "hint"])
def test_everybody_is_answered(kind: str) -> None:
    with own_server("--workers", "1", *ROOM) as server:
        asked = positions(server.target)[:1]
        figures = asyncio.run(crowd(server, asked, calls(kind, 12, 0.5)))
    assert (figures["at_once"], figures["answered"]) == (12, 12)
    assert figures["least_iterations"] > 0
    assert figures["iterations_per_s"] * 0.5 >= 12 * figures["least_iterations"]
    assert (figures["first_table_ms"] is None) == (kind == "move")
