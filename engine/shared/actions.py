"""Tables of actions: the name of each kind of action, and its number of codes."""

from collections.abc import Iterable
from typing import NamedTuple


class Named(NamedTuple):
    """Something that an action names: its id in texts and its name in labels."""

    id: str
    name: str


class ActionKind(NamedTuple):
    """A kind of action: its first code, its text and label, and what each of its codes names."""

    code: int
    text: str  # with braces for ids
    label: str  # with braces for names
    names: tuple[tuple[Named, ...], ...]


def plain(code: int, text: str, label: str) -> ActionKind:
    """Return a kind with a single action that names nothing."""
    return ActionKind(code, text, label, ((),))


def single(code: int, text: str, label: str, each: Iterable[Named]) -> ActionKind:
    """Return a kind whose actions each name one of these."""
    return ActionKind(code, text, label, tuple((one,) for one in each))


def named(names: Iterable[object]) -> tuple[Named, ...]:
    """Return things that have the same name in labels and texts, such as numbers."""
    return tuple(Named(str(name), str(name)) for name in names)


def texts(kinds: Iterable[ActionKind]) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order.

    Raises AssertionError if a kind does not begin where the previous one ends.
    """
    actions: list[tuple[str, str]] = []
    for kind in kinds:
        if kind.code != len(actions):
            there = f"the kinds before it have {len(actions)} codes"
            raise AssertionError(f"{kind.text!r} begins at code {kind.code}; {there}")
        for names in kind.names:
            text = kind.text.format(*(one.id for one in names))
            actions.append((text, kind.label.format(*(one.name for one in names))))
    return actions
