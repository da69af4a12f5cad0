"""Tables of actions: the name of each kind of action, and its number of codes."""

from collections.abc import Iterable
from typing import NamedTuple


class Thing(NamedTuple):
    """Something an action names: its id in texts, its name in labels."""

    id: str
    name: str


class ActionKind(NamedTuple):
    """One kind of action: its first code, its text and label, and what each of its codes names."""

    code: int
    text: str  # with ids in place of the braces
    label: str  # with names in place of the braces
    named: tuple[tuple[Thing, ...], ...]


def plain(code: int, text: str, label: str) -> ActionKind:
    """A kind with a single action that names nothing."""
    return ActionKind(code, text, label, ((),))


def single(code: int, text: str, label: str, things: Iterable[Thing]) -> ActionKind:
    """A kind whose actions name one thing each."""
    return ActionKind(code, text, label, tuple((thing,) for thing in things))


def things(names: Iterable[object]) -> tuple[Thing, ...]:
    """Things with the same name in labels and texts, such as numbers."""
    return tuple(Thing(str(name), str(name)) for name in names)


def texts(kinds: Iterable[ActionKind]) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order.

    Raises AssertionError if a kind does not begin where the previous one ends.
    """
    actions: list[tuple[str, str]] = []
    for kind in kinds:
        if kind.code != len(actions):
            there = f"the kinds before it have {len(actions)} codes"
            raise AssertionError(f"{kind.text!r} begins at code {kind.code}; {there}")
        for named in kind.named:
            ids, names = [thing.id for thing in named], [thing.name for thing in named]
            actions.append((kind.text.format(*ids), kind.label.format(*names)))
    return actions
