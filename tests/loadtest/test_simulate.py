"""The simulated fleet: every call ends exactly once, comparing servers helps, and callers share them."""

import random
from itertools import takewhile

import pytest

from clerestory.server.analysis.policy import Policy
from loadtest.simulate import Fleet, SimulatedServer, calls

SPEED = 50_000.0
PLAYERS = 1000
SECONDS = 2.0


def fleet(rate: float, choices: int, *, greedy: float = 0.0, seats: int = 1) -> Fleet:
    servers = [SimulatedServer(Policy(2, 64, 100, speeds={"game": SPEED}), 2) for _ in range(12)]
    made = Fleet(servers, SPEED, choices, random.Random(5))
    made.run(calls(rate, PLAYERS, random.Random(6), greedy, seats), SECONDS)
    return made


@pytest.mark.parametrize("greedy", [0.0, 100.0])
@pytest.mark.parametrize("rate", [10.0, 75.0, 300.0])
def test_every_call_is_answered_with_its_minimum_or_rejected(rate: float, greedy: float) -> None:
    simulated = fleet(rate, 2, greedy=greedy)
    due = takewhile(lambda call: call.moment <= SECONDS, calls(rate, PLAYERS, random.Random(6), greedy))
    assert sum(one.figures()["calls"] for one in simulated.outcomes.values()) == len(list(due))
    assert not any(server.policy.trees for server in simulated.servers)
    assert all(one.least >= 100 for one in simulated.outcomes.values())
    assert all(0 < share <= 1 + 1e-9 for one in simulated.outcomes.values() for share in one.shares)


def test_the_better_of_two_servers_is_better_than_any() -> None:
    any_of_them, better = (
        fleet(60.0, choices).outcomes["players"].figures()["share_of_its_budget"] for choices in (1, 2)
    )
    assert better["p10"] > any_of_them["p10"]


def test_a_fleet_without_load_gives_everybody_all_of_its_budget() -> None:
    assert min(fleet(2.0, 2).outcomes["players"].shares) == pytest.approx(
        1.0, abs=0.07
    )  # a slice of the shortest budget


@pytest.mark.parametrize("seats", [1, 200])
def test_a_greedy_caller_takes_from_the_players_no_more_than_one_of_them_would(seats: int) -> None:
    """It makes ten times the calls of all the others; shared by call, all players would get less than a third."""
    beside = fleet(25.0, 2, greedy=250.0, seats=seats)
    players, greedy = (beside.outcomes[name].figures()["share_of_its_budget"] for name in ("players", "greedy"))
    assert beside.outcomes["players"].rejected == 0
    assert players["p50"] > 0.6 > 0.3 > greedy["p50"]
