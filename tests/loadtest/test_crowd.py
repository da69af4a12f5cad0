"""Many concurrent searches, on a small scale.

A search gets its minimum if it reaches the server with time left, so budgets are longer than delays of a busy machine.
"""

import asyncio

import pytest

from loadtest.corpus import positions
from loadtest.crowd import ROOM, calls, crowd, together
from loadtest.server import own_server

NUMBER, SECONDS = 8, 10.0


@pytest.mark.system
@pytest.mark.parametrize("kind", ["move", "hint"])
def test_everybody_is_answered(kind: str) -> None:
    with own_server("--workers", "1", *ROOM) as server:
        asked = positions(server.target)[:1]
        figures = asyncio.run(crowd(server, asked, calls(kind, NUMBER, SECONDS)))
    assert (figures["at_once"], figures["answered"]) == (NUMBER, NUMBER)
    assert figures["least_iterations"] > 0
    assert figures["iterations_per_s"] * SECONDS >= NUMBER * figures["least_iterations"]
    assert (figures["first_table_ms"] is None) == (kind == "move")


def test_no_run_is_left_out_of_the_figures() -> None:
    """A failed call in the second run, or a late table, is reported."""
    runs = [
        {"answered": 8, "iterations_per_s": 30, "least_iterations": 9, "most_late_ms": 1.0, "rss_mib": 5},
        {"answered": 7, "iterations_per_s": 20, "least_iterations": 0, "most_late_ms": 3.0, "rss_mib": 4},
        {"answered": 8, "iterations_per_s": 10, "least_iterations": 8, "most_late_ms": 2.0, "rss_mib": 6},
    ]
    firsts = ({"first_table_ms": first} for first in (1.0, 9.0, 4.0))
    assert together([{**run, **first} for run, first in zip(runs, firsts, strict=True)]) == {
        "iterations_per_s": 20,
        "first_table_ms": 4.0,
        "answered": 7,
        "least_iterations": 0,
        "most_late_ms": 3.0,
        "rss_mib": 6,
    }
    assert together([{**run, "first_table_ms": None} for run in runs])["first_table_ms"] is None
