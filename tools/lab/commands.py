"""The command line of a tool with several commands."""

import argparse
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Collection
from pathlib import Path

from clerestory.engine import GAMES
from tools.lab.json_lines import BadLines


def with_commands(text: str | None, *names: str) -> tuple[ArgumentParser, ...]:
    """Return the parser of a tool and those of its commands; the parsed `command` is the given name."""
    parser = ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    return parser, *map(commands.add_parser, names)


def gather_and(text: str | None, other: str, games: int) -> tuple[ArgumentParser, ArgumentParser]:
    """Return the parser of a tool that gathers from `games` games and then reads files, and the parser of `gather`."""
    parser, gathering, reading = with_commands(text, "gather", other)
    gathering.add_argument("game", choices=GAMES)
    gathering.add_argument("--seats", type=int, default=2)
    gathering.add_argument("--games", type=int, default=games)
    gathering.add_argument("--seed", type=int, default=0, help="of the first game")
    gathering.add_argument("--out", type=Path, required=True)
    reading.add_argument("files", type=Path, nargs="+")
    return parser, gathering


def play_and(text: str | None, other: str, games: Collection[str]) -> tuple[ArgumentParser, ArgumentParser]:
    """Return the parser of a tool that plays deals of a game and then reads their file, and the parser of `play`."""
    parser, playing, reading = with_commands(text, "play", other)
    playing.add_argument("game", choices=games)
    playing.add_argument("--deals", type=int, default=10)
    playing.add_argument("--seed", type=int, default=0, help="of the first deal")
    playing.add_argument("--out", type=Path, required=True)
    reading.add_argument("file", type=Path)
    return parser, playing


def run(main: Callable[[], None]) -> None:
    """Run a tool; report a file error in one line."""
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
    except BadLines as error:
        sys.exit(str(error))
