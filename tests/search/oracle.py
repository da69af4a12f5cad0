"""Single-observer ISMCTS in plain Python, in the five steps of the paper; the compiled search must give equal results.

It draws its random numbers in the same order: deal, then one number at each decision with an untried action, and in the
playout one number per decision; Nature draws its own.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import frexp, log, sqrt
from typing import Any

from clerestory.engine import NATURE, Rng, State


@dataclass
class Edge:
    visits: int = 0
    available: int = 0
    value: list[float] = field(default_factory=lambda: [0.0] * 4)
    prior: float = 0.0
    proven: bool = False


@dataclass
class Step:
    row: list[Edge]
    edge: Edge
    seat: int
    certain: bool = True  # whether no chance event came after it


Factors = Sequence[Sequence[float]]  # of the guide's weights, by round, from 1, and action code
Tree = dict[int, dict[int, Edge]]  # key of the information set -> action code -> statistics


def ismcts(
    position: State,
    seed: int,
    iterations: int,
    exploration: float = 0.7,
    selection: str = "ucb1",
    proofs: bool = False,
    growth: float = 0.0,
    factors: Factors | None = None,
) -> dict[str, tuple[Any, ...]]:
    """Return visits, availability and mean win share per seat of each root action."""
    rng, observer, tree = Rng(seed), position.turn, Tree()
    root = position.observe(observer)
    for _ in range(iterations):
        world = root.determinize(rng)
        path = select_and_expand(world, tree, observer, (exploration, growth), selection, rng, factors)
        ended = world.over
        simulate(world, rng)
        backpropagate([step.edge for step in path], world)
        if proofs and ended:
            prove(path, world.win_shares())
    return {
        position.game.texts[code]: (edge.visits, edge.available, means(edge, position.seats))
        for code, edge in tree[root.key(observer)].items()
    }


def select_and_expand(
    world: State,
    tree: Tree,
    observer: int,
    exploration: tuple[float, float],
    selection: str,
    rng: Rng,
    factors: Factors | None,
) -> list[Step]:
    path: list[Step] = []
    while not world.over:
        if world.turn == NATURE:
            world.play(world.draw(rng))
            if path:
                path[-1].certain = False
            continue
        node = tree.setdefault(world.key(observer), {})
        legal = world.legal_codes()
        if selection == "puct" and any(code not in node for code in legal):
            node |= {
                code: replace(node.get(code, Edge()), prior=prior) for code, prior in priors(world, factors).items()
            }
        for code in legal:
            node.setdefault(code, Edge()).available += 1
        untried = [code for code in legal if node[code].visits == 0]
        if selection == "puct":
            won = [code for code in legal if path and wins(node[code], world.turn)]
            code = won[0] if won else best_by_priors(node, legal, world.turn, *exploration)
        else:
            code = untried[rng.below(len(untried))] if untried else best(node, legal, world.turn, exploration[0])
        path.append(Step(list(node.values()), node[code], world.turn))
        world.play(code)
        if node[code].visits == 0:
            break
    return path


def best(node: dict[int, Edge], legal: list[int], turn: int, exploration: float) -> int:
    def ucb(code: int) -> float:
        edge = node[code]
        return edge.value[turn] / edge.visits + exploration * sqrt(log(edge.available) / edge.visits)

    return max(legal, key=ucb)


def priors(world: State, factors: Factors | None) -> dict[int, float]:
    """Return the guide's weights, times any factors, normalized and rounded to 32 bits as in the tree."""
    weights: Sequence[float] = world.weights()
    if factors is not None:
        row = factors[min(world.round_number(), len(factors)) - 1]
        weights = array("f", [weight * row[code] for weight, code in zip(weights, world.legal_codes(), strict=True)])
    shares = array("f", [weight / sum(weights) for weight in weights])
    return dict(zip(world.legal_codes(), shares, strict=True))


def best_by_priors(node: dict[int, Edge], legal: list[int], turn: int, exploration: float, growth: float) -> int:
    visits = sum(node[code].visits for code in legal)
    exploration += growth * doublings(1 + visits / 500)
    unknown = sum(node[code].value[turn] for code in legal) / max(visits, 1)

    def puct(code: int) -> float:
        edge = node[code]
        mean = edge.value[turn] / edge.visits if edge.visits else unknown
        return mean + (not edge.proven) * exploration * edge.prior * sqrt(edge.available) / (1 + edge.visits)

    return max(legal, key=puct)


def doublings(x: float) -> float:
    """Return the binary logarithm, linear between powers of two."""
    mantissa, exponent = frexp(x)
    return exponent - 2 + 2 * mantissa


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
        for seat, share in enumerate(world.win_shares()):
            edge.value[seat] += share


def prove(path: list[Step], returns: tuple[float, ...]) -> None:
    """Prove edges from the end upwards, until a chance event, an untried action, or a better alternative."""
    for step in reversed(path):
        if not step.certain:
            return
        step.edge.proven = True
        step.edge.value[: len(returns)] = [step.edge.visits * share for share in returns]
        if wins(step.edge, step.seat):
            continue
        if any(not edge.proven or rate(edge, step.seat) > rate(step.edge, step.seat) + 1e-9 for edge in step.row):
            return


def wins(edge: Edge, seat: int) -> bool:
    return edge.proven and edge.value[seat] == edge.visits


def rate(edge: Edge, seat: int) -> float:
    return edge.value[seat] / edge.visits


def means(edge: Edge, seats: int) -> tuple[float, ...]:
    return tuple(value / max(edge.visits, 1) for value in edge.value[:seats])
