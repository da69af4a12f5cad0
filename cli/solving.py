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
from clerestory.review.puzzle import PLAN_SEPARATOR, Puzzle, puzzles
from clerestory.search.reasons import in_english
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
    """Print the verdict on an action or a plan. Raises BadOption if it is not legal."""
    texts = [text.strip() for text in typed.split(PLAN_SEPARATOR.strip()) if text.strip()]
    try:
        loss = one.loss(texts or [typed])
    except KeyError:
        answers = ", ".join(sorted(action.text for action in one.state.legal_actions()))
        raise BadOption(f"--try: {typed[:80]!r} is no legal action; there are {answers}") from None
    if as_json:
        verdict = {"puzzle": one.number, "action": typed, "right": one.solved_by(texts), "loss": round(loss, 4)}
        typer.echo(json.dumps(verdict | {"answer": one.best, "reason": reason(one)}))
        return
    screen().print(answer(one) if one.solved_by(texts) else wrong(loss))


def ask(one: Puzzle, console: Console) -> None:
    """Show a puzzle, and judge what is typed until it is solved."""
    name = one.game.seat_name(one.state.turn)
    console.print(f"{one.state}\n")
    console.print(f"Puzzle {one.number} of {one.game.name}, found by level {one.level}.", style="bold")
    console.print(f"{name} is to decide. One {'plan' if one.is_plan else 'action'} is clearly best: which?")
    show_actions(console, one.state.legal_actions())
    console.print(Text(HELP, style="dim"))
    while texts := tried(one, console, f"{name}> "):
        if one.solved_by(texts):
            console.print(answer(one))
            return
        console.print(wrong(one.loss(texts)))
    if texts is not None:
        console.print(answer(one))


def tried(one: Puzzle, console: Console, prompt: str) -> list[str] | None:
    """Return the actions of the next try, one or those of a plan; [] to show the answer, None to leave."""
    state, texts = one.state, list[str]()
    while not one.is_whole(texts):
        typed = read(prompt)
        if typed in (None, "quit", "show"):
            return [] if typed == "show" else None
        found = find_action(console, state.legal_actions(), typed or "")
        if found is not None:
            state.play(found.text)
            texts.append(found.text)
            console.print("" if one.is_whole(texts) else "The plan goes on.")
    return texts


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
    why = f" {reason(one)}" if one.reasons else ""
    how = "solved to the end" if one.exact else "by a long search"
    best = f"{', then '.join(action.label for action in one.answer)} ({one.best})"
    return f"{best} is best.{why} The next best loses {100 * one.next_best_loss:.1f} % of a win ({how})."


def reason(one: Puzzle) -> str:
    """Return what the answer gains and gives up, in English."""
    return in_english(one.reasons, one.game.name)
