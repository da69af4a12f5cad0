"""`clerestory bench engine`, `search` and `budget`: the speed of this machine, with a reference timed beside it."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import monotonic
from timeit import timeit
from typing import Annotated, Any

import typer

from clerestory.bench.loops import copies, random_games, random_playouts, reference
from clerestory.cli.options import (
    DEFAULT_GAME,
    BadOption,
    GameOption,
    JsonOption,
    SeatsOption,
    chosen_game,
    grouped,
    read_seconds,
)
from clerestory.cli.positions import first_decision
from clerestory.cli.screen import figures_table, screen, tracked
from clerestory.engine import State
from clerestory.engine.core import Game
from clerestory.percentiles import percentile
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe

COPIES = 1_000_000
BUDGETS = 0.001, 60.0  # seconds
BOTS: Mapping[str, Callable[[Game, int], Mapping[str, Any]]] = {  # options
    "ismcts": shipped,
    "ismcts-plain": lambda *_: {},
}


@dataclass(frozen=True)
class EngineFigures:
    """Uniformly random games from setup to end, decks dealt, chance events included, on one core."""

    games_per_s: float
    ns_per_ply: float  # a ply is any decision or chance event
    plies_per_game: float
    copy_ns: float  # memcpy of a position, in C
    python_copy_ns: float  # State.copy()
    state_bytes: int
    reference_ns: float  # one step of a fixed C loop


@dataclass(frozen=True)
class SearchFigures:
    """A search from the first decision of a game."""

    iterations_per_s: float
    overhead_us: float  # an iteration minus its random playout, if any; meaningful with one thread only
    of_independent: float  # iterations/s, relative to the same number of independent searches just before and after
    of_as_large: float  # the same, with trees as large as the shared one: large trees are slower anyway
    nodes: int
    bytes: int
    bytes_per_iteration: float
    reference_ns: float


def engine_run(game: Game, seats: int, seconds: float, seed: int) -> EngineFigures:
    """Measure once."""
    before = reference()
    games, plies, spent = random_games(game, seats, seconds, seed)
    state = game.new(seats, seed)
    return EngineFigures(
        games_per_s=games / spent,
        ns_per_ply=1e9 * spent / plies,
        plies_per_game=plies / games,
        copy_ns=1e9 * copies(state, COPIES) / COPIES,
        python_copy_ns=1e9 * timeit(state.copy, number=COPIES // 10) / (COPIES // 10),
        state_bytes=game.state_bytes,
        reference_ns=median((before, reference(), reference())),
    )


def search_run(threads: int, bot: str, game: Game, seats: int, seconds: float, seed: int) -> SearchFigures:
    """Measure once: half of the time for playouts alone, to subtract them, and half for the search.

    With several threads, the same number of independent searches take half of that time before it, and half after it;
    then others grow trees as large as the shared one.
    """
    position = first_decision(game.name, seats, seed)
    playouts, _, playing = random_playouts(position, seconds / 2, seed)
    options = BOTS[bot](game, seats)
    apart = independent(position, threads, options, seconds=seconds / 2) if threads > 1 else 0.0
    result = Searcher(observe(position), seed=seed, **options).run(seconds=seconds / 2, threads=threads)
    together = result.iterations / result.elapsed
    as_large = 0.0
    if threads > 1:
        apart = (apart + independent(position, threads, options, seconds=seconds / 2)) / 2
        as_large = independent(position, threads, options, iterations=result.iterations)
    playout = playing / playouts if options.get("horizon") is None else 0.0
    return SearchFigures(
        iterations_per_s=together,
        overhead_us=1e6 * (result.elapsed / result.iterations - playout),
        of_independent=together / apart if apart else 1.0,
        of_as_large=together / as_large if as_large else 1.0,
        nodes=result.nodes,
        bytes=result.tree_bytes,
        bytes_per_iteration=result.tree_bytes / result.iterations,
        reference_ns=median((reference(), reference(), reference())),
    )


def independent(position: State, threads: int, options: Mapping[str, Any], **limits: Any) -> float:
    """Return the iterations per second of concurrent searches, one per thread and each with a separate tree."""
    searchers = [Searcher(observe(position), seed=seed, **options) for seed in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(lambda searcher: searcher.run(**limits), searchers))
    return math.fsum(result.iterations / result.elapsed for result in results)


def overruns(position: State, budget: float, seeds: Iterable[int]) -> list[float]:
    """Return how many milliseconds after its deadline a shipped search of each seed returned its result."""
    late, options = [], shipped(position.game, position.seats)
    for seed in seeds:
        searcher = Searcher(observe(position), seed=seed, **options)
        started = monotonic()
        searcher.run(seconds=budget)
        late.append(1e3 * (monotonic() - started - budget))
    return late


def medians(runs: list[Any]) -> dict[str, float]:
    """Return each figure's median over the runs; counts stay whole."""
    columns = {name: [getattr(run, name) for run in runs] for name in asdict(runs[0])}
    return {name: type(values[0])(median(values)) for name, values in columns.items()}


def report(about: dict[str, Any], results: list[Any], *, as_json: bool) -> None:
    """Print the medians of runs."""
    figures = medians(results)
    if as_json:
        typer.echo(json.dumps({**about, "runs": len(results), **figures}))
        return
    title = ", ".join(f"{name} {value}" for name, value in about.items())
    table = figures_table(title, "figure", "median", "least", "most")
    for name, values in rows(results, figures):
        table.add_row(name, *values)
    screen().print(table)


def rows(results: list[Any], figures: dict[str, float]) -> Iterator[tuple[str, list[str]]]:
    """Yield each figure with its median, minimum and maximum."""
    for name, middle in figures.items():
        values = [getattr(result, name) for result in results]
        yield name, [shown(value) for value in (middle, min(values), max(values))]


def shown(value: float) -> str:
    """Format a figure for display, with two decimals below 1000."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{0 if value >= 1000 else 2}f}"


@dataclass(frozen=True, slots=True)
class Runs:
    """The options of a game's benchmarks: game, duration and number of runs."""

    game: GameOption = DEFAULT_GAME
    seats: SeatsOption = 2
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Time of each run.")] = "1s"
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=100, help="Runs; medians are reported.")] = 3
    as_json: JsonOption = False

    def report(self, bench: str, run: Callable[[Game, int, float, int], Any], **about: Any) -> None:
        """Run the requested number of times, with seeds from 0, and print the medians. Raises BadOption."""
        rules = chosen_game(self.game, self.seats)
        seconds = read_seconds(self.time, 0.01, 3600)
        seeds = tracked(range(self.runs), f"bench {bench}", self.runs, hidden=self.as_json, still=True)
        results = [run(rules, self.seats, seconds, seed) for seed in seeds]
        title = {"bench": bench, "game": self.game, "seats": self.seats, "seconds": seconds, **about}
        report(title, results, as_json=self.as_json)


RUNS = Runs()


@grouped()
def bench_engine(runs: Runs = RUNS) -> None:
    """Random games from setup to end on one core."""
    runs.report("engine", engine_run)


@grouped()
def bench_search(
    runs: Runs = RUNS,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, max=256, help="Threads that search one tree.")
    ] = 1,
    bot: Annotated[str, typer.Option("--bot", metavar="BOT", help=f"One of {', '.join(BOTS)}.")] = "ismcts",
) -> None:
    """Searches from the first decision of a game, a core for each thread."""
    if bot not in BOTS:
        raise BadOption(f"--bot: {bot!r} is not one of {', '.join(BOTS)}")
    runs.report("search", partial(search_run, threads, bot), threads=threads, bot=bot)


def bench_budget(
    game: GameOption = DEFAULT_GAME,
    seats: SeatsOption = 2,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Time budget of a search.")] = "100ms",
    count: Annotated[int, typer.Option("--count", metavar="N", min=2, max=100_000, help="Number of searches.")] = 200,
    as_json: JsonOption = False,
) -> None:
    """How far searches overrun their time budget, on one core, in milliseconds."""
    chosen_game(game, seats)
    seconds = read_seconds(time, *BUDGETS)
    budget_ms = 1e3 * seconds
    seeds = tracked(range(count), "bench budget", count, hidden=as_json, still=True)
    late = overruns(first_decision(game, seats, 0), seconds, seeds)
    figures = {"p50": median(late), "p99": percentile(late, 99), "max": max(late)}
    about = {"bench": "budget", "game": game, "seats": seats, "budget_ms": budget_ms, "count": count}
    if as_json:
        typer.echo(json.dumps({**about, "overrun_ms": figures, "reference_ns": reference()}))
        return
    typer.echo(
        f"overrun of {count} searches of {budget_ms:g} ms: " + ", ".join(f"{k} {v:.3f} ms" for k, v in figures.items())
    )
