"""`clerestory hint`: a ranked table of the legal actions, from a search in this process."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from time import monotonic
from typing import Annotated

import typer
from rich.console import Group

from clerestory.advice.allowance import TimeBudget
from clerestory.advice.answer import Answer, remarks_on
from clerestory.advice.question import Terms, pose
from clerestory.cli.answers import answer_view
from clerestory.cli.options import BadOption, JsonOption, read_file
from clerestory.cli.recommend import in_json
from clerestory.cli.screen import redrawing, screen
from clerestory.clients.wire import read_answer, read_time
from clerestory.engine import State, from_position
from clerestory.search import Result, Searcher, StopReason
from clerestory.search.options import shipped
from clerestory.search.root import observe
from clerestory.seeds import drawn_seed
from clerestory.server.translate_answers import write_recommendation
from clerestory.v1.advisor_pb2 import RecommendMoveResponse

SLICE = 0.2  # seconds between updates with --watch


def hint(
    position: Annotated[str, typer.Argument(help="A position file, or - for standard input.")],
    time: Annotated[str, typer.Option(metavar="TIME", help="Time of the search, as in 500ms or 2s.")] = "1s",
    lines: Annotated[int, typer.Option(metavar="N", min=1, max=128, help="Actions to show, best first.")] = 5,
    threads: Annotated[
        int, typer.Option(metavar="N", min=1, max=256, help="Threads that search, each a tree of its own.")
    ] = 1,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the search; random by default.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Update the table while the search runs.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rank the legal actions, best first, with what each loses to the best and how play may continue."""
    state = from_position(read_file(position))
    seconds = read_time(time)
    if not 0 < seconds < 3600:
        raise BadOption(f"--time: must be above 0 and below an hour, not {time}")
    drawn = drawn_seed() if seed is None else seed
    searcher = Searcher(observe(state), seed=drawn, **shipped(state.game, state.seats))
    console = screen()
    with nullcontext(lambda _: None) if as_json else redrawing(console) as show:
        for result in sharpen(searcher, seconds, SLICE if watch else seconds, threads):
            if watch:
                show(view(state, result, lines, console.width))
        result = searcher.explain(result, lines=max(lines, 2))
        show(view(state, result, lines, console.width))
    if as_json:
        typer.echo(json.dumps(in_json(as_message(state, result)), indent=2))


def view(state: State, result: Result, lines: int, width: int) -> Group:
    """Return a result as it is shown on a screen of `width` columns."""
    return answer_view(read_answer(as_message(state, result, lines)), state, width)


def as_message(state: State, result: Result, lines: int = 0) -> RecommendMoveResponse:
    """Return a result as a server would send it, with at most `lines` lines; 0: all."""
    question, budget = pose(state, Terms(iterations=1)), TimeBudget(0.0, None, 0.0)
    return write_recommendation(Answer(question, result, remarks_on(result), budget, waited=0.0), lines)


def sharpen(searcher: Searcher, seconds: float, step: float, threads: int) -> Iterator[Result]:
    """Yield the result every `step` seconds, and finally when the time is up."""
    deadline = monotonic() + seconds
    while True:
        result = searcher.run(deadline=min(deadline, monotonic() + step), threads=threads)
        yield result
        if monotonic() >= deadline or result.stop_reason == StopReason.STOPPED:
            return
