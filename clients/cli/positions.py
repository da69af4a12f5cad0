"""`clerestory new`, `show`, `replay`, `rules` and `simulate`: commands on positions, records and cards."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import (
    DEFAULT_GAME,
    BadOption,
    GameOption,
    GivenGameOption,
    JsonOption,
    SeatsOption,
    SeedOption,
    chosen_game,
    position_in,
    read_text,
    writing,
)

if TYPE_CHECKING:
    from clerestory.engine import State


CheckOption = Annotated[
    Path | None,
    typer.Option(
        "--check",
        metavar="FILE",
        help="Print only what differs in this catalogue; the exit code is 1 if anything does.",
    ),
]

MAX_SEED = 2**64 - 1


# -- clerestory new --------------------------------------------------------------------------------


def new(
    name: GameOption,
    seats: SeatsOption = 2,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write; standard output by default.")] = None,
) -> None:
    """Write the position at the first decision of a game, hidden cards included."""
    from clerestory.engine.positions.envelope import position_file

    text = json.dumps(position_file(first_decision(name, seats, seed).to_position()), indent=2)
    if out is None:
        typer.echo(text)
    else:
        with writing(out):
            out.write_text(text + "\n")


def first_decision(name: str, seats: int, seed: int) -> "State":
    """Return the first position at which a seat decides."""
    from clerestory.engine import Rng  # with the games, which help does not need

    rng = Rng(seed)
    state = chosen_game(name, seats).new(seats, rng)
    state.play_nature(rng)
    return state


# -- clerestory show and replay --------------------------------------------------------------------


def show(
    position: Annotated[str, typer.Argument(metavar="POSITION", help="A position file, or - for standard input.")],
    seat: Annotated[int | None, typer.Option(metavar="N", min=0, help="Show only what this seat knows.")] = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a position and its legal actions."""
    from clerestory.cli.showing import show_position

    speak(language, as_json=as_json)
    text = read_text(position)
    with position_in(position):
        show_position(text, seat, as_json=as_json)


def replay(
    record: Annotated[str, typer.Argument(metavar="RECORD", help="A file of records, or - for standard input.")],
    ply: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Print only the position after this many plies (decisions and chance events) of the first game.",
        ),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Print one line per game, without points.")] = False,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded games, check every line, and print the results.

    If the last game is incomplete, even in the middle of a line, it is shown as unfinished.
    """
    from clerestory.cli.showing import replay_records

    speak(language, as_json=as_json)
    replay_records(record, ply, brief=brief, as_json=as_json)


# -- clerestory schema -----------------------------------------------------------------------------


def schema(
    name: Annotated[str, typer.Argument(metavar="NAME", help="position, record, catalogue or openapi.")],
) -> None:
    """Print the JSON Schema of a position file, a line of a record or a card catalogue, or OpenAPI of the HTTP API."""
    from clerestory.engine.schemas import SCHEMAS
    from clerestory.server.gateway.openapi import openapi

    known = {**SCHEMAS, "openapi": openapi}
    if name not in known:
        raise BadOption(f"NAME: {name!r} is not one of {', '.join(known)}")
    typer.echo(json.dumps(known[name](), indent=2))


# -- clerestory rules ------------------------------------------------------------------------------


def rules(
    game: GivenGameOption = None,
    check: CheckOption = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the card catalogue in use, with the source of every value, or how another catalogue differs from it."""
    from clerestory.cli.cards import check_catalogue, show_cards

    names = speak(language, as_json=as_json)
    if check is not None:
        check_catalogue(check, game, names, as_json=as_json)
    else:
        show_cards(chosen_game(game or DEFAULT_GAME), names, as_json=as_json)


# -- clerestory simulate ---------------------------------------------------------------------------


def simulate(
    game: GameOption,
    seats: SeatsOption = 2,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=10_000_000, help="Number of games.")] = 100,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every game in this file, as JSON lines.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play games at random; game i has the seed SEED + i."""
    if seed + games - 1 > MAX_SEED:
        raise BadOption(f"--seed: must be at most {MAX_SEED - games + 1} for {games} games")
    from clerestory.cli.matches import simulate_games

    simulate_games(chosen_game(game, seats), seats, range(seed, seed + games), out, as_json=as_json)
