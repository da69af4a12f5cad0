"""Plans: how often a seat does each of several things whose order is only a matter of form.

A game says what can be planned, and finds actions in an order that its rules accept.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from clerestory.engine.core import State


class Possible(NamedTuple):
    """Something that can be planned.

    Attributes:
        item: the card or type.
        kind: first word of its actions.
        most: how often at most, if everything else is as planned; 0 if the plan itself has no order.
    """

    item: str
    kind: str
    most: int


class Fault(NamedTuple):
    """Why a plan has no order.

    Attributes:
        item: what is to blame, "" for the whole plan.
        code: `unknown`, `capacity`, `goods`, `needs`, `gold` or `count`.
        most: the limit that is exceeded; 0 if there is none.
        times: what the plan takes of it.
        thing: the type of goods or the card that is lacking, "" for none.
    """

    item: str
    code: str
    most: int = 0
    times: int = 0
    thing: str = ""


class Plan(NamedTuple):
    """A plan in an order that the rules accept.

    Attributes:
        actions: their texts, in order; () if there is none, or nothing is planned.
        faults: why there is none; () if there is one.
        possible: all that can be planned.
        required: discards in all; 0 for what is optional.
    """

    actions: tuple[str, ...]
    faults: tuple[Fault, ...]
    possible: tuple[Possible, ...]
    required: int = 0


class Planner(Protocol):
    """How a game plans: `engine/<game>/plans.py`."""

    PARTS: frozenset[str]  # first words of actions that are parts of a plan, and of the one that ends it

    def planned(self, state: State, times: Mapping[str, int], /, *, finish: bool) -> Plan | None:
        """Return the best order of a plan; None if nothing can be planned in the position."""

    def held(self, variation: Sequence[str], /) -> dict[str, int]:
        """Return how often each item is used in the plan that a variation begins with; {} if it begins with none."""
