"""Counts how often OpenSpiel's search and ours choose the same action if one is clearly the best.

`python -m tests.search.openspiel.agreement --iterations 1000 --seeds 10` counts it over the clear positions.
"""

import argparse
import sys
from collections import Counter
from typing import Any

from clerestory.engine import State, from_position
from clerestory.search import Searcher
from clerestory.search.root import observe
from tools.lab.exact import lines_of
from tools.lab.facts.opponents import EXPLORATION, choose_by_openspiel

LEAD = 0.2  # exact win share of the best action minus that of the second best


def lead(values: dict[str, float]) -> float:
    first, second = sorted(values.values(), reverse=True)[:2]
    return first - second


CLEAR: list[dict[str, Any]] = [line for line in lines_of("cathedral") if lead(line["values"]) >= LEAD]


def our_choice(position: State, seed: int, iterations: int) -> str:
    return Searcher(observe(position), seed=seed, exploration=EXPLORATION).run(iterations=iterations).best.action


def agreement(seeds: int, iterations: int) -> Counter[str]:
    """Count, over clear positions and seeds, equal choices, and best choices by each."""
    counted: Counter[str] = Counter()
    for line in CLEAR:
        position, best = from_position(line["position"]), max(line["values"], key=line["values"].__getitem__)
        for seed in range(seeds):
            ours, theirs = (choose(position, seed, iterations) for choose in (our_choice, choose_by_openspiel))
            counted.update(same=ours == theirs, ours=ours == best, theirs=theirs == best, all=1)
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=10)
    chosen = parser.parse_args()
    sys.stdout.write(f"{dict(agreement(chosen.seeds, chosen.iterations))}\n")


if __name__ == "__main__":
    main()
