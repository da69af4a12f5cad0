"""Choosing an action in the terminal: the numbered list of actions, and parsing the input."""

from collections.abc import Callable, Sequence
from itertools import groupby

from rich.console import Console

from clerestory.cli import locale
from clerestory.cli.screen import actions_table
from clerestory.engine import Action, Game

LISTED = 8  # actions listed when the input is ambiguous
HELP = ("help", "h")  # what is typed to see what can be typed


def show_actions(console: Console, game: Game, actions: Sequence[Action]) -> None:
    """Print the actions that there are, numbered and grouped by kind."""
    numbered = enumerate(actions, 1)
    for kind, group in groupby(numbered, key=lambda entry: locale.kind(game, entry[1].text)):
        console.print(f" {kind}", style="bold")
        console.print(actions_table(game, ((f"{number:>2}", action) for number, action in group)))


def find_action(console: Console, game: Game, legal: Sequence[Action], typed: str) -> Action | None:
    """Return the action among some that the input names, by its number, its text or its label; print why if none."""
    if typed.isascii() and typed.isdigit():
        number = int(typed[:4])
        if 1 <= number <= len(legal):
            return legal[number - 1]
        console.print(locale.say("choose.range", typed=typed[:20], last=len(legal)))
        return None
    wanted = " ".join(typed.lower().split())
    fits = fitting(game, legal, wanted, str.__eq__) or fitting(game, legal, wanted, str.startswith)
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(locale.called(game, action) for action in fits[:LISTED]) + (", ..." if len(fits) > LISTED else "")
    console.print(locale.say("choose.several" if fits else "choose.none", typed=repr(typed[:40]), names=names))
    return None


def fitting(game: Game, legal: Sequence[Action], wanted: str, fits: Callable[[str, str], bool]) -> list[Action]:
    """Return the actions whose text, or label outside of English, fits what is wanted."""
    return [
        action
        for action in legal
        if any(fits(name.lower(), wanted) for name in {action.text, locale.called(game, action)})
    ]
