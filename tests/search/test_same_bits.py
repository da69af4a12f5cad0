"""Equal seeds give equal bits on every machine: a thousand searches compared with digests of their results."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from clerestory.engine import GAMES, State
from clerestory.search.ismcts import Searcher
from clerestory.search.levels import choose_line, level_of
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions

SEARCHES, ITERATIONS = 1000, 120
OTHERS: list[Mapping[str, Any]] = [  # besides the shipped options: those with logarithms, exponentials and powers
    {},
    {"horizon": 0, "temperature": 3.0, "sharpness": 1.43},
    {"selection": "puct", "growth": 0.2, "reward": "mix", "horizon": 4, "playout": "informed"},
]
DIGESTS = {"cathedral": "cf3dbe2e4e64c566", "duel": "8a73e24e1dbc499e", "toy": "57df21b6fa30b4fd"}


def searches(name: str) -> Iterator[tuple[State, Mapping[str, Any], int]]:
    """Yield position, options and seed of each search of a game; every fourth has the shipped options."""
    number = SEARCHES // len(GAMES)
    for seed in range(number):
        seats = GAMES[name].seats[seed % len(GAMES[name].seats)]
        positions = played(name, seats)
        options = [shipped(GAMES[name], seats), *(OTHERS if GAMES[name].has_guide else OTHERS[:2])]
        yield positions[seed % len(positions)], options[seed % len(options)], seed


@cache
def played(name: str, seats: int) -> list[State]:
    return decisions(GAMES[name], seats, 11)


def reported(result: Result) -> str:
    """Return every figure of a result except time and memory."""
    return repr(replace(result, elapsed=0.0, tree_bytes=0))


@pytest.mark.parametrize("name", sorted(GAMES))
def test_searches_report_the_same_bits_on_every_machine(name: str) -> None:
    """The digests were taken on x86-64 with glibc."""
    digest = hashlib.sha256()
    for state, options, seed in searches(name):
        searcher = Searcher(observe(state), seed=seed, max_bytes=1 << 21, **options)
        result = searcher.run(iterations=ITERATIONS)
        if seed % 10 == 0:
            result = searcher.explain(result, lines=2, worlds=20, plies=200)
        digest.update(reported(result).encode())
        digest.update(choose_line(result.lines, level_of(state.game, 2), seed).action.encode())
    assert digest.hexdigest()[:16] == DIGESTS[name]
