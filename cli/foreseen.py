"""What a seat alone has been shown of what is to come: asked for at a table, kept off a screen that others see."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

from clerestory.cli.screen import actions_table
from clerestory.engine import Action, State


def ask_owner(
    console: Console, name: str, possible: Sequence[Action], read: Callable[[str], str | None]
) -> Action | None:
    """Return what somebody has been shown, of what it may have been; None where they would not say.

    Args:
        console: where it is asked.
        name: of the seat.
        possible: what it may have been.
        read: returns what is typed behind a prompt, without showing it; None at the end of input.
    """
    console.print(f"\n{name} alone has been shown what comes. Let nobody else look at the card, and type it:")
    console.print(actions_table((f"{number:>2}", action) for number, action in enumerate(possible, 1)))
    console.print("What is typed does not appear. Nothing: it is not said.")
    while typed := read(f"{name} alone> "):
        fits = fitting(possible, typed)
        if len(fits) == 1:
            return fits[0]
        console.print("That is none of them; the number will do.")
    return None


def fitting(possible: Sequence[Action], typed: str) -> list[Action]:
    """Return the outcomes that a number, a text or the end of one names."""
    if typed.isascii() and typed.isdigit():
        return list(possible[int(typed[:4]) - 1 : int(typed[:4])]) if int(typed[:4]) else []
    wanted = " ".join(typed.lower().split())
    return [action for action in possible if wanted in (action.text, action.text.split(" ", 1)[-1])]


def known(state: State, seed: int) -> State:
    """Return a position as the seat to decide knows it, what it has not said being any of the possibilities."""
    view = state.observe(state.turn)
    return view.deal(seed).observe(state.turn) if view.unsaid(state.turn) else view


def shareable(state: State) -> tuple[State, bool]:
    """Return what the seat to decide may leave on a screen that others see, and whether there is more."""
    view = state.observe(state.turn)
    more = view.unsay(state.turn)
    return view, more


@contextmanager
def out_of_sight(console: Console, hide: bool, read: Callable[[str], str | None]) -> Iterator[None]:
    """Show what is printed on a page of its own, until Enter is typed; off a terminal, and unless asked, as ever."""
    if not (hide and console.is_terminal):
        yield
        return
    with console.screen():
        yield
        read("Enter hides it again. ")
