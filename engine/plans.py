"""Plans: how often a seat does each of several things whose order hardly matters.

A game declares what can be planned, and finds actions in an order that its rules accept.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from clerestory.engine.core import State


class Possible(NamedTuple):
    """Something that can be planned.

    Attributes:
        item: the card or type.
        kind: first word of its actions.
        most: maximum count if everything else follows the plan; 0 if the plan itself has no order.
    """

    item: str
    kind: str
    most: int


class Fault(NamedTuple):
    """Why a plan has no order.

    Attributes:
        item: the item at fault, "" for the whole plan.
        code: `unknown`, `capacity`, `goods`, `needs`, `gold` or `count`.
        most: the limit that is exceeded; 0 if there is none.
        times: how much of it the plan takes.
        thing: the missing type of goods or card, "" for none.
    """

    item: str
    code: str
    most: int = 0
    times: int = 0
    thing: str = ""


class Plan(NamedTuple):
    """A plan in an order that the rules accept.

    Attributes:
        actions: texts of the actions, in order; () if there is no order, or nothing is planned.
        faults: why there is no order; () if there is one.
        possible: everything that can be planned.
        required: total number of discards; 0 for optional actions.
    """

    actions: tuple[str, ...]
    faults: tuple[Fault, ...]
    possible: tuple[Possible, ...]
    required: int = 0


class Shortage(NamedTuple):
    """Goods that an action brings and cards of a seat lack.

    Attributes:
        thing: type of the goods.
        number: how many the action brings.
        card: a card that uses them.
    """

    thing: str
    number: int
    card: str


class Planner(Protocol):
    """A game's planner: `engine/<game>/plans.py`."""

    PARTS: frozenset[str]  # first words of actions that are parts of a plan, and of the one that ends it

    def planned(self, state: State, times: Mapping[str, int], /, *, finish: bool) -> Plan | None:
        """Return the best order of a plan; None if the position allows no plan."""

    def held(self, variation: Sequence[str], /) -> dict[str, int]:
        """Return how often a variation's initial plan uses each item; {} if it does not begin with a plan."""
