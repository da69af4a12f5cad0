"""Learned priors: factors of the guide's weights by round and action, fitted to the visits of full searches.

An action's share of a decision's visits is modelled as proportional to the guide's weight times e to the sum of two
constants, one for the action and one for the action in this round. This is multinomial logistic regression with a ridge
penalty, fitted by Adam on all decisions at once, without random numbers. Actions whose texts differ only in the name of
a seat share their constants.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clerestory.engine.core import Game
from clerestory.search.options import shipped
from clerestory.search.training.columns import Array, Columns
from clerestory.search.training.samples import HELD_OUT, Arrays

RIDGE = 2.0  # weight of the squares of the constants, in decisions
STEPS, RATE = 110, 0.25  # of Adam; the rate falls to 0 by a cosine
FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.99, 1e-6  # of Adam
MOST = 5.0  # limit of the logarithm of a factor, up or down


@dataclass(frozen=True, slots=True)
class Decisions(Arrays):
    """Full searches of games with one number of seats; the lines of a decision are adjacent, their codes ascending.

    Attributes:
        length: number of lines of each decision, above 0.
        held_out: whether each decision is excluded from training.
        round: round of each line, from 1.
        action: action code of each line.
        weight: logarithm of the guide's weight of each line.
        share: share of the decision's visits of each line.
    """

    length: Array
    held_out: Array
    round: Array
    action: Array
    weight: Array
    share: Array

    def take(self, some: Array) -> "Decisions":
        """Return the decisions selected by a boolean array."""
        lines = np.repeat(some, self.length)
        return Decisions(
            self.length[some], self.held_out[some],
            self.round[lines], self.action[lines], self.weight[lines], self.share[lines],
        )  # fmt: skip


def decisions_of(game: Game, columns: Columns) -> Decisions:
    """Return the full searches of games; every sixth game is held out."""
    order = np.lexsort((columns["line.action"], columns["line.position"]))
    position, action = columns["line.position"][order], columns["line.action"][order].astype(np.int64)
    length = np.unique(position, return_counts=True)[1]
    of_decision = np.unique(position)
    visits = columns["line.visits"][order].astype(float)
    return Decisions(
        length,
        columns["position.game"][of_decision] % HELD_OUT == HELD_OUT - 1,
        columns["position.round"][position].astype(np.int64),
        action,
        np.log(guide_weights(game, columns["position.state"][of_decision], action, length)),
        visits / summed(visits, length),
    )


def guide_weights(game: Game, states: Array, action: Array, length: Array) -> Array:
    """Return the guide's weight of each line."""
    ends = np.cumsum(length)
    found = [
        game.weigh(state.tobytes(), action[end - lines : end].tolist())
        for state, lines, end in zip(states, length, ends, strict=True)
    ]
    return np.array([weight for weights in found for weight in weights])


# -- the fit ---------------------------------------------------------------------------------------


def fit_priors(game: Game, decisions: Mapping[int, Decisions]) -> Array:
    """Return the factors, float32 (numbers of seats, rounds, action codes), from decisions by number of seats.

    In each round, the geometric mean of the factors of actions that occurred is 1 before extreme ones are limited.
    Other factors are 1: of actions that did not occur in the round, and of numbers of seats without decisions.
    """
    rounds = max((int(part.round.max(initial=1)) for part in decisions.values()), default=1)
    factors = np.ones((len(game.seats), rounds, game.num_actions), np.float32)
    for seats, part in decisions.items():
        learned = part.take(~part.held_out)
        if len(learned.length):
            factors[game.seats.index(seats)] = fit_table(learned, classes(game), rounds)
    return factors


def classes(game: Game) -> Array:
    """Return, for each action code, the lowest code whose text differs only in the name of a seat."""
    names = {game.seat_name(seat) for seat in range(max(game.seats))}
    texts = [" ".join("SEAT" if word in names else word for word in text.split()) for text in game.texts]
    lowest: dict[str, int] = {}
    return np.array([lowest.setdefault(text, code) for code, text in enumerate(texts)])


def fit_table(decisions: Decisions, class_of: Array, rounds: int) -> Array:
    """Return the factors (rounds, action codes) for one number of seats."""
    actions, action = len(class_of), class_of[decisions.action]
    places = np.stack([action, decisions.round * actions + action])
    constants = fit_constants(decisions, places, (rounds + 1) * actions).reshape(-1, actions)
    met = np.zeros((rounds, actions), bool)
    met[decisions.round - 1, action] = True
    logs = np.where(met, constants[0] + constants[1:], 0)
    means = logs.sum(axis=1, keepdims=True) / np.maximum(met.sum(axis=1, keepdims=True), 1)
    limited = np.where(met, np.clip(logs - means, -MOST, MOST), 0)
    table: Array = np.exp(limited)[:, class_of].astype(np.float32)
    return table


def fit_constants(decisions: Decisions, places: Array, count: int) -> Array:
    """Return the constants that predict the shares best; a line's logit is its weight plus those at its places."""
    constants, mean, square = np.zeros(count), np.zeros(count), np.zeros(count)
    for step in range(1, STEPS + 1):
        foreseen = normalized(decisions.weight + constants[places].sum(axis=0), decisions.length)
        wrong = foreseen - decisions.share
        slope = sum((np.bincount(row, wrong, count) for row in places), RIDGE * constants) / len(decisions.length)
        mean = FIRST_DECAY * mean + (1 - FIRST_DECAY) * slope
        square = SECOND_DECAY * square + (1 - SECOND_DECAY) * slope**2
        rate = RATE * (1 + np.cos(np.pi * step / STEPS)) / 2
        size = np.sqrt(square / (1 - SECOND_DECAY**step)) + TINY
        constants -= rate * mean / (1 - FIRST_DECAY**step) / size
    return constants


def normalized(logs: Array, length: Array) -> Array:
    """Return the softmax of logits, decision by decision."""
    first = np.cumsum(length) - length
    raised = np.exp(logs - np.repeat(np.maximum.reduceat(logs, first), length))
    shares: Array = raised / summed(raised, length)
    return shares


def summed(column: Array, length: Array) -> Array:
    """Return for each line the sum over its decision."""
    total: Array = np.repeat(np.add.reduceat(column, np.cumsum(length) - length), length)
    return total


# -- figures ---------------------------------------------------------------------------------------


def figures_of_priors(game: Game, seats: int, decisions: Decisions, factors: Array) -> dict[str, Any]:
    """Return how well priors predict the visits in the held-out games, without and with the factors.

    `decisions` is their number. `guide` and `learned` each have `top1`, how often the highest prior (a random one of a
    tie) is that of a most visited action, and `cross_entropy` of the shares of visits, nats, with the floor of the
    shipped search.
    """
    held_out = decisions.take(decisions.held_out)
    floor = shipped(game, seats).get("prior_floor", 0.0)
    table = np.log(factors[game.seats.index(seats)])
    learned = held_out.weight + table[held_out.round - 1, held_out.action]
    return {
        "decisions": len(held_out.length),
        "guide": foresight(held_out, held_out.weight, floor),
        "learned": foresight(held_out, learned, floor),
    }


def foresight(decisions: Decisions, logs: Array, floor: float) -> dict[str, float]:
    """Return how well priors, given as logits, predict the shares of visits."""
    if not len(decisions.length):
        return {"top1": 0.0, "cross_entropy": 0.0}
    length, share = decisions.length, decisions.share
    first = np.cumsum(length) - length
    priors = floor / np.repeat(length, length) + (1 - floor) * normalized(logs, length)
    wanted, found = (column == np.repeat(np.maximum.reduceat(column, first), length) for column in (share, priors))
    return {
        "top1": float((np.add.reduceat(wanted & found, first, dtype=float) / np.add.reduceat(found, first)).mean()),
        "cross_entropy": float(-(share * np.log(priors)).sum() / len(length)),
    }
