"""A simulation, not a measurement: many servers and a load balancer on a simulated clock.

The servers' policy is the real one (server/policy.py). Simulated are the clock; the workers, which search at one fixed
speed and always whole slices; and the balancer, which knows how many calls each server has and picks the better of two
random ones, as Envoy's LEAST_REQUEST does. The network takes no time, and refused callers do not retry.

`python -m loadtest.simulate --players 10000 --servers 75 --seconds 10`
"""

import heapq
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from statistics import quantiles
from typing import Annotated, Any

import typer

from clerestory.server.policy import SLICE, Demand, NoRoom, Policy, TreeTask
from loadtest.openloop import LONGEST, MEAN_BUDGET, SHORTEST


@dataclass(slots=True)
class Server:
    """A server: its policy, and the number of its idle workers."""

    policy: Policy
    idle: int


@dataclass(slots=True)
class Fleet:
    """All servers, and the outcome of the calls.

    Attributes:
        speed: iterations a second of a worker.
        choices: servers that the balancer compares for a call; 1 is any of them.
        refused: calls turned away.
        shares: of each answered call: worker time it got, as a share of its whole budget.
        least: fewest iterations of an answered call.
    """

    servers: list[Server]
    speed: float
    choices: int
    luck: random.Random
    refused: int = 0
    shares: list[float] = field(default_factory=list)
    least: float = float("inf")
    _events: list[tuple[float, int, Server, TreeTask, float]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def run(self, arrivals: Iterator[tuple[float, float]], until: float) -> None:
        """Accept calls (moment, budget) as they arrive, and run until all have ended."""
        for moment, budget in arrivals:
            if moment > until:
                break
            self._end_slices(moment)
            self._arrive(moment, budget)
        self._end_slices(float("inf"))

    def _arrive(self, now: float, budget: float) -> None:
        server = min(self.luck.sample(self.servers, self.choices), key=lambda one: len(one.policy.trees))
        try:
            server.policy.admit(Demand("game", now + budget), now)
        except NoRoom:
            self.refused += 1
            return
        self._begin_slices(server, now)

    def _begin_slices(self, server: Server, now: float) -> None:
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

    def _answer(self, server: Server, tree: TreeTask, now: float) -> None:
        server.policy.leave(tree, now)
        self.shares.append(tree.used / tree.budget)
        self.least = min(self.least, tree.iterations)


def calls(rate: float, luck: random.Random) -> Iterator[tuple[float, float]]:
    """Yield moments and budgets: Poisson arrivals, log-uniform budgets."""
    now = 0.0
    while True:
        now += luck.expovariate(rate)
        yield now, SHORTEST * (LONGEST / SHORTEST) ** luck.random()


def main(
    players: Annotated[int, typer.Option(help="Concurrent players.")] = 10_000,
    every: Annotated[float, typer.Option(help="Seconds between two questions of a player.")] = 20.0,
    servers: Annotated[int, typer.Option(help="Servers.")] = 80,
    workers: Annotated[int, typer.Option(help="Workers of each.")] = 2,
    speed: Annotated[float, typer.Option(help="Iterations a second of a worker.")] = 100_000,
    min_iterations: Annotated[int, typer.Option(help="Promised to each search.")] = 250,
    choices: Annotated[int, typer.Option(help="Servers compared for a call; 1: any.")] = 2,
    seconds: Annotated[float, typer.Option(help="Simulated time in which calls come.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Of all luck.")] = 1,
) -> None:
    """Simulate, and print the figures as JSON."""
    luck = random.Random(seed)
    fleet = Fleet(
        [Server(Policy(workers, 64, min_iterations, speeds={"game": speed}), workers) for _ in range(servers)],
        speed,
        choices,
        luck,
    )
    fleet.run(calls(players / every, luck), seconds)
    typer.echo(
        json.dumps({"simulated": True, "players": players, "servers": servers, **figures(fleet, players / every)})
    )


def figures(fleet: Fleet, rate: float) -> dict[str, Any]:
    """Return the figures of a run."""
    workers = sum(server.policy.workers for server in fleet.servers)
    parts = quantiles(fleet.shares, n=100)
    return {
        "capacity": round(rate * MEAN_BUDGET / workers, 3),
        "calls": len(fleet.shares) + fleet.refused,
        "refused_share": fleet.refused / (len(fleet.shares) + fleet.refused),
        "share_of_its_budget": {"p1": round(parts[0], 3), "p10": round(parts[9], 3), "p50": round(parts[49], 3)},
        "least_iterations": fleet.least,
    }


if __name__ == "__main__":
    typer.run(main)
