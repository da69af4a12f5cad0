"""The training loop: games, fit and gate for each generation, in a folder that lets a killed run resume.

learn.json                   the game, its cards and features, the seed
one-ply.net                  weights from games of one ply, if any were played
generation-0/2-players/      games, in chunks
             fit-0.npz       the state of a fit, until all fits of the generation are done
             figures.json    the candidate's predictions on held-out games
             candidate.net   its weights and priors
             gate/           games of its matches
             gate.json       their outcomes, and whether it passed
             value.net       the same with the outcomes, if it passed
report.html                  the curves
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from clerestory.engine.values.weights import Weights as ReadWeights
from clerestory.engine.values.weights import read_weights, write_weights
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.arena.results import lock
from clerestory.search.training.chunks import (
    GAMES_PER_CHUNK,
    play_chunks,
    read_games,
    require_header,
    stored,
    write_file,
)
from clerestory.search.training.columns import count, join
from clerestory.search.training.errors import BadData
from clerestory.search.training.figures import calibrated, figures, results_loss
from clerestory.search.training.fit import Progress, Schedule, fit, header_of
from clerestory.search.training.gate import GateOptions, play_gate
from clerestory.search.training.net import NetWeights, all_arrays, in_points, in_units, numpy_arrays
from clerestory.search.training.oneply import rehearse
from clerestory.search.training.plan import LearningPlan
from clerestory.search.training.priors import Decisions, decisions_of, figures_of_priors, fit_priors
from clerestory.search.training.report import page
from clerestory.search.training.samples import Samples, split, together

FADING = 0.5  # share of a generation's games used for training, relative to the next generation
PATIENCE = 2  # consecutive failed generations that end the run
GENTLY = 0.25  # factor of the learning rate for a fit that starts from learned weights
STARTS = (0.0, 0.5)  # shares of the first weights in a candidate: none, and the mean of the first and the fitted ones

Watch = Callable[[str, int, int], None]  # receives the name of a stage, its progress and its total


def silent(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of a run.

    Attributes:
        workers: number of games or deals played concurrently.
        crew: the worker pool.
        watch: receives progress.
    """

    workers: int = 1
    crew: Crew = on_processes
    watch: Watch = field(default=silent)


def learn(
    plan: LearningPlan, gate: GateOptions, out: Path, generations: int, resources: Resources
) -> Iterator[dict[str, Any]]:
    """Train, and yield the record of each generation; work already in the folder is not repeated.

    The run ends early if two generations in a row fail the gate. Raises BadLimit or BadBot for a match that cannot be
    played, BadData for a folder of another run or a damaged file, BadMatch if another run is using it, OSError if a
    file cannot be written.
    """
    for match in gate.matches(plan.load, plan.seats, plan.bot(None), plan.bot(None)):
        match.rehearse()  # fails before hours of games are played
    with opened(plan, out):
        failed = 0
        for generation in range(generations):
            record = take_generation(plan, gate, out, generation, resources)
            write_report(plan, out, generation + 1)
            yield record
            failed = 0 if record["gate"]["passed"] else failed + 1
            if failed == PATIENCE:
                return


def take_generation(
    plan: LearningPlan, gate: GateOptions, out: Path, generation: int, resources: Resources
) -> dict[str, Any]:
    """Play, fit and gate one generation, skipping finished work; return its record.

    A generation that has passed through the gate stays as it is, even if its games would be played differently today.
    """
    if is_gated(out, generation):
        return record_of(out, generation)
    rehearse_first(plan, out, resources)
    play(plan, out, generation, plan.seats, resources)
    if not (folder_of(out, generation) / "figures.json").exists():
        fit_generation(plan, out, generation, resources)
    gate_generation(plan, gate, out, generation, resources)
    return record_of(out, generation)


@contextmanager
def opened(plan: LearningPlan, out: Path) -> Iterator[None]:
    """Create the folder or check that it belongs to this plan, and lock it. Raises BadData, BadMatch."""
    require_ours(plan, out)
    with (out / "learn.lock").open("a+b") as file:
        lock(file)
        yield


def require_ours(plan: LearningPlan, out: Path) -> None:
    """Create the folder with the plan's header; if it exists, raise BadData unless its header is the plan's."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "learn.json"
    if path.exists():
        require_header(path, read_json(path), plan.header())
    else:
        write_json(path, plan.header())


def folder_of(out: Path, generation: int) -> Path:
    """Return the folder of a generation."""
    return out / f"generation-{generation}"


def games_of(out: Path, generation: int, seats: int) -> Path:
    """Return the folder of the games of a generation."""
    return folder_of(out, generation) / f"{seats}-players"


def best_value(out: Path, generation: int) -> Path | None:
    """Return the weights used in a generation: the last ones accepted by the gate before it."""
    paths = (folder_of(out, earlier) / "value.net" for earlier in reversed(range(generation)))
    return next((path for path in paths if path.exists()), None)


def is_gated(out: Path, generation: int) -> bool:
    """Return whether a generation has been gated."""
    return (folder_of(out, generation) / "gate.json").exists()


def due(out: Path) -> int:
    """Return the first generation that has not been gated."""
    generation = 0
    while is_gated(out, generation):
        generation += 1
    return generation


# -- games of one ply ------------------------------------------------------------------------------


def rehearse_first(plan: LearningPlan, out: Path, resources: Resources) -> None:
    """Learn from games of one ply, starting from the shipped value, if the plan has some and it was not done."""
    path, state, habits = one_ply(out), out / "one-ply.npz", plan.one_ply
    if not habits.rounds or path.exists():
        return
    schedule = replace(plan.schedule, epochs=habits.rounds, rate=plan.schedule.rate * GENTLY)
    progress = None
    for progress in rehearse(plan, schedule, state, workers=resources.workers, crew=resources.crew):
        resources.watch("games of one ply", progress.epoch * habits.games, habits.rounds * habits.games)
    assert progress is not None
    summary = {"one_ply": asdict(habits), "losses": progress.losses}
    write_weights(path, in_points(progress.weights), summary, game=plan.load())
    state.unlink()


def one_ply(out: Path) -> Path:
    """Return the file of the weights learned from games of one ply."""
    return out / "one-ply.net"


def first_weights(plan: LearningPlan, out: Path, generation: int) -> ReadWeights | None:
    """Return the initial weights for the fit of a generation, at first the shipped ones; None for random ones."""
    before = best_value(out, generation)
    rehearsed = one_ply(out) if before is None and one_ply(out).exists() else None
    return plan.weights(before or rehearsed)


# -- games -----------------------------------------------------------------------------------------


def play(plan: LearningPlan, out: Path, generation: int, seats: tuple[int, ...], resources: Resources) -> None:
    """Play the missing games of a generation."""
    value = best_value(out, generation)
    for players in seats:
        folder, done = games_of(out, generation, players), 0
        stage = f"generation {generation}: games of {players} players"
        resources.watch(stage, done := stored(folder, plan.chunks) * GAMES_PER_CHUNK, plan.games)
        selfplay = plan.selfplay(generation, players, value)
        for _ in play_chunks(selfplay, folder, plan.chunks, workers=resources.workers, crew=resources.crew):
            resources.watch(stage, done := done + GAMES_PER_CHUNK, plan.games)


# -- fit -------------------------------------------------------------------------------------------


def fit_generation(plan: LearningPlan, out: Path, generation: int, resources: Resources) -> None:
    """Fit candidates to the games of all generations, and keep the one that predicts results best."""
    folder, game = folder_of(out, generation), plan.load()
    material, start = gather(plan, out, generation), first_weights(plan, out, generation)
    found = [
        (one, share, calibrated(mixed(one.result(plan.schedule), start, share), material.calibration, game.inputs))
        for one in fits(plan, generation, material, start, folder, resources)
        for share in (STARTS if start else STARTS[:1])
    ]
    losses = [results_loss(weights, material.calibration, game.inputs) for _, _, weights in found]
    best, share, weights = found[losses.index(min(losses))]
    priors = fit_priors(game, material.decisions)
    summary = {
        **provenance(plan, generation, material),
        "schedule": asdict(plan.schedule),
        "fits": plan.fits,
        "start": None if start is None else start.checksum,
        "start_share": share,
        "losses": best.losses,
        "held_out": {str(seats): figures(weights, part, game.inputs) for seats, part in material.held_out.items()},
        "priors": {
            str(seats): figures_of_priors(game, seats, part, priors) for seats, part in material.decisions.items()
        },
    }
    write_weights(folder / "candidate.net", {**in_points(weights), "priors": priors}, summary, game=game)
    write_json(folder / "figures.json", summary)
    for path in folder.glob("fit-*.npz"):
        path.unlink()


def mixed(fitted: NetWeights, start: ReadWeights | None, share: float) -> NetWeights:
    """Return the weighted mean of the fitted and the first weights (Wortsman et al., arXiv 2203.05482)."""
    if start is None or not share:
        return fitted
    first = in_units(numpy_arrays(start))
    return {name: (1 - share) * array + share * first[name] for name, array in fitted.items()}


def fits(
    plan: LearningPlan,
    generation: int,
    material: "TrainingData",
    start: ReadWeights | None,
    folder: Path,
    resources: Resources,
) -> list[Progress]:
    """Return the final states of the fits of a generation, which differ in their seeds."""
    gentle = plan.schedule if start is None else replace(plan.schedule, rate=plan.schedule.rate * GENTLY)
    found, total = [], plan.fits * gentle.epochs
    for number in range(plan.fits):
        schedule = replace(gentle, seed=gentle.seed + number)
        progress = None
        for progress in fit_of(plan, schedule, material, start, folder / f"fit-{number}.npz"):
            resources.watch(f"generation {generation}: fit", number * schedule.epochs + progress.epoch, total)
        assert progress is not None
        found.append(progress)
    return found


def fit_of(
    plan: LearningPlan, schedule: Schedule, material: "TrainingData", start: ReadWeights | None, kept: Path
) -> Iterator[Progress]:
    """Fit from random or given weights, and yield the state after every epoch, once it is saved."""
    positions = {str(seats): len(part.positions.seat) for seats, part in material.learned.items()}
    begun = {} if start is None else {"start": start.checksum}
    header = header_of(schedule, positions=positions, **begun, **plan.header())
    weights = None if start is None else in_units(numpy_arrays(start))
    return fit(material.learned, plan.load().inputs, schedule, start=weights, kept=(kept, header))


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The data of a fit by number of seats: all games in the folders, even those beyond the plan.

    Attributes:
        games: number of games, by generation.
        learned: training samples of all generations, fewer of older ones.
        calibration: calibration samples of this generation; not trained on.
        held_out: evaluation samples of this generation; not used for training or calibration.
        decisions: full searches of this generation, for the priors.
    """

    games: dict[int, dict[int, int]]
    learned: dict[int, Samples]
    calibration: dict[int, Samples]
    held_out: dict[int, Samples]
    decisions: dict[int, Decisions]


def gather(plan: LearningPlan, out: Path, generation: int) -> TrainingData:
    """Return the data for the fit of a generation. Raises BadData."""
    found = TrainingData({}, {}, {}, {}, {})
    for seats in plan.seats:
        parts, found.games[seats] = [], {}
        for number in range(generation + 1):
            selfplay = plan.selfplay(number, seats, best_value(out, number))
            columns = join(read_games(selfplay, games_of(out, number, seats)))
            share = FADING ** (generation - number)
            some, found.calibration[seats], found.held_out[seats] = split(
                columns, learned=selfplay.learned, share=share
            )
            found.games[seats][number] = count(columns, "game")
            parts.append(some)
        found.learned[seats] = together(parts)
        found.decisions[seats] = decisions_of(plan.load(), columns)
    return found


def provenance(plan: LearningPlan, generation: int, material: TrainingData) -> dict[str, Any]:
    """Return a description of how the weights of a generation were made."""
    return {
        "made_by": f"clerestory {version('clerestory')}, NumPy {np.__version__}",
        "generation": generation,
        "seed": plan.seed,
        "seats": list(plan.seats),
        "games": material.games,
        "habits": asdict(plan.habits),
        "search": dict(plan.search),
        "one_ply": asdict(plan.one_ply),
        "positions": {str(seats): len(part.positions.seat) for seats, part in material.learned.items()},
        "lines": {str(seats): len(part.lines.seat) for seats, part in material.learned.items()},
    }


# -- gate ------------------------------------------------------------------------------------------


def gate_generation(plan: LearningPlan, gate: GateOptions, out: Path, generation: int, resources: Resources) -> None:
    """Play the candidate's matches; if it passes all of them, make it the new value."""
    folder = folder_of(out, generation)
    candidate, before = folder / "candidate.net", best_value(out, generation)
    matches = gate.matches(plan.load, plan.seats, plan.bot(candidate), plan.bot(before))
    played, stage = 0, f"generation {generation}: gate"

    def count(more: int) -> None:
        nonlocal played
        resources.watch(stage, played := played + more, len(matches) * gate.games)

    outcomes = list(
        play_gate(gate, matches, folder / "gate", workers=resources.workers, crew=resources.crew, count=count)
    )
    for outcome in outcomes:
        outcome["opponent"] = outcome["opponent"].replace(f"{out}/", "")  # independent of the folder's location
    verdict = {"passed": all(outcome["passed"] for outcome in outcomes), "matches": outcomes}
    if verdict["passed"]:
        weights = read_weights(candidate, plan.load())
        write_weights(
            folder / "value.net", all_arrays(weights), {**weights.provenance, "gate": verdict}, game=plan.load()
        )
    write_json(folder / "gate.json", verdict)


def record_of(out: Path, generation: int) -> dict[str, Any]:
    """Return the record of a finished generation."""
    folder = folder_of(out, generation)
    return {**read_json(folder / "figures.json"), "gate": read_json(folder / "gate.json")}


def write_report(plan: LearningPlan, out: Path, generations: int) -> None:
    """Write the report of the first `generations` generations."""
    text = page(plan.header(), [record_of(out, generation) for generation in range(generations)])
    write_file(out / "report.html", lambda file: file.write(text.encode()))


# -- files -----------------------------------------------------------------------------------------


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file. Raises BadData."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadData(path, f"cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise BadData(path, "is not a JSON object")
    return found


def write_json(path: Path, fields: Mapping[str, Any]) -> None:
    """Write an object atomically. Raises OSError, which names the file."""
    write_file(path, lambda file: file.write(json.dumps(fields, indent=1).encode()))
