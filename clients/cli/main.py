"""The command `clerestory`: the table of its commands, and the exit code of each kind of error."""

import os
import signal
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from clerestory import __version__
from clerestory.cli.lazy import group

# By their full names, because an error can only come from a module that was imported.
BAD_INPUT = {
    "clerestory.cli.options.BadOption",
    "clerestory.clients.errors.BadConnection",
    "clerestory.clients.errors.BadRequest",
    "clerestory.clients.errors.NotNow",
    "clerestory.server.gateway.config.BadGatewaySettings",
    "clerestory.engine.errors.GameError",
    "clerestory.search.training.errors.LearnError",
    "clerestory.server.lessons.lesson.NoLesson",
    "clerestory.search.review.puzzle.NoPuzzle",
    "clerestory.search.errors.SearchError",
    "clerestory.declared.BadSettings",
}
MAY_PASS = {"clerestory.declared.Unreachable"}  # though they are bad input as well
FAILURES = {"clerestory.clients.errors.AdvisorError", "builtins.OSError"}
BENCH = "clerestory.bench"  # the package of the benchmarks

app = group(
    {
        "Play and ask": {
            "play": ("Play a game in the terminal against bots.", "play:play"),
            "recommend": ("Recommend a move in a position.", "play:recommend"),
            "analyze": ("Show the best lines of a position as they improve.", "play:analyze"),
            "hint": ("Rank the actions of a position, with reasons.", "play:hint"),
            "annotate": ("Review a recorded game: what decided it, how much was luck.", "annotate:annotate_record"),
            "report": ("Summarize a player's reviewed games: where points are lost.", "annotate:report_games"),
            "lesson": ("Learn a game in short lessons.", "play:learn"),
            "puzzle": ("Show a position with one best action; judge an answer.", "play:solve"),
        },
        "Serve": {
            "serve": ("Serve advice, games and a web page until stopped.", "serve:serve"),
            "doctor": ("Check what this machine can serve, and its settings.", "serve:doctor"),
            "store": ("Back up, restore, check and migrate hosted games.", "serve:store"),
            "web": ("Serve the web page of a server that runs elsewhere.", "serve:web"),
            "mcp": ("Run an MCP server for AI assistants.", "serve:mcp"),
            "health": ("Check whether a server is serving.", "access:health"),
        },
        "Positions and records": {
            "new": ("Write the first position of a game.", "positions:new"),
            "show": ("Print a position and its legal actions.", "positions:show"),
            "schema": ("Print a JSON Schema, or the description of the HTTP API.", "positions:schema"),
            "rules": ("Print the card catalogue in use.", "positions:rules"),
            "replay": ("Check recorded games and print their results.", "positions:replay"),
            "simulate": ("Play games at random.", "positions:simulate"),
        },
        "Research": {
            "arena": ("Play matches between two bots to find the stronger one.", "arena:arena"),
            "tune": ("Tune options of a bot by the games it wins.", "arena:tune"),
            "learn": ("Train a value network by self-play.", "learn:learn"),
            "bench": ("Measure the speed of engine, search and service.", "main:bench"),
        },
        "Install": {
            "completion": ("Print a script for shell completion.", "completion:complete"),
            "manual": ("Write manual pages.", "completion:write_manual"),
        },
    },
    "An AI opponent and analyst for The Pillars of the Earth and Builders Duel.",
)

bench = group(
    {
        "Benchmarks": {
            "service": (
                "The overhead of the service, and the lateness of its answers.",
                f"{BENCH}.service:bench_service",
            ),
            "early": ("The time that early stopping saves, and how often it is wrong.", f"{BENCH}.early:bench_early"),
            "manners": (
                "How the play of characters differs from that of plain bots of their level.",
                f"{BENCH}.manners:bench_manners",
            ),
            "value": ("Evaluations of positions from games, on one core.", f"{BENCH}.value:bench_value"),
            "engine": ("Random games from setup to end on one core.", f"{BENCH}.speed:bench_engine"),
            "search": ("Searches from the first decision of a game.", f"{BENCH}.speed:bench_search"),
            "budget": ("How far searches overrun their time budget.", f"{BENCH}.speed:bench_budget"),
            "envs": ("Steps per second of reinforcement learning environments.", f"{BENCH}.envs:bench_envs"),
        }
    },
    "Benchmarks: of speed, with a reference loop timed beside it, of early ends, and of the manners of characters.",
)


def say_version(wanted: bool) -> None:
    """Print the version, and end."""
    if wanted:
        typer.echo(f"clerestory {__version__}")
        raise typer.Exit


@app.callback()
def common(
    catalogue: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            envvar="CLERESTORY_CATALOGUE",
            help="Card catalogue to use instead of the shipped one; may be given once for each game.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001  # its callback does the work
        bool, typer.Option("--version", callback=say_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Handle the options that come before every command."""
    if catalogue:
        from clerestory.cli.options import use_catalogue

        for path in catalogue:
            use_catalogue(path)


def main() -> None:
    """Run the command: exit code 2 for bad input, 1 for any other failure, one line on stderr for either."""
    signal.signal(signal.SIGTERM, end)
    replace_what_cannot_be_shown()
    try:
        app()
    except Exception as error:
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
        if not kinds & (BAD_INPUT | FAILURES):
            raise
        fail(error, 2 if kinds & BAD_INPUT and not kinds & MAY_PASS else 1)


def replace_what_cannot_be_shown() -> None:
    """Write ? for what the encoding of the terminal lacks, and nothing to a standard error that is closed."""
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115  # open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def end(number: int, _: Any) -> NoReturn:
    """Exit as after an error when a signal comes, so that open resources are closed."""
    sys.exit(128 + number)


def fail(error: Exception, code: int) -> NoReturn:
    """End with an error."""
    file = isinstance(error, OSError) and (error.filename or full_output(error))
    text = f"{file}: {error.strerror}" if isinstance(error, OSError) and file else error_text(error)
    typer.echo(f"clerestory: {' '.join(text.split())}", err=True)
    sys.exit(code)


def full_output(error: OSError) -> str:
    """Return the name of standard output if that is what has no space left, "" for another cause.

    Nothing is written to it any more: Python would try again at the end, and report the failure in its own words.
    """
    from clerestory.sizes import NO_ROOM

    if error.errno in NO_ROOM and sys.stdout is not None:
        try:
            print(flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return "standard output"
    return ""


def error_text(error: Exception) -> str:
    """Return what an error says: faults in the language of the terminal, all else in English."""
    translated = getattr(error, "in_language", None)
    if translated is None:
        return str(error)
    from clerestory.cli.language import language_named

    return str(translated(language_named(sys.argv)))
