"""A simulation, not a measurement: many servers and a load balancer on a simulated clock.

The servers' policy is the real one (server/analysis/policy.py). Three parts are simulated: the clock, the workers and
the balancer. Workers search whole slices at a fixed speed. The balancer knows how many calls each server has and picks
the better of two random servers, like Envoy's LEAST_REQUEST. The network takes no time, and rejected callers do not
retry. Each player is a caller. A greedy caller can be added, with its own call rate and any number of seats.

`python -m loadtest.simulate --players 10000 --servers 75 --seconds 10`
"""

import heapq
import json
import random
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count
from statistics import quantiles
from typing import Annotated, Any

import typer

from clerestory.server.analysis.demand import Demand, NoRoom, TreeTask
from clerestory.server.analysis.policy import SLICE, Policy
from loadtest.openloop import LONGEST, MEAN_BUDGET, SHORTEST

GREEDY = -1  # number of the greedy caller


@dataclass(slots=True)
class SimulatedServer:
    """A server: its policy, and the number of its idle workers."""

    policy: Policy
    idle: int


@dataclass(frozen=True, slots=True)
class SimulatedCall:
    """A call that arrives.

    Attributes:
        moment: arrival time, in seconds.
        budget: time budget, in seconds.
        caller: number of the player, or GREEDY.
        seat: seat of the caller.
    """

    moment: float
    budget: float
    caller: int
    seat: int = 0


@dataclass(slots=True)
class SimulatedOutcome:
    """The outcome of a group of calls.

    Attributes:
        rejected: number of rejected calls.
        shares: for each answered call, its worker time as a share of its budget.
        least: fewest iterations of an answered call.
    """

    rejected: int = 0
    shares: list[float] = field(default_factory=list)
    least: float = float("inf")

    def figures(self) -> dict[str, Any]:
        """Return the figures."""
        calls = len(self.shares) + self.rejected
        parts = quantiles(self.shares, n=100)
        return {
            "calls": calls,
            "rejected_share": round(self.rejected / calls, 4),
            "share_of_its_budget": {"p1": round(parts[0], 3), "p10": round(parts[9], 3), "p50": round(parts[49], 3)},
            "least_iterations": self.least,
        }


@dataclass(slots=True)
class Fleet:
    """All servers, and the outcome of the calls.

    Attributes:
        speed: iterations per second of a worker.
        choices: number of random servers that the balancer compares for a call.
        outcomes: outcomes of the players' calls, and of the greedy caller's if there is one.
    """

    servers: list[SimulatedServer]
    speed: float
    choices: int
    luck: random.Random
    outcomes: defaultdict[str, SimulatedOutcome] = field(default_factory=lambda: defaultdict(SimulatedOutcome))
    _events: list[tuple[float, int, SimulatedServer, TreeTask, float]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def run(self, calls: Iterator[SimulatedCall], until: float) -> None:
        """Accept calls as they arrive, and run until all have ended."""
        for call in calls:
            if call.moment > until:
                break
            self._end_slices(call.moment)
            self._arrive(call)
        self._end_slices(float("inf"))

    def _arrive(self, call: SimulatedCall) -> None:
        server = min(self.luck.sample(self.servers, self.choices), key=lambda one: len(one.policy.trees))
        try:
            demand = Demand("game", call.moment + call.budget, origin=call.caller, part=call.seat)
            server.policy.admit(demand, call.moment)
        except NoRoom:
            self.outcomes[group(call.caller)].rejected += 1
            return
        self._begin_slices(server, call.moment)

    def _begin_slices(self, server: SimulatedServer, now: float) -> None:
        while server.idle and (tree := server.policy.pick(now)) is not None:
            server.idle -= 1
            end = min(now + SLICE, tree.demand.deadline)
            heapq.heappush(self._events, (end, next(self._order), server, tree, end - now))

    def _end_slices(self, until: float) -> None:
        """End the workers' slices up to a moment, and start the next ones."""
        while self._events and self._events[0][0] <= until:
            now, _, server, tree, spent = heapq.heappop(self._events)
            server.policy.put_back(tree, spent, round(spent * self.speed), now)
            server.idle += 1
            for ended in [one for one in server.policy.trees if one.demand.deadline <= now and not one.running]:
                self._answer(server, ended, now)
            self._begin_slices(server, now)

    def _answer(self, server: SimulatedServer, tree: TreeTask, now: float) -> None:
        server.policy.leave(tree, now)
        outcome = self.outcomes[group(tree.demand.origin)]
        outcome.shares.append(tree.used / tree.budget)
        outcome.least = min(outcome.least, tree.iterations)


def group(caller: Hashable) -> str:
    """Return the name of the group in which a caller's calls are counted."""
    return "greedy" if caller == GREEDY else "players"


def calls(
    rate: float, players: int, luck: random.Random, greedy: float = 0.0, seats: int = 1
) -> Iterator[SimulatedCall]:
    """Yield calls: Poisson arrivals, log-uniform budgets.

    Args:
        rate: calls per second of all players together.
        players: number of players, all with equal rates.
        luck: random generator.
        greedy: calls per second of the greedy caller.
        seats: number of seats of the greedy caller.
    """
    now = 0.0
    while True:
        now += luck.expovariate(rate + greedy)
        budget = SHORTEST * (LONGEST / SHORTEST) ** luck.random()
        caller = GREEDY if luck.random() * (rate + greedy) >= rate else luck.randrange(players)
        seat = luck.randrange(seats) if caller == GREEDY and seats > 1 else 0
        yield SimulatedCall(now, budget, caller, seat)


def main(
    players: Annotated[int, typer.Option(help="Concurrent players.")] = 10_000,
    every: Annotated[float, typer.Option(help="Seconds between two questions of a player.")] = 20.0,
    servers: Annotated[int, typer.Option(help="Servers.")] = 80,
    workers: Annotated[int, typer.Option(help="Workers of each.")] = 2,
    speed: Annotated[float, typer.Option(help="Iterations a second of a worker.")] = 100_000,
    min_iterations: Annotated[int, typer.Option(help="Promised to each search.")] = 250,
    choices: Annotated[int, typer.Option(help="Servers compared for a call; 1: any.")] = 2,
    seconds: Annotated[float, typer.Option(help="Simulated time in which calls come.")] = 10.0,
    greedy: Annotated[float, typer.Option(min=0, help="Calls of one more caller, for each of the players'.")] = 0.0,
    seats: Annotated[int, typer.Option(min=1, help="Seats from which that caller calls.")] = 1,
    seed: Annotated[int, typer.Option(help="Of all luck.")] = 1,
) -> None:
    """Simulate, and print the figures as JSON."""
    luck = random.Random(seed)
    fleet = Fleet(
        [SimulatedServer(Policy(workers, 64, min_iterations, speeds={"game": speed}), workers) for _ in range(servers)],
        speed,
        choices,
        luck,
    )
    rate = players / every
    fleet.run(calls(rate, players, luck, greedy * rate, seats), seconds)
    offered = rate * (1 + greedy) * MEAN_BUDGET / (servers * workers)
    about = {"simulated": True, "players": players, "servers": servers, "capacity": round(offered, 3)}
    outcomes = {name: outcome.figures() for name, outcome in sorted(fleet.outcomes.items())}
    typer.echo(json.dumps(about | {"outcomes": outcomes}))


if __name__ == "__main__":
    typer.run(main)
