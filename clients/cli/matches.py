"""Games between bots: matches, steps that tune the options of a bot, and games of random players."""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import starmap
from pathlib import Path
from statistics import mean
from textwrap import fill
from typing import IO, Any, TextIO

import typer
from rich.console import Console
from rich.progress import track

from clerestory.cli.game_options import MatchOptions, WorkerOptions, loader
from clerestory.cli.options import BadOption, argument, plain, require_regular, writing
from clerestory.cli.remote_bots import REMOTE_BOTS, parse_any_bot
from clerestory.cli.screen import figures_table, progress_bar, screen
from clerestory.declared import declarations, in_words
from clerestory.engine import NATURE, Game, Record, State
from clerestory.search.arena.bots import BOTS, Decide, options_of, own_options
from clerestory.search.arena.match import Match, nature_of
from clerestory.search.arena.results import naming, open_lines, open_results
from clerestory.search.arena.revisions import settled
from clerestory.search.arena.series import Report, Side, play_match, report
from clerestory.search.arena.statistics import Sprt
from clerestory.search.arena.tune import TuningPlan, TuningStep, confirming_match, read_steps, tune
from clerestory.search.intervals import Interval
from clerestory.search.options import Options

MOST_ELO = 10_000  # of a test, either way: the share of the weaker player is 1e-25 then

INDENT = " " * 4
SEARCH = "Options of a search, with the defaults of ismcts-plain:"


def play_bots(
    bots: tuple[str, str],
    options: MatchOptions,
    games: int,
    out: Path | None,
    workers: WorkerOptions,
    sprt: str | None,
    luck: str = "",
) -> None:
    """Play a match of at least `games` games, and report it. Raises BadOption, BadMatch, BadBot."""
    test = None if sprt is None else read_sprt(sprt)
    require_regular("--out", out)
    deals = math.ceil(games / options.seats)
    for bot in bots:
        require_bot("BOT", bot)
    players = settled(bots[0]), settled(bots[1])
    game, budget = loader(options.game), options.budget()
    match = Match(game, options.seats, players, budget, options.seed, deals, luck, parse_any_bot)
    match.rehearse()
    outcome = play(match, out, workers, test)
    if options.as_json:
        typer.echo(json.dumps({**match.header(), "seed": options.seed, **finite(asdict(outcome))}))
    else:
        show(outcome, match, test)


def require_bot(name: str, bot: str) -> None:
    """Raise BadOption, which names the argument, for a text that describes no bot."""
    with argument(name):
        parse_any_bot(bot)


def read_sprt(text: str) -> Sprt:
    """Return the test of `ELO0,ELO1`. Raises BadOption."""
    numbers = re.fullmatch(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", text, re.ASCII)
    if numbers is None or not -MOST_ELO <= float(numbers[1]) < float(numbers[2]) <= MOST_ELO:
        limits = f"the lower first, from {-MOST_ELO} to {MOST_ELO}"
        raise BadOption(f"--sprt: {text[:80]!r} is not a pair of Elo differences like 0,10, {limits}")
    return Sprt(float(numbers[1]), float(numbers[2]))


def play(match: Match, out: Path | None, workers: WorkerOptions, sprt: Sprt | None = None) -> Report:
    """Play the games still missing, with a progress bar on standard error, and report."""
    with (
        telling_what_is_kept(out),
        open_results(out, match) as results,
        counting(match.deals * match.seats) as step,
    ):
        step(len(results.of(match)))
        with closing(play_match(match, results, workers=workers.number(), sprt=sprt, crew=workers.crew())) as games:
            for _ in games:
                step(1)
        outcome = report(match, results, sprt)
    assert outcome is not None
    return outcome


@contextmanager
def telling_what_is_kept(out: Path | None) -> Iterator[None]:
    """Print the file of the results so far, if any, when the user interrupts this block."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"\n{out} keeps what was played; the same command goes on with it", err=True)
        raise


@contextmanager
def counting(games: int) -> Iterator[Callable[[int], None]]:
    """Yield the function that counts finished games, and shows the progress."""
    done = 0
    with progress_bar("playing") as show:

        def count(more: int) -> None:
            nonlocal done
            done += more
            show("playing", done, games)

        yield count


def finite(fields: Any) -> Any:
    """Return the fields with None for infinities, which JSON lacks."""
    if isinstance(fields, dict):
        return {name: finite(value) for name, value in fields.items()}
    return None if isinstance(fields, float) and math.isinf(fields) else fields


# -- for people ------------------------------------------------------------------------------------


SIDE = ("bot", "score share", "mean score", "ms a move", "iterations a move")


def show(outcome: Report, match: Match, sprt: Sprt | None) -> None:
    """Print the two sides and the result of the match."""
    title = f"{match.load().name}, {match.seats} seats, {match.budget} a move: {outcome.games:,} games"
    table = figures_table(title, "", "A", "B")
    for row in zip(SIDE, side_cells(outcome.a), side_cells(outcome.b), strict=True):
        table.add_row(*row)
    screen().print(table)
    typer.echo(f"score share of A  {spread(outcome.score, '.1%')}  (even: {1 / match.seats:.1%})")
    typer.echo(f"Elo, A minus B     {spread(outcome.elo, '+.0f')}")
    typer.echo(f"margin of A       {spread(outcome.margin, '+.2f')}")
    if outcome.adjusted:
        typer.echo(f"without luck       {spread(outcome.adjusted, '.1%')}  (variance: {in_parts(outcome.noise)})")
    if sprt and outcome.llr is not None:
        low, high = sprt.bounds
        typer.echo(
            f"SPRT {sprt.elo0:g},{sprt.elo1:g}  {outcome.verdict}, ratio {outcome.llr:.2f} of {low:.2f}, {high:.2f}"
        )


def in_parts(noise: float | None) -> str:
    """Return the variance that is left without luck."""
    return "unknown" if noise is None else f"{noise:.0%} of that with luck"


def side_cells(side: Side) -> tuple[str, ...]:
    """Return the cells of a side, as SIDE names them."""
    value = "-" if side.value is None else f"{side.value:.2f}"
    return side.bot, f"{side.score:.1%}", value, f"{side.ms_per_move:.2f}", f"{side.iterations_per_move:,.0f}"


def spread(interval: Interval, style: str) -> str:
    """Return a figure with its interval."""
    return f"{interval.mean:{style}}  [{interval.low:{style}}, {interval.high:{style}}]"


# -- tuning ----------------------------------------------------------------------------------------


def tune_and_confirm(
    tuning: TuningPlan, games: int, confirm: int, out: Path | None, workers: WorkerOptions, *, as_json: bool
) -> None:
    """Take steps of at least `games` games, play `confirm` games of the result against the start, and report."""
    require_regular("--out", out)
    wanted, deals = math.ceil(games / tuning.games_per_step), math.ceil(confirm / tuning.seats)
    tuning.rehearse(wanted * tuning.deals + deals)
    steps = all_steps(tuning, wanted, out, workers)
    match = confirming_match(tuning, steps, deals)
    match.rehearse()
    outcome = play(match, out and out.with_suffix(f".after-{len(steps)}{out.suffix}"), workers)
    report_tuning(tuning, steps, outcome, as_json=as_json)


def all_steps(tuning: TuningPlan, wanted: int, out: Path | None, workers: WorkerOptions) -> list[TuningStep]:
    """Return all steps, running those still missing, with a progress bar on standard error."""
    with (
        telling_what_is_kept(out),
        step_file(out, tuning) as (file, done),
        counting(wanted * tuning.games_per_step) as count,
    ):
        count(len(done) * tuning.games_per_step)
        steps = done[:wanted]
        with workers.crew()(workers.number()) as run, closing(tune(tuning, wanted, run, file, steps)) as taken:
            for step in taken:
                steps = [*steps, step]
                count(tuning.games_per_step)
    return steps


@contextmanager
def step_file(out: Path | None, tuning: TuningPlan) -> Iterator[tuple[IO[bytes] | None, list[TuningStep]]]:
    """Open the file of steps, if one was named; yield it and the steps it holds."""
    if out is None:
        yield None, []
        return
    with open_lines(out, tuning.header()) as (file, lines):
        with naming(out):
            steps = read_steps(lines, len(tuning.ranges))
        yield file, steps


def report_tuning(tuning: TuningPlan, steps: list[TuningStep], outcome: Report, *, as_json: bool) -> None:
    """Print the best point, the start, and the result of the confirming match."""
    best, start = outcome.a.bot, outcome.b.bot
    games = len(steps) * tuning.games_per_step
    if as_json:
        fields = {"best": best, "start": start, "steps": len(steps), "games": games}
        typer.echo(json.dumps({**tuning.header(), **fields, "confirmed": finite(asdict(outcome))}))
        return
    console = screen()
    console.print(f"best   {best}  after {len(steps):,} steps, {games:,} games")
    console.print(f"start  {start}")
    console.print(f"{outcome.games:,} games of the best against the start, intervals of 95 %:")
    console.print(f"score share  {spread(outcome.score, '.1%')}  (even: {1 / tuning.seats:.1%})")
    console.print(f"Elo          {spread(outcome.elo, '+.0f')}")


# -- the list of the bots --------------------------------------------------------------------------


def bots_in_words() -> str:
    """Return every bot and every option of a search, as commands list them."""
    return "\n\n".join([*starmap(bot_lines, {**BOTS, **REMOTE_BOTS}.items()), SEARCH, *search_lines()])


def bot_lines(name: str, decide: Decide) -> str:
    """Return what a bot does, and its options with their defaults."""
    own = [f"{option}={default}".rstrip("=") for option, default in own_options(decide).items()]
    others = ["those of a search"] if len(options_of(decide)) > len(own) else []
    options = f"Options: {', '.join([*own, *others])}." if own or others else "No options."
    about = plain_text(decide.__doc__ or "")
    return f"{name}\n{indented(about)}\n{indented(options)}"


def search_lines() -> list[str]:
    """Return the options of a search: default, range, meaning."""
    return [
        f"{name}={in_words(Options.__dataclass_fields__[name].default, declared)}\n"
        f"{indented(plain_text(plain(declared.meaning)))}\n{indented(f'Must be {declared.range}.')}"
        for name, declared in declarations(Options).items()
    ]


def plain_text(text: str) -> str:
    """Return a docstring as one paragraph, without marks."""
    return " ".join(text.replace("`", "").split())


def indented(text: str) -> str:
    """Return a paragraph wrapped to the terminal."""
    return fill(text, min(screen().width, 100), initial_indent=INDENT, subsequent_indent=INDENT)


# -- games of random players -----------------------------------------------------------------------


def simulate_games(rules: Game, seats: int, seeds: range, out: Path | None, *, as_json: bool) -> None:
    """Play a game of random players for each seed, and print the means."""
    tally = GameCounts()
    progress = Console(stderr=True)
    with record_file(out) as file:
        for number in track(seeds, "playing", console=progress, disable=not progress.is_terminal):
            state = random_game(rules, seats, number, tally)
            if file:
                file.writelines(line + "\n" for line in Record(state, number).lines())
    report_counts(rules, tally, as_json=as_json)


@dataclass
class GameCounts:
    """Counts over games.

    Attributes:
        plies: of each game, decisions and chance events together.
        events: chance events of all games.
        choices: decisions of all games with more than one legal action.
        returns: win share of each seat, by game.
        values: final score of each seat, by game.
    """

    plies: list[int] = field(default_factory=list)
    events: int = 0
    choices: int = 0
    returns: list[tuple[float, ...]] = field(default_factory=list)
    values: list[tuple[float, ...]] = field(default_factory=list)

    def meet(self, state: State, legal: Sequence[int]) -> None:
        """Count a ply that is about to be played."""
        self.events += state.turn == NATURE
        self.choices += state.turn != NATURE and len(legal) > 1

    def add(self, state: State) -> None:
        """Count a finished game."""
        self.plies.append(state.plies)
        self.returns.append(state.win_shares())
        if state.game.has_guide:
            self.values.append(state.value())

    def figures(self) -> dict[str, object]:
        """Return the means."""
        games = len(self.plies)
        return {
            "games": games,
            "plies_per_game": mean(self.plies),
            "chance_events_per_game": self.events / games,
            "decisions_per_game": (sum(self.plies) - self.events) / games,
            "choices_per_game": self.choices / games,
            "win_share": [mean(column) for column in zip(*self.returns, strict=True)],
            "score": [mean(column) for column in zip(*self.values, strict=True)],
        }


def random_game(game: Game, seats: int, seed: int, tally: GameCounts) -> State:
    """Return a finished game of uniformly random players, with its history, and count it; the seed determines all."""
    state, rng = game.new(seats, seed), nature_of(seed)
    while not state.over:
        legal = state.legal_codes()
        tally.meet(state, legal)
        state.play(state.draw(rng) if state.turn == NATURE else legal[rng.below(len(legal))])
    tally.add(state)
    return state


@contextmanager
def record_file(path: Path | None) -> Iterator[TextIO | None]:
    """Open the file for records, if one is wanted."""
    if path is None:
        yield None
    else:
        with writing(path), path.open("w", encoding="utf-8") as file:
            yield file


def report_counts(game: Game, tally: GameCounts, *, as_json: bool) -> None:
    """Print the means, as JSON or as a table by seat."""
    figures = tally.figures()
    if as_json:
        typer.echo(json.dumps(figures))
        return
    title = f"{len(tally.plies):,} games, {mean(tally.plies):.1f} plies each"
    table = figures_table(title, "seat", "win share", "mean score")
    for seat, share in enumerate(zip(*tally.returns, strict=True)):
        score = f"{mean(row[seat] for row in tally.values):.2f}" if tally.values else "-"
        table.add_row(game.seat_name(seat), f"{mean(share):.1%}", score)
    screen().print(table)
