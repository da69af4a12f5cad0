"""Single-observer ISMCTS in plain Python, in the five steps of the paper: what the compiled search must equal.

It takes its random numbers in the same order: deal, then at each decision one number where an action
was never tried, and in the playout one number for each decision; Nature draws for herself.
"""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from clerestory.engine import NATURE, Rng, State


@dataclass
class Edge:
    visits: int = 0
    available: int = 0
    value: list[float] = field(default_factory=lambda: [0.0] * 4)


Tree = dict[int, dict[int, Edge]]  # key of the information set -> action code -> statistics


def ismcts(position: State, seed: int, iterations: int, exploration: float = 0.7) -> dict[str, tuple[Any, ...]]:
    """Return visits, availability and mean win share per seat of each root action."""
    rng, observer, tree = Rng(seed), position.turn, Tree()
    root = position.observe(observer)
    for _ in range(iterations):
        world = root.deal(rng)
        path = select_and_expand(world, tree, observer, exploration, rng)
        simulate(world, rng)
        backpropagate(path, world)
    return {
        position.game.texts[code]: (edge.visits, edge.available, means(edge, position.seats))
        for code, edge in tree[root.key(observer)].items()
    }


def select_and_expand(world: State, tree: Tree, observer: int, exploration: float, rng: Rng) -> list[Edge]:
    path = []
    while not world.over:
        if world.turn == NATURE:
            world.play(world.draw(rng))
            continue
        node = tree.setdefault(world.key(observer), {})
        legal = world.legal_codes()
        for code in legal:
            node.setdefault(code, Edge()).available += 1
        untried = [code for code in legal if node[code].visits == 0]
        code = untried[rng.below(len(untried))] if untried else best(node, legal, world.turn, exploration)
        path.append(node[code])
        world.play(code)
        if untried:
            break
    return path


def best(node: dict[int, Edge], legal: list[int], turn: int, exploration: float) -> int:
    def ucb(code: int) -> float:
        edge = node[code]
        return edge.value[turn] / edge.visits + exploration * sqrt(log(edge.available) / edge.visits)

    return max(legal, key=ucb)


def simulate(world: State, rng: Rng) -> None:
    while not world.over:
        if world.turn == NATURE:
            world.play(world.draw(rng))
        else:
            legal = world.legal_codes()
            world.play(legal[rng.below(len(legal))])


def backpropagate(path: list[Edge], world: State) -> None:
    for edge in path:
        edge.visits += 1
        for seat, share in enumerate(world.returns()):
            edge.value[seat] += share


def means(edge: Edge, seats: int) -> tuple[float, ...]:
    return tuple(value / max(edge.visits, 1) for value in edge.value[:seats])
