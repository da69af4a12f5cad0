"""Fits a net by AdamW under a one-cycle learning rate.

Sources: Loshchilov and Hutter, arXiv 1711.05101; Smith, arXiv 1708.07120. The fit uses one thread and a seed: on one
machine equal samples give bit-identical weights. The state is saved after every epoch, and a killed fit continues from
there with the same result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clerestory.search.training.chunks import read_arrays, read_header, require_header, with_header, write_whole
from clerestory.search.training.columns import Array
from clerestory.search.training.errors import BadPlan
from clerestory.search.training.losses import Loss, loss_of_lines, loss_of_positions
from clerestory.search.training.net import NetWeights, Outputs, backward, begin_weights, forward
from clerestory.search.training.samples import Samples

Encode = Callable[
    [Array], tuple[Array, Array, Array]
]  # states (N, bytes) to features: own (N, seats, S), table (N, T), points
FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.99, 1e-8  # of AdamW
PARTS = ("weights", "mean", "square", "average")  # of the state of a fit, each shaped like the weights
RISING = 0.3  # share of the steps in which the learning rate rises
LOWEST = 0.02  # learning rate at the ends, relative to the highest


@dataclass(frozen=True, slots=True)
class Schedule:
    """The settings of a fit.

    Attributes:
        epochs: passes over all positions, above 0.
        batch: positions in a step.
        rate: highest learning rate, above 0.
        decay: weight decay, relative to the learning rate.
        lines: weight of the loss of lines.
        averaged: share of the steps, at the end, over which weights are averaged, 0 to 1 (Izmailov et al., arXiv
            1803.05407); with 0 the last weights count.
        seed: seed of the first weights and of the order of batches.
    """

    epochs: int = 10
    batch: int = 1024
    rate: float = 8e-3
    decay: float = 0.01
    lines: float = 0.05
    averaged: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every setting. Raises BadPlan."""
        for name in ("epochs", "batch", "rate"):
            if not getattr(self, name) > 0:
                raise BadPlan(f"{name}: {getattr(self, name)} is not a number above 0")
        if not 0 <= self.averaged <= 1:
            raise BadPlan(f"averaged: {self.averaged} is not between 0 and 1")


@dataclass(slots=True)
class Progress:
    """The state of a fit after some epochs.

    Attributes:
        epoch: number of epochs done.
        weights: weights in their training form.
        mean, square: running means of the gradient and of its square.
        average: mean of the weights over the last steps so far; zeros before them.
        losses: mean loss of each epoch.
    """

    epoch: int
    weights: NetWeights
    mean: NetWeights
    square: NetWeights
    average: NetWeights
    losses: list[float]

    def result(self, schedule: Schedule) -> NetWeights:
        """Return the weights of a finished fit: the mean of the last ones, or the last ones."""
        return self.average if schedule.averaged else self.weights


Supply = Callable[[Progress], Mapping[int, Samples]]  # samples of an epoch, by number of seats


def fit(
    samples: Mapping[int, Samples],
    encode: Encode,
    schedule: Schedule,
    *,
    start: NetWeights | None = None,
    kept: tuple[Path, dict[str, Any]] | None = None,
) -> Iterator[Progress]:
    """Fit weights to samples, and yield the state after every epoch, always the same object.

    If the fit was already finished, its state is yielded once.

    Args:
        samples: training samples by number of seats.
        encode: returns the features and the points of states.
        schedule: settings of the fit.
        start: weights to start from; None for random ones.
        kept: file of the state, and the header that identifies it.

    Raises BadData for a file of another fit, BadPlan if there is nothing to learn from.
    """
    return continued(lambda _: samples, encode, schedule, start or first_weights(samples, encode, schedule), kept)


def continued(
    supply: Supply, encode: Encode, schedule: Schedule, start: NetWeights, kept: tuple[Path, dict[str, Any]] | None
) -> Iterator[Progress]:
    """Fit weights to the samples that `supply` returns for each epoch; otherwise like `fit`."""
    progress = read_progress(*kept) if kept and kept[0].exists() else begin(start)
    if progress.epoch == schedule.epochs:
        yield progress
    while progress.epoch < schedule.epochs:
        progress.losses.append(take_epoch(progress, supply(progress), encode, schedule))
        progress.epoch += 1
        if kept:
            write_progress(*kept, progress)
        yield progress


def take_epoch(progress: Progress, samples: Mapping[int, Samples], encode: Encode, schedule: Schedule) -> float:
    """Take the steps of an epoch; return the mean loss."""
    found, losses = batches(samples, schedule, progress.epoch), []
    steps = len(found) * schedule.epochs
    for number, (seats, rows, lines) in enumerate(found, progress.epoch * len(found)):
        loss, gradient = gradient_of(progress.weights, samples[seats], encode, rows, lines, schedule.lines)
        step(progress, gradient, number, steps, schedule)
        average(progress, number, steps, schedule)
        losses.append(loss)
    return float(np.mean(losses))


def first_weights(samples: Mapping[int, Samples], encode: Encode, schedule: Schedule) -> NetWeights:
    """Return random weights for the features of samples. Raises BadPlan without samples."""
    states = next((part.positions.state for part in samples.values() if len(part.positions.state)), None)
    if states is None:
        raise BadPlan("games: there are too few to learn from")
    own, table, _ = encode(states[:1])
    return begin_weights(own.shape[2], table.shape[1], schedule.seed)


def begin(start: NetWeights) -> Progress:
    """Return the state before the first epoch."""
    weights = {name: array.copy() for name, array in start.items()}
    return Progress(0, weights, zeros(weights), zeros(weights), zeros(weights), [])


def zeros(weights: NetWeights) -> NetWeights:
    """Return zeros shaped like weights."""
    return {name: np.zeros_like(array) for name, array in weights.items()}


# -- one step --------------------------------------------------------------------------------------


def gradient_of(
    weights: NetWeights, samples: Samples, encode: Encode, rows: Array, lines: Array, share: float
) -> tuple[float, NetWeights]:
    """Return the loss and gradient of a batch: some positions, and some lines with the weight `share`."""
    positions = samples.positions.take(rows)
    value, gradient = through(
        weights, encode, positions.state, lambda outputs, points: loss_of_positions(outputs, points, positions)
    )
    if not len(lines):
        return value, gradient
    some = samples.lines.take(lines)
    more, other = through(weights, encode, some.state, lambda outputs, points: loss_of_lines(outputs, points, some))
    return value + share * more, {name: array + share * other[name] for name, array in gradient.items()}


def through(
    weights: NetWeights, encode: Encode, states: Array, loss: Callable[[Outputs, Array], Loss]
) -> tuple[float, NetWeights]:
    """Return a loss of the outputs for some states, and its gradient."""
    own, table, points = encode(states)
    outputs = forward(weights, own, table)
    value, d_score, d_strength = loss(outputs, points)
    kind = weights["bias"].dtype
    return value, backward(weights, outputs, d_score.astype(kind), d_strength.astype(kind))


def step(progress: Progress, gradient: NetWeights, number: int, steps: int, schedule: Schedule) -> None:
    """Take a step of AdamW; biases do not decay."""
    rate = schedule.rate * rate_at((number + 0.5) / steps)
    first, second = 1 - FIRST_DECAY ** (number + 1), 1 - SECOND_DECAY ** (number + 1)
    for name, array in progress.weights.items():
        mean, square = progress.mean[name], progress.square[name]
        mean += (1 - FIRST_DECAY) * (gradient[name] - mean)
        square += (1 - SECOND_DECAY) * (gradient[name] ** 2 - square)
        if "bias" not in name:
            array *= 1 - rate * schedule.decay
        array -= rate * (mean / first) / (np.sqrt(square / second) + TINY)


def average(progress: Progress, number: int, steps: int, schedule: Schedule) -> None:
    """Add the weights after a step to their average, if it is one of the last steps."""
    first = steps - max(round(schedule.averaged * steps), 1)
    if number < first:
        return
    for name, array in progress.average.items():
        array += (progress.weights[name] - array) / (number - first + 1)


def rate_at(place: float) -> float:
    """Return the learning rate at a point of the cycle, 0 to 1, relative to the highest."""
    if place < RISING:
        return LOWEST + (1 - LOWEST) * place / RISING
    fallen = (place - RISING) / (1 - RISING)
    return LOWEST + (1 - LOWEST) * 0.5 * (1 + float(np.cos(np.pi * fallen)))


# -- batches ---------------------------------------------------------------------------------------


def batches(samples: Mapping[int, Samples], schedule: Schedule, epoch: int) -> Sequence[tuple[int, Array, Array]]:
    """Return the shuffled batches of an epoch: number of seats, rows of positions, rows of lines in whole decisions."""
    luck = np.random.default_rng((schedule.seed, epoch))
    found = []
    for seats, part in sorted(samples.items()):
        pieces = -(-len(part.positions.seat) // schedule.batch)
        rows = np.array_split(luck.permutation(len(part.positions.seat)), max(pieces, 1))
        lines = whole_decisions(part.lines.decision, len(rows), luck)
        found += [(seats, *pair) for pair in zip(rows, lines, strict=True) if len(pair[0])]
    return [found[place] for place in luck.permutation(len(found))]


def whole_decisions(decision: Array, pieces: int, luck: np.random.Generator) -> list[Array]:
    """Return all rows divided into `pieces`, keeping the rows of a decision in one piece."""
    if not len(decision):
        return [decision] * pieces
    starts = np.flatnonzero(np.diff(decision, prepend=decision[0] - 1))
    ends = np.append(starts[1:], len(decision))
    return [
        np.concatenate([np.arange(starts[number], ends[number]) for number in np.sort(some)]) if len(some) else some
        for some in np.array_split(luck.permutation(len(starts)), pieces)
    ]


# -- on disk ---------------------------------------------------------------------------------------


def header_of(schedule: Schedule, **more: Any) -> dict[str, Any]:
    """Return the header of a fit's state."""
    return {"fit": 1, **asdict(schedule), **more}


def write_progress(path: Path, header: dict[str, Any], progress: Progress) -> None:
    """Save the state. Raises OSError, which names the file."""
    arrays = {f"{part}.{name}": array for part in PARTS for name, array in getattr(progress, part).items()}
    write_whole(path, with_header(header, {**arrays, "losses": np.array(progress.losses)}))


def read_progress(path: Path, header: dict[str, Any]) -> Progress:
    """Return the saved state. Raises BadData for a damaged file or one of another fit."""
    arrays = read_arrays(path)
    require_header(path, read_header(path, arrays), header)
    parts: dict[str, NetWeights] = {part: {} for part in PARTS}
    for name, array in arrays.items():
        part, _, weight = name.partition(".")
        if weight:
            parts[part][weight] = array
    losses = arrays["losses"].tolist()
    return Progress(len(losses), **parts, losses=losses)
