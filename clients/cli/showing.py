"""Prints positions and records, for people or as JSON."""

import json
import sys

import typer

from clerestory.cli import locale
from clerestory.cli.game_files import number_of_games, read_position, record_lines, recorded, replayed
from clerestory.cli.options import BadOption
from clerestory.cli.screen import actions_table, ended, ending, outcome_of, screen, tracked
from clerestory.engine import NATURE, Record, State
from clerestory.engine.positions.envelope import position_file
from clerestory.engine.scoring import point_sources
from clerestory.service_errors import no_seat


def show_position(text: str, seat: int | None, *, as_json: bool) -> None:
    """Print a position, for None with all that it holds, and its legal actions. Raises BadPosition."""
    state = read_position(text)
    if seat is not None:
        state = known_to(state, seat)
    if as_json:
        typer.echo(json.dumps({"position": state.to_position(), "turn": state.turn, "legal": legal(state)}, indent=2))
        return
    console = screen()
    console.print(f"{locale.picture(state)}\n\n{turn_line(state)}")
    if not state.over:
        console.print(actions_table(state.game, (("", action) for action in state.legal_actions())))


def known_to(state: State, seat: int) -> State:
    """Return a position as a seat knows it. Raises BadOption for one that does not exist."""
    if seat >= state.seats:
        raise BadOption(f"--seat: {no_seat(seat, state.seats)}")
    return state.observe(seat)


def turn_line(state: State) -> str:
    """Return a sentence on whose turn it is."""
    if state.over:
        return locale.say("over", shares="; ".join(locale.figure(share, 2) for share in state.win_shares()))
    if state.turn == NATURE:
        return locale.say("play.due")
    return locale.say("play.decide", who=locale.seat(state.game, state.turn))


def legal(state: State) -> list[dict[str, str]]:
    """Return the texts and labels of the legal actions."""
    return [{"text": action.text, "label": action.label} for action in state.legal_actions()]


def replay_records(path: str, ply: int | None, *, brief: bool, as_json: bool) -> None:
    """Print how games of a file ended, or a position of the first one. Raises BadOption."""
    if ply is not None:
        position = position_at(next(recorded(path)).state, ply).to_position()
        typer.echo(json.dumps(position_file(position), indent=2))
        return
    show = print_summary if as_json else print_brief if brief else print_ending
    lines = record_lines(path)
    hidden = as_json or on_terminal()  # where the games themselves show how far it is
    games = tracked(replayed(path, lines), locale.say("status.replay"), number_of_games(lines), hidden=hidden)
    for number, played in enumerate(games, 1):
        show(number, played)


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def print_summary(number: int, record: Record) -> None:
    """Print a game as a line of JSON."""
    typer.echo(json.dumps(summary(number, record)))


def print_brief(number: int, record: Record) -> None:
    """Print a game as a line of text."""
    typer.echo(f"{heading(number, record)}: {how_it_ended(record)}")


def print_ending(number: int, record: Record) -> None:
    """Print a game in several lines, with where its points come from."""
    end = ending(record.state) if record.state.over else [how_it_ended(record)]
    screen().print("\n".join([heading(number, record), *end]))


def position_at(end: State, ply: int) -> State:
    """Return the position after `ply` plies of a game. Raises BadOption."""
    if ply > end.plies:
        raise BadOption(f"--ply: {ply} is past the end; the game has {end.plies} moves")
    state = end.copy(history=True)
    while state.plies > ply:
        state.undo()
    return state


def heading(number: int, record: Record) -> str:
    """Return which game it is."""
    state = record.state
    seats, plies = locale.say("seats", count=state.seats), locale.say("plies", count=state.plies)
    about = {"number": number, "game": locale.title(state.game), "seats": seats, "plies": plies}
    if record.seed is None:
        return locale.say("replay.game", **about)
    return locale.say("replay.game.seed", **about, seed=str(record.seed))


def how_it_ended(record: Record) -> str:
    """Return how a game ended, in a sentence."""
    return f"{ended(record)}." if record.state.over or record.early else locale.say("replay.unfinished")


def summary(number: int, record: Record) -> dict[str, object]:
    """Return a summary of a game, for programs."""
    state = record.state
    return {
        "number": number,
        "game": state.game.name,
        "seats": state.seats,
        "seed": record.seed,
        "plies": state.plies,
        "returns": list(state.win_shares()) if state.over else None,
        "margins": list(state.margins()) if state.over else None,
        "outcome": outcome_of(record) or None,
        "points": point_sources(state) if state.over else None,
    }
