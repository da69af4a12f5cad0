"""Translates plans of conversions and discards for RulesService."""

from collections.abc import Mapping, Sequence

from clerestory.engine.changes import Change
from clerestory.engine.core import Game
from clerestory.engine.plans import Fault, Plan, Possible
from clerestory.i18n import say
from clerestory.server.games.rulebook import GivenPosition
from clerestory.server.rpc.locale import LOCALE, name_of
from clerestory.server.rpc.translate_changes import write_changes
from clerestory.server.rpc.translate_rules import write_action, write_any
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules

MOST_TIMES = 60  # uses of an item in a plan: more cubes than a player can have
MOST_USES = 64  # items in a plan: more craftsmen than a player can hold


def write_plan(game: Game, plan: Plan, times: Mapping[str, int]) -> rules.PlanConversionsResponse:
    """Return the best order of a plan as a message, or why there is none."""
    return rules.PlanConversionsResponse(
        actions=[write_action(game, game.parse_action(text)) for text in plan.actions],
        possible=[write_possible(game, one, times) for one in plan.possible],
        faults=[write_fault(game, fault) for fault in plan.faults],
        required=plan.required,
    )


def write_carried_out(given: GivenPosition, changes: Sequence[Change]) -> rules.PlanConversionsResponse:
    """Return the effects of a plan as a message; the given position is the one after it."""
    return rules.PlanConversionsResponse(
        changes=write_changes(given.state.game, changes),
        gold_lost=sum(change.lost for change in changes),
        position=write_any(given),
    )


def read_uses(uses: Sequence[advisor.PlannedUse]) -> dict[str, int]:
    """Return how often each item of a plan is used. Raises ServiceError for repeated items or too large numbers."""
    if len(uses) > MOST_USES:
        raise_error(Reason.TOO_MANY_ACTIONS, "uses", f"has {len(uses)} items; must have {MOST_USES} at most")
    times: dict[str, int] = {}
    faults = []
    for place, use in enumerate(uses):
        if use.item in times:
            faults.append((f"uses[{place}].item", f"{use.item[:40]!r} is named twice"))
        if use.times > MOST_TIMES:
            faults.append((f"uses[{place}].times", f"is {use.times}; must be {MOST_TIMES} at most"))
        times[use.item] = use.times
    if faults:
        raise ServiceError(Reason.BAD_ACTION, faults)
    return times


def write_possible(game: Game, one: Possible, times: Mapping[str, int]) -> rules.PossibleUse:
    """Return a possible use as a message."""
    return rules.PossibleUse(
        item=one.item, label=name_of(game, one.item), planned=times.get(one.item, 0), most=one.most, kind=one.kind
    )


def write_fault(game: Game, fault: Fault) -> rules.PlanFault:
    """Return why a plan has no valid order as a message."""
    words = {"name": name_of(game, fault.item[:40]), "thing": name_of(game, fault.thing)}
    numbers = {"count": fault.most, "times": fault.times}
    return rules.PlanFault(
        item=fault.item[:40],
        code=fault.code,
        text=say("service", f"plan.{fault.code}", language=LOCALE.get(), **words, **numbers),
        arguments=[
            *(advisor.TextArgument(name=name, word=word) for name, word in words.items()),
            *(advisor.TextArgument(name=name, number=number) for name, number in numbers.items()),
        ],
    )
