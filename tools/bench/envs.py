"""`clerestory bench envs`: steps per second of this package's environments, and of similar ones of other libraries.

Every contender plays games by a uniformly random policy written in Python, except the vector forms, which sample in C.
A step is a decision; chance events are part of it. Seconds are CPU time of the one thread, and the contenders take
turns, so their figures and ratios hold on a busy machine.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from random import Random
from statistics import median
from time import process_time
from typing import Annotated, Any

import typer

from clerestory.bench.loops import reference
from clerestory.cli.options import JsonOption, read_seconds
from clerestory.cli.screen import figures_table, screen, tracked

CHECKED_EVERY = 64  # steps between two looks at the clock
AEC_BASE, VECTOR_BASE = "texas_holdem", "gin_rummy"
Steps = Iterator[int]  # the numbers of steps taken, one at a time, for ever


@dataclass(frozen=True)
class Contender:
    """An environment that is measured.

    Attributes:
        name: name of the environment.
        by: the library, and the form of the environment.
        start: begins to play; raises ImportError if a package is missing.
    """

    name: str
    by: str
    start: Callable[[Random], Steps]


# -- policies --------------------------------------------------------------------------------------


def play_openspiel(game: str, module: str, luck: Random) -> Steps:
    """Play a game of OpenSpiel, with a module that registers it."""
    import pyspiel

    if module:
        import_module(module)
    rules = pyspiel.load_game(game)
    while True:
        state = rules.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                codes, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(luck.choices(codes, odds)[0])
            else:
                state.apply_action(luck.choice(state.legal_actions()))
                yield 1


def play_aec(name: str, luck: Random) -> Steps:
    """Play an environment of PettingZoo's registry."""
    env = registered(name)
    while True:
        env.reset(seed=luck.randrange(1 << 31))
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(luck.choice(seen["action_mask"].nonzero()[0]))
                yield 1


def play_vector(game: str, count: int, observation: str, luck: Random) -> Steps:
    """Play a VectorGame."""
    from clerestory.envs.vector import VectorGame

    games = VectorGame(game, count, observation=observation, copy=False)
    games.reset(seed=luck.randrange(1 << 31))
    while True:
        games.step(games.sample())
        yield count


def registered(name: str) -> Any:
    """Return an environment of PettingZoo's registry. Raises ImportError for a missing package."""
    import_module("clerestory.envs.pettingzoo")  # registers ours
    failed = import_module("pettingzoo.env_registry.exceptions").FailedToImport
    try:
        return import_module("pettingzoo").make("aec", name)
    except failed as error:
        raise error.__cause__ from None


def contenders(count: int) -> list[Contender]:
    """Return all contenders; vector forms have `count` games."""
    dominoes, spiel = "open_spiel.python.games.block_dominoes", "clerestory.envs.openspiel"
    found = [
        Contender("gin_rummy", "OpenSpiel C++", partial(play_openspiel, "gin_rummy", "")),
        Contender("hearts", "OpenSpiel C++", partial(play_openspiel, "hearts", "")),
        Contender(
            "python_block_dominoes", "OpenSpiel Python", partial(play_openspiel, "python_block_dominoes", dominoes)
        ),
        Contender("connect_four", "PettingZoo", partial(play_aec, "classic/connect_four-v3")),
        Contender("texas_holdem", "PettingZoo", partial(play_aec, "classic/texas_holdem-v4")),
    ]
    for game in ("cathedral", "duel"):
        found += [
            Contender(game, "OpenSpiel Python", partial(play_openspiel, f"clerestory_{game}", spiel)),
            Contender(game, "PettingZoo", partial(play_aec, f"clerestory/{game}-v0")),
            Contender(game, "VectorGame, features", partial(play_vector, game, count, "features")),
            Contender(game, "VectorGame, none", partial(play_vector, game, count, "none")),
        ]
    return found


# -- measuring -------------------------------------------------------------------------------------


def rate(steps: Steps, seconds: float) -> float:
    """Return the steps per second of CPU time over some time."""
    done, start = 0, process_time()
    while (spent := process_time() - start) < seconds:
        done += sum(next(steps) for _ in range(CHECKED_EVERY))
    return done / spent


def started(contender: Contender, seed: int) -> tuple[Steps | None, str]:
    """Return a contender that has taken a step, or the reason why it cannot."""
    try:
        steps = contender.start(Random(seed))
        next(steps)
    except ImportError as error:
        return None, f"missing: {error.name or error}"
    return steps, ""


def measure(found: list[Contender], seconds: float, runs: int, *, hidden: bool) -> list[dict[str, Any]]:
    """Measure all contenders in turn, `runs` times; return a row for each."""
    rows: list[dict[str, Any]] = [{"name": one.name, "by": one.by, "steps_per_s": None, "note": ""} for one in found]
    playing: dict[int, Steps] = {}
    for number, contender in enumerate(found):
        steps, rows[number]["note"] = started(contender, number)
        if steps is not None:
            playing[number] = steps
    rates: dict[int, list[float]] = {number: [] for number in playing}
    for _ in tracked(range(runs), "bench envs", runs, hidden=hidden, still=True):
        for number, steps in playing.items():
            rates[number].append(rate(steps, seconds))
    for number, values in rates.items():
        rows[number]["steps_per_s"] = median(values)
    return with_ratios(rows, rates)


def with_ratios(rows: list[dict[str, Any]], rates: dict[int, list[float]]) -> list[dict[str, Any]]:
    """Add the ratios to the two bases: medians of the ratios within a run, None where a base is missing."""
    for base in (AEC_BASE, VECTOR_BASE):
        of = next(number for number, row in enumerate(rows) if row["name"] == base)
        for number, row in enumerate(rows):
            pairs = zip(rates.get(number, []), rates.get(of, []), strict=False)
            row[f"of_{base}"] = median(ratios) if (ratios := [one / other for one, other in pairs]) else None
    return rows


def bench_envs(
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="CPU time of each contender in a run.")] = "1s",
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=100, help="Runs; medians are reported.")] = 3,
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, max=65536, help="Number of games in a vector environment.")
    ] = 256,
    as_json: JsonOption = False,
) -> None:
    """Steps per second of CPU time: our environments, and those of OpenSpiel and PettingZoo that are installed."""
    seconds = read_seconds(time, 0.01, 3600)
    rows = measure(contenders(count), seconds, runs, hidden=as_json)
    if as_json:
        about = {"bench": "envs", "seconds": seconds, "runs": runs, "count": count, "reference_ns": reference()}
        typer.echo(json.dumps({**about, "rows": rows}))
        return
    table = figures_table("", "game", "by", "steps/s", f"of {AEC_BASE}", f"of {VECTOR_BASE}")
    for row in rows:
        table.add_row(row["name"], row["by"], *shown(row))
    screen().print(table)


def shown(row: dict[str, Any]) -> list[str]:
    """Return the figures of a row as texts."""
    if row["steps_per_s"] is None:
        return [row["note"], "", ""]
    ratios = [row[f"of_{base}"] for base in (AEC_BASE, VECTOR_BASE)]
    return [f"{row['steps_per_s']:,.0f}", *("" if ratio is None else f"{ratio:,.2f}" for ratio in ratios)]
