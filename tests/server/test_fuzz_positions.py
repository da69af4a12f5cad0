"""Positions that were mutated: each is answered, or refused with a typed error that is the caller's fault."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clerestory.clients import Advisor, AdvisorError
from clerestory.refusals import Reason
from tests.server.harness import opening
from tests.server.test_fuzz import FAIR, slots

EXAMPLES = Path(__file__).parents[2] / "examples" / "positions"
STRANGE = [None, True, -1, 0, 1, 2, 3, 7, 99, 255, 2**31, 2**63, 0.5, "", "over", "red", "x" * 300, [], {}, [0], [1, 1]]


def origins() -> list[dict[str, Any]]:
    """Good positions of every game."""
    examples = [json.loads(path.read_text()) for path in sorted(EXAMPLES.glob("*.json"))]
    return examples + [
        dict(opening(seats, 7, name).to_position()) for name, seats in (("toy", 3), ("cathedral", 4), ("duel", 2))
    ]


def mutated(position: dict[str, Any], luck: Random) -> dict[str, Any]:
    """Return a position with one to three values changed: nudged, swapped, taken from elsewhere, doubled or dropped."""
    changed: dict[str, Any] = json.loads(json.dumps(position))
    for _ in range(luck.randint(1, 3)):
        places = slots(changed)
        container, key = luck.choice(places)
        other, place = luck.choice(places)
        kind = luck.randrange(5)
        if kind == 0 and type(container[key]) is int:
            container[key] += luck.choice([-1, 1])
        elif kind == 1:
            container[key] = json.loads(json.dumps(other[place]))
        elif kind == 2 and isinstance(container[key], list):
            luck.shuffle(container[key])
        elif kind == 3 and isinstance(container, list):
            container.append(json.loads(json.dumps(container[key])))
        else:
            container[key] = json.loads(json.dumps(luck.choice(STRANGE)))
    return changed


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutated_positions(target: str, count: int) -> None:
    luck, met = Random(count), Counter[str | None]()
    good = origins()
    with Advisor(target) as advisor:
        for _ in range(count):
            met[reason_of(advisor, mutated(luck.choice(good), luck))] += 1
    assert set(met) <= FAIR
    assert met[None] > count // 100
    assert met[Reason.BAD_POSITION] > count // 10


def reason_of(advisor: Advisor, position: dict[str, Any]) -> str | None:
    """Return the reason of a refusal, None for an answer."""
    try:
        assert advisor.recommend(position, iterations=5).lines
    except AdvisorError as error:
        return error.reason
    return None
