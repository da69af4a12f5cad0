"""The command `clerestory`."""

import signal
import sys
from typing import Any, NoReturn

import typer

from clerestory.cli.annotate import annotate_record
from clerestory.cli.arena import arena
from clerestory.cli.bench import bench
from clerestory.cli.hint import hint
from clerestory.cli.learn import learn
from clerestory.cli.new import new
from clerestory.cli.options import BadOption, common
from clerestory.cli.play import play
from clerestory.cli.puzzle import solve
from clerestory.cli.recommend import analyze, recommend
from clerestory.cli.rules import rules
from clerestory.cli.serve import serve
from clerestory.cli.show import replay, show
from clerestory.cli.simulate import simulate
from clerestory.cli.tune import tune
from clerestory.cli.web import web
from clerestory.clients import AdvisorError, BadConnection, BadRequest, NotNow
from clerestory.door.config import BadDoor
from clerestory.engine import GameError
from clerestory.learn.errors import LearnError
from clerestory.review.puzzle import NoPuzzle
from clerestory.search import SearchError
from clerestory.server.config import BadSettings

BAD_INPUT = (
    *(BadOption, BadConnection, BadRequest, NotNow, GameError, SearchError, NoPuzzle, LearnError, BadSettings, BadDoor),
)
FAILURES = (AdvisorError, OSError)

app = typer.Typer(
    help="An AI opponent and analyst for board games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.callback()(common)
app.command()(serve)
app.command()(web)
app.command()(recommend)
app.command()(analyze)
app.command()(play)
app.command()(hint)
app.command()(new)
app.command()(show)
app.command()(simulate)
app.command()(replay)
app.command("annotate")(annotate_record)
app.command("puzzle")(solve)
app.command()(rules)
app.command()(arena)
app.command()(tune)
app.command()(learn)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command: exit code 2 for bad input, 1 for any other failure, one line on stderr for either."""
    signal.signal(signal.SIGTERM, end)
    try:
        app()
    except BAD_INPUT as error:
        fail(error, 2)
    except FAILURES as error:
        fail(error, 1)


def end(number: int, _: Any) -> NoReturn:
    """Exit as after an error when a signal comes, so that open resources are closed."""
    sys.exit(128 + number)


def fail(error: Exception, code: int) -> NoReturn:
    """End with an error."""
    typer.echo(f"clerestory: {' '.join(str(error).split())}", err=True)
    sys.exit(code)
