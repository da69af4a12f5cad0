"""Changes by actions, and plans of conversions, as plain values."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from clerestory.clients.types import Action
from clerestory.clients.wire import read_action
from clerestory.v1 import rules_pb2 as api


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an action changed.

    Attributes:
        seat: that it belongs to; None if it belongs to no seat.
        thing: what: `gold`, `craftsmen`.
        item: which card, chip or place; "" if the thing has no parts, or it is not known.
        amount: by how much.
        cause: why: `tax`, `craftsman`.
        card: the card that is the cause, "" for none.
        lost: how much more it would have been without a limit.
        text: the same for people, in the language of the client: `+2 points (Mason)`.
    """

    seat: int | None
    thing: str
    item: str
    amount: int
    cause: str
    card: str
    lost: int
    text: str


@dataclass(frozen=True, slots=True)
class PossibleUse:
    """A craftsman that can be used, or a type of cubes that can be discarded.

    Attributes:
        item: the craftsman or type.
        label: its name, in the language of the client.
        planned: how often, as planned.
        most: the most that an order allows, if everything else is as planned.
    """

    item: str
    label: str
    planned: int
    most: int


@dataclass(frozen=True, slots=True)
class ConversionPlan:
    """A plan carried out, or why it cannot be.

    Attributes:
        actions: to be applied, in this order; empty if there is no order.
        changes: to the holdings of the seat, by cause.
        gold_lost: to the limit of 30 gold, in the best order.
        possible: everything that can be planned.
        faults: why there is no order, in sentences in the language of the client; empty if there is one.
        required: cubes that must be discarded in all; 0 for conversions.
        message: the original message, with the position after the actions, and the faults in detail.
    """

    actions: tuple[Action, ...]
    changes: tuple[Change, ...]
    gold_lost: int
    possible: tuple[PossibleUse, ...]
    faults: tuple[str, ...]
    required: int
    message: api.PlanConversionsResponse = field(repr=False, compare=False)


def read_changes(changes: Iterable[api.Change]) -> tuple[Change, ...]:
    """Return what actions changed."""
    return tuple(
        Change(
            seat=one.seat if one.HasField("seat") else None,
            thing=one.thing,
            item=one.item,
            amount=one.amount,
            cause=one.cause,
            card=one.card,
            lost=one.lost,
            text=one.text,
        )
        for one in changes
    )


def read_conversions(answer: api.PlanConversionsResponse) -> ConversionPlan:
    """Return a plan, or why it cannot be carried out."""
    return ConversionPlan(
        actions=tuple(map(read_action, answer.actions)),
        changes=read_changes(answer.changes),
        gold_lost=answer.gold_lost,
        possible=tuple(PossibleUse(one.item, one.label, one.planned, one.most) for one in answer.possible),
        faults=tuple(fault.text for fault in answer.faults),
        required=answer.required,
        message=answer,
    )
