"""The policy on a simulated clock: workers that always search exactly one slice at a known speed."""

import heapq
from dataclasses import dataclass, field
from itertools import count

from clerestory.server.analysis.demand import Demand, NoRoom, TreeTask
from clerestory.server.analysis.policy import SLICE, Policy

Slice = tuple[TreeTask, float]  # task and its seconds

SPEED = 20_000  # iterations per second of a worker


@dataclass
class Simulation:
    """Searches that arrive at given moments, with the time that each has had by its deadline."""

    workers: int = 1
    max_searches: int = 64
    min_iterations: int = 100
    idle: float = 0.0  # seconds of workers without work
    refused: list[float] = field(default_factory=list)  # moments

    def run(self, arrivals: list[tuple[float, Demand]], until: float) -> list[list[TreeTask]]:
        policy = Policy(self.workers, self.max_searches, self.min_iterations, speeds={"game": SPEED})
        order, admitted = count(), []
        events: list[tuple[float, int, Demand | None, Slice | None]]
        events = [(moment, next(order), demand, None) for moment, demand in arrivals]
        events += [(0.0, next(order), None, None) for _ in range(self.workers)]
        heapq.heapify(events)
        while events and events[0][0] <= until:
            now, _, demand, done = heapq.heappop(events)
            if done is not None:
                self.end_slice(policy, *done, now)
            for tree in [tree for tree in policy.trees if tree.demand.deadline <= now]:
                policy.leave(tree, now)
            if demand is not None:
                try:
                    admitted.append(policy.admit(demand, now))
                except NoRoom:
                    self.refused.append(now)
                continue
            tree = policy.pick(now)
            if tree is None:
                self.idle += SLICE / 10
                heapq.heappush(events, (now + SLICE / 10, next(order), None, None))
                continue
            end = min(now + SLICE, tree.demand.deadline)
            heapq.heappush(events, (end, next(order), None, (tree, end - now)))
        return admitted

    def end_slice(self, policy: Policy, tree: TreeTask, seconds: float, now: float) -> None:
        policy.put_back(tree, seconds, round(seconds * SPEED), now)
        if tree.iterations >= tree.demand.iterations:
            policy.leave(tree, now)


def used(trees: list[TreeTask]) -> float:
    return sum(tree.used for tree in trees)


def demand(arrival: float, budget: float, **fields: object) -> tuple[float, Demand]:
    return arrival, Demand("game", arrival + budget, **fields)  # type: ignore[arg-type]
