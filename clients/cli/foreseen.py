"""Coming events shown to one seat only: entered at a physical table, and hidden on a shared screen."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

from clerestory.cli import locale
from clerestory.cli.screen import actions_table
from clerestory.engine import Action, Game, State


def ask_owner(
    console: Console, game: Game, seat: int, possible: Sequence[Action], read: Callable[[str], str | None]
) -> Action | None:
    """Ask a player which of the possible outcomes was shown; return it, or None without an answer.

    Args:
        console: for the dialogue.
        game: that is played.
        seat: whose card it is.
        possible: the possible outcomes.
        read: shows a prompt and returns the input without echoing it; None at the end of input.
    """
    name = locale.seat(game, seat)
    console.print(f"\n{locale.say('shown.ask', who=name)}")
    console.print(actions_table(game, ((f"{number:>2}", action) for number, action in enumerate(possible, 1))))
    console.print(locale.say("shown.unseen"))
    while typed := read(f"{locale.say('shown.prompt', who=name)}> "):
        fits = fitting(possible, typed)
        if len(fits) == 1:
            return fits[0]
        console.print(locale.say("shown.none"))
    return None


def fitting(possible: Sequence[Action], typed: str) -> list[Action]:
    """Return the outcomes that a number, a text or the end of one names."""
    if typed.isascii() and typed.isdigit():
        return list(possible[int(typed[:4]) - 1 : int(typed[:4])]) if int(typed[:4]) else []
    wanted = " ".join(typed.lower().split())
    return [action for action in possible if wanted in (action.text, action.text.split(" ", 1)[-1])]


def known(state: State, seed: int) -> State:
    """Return the view of the seat to decide, with a guess for an event that it has been shown but not entered."""
    view = state.observe(state.turn)
    return view.determinize(seed).observe(state.turn) if view.private_outcomes(state.turn) else view


def shareable(state: State) -> tuple[State, bool]:
    """Return the part of the seat's view that others may see, and whether there is more."""
    view = state.observe(state.turn)
    more = view.clear_private_outcome(state.turn)
    return view, more


@contextmanager
def out_of_sight(console: Console, hide: bool, read: Callable[[str], str | None]) -> Iterator[None]:
    """Print on a separate screen until Enter; print normally if there is no terminal or without `hide`."""
    if not (hide and console.is_terminal):
        yield
        return
    with console.screen():
        yield
        read(locale.say("shown.hide"))
