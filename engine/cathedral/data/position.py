"""Kinds of values specific to positions of `cathedral`, and checks across its fields."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from clerestory.engine.cathedral.data.constants import BUILDERS, CUBES, FIRST_VP, MAX_GOLD, METAL_CUBES, MOST_USES
from clerestory.engine.cathedral.data.names import COLOURS, TYPES
from clerestory.engine.cathedral.data.points import SOURCES
from clerestory.engine.positions.kinds import Deck, FieldContext, Kind, listed, model, repeated, unknown, whole
from clerestory.engine.positions.layout import FieldFault
from clerestory.i18n.sentences import Text, text

SINGLE_SPACES = ("archbishop", "castle", "start")
SPACES = ("kingsbridge", "priory", "court", "shiring", "market")


class Uses(Kind):
    """The number of uses of each free craftsman; 4 bits each in two words."""

    annotation = listed(model("Use", {"craftsman": str, "times": whole(1, MOST_USES)}))
    empty_is_zero = True

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = tuple(ids)

    def times(self, raw: Sequence[int]) -> list[int]:
        """Return the uses of each craftsman."""
        word = raw[0] | raw[1] << 64
        return [word >> 4 * i & 15 for i in range(32)]

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        times = self.times(raw)
        return max(times) <= MOST_USES and not any(times[len(self.ids) :])

    def read(self, raw: Sequence[int], around: FieldContext) -> list[dict[str, Any]]:
        times = zip(self.ids, self.times(raw), strict=False)
        return [{"craftsman": card, "times": count} for card, count in times if count]

    def write(self, value: list[dict[str, Any]], around: FieldContext) -> Sequence[int]:
        word = sum(use["times"] << 4 * self.ids.index(use["craftsman"]) for use in value)
        return word & (1 << 64) - 1, word >> 64

    def faults(self, value: list[dict[str, Any]], around: FieldContext) -> Iterator[Text]:
        cards = [use["craftsman"] for use in value]
        yield from unknown(cards, self.ids)
        yield from repeated(cards)


class EventDeck(Deck):
    """The coming events; only the first can be known. They begin at the round's place of the array."""

    empty_is_zero = True

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        gone = around.fields["round"] - (around.fields["event"] == "")
        if gone + len(value) > self.places:  # too many, which the rules reject
            return super().write(value, around)
        return [0] * gone + [self.ids.index(card) for card in value] + [0] * (self.places - gone - len(value))


def cube_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """There are 23 cubes each of sand, wood and stone, 13 of metal: held, on the market, at court, in the supply."""
    for kind, number in zip(TYPES, (CUBES, CUBES, CUBES, METAL_CUBES), strict=True):
        held = sum(player[kind] for player in fields["players"])
        elsewhere = fields["court_metal"] if kind == "metal" else fields["stock"][kind]
        total = held + elsewhere + fields["supply"][kind]
        if total != number:
            code = "fault.metal" if kind == "metal" else "fault.cubes"
            yield f"supply.{kind}", text(code, total=total, number=number)
    if fields["supply"]["metal"] < 0:
        yield "supply.metal", text("fault.owed", value=fields["supply"]["metal"])


def event_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """The event of the round has been turned up."""
    if fields["event"] in fields["unseen_events"]:
        yield "unseen_events", text("fault.event", card=repr(fields["event"]))


def player_faults(fields: dict[str, Any]) -> Iterator[FieldFault]:
    """A player has at most three builders and 30 gold, and the VP of all their sources."""
    builders = Counter([*fields["waiting"], fields["drawn"], *builders_placed(fields)])
    for seat, player in enumerate(fields["players"]):
        count = builders[COLOURS[seat]] + player["bag"] + player["aside"]
        if count > BUILDERS:
            yield f"players[{seat}]", text("fault.builders", count=count, colour=COLOURS[seat], number=BUILDERS)
        if player["vp"] != (won := sum(source.points(player) for source in SOURCES)):
            points = text("fault.points", value=player["vp"], first=FIRST_VP, won=won)
            yield f"players[{seat}].vp", points
        if player["gold"] > MAX_GOLD:
            yield f"players[{seat}].gold", text("fault.gold", value=player["gold"], most=MAX_GOLD)


def builders_placed(fields: dict[str, Any]) -> list[str]:
    """Return the builders on spaces, and "" for each free one."""
    several = [builder for name in SPACES for builder in fields[name]]
    return [*(fields[name] for name in SINGLE_SPACES), *several]


CONSISTENCY_CHECKS = (cube_faults, event_faults, player_faults)
