"""The net in NumPy: its outputs for a batch of positions, and the gradient of a loss.

One net for every number of seats, shared by the seats, so that it is symmetric by construction:

    hidden_i = relu(own x_i + mean of (others x_j) over the other seats j + table g + bias)
    second_i = relu(second hidden_i + second_bias)
    points still to be scored by seat i = score second_i + score_bias;  strength of seat i = strength second_i

x_i are the features of seat i, g those of the table; win shares are the softmax of the strengths over the seats.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clerestory.engine.values.weights import Weights as ReadWeights
from clerestory.search.training.columns import Array

HIDDEN, SECOND = 32, 16
SCALE = 10.0  # points per unit of the output `score` during training
NetWeights = dict[str, Array]
COLUMNS = {"own": HIDDEN, "others": HIDDEN, "table": HIDDEN, "second": SECOND}  # of the arrays that are matrices


def begin_weights(own: int, table: int, seed: int) -> NetWeights:
    """Return random float32 weights for numbers of features per seat and table (He et al., arXiv 1502.01852)."""
    luck = np.random.default_rng(seed)

    def normal(inputs: int, *shape: int) -> Array:
        drawn: Array = (luck.standard_normal(shape) * np.sqrt(2 / inputs)).astype(np.float32)
        return drawn

    live = (2 * own + table) // 4  # rough number of non-zero features
    return {
        "own": normal(live, own, HIDDEN),
        "others": normal(live, own, HIDDEN),
        "table": normal(live, table, HIDDEN),
        "bias": np.zeros(HIDDEN, np.float32),
        "second": normal(HIDDEN, HIDDEN, SECOND),
        "second_bias": np.zeros(SECOND, np.float32),
        "score": normal(2 * SECOND, SECOND),
        "score_bias": np.zeros(1, np.float32),
        "strength": normal(2 * SECOND, SECOND),
    }


def in_points(weights: NetWeights) -> NetWeights:
    """Return the weights with the output `score` in points: the form that is shipped."""
    return {**weights, "score": weights["score"] * SCALE, "score_bias": weights["score_bias"] * SCALE}


def in_units(weights: NetWeights) -> NetWeights:
    """Return shipped weights in their training form; the inverse of `in_points`."""
    return {**weights, "score": weights["score"] / SCALE, "score_bias": weights["score_bias"] / SCALE}


def numpy_arrays(read: ReadWeights) -> NetWeights:
    """Return the weights of the net in a file, as NumPy arrays."""
    arrays = {name: np.array(array, np.float32) for name, array in read.arrays.items()}
    return {name: array.reshape(-1, COLUMNS[name]) if name in COLUMNS else array for name, array in arrays.items()}


def all_arrays(read: ReadWeights) -> NetWeights:
    """Return the whole content of a file as NumPy arrays: the weights of the net, and the priors if it has any."""
    priors = {} if read.priors is None else {"priors": np.asarray(read.priors)}
    return {**numpy_arrays(read), **priors}


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of the net for a batch, and intermediate results for the gradient.

    Attributes:
        own: features of the seats (N, seats, S).
        table: features of the table (N, T).
        hidden, second: layers (N, seats, 32) and (N, seats, 16).
        score: points still to be scored by each seat, in units of SCALE points (N, seats).
        strength: strength of each seat (N, seats).
    """

    own: Array
    table: Array
    hidden: Array
    second: Array
    score: Array
    strength: Array


def forward(weights: NetWeights, own: Array, table: Array) -> Outputs:
    """Return the outputs for features as `Game.inputs` returns them."""
    both = own @ np.concatenate([weights["own"], weights["others"]], axis=1)
    mine, theirs = both[..., :HIDDEN], both[..., HIDDEN:]
    others = (theirs.sum(axis=1, keepdims=True) - theirs) / (own.shape[1] - 1)
    hidden = np.maximum(mine + others + (table @ weights["table"])[:, None] + weights["bias"], 0)
    second = np.maximum(hidden @ weights["second"] + weights["second_bias"], 0)
    return Outputs(
        own, table, hidden, second, second @ weights["score"] + weights["score_bias"], second @ weights["strength"]
    )


def backward(weights: NetWeights, outputs: Outputs, d_score: Array, d_strength: Array) -> NetWeights:
    """Return the gradient of a loss by weight, given its gradients by score and strength (N, seats)."""
    d_second = d_score[..., None] * weights["score"] + d_strength[..., None] * weights["strength"]
    d_second *= outputs.second > 0
    d_hidden = (d_second @ weights["second"].T) * (outputs.hidden > 0)
    over_seats = d_hidden.sum(axis=1)
    d_theirs = (over_seats[:, None] - d_hidden) / (d_hidden.shape[1] - 1)
    own, hidden, second = (flat(layer) for layer in (outputs.own, outputs.hidden, outputs.second))
    return {
        "own": own.T @ flat(d_hidden),
        "others": own.T @ flat(d_theirs),
        "table": outputs.table.T @ over_seats,
        "bias": over_seats.sum(axis=0),
        "second": hidden.T @ flat(d_second),
        "second_bias": flat(d_second).sum(axis=0),
        "score": second.T @ d_score.ravel(),
        "score_bias": d_score.sum(keepdims=True).ravel(),
        "strength": second.T @ d_strength.ravel(),
    }


def flat(layer: Array) -> Array:
    """Return a layer with positions and seats merged into one axis."""
    return layer.reshape(-1, layer.shape[-1])


def softmax(strength: Array) -> Any:
    """Return win shares (N, seats)."""
    raised = np.exp(strength - strength.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
