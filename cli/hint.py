"""`clerestory hint`: a ranked table of what can be done, out of a search in this process."""

import json
import secrets
from collections.abc import Iterator
from contextlib import nullcontext
from time import monotonic
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from clerestory.cli.options import BadOption, JsonOption, read_file
from clerestory.cli.recommend import in_json
from clerestory.cli.table import Row, lines_table
from clerestory.clients.wire import position_message, read_time
from clerestory.engine import NATURE, State, from_position
from clerestory.search import Result, Searcher, StopReason
from clerestory.search.options import shipped
from clerestory.server.translate import read_question, write_answer, write_statistics
from clerestory.v1.advisor_pb2 import RecommendMoveRequest, RecommendMoveResponse

SLICE = 0.2  # seconds between two pictures of a search that is watched
SEED_BITS = 53
SHOWN_PLIES = 6  # of a variation


def hint(
    position: Annotated[str, typer.Argument(help="A position file, or - for standard input.")],
    time: Annotated[str, typer.Option(help="As in 500ms or 2s.")] = "1s",
    lines: Annotated[int, typer.Option(min=1, max=128, help="Lines to show.")] = 5,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Trees to search side by side.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, max=2**64 - 1, help="Of the search's luck; else drawn.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show the table while it sharpens.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rank the legal actions of the seat to decide: best first, what each loses to the best, and how play goes on."""
    state = from_position(read_file(position))
    seconds = read_time(time)
    if not 0 < seconds < 3600:
        raise BadOption(f"--time: {time} is not above 0 and below an hour")
    searcher = Searcher(state, seed=secrets.randbits(SEED_BITS) if seed is None else seed, **shipped(state.seats))
    result = None
    console = Console()
    with Live(console=console) if watch and not as_json else nullcontext() as live:
        for result in sharpen(searcher, seconds, SLICE if watch else seconds, threads):
            if live is not None:
                live.update(ranking(state, result, lines, console.width))
    assert result is not None
    result = searcher.explain(result, lines=max(lines, 2))
    if as_json:
        typer.echo(json.dumps(in_json(as_answer(state, result)), indent=2))
    elif not watch:
        console.print(ranking(state, result, lines, console.width))
    if not as_json and (more := goes_on(state, result)):
        typer.echo(more)
    if not as_json and result.reason:
        typer.echo(f"{result.reason} It is the best line with a probability of {result.certainty:.0%}.")


def as_answer(state: State, result: Result) -> RecommendMoveResponse:
    """Return a result as a server would answer it."""
    question = read_question(RecommendMoveRequest(position=position_message(state), iterations=1))
    return write_answer(
        question,
        result,
        None if question.chance else result.best,
        statistics=write_statistics(result, certainty=0.0 if question.chance else result.certainty, waited=0.0),
        reproducible=result.threads == 1,
    )


def sharpen(searcher: Searcher, seconds: float, step: float, threads: int) -> Iterator[Result]:
    """Yield the result every so many seconds, and last at the end of the time."""
    deadline = monotonic() + seconds
    while True:
        result = searcher.run(deadline=min(deadline, monotonic() + step), threads=threads)
        yield result
        if monotonic() >= deadline or result.stop_reason == StopReason.STOPPED:
            return


def ranking(state: State, result: Result, lines: int, width: int) -> Table:
    """Return the table of the first lines; win shares in percent have their standard error."""
    seat = max(result.seat, 0)
    name, count = state.game.seat_name(seat), f"({result.iterations:,} iterations)"
    title = f"what may come up, for {name} {count}" if state.turn == NATURE else f"{name}: {result.best.label} {count}"
    rows = [
        Row(
            line.action,
            line.label,
            f"{100 * line.win_shares[seat]:.1f} ±{100 * line.standard_errors[seat]:.1f}",
            line.margin,
            line.loss,
            line.visits,
        )
        for line in result.lines[:lines]
    ]
    return lines_table(title, rows, state, width)


def goes_on(state: State, result: Result) -> str:
    """Say how play goes on after the best line, in plain English; "" where nothing is sure to follow."""
    labels = [state.game.parse_action(text).label for text in result.best.principal_variation[1:SHOWN_PLIES]]
    return f"goes on: {', '.join(labels)}" if labels else ""
