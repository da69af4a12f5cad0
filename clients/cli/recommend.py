"""`clerestory recommend`: the best move in a position, and what speaks for it."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from clerestory.clients import Advisor, Recommendation
from clerestory.clients.cli.embedded import embedded_server
from clerestory.clients.cli.options import JsonOption, read_file
from clerestory.engine import from_position

MAX_NUMBER = 2**64 - 1
DEFAULT_TIME = "1s"


def recommend(
    position: Annotated[str, typer.Argument(help="A position file, or - for standard input.")],
    time: Annotated[
        str | None, typer.Option(help=f"As in 500ms or 2s; {DEFAULT_TIME} if there are no iterations either.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, max=MAX_NUMBER, help="Of the search, at most.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="The seat to decide; else taken from the position.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=MAX_NUMBER, help="Of the search's luck; else drawn.")] = None,
    server: Annotated[str | None, typer.Option(help="HOST:PORT; else a server of its own is started.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what the seat to decide should play, with what it can know."""
    text = read_file(position)
    if time is None and iterations is None:
        time = DEFAULT_TIME
    if server is None:
        with embedded_server("--workers", "1") as target:
            answer = ask(target, text, time, iterations, seat, seed)
    else:
        answer = ask(server, text, time, iterations, seat, seed)
    if as_json:
        typer.echo(json.dumps(asdict(answer), indent=2))
    else:
        show(answer, from_position(text).game.seat_name(answer.seat))


def ask(
    target: str, position: bytes, time: str | None, iterations: int | None, seat: int | None, seed: int | None
) -> Recommendation:
    """Return a server's advice. Raises AdvisorError."""
    with Advisor(target) as advisor:
        return advisor.recommend(position, time, seat=seat, iterations=iterations, seed=seed)


def show(answer: Recommendation, player: str) -> None:
    """Print a table of the lines, best first, and the figures of the search."""
    table = Table(title=f"{player}: {answer.best.text}")
    table.add_column("action")
    table.add_column("meaning")
    for heading in ("visits", "availability", "win share"):
        table.add_column(heading, justify="right")
    for line in answer.lines:
        share = f"{line.win_shares[answer.seat]:.1%}"
        table.add_row(line.action.text, line.action.label, f"{line.visits:,}", f"{line.availability:,}", share)
    console = Console()
    console.print(table)
    console.print(
        f"{answer.iterations:,} iterations in {answer.elapsed:.3f} s, ended by {answer.stop_reason}; "
        f"{answer.nodes:,} information sets, {answer.depth} decisions deep; seed {answer.seed}",
        soft_wrap=True,
    )
