"""Puzzles for people: drawn, shown, and judged."""

import json
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from clerestory.cli.choosing import find_action, show_actions
from clerestory.cli.options import BadOption
from clerestory.cli.screen import screen
from clerestory.engine import Game, Rng
from clerestory.review.puzzle import Puzzle, puzzles
from clerestory.seeds import drawn_seed

HELP = "Type an action, by its number or the beginning of its text; `show` for the answer, `quit` to leave."


def show_puzzle(one: Puzzle, action: str | None, *, as_json: bool) -> None:
    """Show a puzzle, or the verdict on an action. Raises BadOption if that is not legal."""
    if action is not None:
        judge(one, action, as_json=as_json)
    elif as_json:
        typer.echo(json.dumps(as_fields(one), indent=2))
    else:
        ask(one, screen())


def drawn(game: Game, level: int | None, seats: int | None, seed: int | None) -> Puzzle:
    """Return one of the puzzles that match. Raises BadOption if none does."""
    fitting = [one for one in puzzles(game) if level in (None, one.level) and seats in (None, one.seats)]
    if not fitting:
        which = f"is of {f'level {level}' if level else 'any level'} with {seats or 'any number of'} players"
        raise BadOption(f"--level, --seats: no puzzle of {game.name} {which}")
    return fitting[Rng(drawn_seed() if seed is None else seed).below(len(fitting))]


def as_fields(one: Puzzle) -> dict[str, Any]:
    """Return a puzzle for programs, without its answer."""
    return {
        "puzzle": one.number,
        "game": one.game.name,
        "level": one.level,
        "exact": one.exact,
        "seat": one.state.turn,
        "position": one.position,
    }


def judge(one: Puzzle, typed: str, *, as_json: bool) -> None:
    """Print the verdict on an action. Raises BadOption if it is not legal."""
    if typed not in one.losses:
        raise BadOption(f"--try: {typed[:80]!r} is no legal action; there are {', '.join(sorted(one.losses))}")
    loss = one.loss(typed)
    if as_json:
        verdict = {"puzzle": one.number, "action": typed, "right": one.solved_by(typed), "loss": round(loss, 4)}
        typer.echo(json.dumps(verdict | {"answer": one.answer.text, "reason": one.reason}))
        return
    screen().print(answer(one) if one.solved_by(typed) else wrong(loss))


def ask(one: Puzzle, console: Console) -> None:
    """Show a puzzle, and judge what is typed until it is solved."""
    state = one.state
    name = state.game.seat_name(state.turn)
    console.print(f"{state}\n")
    console.print(f"Puzzle {one.number} of {one.game.name}, found by level {one.level}.", style="bold")
    console.print(f"{name} is to decide. One action is clearly best: which?")
    show_actions(console, state.legal_actions())
    console.print(Text(HELP, style="dim"))
    while (typed := read(f"{name}> ")) not in (None, "quit", "show"):
        tried = find_action(console, state.legal_actions(), typed or "")
        if tried is not None and one.solved_by(tried.text):
            break
        if tried is not None:
            console.print(wrong(one.loss(tried.text)))
    if typed not in (None, "quit"):
        console.print(answer(one))


def read(prompt: str) -> str | None:
    """Return the next line typed, None at the end of input."""
    try:
        return input(prompt).strip()
    except (EOFError, UnicodeDecodeError):
        return None


def wrong(loss: float) -> str:
    """Return the message for a wrong action."""
    return f"No: that loses {100 * loss:.1f} % of a win."


def answer(one: Puzzle) -> str:
    """Return the answer with its reason and certainty."""
    why = f" {one.reason}" if one.reason else ""
    how = "solved to the end" if one.exact else "by a long search"
    best = f"{one.answer.label} ({one.answer.text})"
    return f"{best} is best.{why} The next best loses {100 * one.next_best_loss:.1f} % of a win ({how})."
