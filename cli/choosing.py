"""Choosing an action in the terminal: the numbered list of actions, and parsing the input."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console

from clerestory.cli.screen import actions_table
from clerestory.engine import Action

LISTED = 8  # actions listed when the input is ambiguous


def show_actions(console: Console, actions: Sequence[Action]) -> None:
    """Print the actions that there are, numbered and grouped by kind."""
    numbered = enumerate(actions, 1)
    for kind, group in groupby(numbered, key=lambda entry: entry[1].text.split()[0]):
        console.print(f" {kind}", style="bold")
        console.print(actions_table((f"{number:>2}", action) for number, action in group))


def find_action(console: Console, legal: Sequence[Action], typed: str) -> Action | None:
    """Return the action among some that the input names; print why if there is none."""
    if typed.isascii() and typed.isdigit():
        number = int(typed[:4])
        if 1 <= number <= len(legal):
            return legal[number - 1]
        console.print(f"{typed[:20]}: the actions are 1 to {len(legal)}")
        return None
    wanted = " ".join(typed.lower().split())
    fits = [action for action in legal if action.text.lower() == wanted]
    fits = fits or [action for action in legal if action.text.lower().startswith(wanted)]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(action.text for action in fits[:LISTED]) + (", ..." if len(fits) > LISTED else "")
    problem = f"fits several actions: {names}" if fits else "is neither a legal action nor a command; type `help`"
    console.print(f"{typed[:40]!r} {problem}")
    return None
