"""The simulated fleet: every call ends in one way, and a balancer that looks does better than one that does not."""

import random

import pytest

from clerestory.server.policy import Policy
from loadtest.simulate import Fleet, Server, calls, figures

SPEED = 50_000.0


def fleet(rate: float, choices: int, servers: int = 12) -> Fleet:
    made = Fleet(
        [Server(Policy(2, 64, 100, speeds={"game": SPEED}), 2) for _ in range(servers)],
        SPEED,
        choices,
        random.Random(5),
    )
    made.run(calls(rate, random.Random(6)), 5.0)
    return made


@pytest.mark.parametrize("rate", [10.0, 75.0, 300.0])
def test_every_call_is_answered_with_its_minimum_or_refused(rate: float) -> None:
    simulated = fleet(rate, 2)
    expected = 0
    for moment, _ in calls(rate, random.Random(6)):
        if moment > 5.0:
            break
        expected += 1
    assert len(simulated.shares) + simulated.refused == expected == figures(simulated, rate)["calls"]
    assert not any(server.policy.trees for server in simulated.servers)
    assert simulated.least >= 100
    assert all(0 < share <= 1 + 1e-9 for share in simulated.shares)


def test_the_better_of_two_servers_is_better_than_any() -> None:
    any_of_them, better = (figures(fleet(60.0, choices), 60.0)["share_of_its_budget"] for choices in (1, 2))
    assert better["p10"] > any_of_them["p10"]


def test_a_fleet_without_load_gives_everybody_all_of_its_budget() -> None:
    assert min(fleet(2.0, 2).shares) == pytest.approx(1.0, abs=0.07)  # a slice of the shortest budget
