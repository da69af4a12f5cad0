"""Conditions on a position, as data: predicates such as `["players.0.vp", ">=", {"before": 2}]`."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from clerestory.engine.core import Action, State

MOST_POSITIONS = 20_000  # positions to search for the maximum of a field
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "has": lambda found, wanted: any(fnmatchcase(one, wanted) for one in found),
    "lacks": lambda found, wanted: not any(fnmatchcase(one, wanted) for one in found),
}


class Condition(NamedTuple):
    """A condition on a position.

    Attributes:
        field: path of a field in the position: `players.0.gold`.
        compare: one of the keys of COMPARED.
        value: a number or a text; `{"before": 2}`: 2 more than at the beginning of the task; `{"field": "cost"}`: the
            value of that field; `{"most": 0}`: the maximum that the learner could have reached, minus that number.
    """

    field: str
    compare: str
    value: Any


class Start(NamedTuple):
    """The beginning of a task: the position, and the patterns of the learner's actions."""

    state: State
    allow: tuple[str, ...]


def fields_of(state: State) -> Mapping[str, Any]:
    """Return the fields of a position."""
    found: Mapping[str, Any] = state.to_position()[state.game.name]
    return found


def field_of(fields: Any, path: str) -> Any:
    """Return a field by its path. Raises KeyError or IndexError if it does not exist."""
    for word in path.split("."):
        fields = fields[int(word)] if isinstance(fields, list) else fields[word]
    return fields


def hold(conditions: Iterable[Condition], state: State, start: Start) -> bool:
    """Return whether all conditions hold for a position."""
    fields = fields_of(state)
    return all(COMPARED[one.compare](field_of(fields, one.field), wanted(one, fields, start)) for one in conditions)


def wanted(one: Condition, fields: Mapping[str, Any], start: Start) -> Any:
    """Return the value that a condition compares with."""
    if not isinstance(one.value, dict):
        return one.value
    ((kind, value),) = one.value.items()
    if kind == "field":
        return field_of(fields, value)
    if kind == "most":
        return most(one.field, start) - value
    return field_of(fields_of(start.state), one.field) + value


def most(path: str, start: Start) -> Any:
    """Return the maximum of a field that the learner can reach before another player's turn."""
    seat, open_ = start.state.turn, [start.state.copy()]
    seen: set[int] = set()
    best = field_of(fields_of(start.state), path)
    while open_:
        state = open_.pop()
        best = max(best, field_of(fields_of(state), path))
        for action in allowed(state, seat, start.allow):
            after = state.copy()
            after.play(action)
            if after.key() not in seen and len(seen) < MOST_POSITIONS:
                seen.add(after.key())
                open_.append(after)
    return best


def allowed(state: State, seat: int, patterns: Sequence[str]) -> list[Action]:
    """Return the legal actions of a seat that match a pattern; [] if it is not the seat's turn."""
    if state.turn != seat:
        return []
    return [action for action in state.legal_actions() if matches(action.text, patterns)]


def matches(text: str, patterns: Sequence[str]) -> bool:
    """Return whether an action matches one of the patterns, in which `*` matches anything."""
    return any(fnmatchcase(text, pattern) for pattern in patterns)
