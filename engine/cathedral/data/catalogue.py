"""The card catalogue: the values of each card. The shipped one is catalogue.toml in the game's folder."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from clerestory.engine.catalogue import CardFaults, CardList, CardRow, CardRows, Catalogue, Id
from clerestory.engine.cathedral.data import counts
from clerestory.engine.cathedral.data.constants import MAX_GOLD, OF_ROUND, ORDINARY, ROUNDS
from clerestory.engine.positions.fields import Fields
from clerestory.i18n.sentences import text

LISTS = ("starting_craftsmen", "craftsmen", "resource_cards", "advantage_cards", "event_cards")
TYPES = ("sand", "wood", "stone", "metal")
GOODS = (*TYPES, "gold")
GOLD_FOR_CUBE = 3  # gold that counts as a cube
GOLD_RATE = 0.15  # VP per piece of gold
TYPICAL_CUBES = 3  # of one type in a round
ONCE = ("free_builder", "protection", "tax_exemption")
PERMITS = ("buy_wood", "sell_stone")
COVERS = {"conversion": ("takes", "needs", "gives")}  # values that share one source

Amount = Annotated[int, Field(ge=0, le=9)]
Few = Annotated[int, Field(ge=1, le=3)]
UpTo3 = Annotated[int, Field(ge=0, le=3)]


class Goods(Fields):
    """Cubes and gold, spent or held for one use of a craftsman."""

    sand: Amount = 0
    wood: Amount = 0
    stone: Amount = 0
    metal: Amount = 0
    gold: Amount = 0


class Pay(Fields):
    """What one use of a craftsman gives."""

    vp: Amount = 0
    gold: Amount = 0


class StartingCraftsman(CardRow):
    """A craftsman that every player starts with."""

    DERIVED = ("rate", "promise", *[f"{name}_{good}" for name in ("rate", "promise", "room") for good in GOODS])

    takes: Goods = Goods()
    needs: Goods = Goods()
    gives: Pay
    capacity: Annotated[int, Field(ge=1, le=9)]
    requires: list[Id] = Field(default_factory=list)
    permits: Literal["buy_wood", "sell_stone"] | None = None
    blessing: bool = True

    @property
    def spent(self) -> float:
        """Cubes for one use; metal counts twice, and three gold as one cube; at least half a cube."""
        takes = self.takes
        return max(takes.sand + takes.wood + takes.stone + 2 * takes.metal + takes.gold / GOLD_FOR_CUBE, 0.5)

    @property
    def gains(self) -> float:
        """VP of one use, plus a small amount for gold."""
        return self.gives.vp + self.gives.gold * GOLD_RATE

    @property
    def rate(self) -> float:
        """VP per cube."""
        return self.gains / self.spent

    @property
    def promise(self) -> float:
        """VP in a typical round."""
        return self.gains * min(self.capacity, TYPICAL_CUBES / self.spent)

    def derived(self) -> dict[str, float]:
        """Return rate and promise, also by the type that it takes, and how much of that it takes in a round."""
        found = {"rate": self.rate, "promise": self.promise / 4}
        for good in GOODS:
            taken = getattr(self.takes, good)
            found |= {f"{name}_{good}": found[name] if taken else 0.0 for name in ("rate", "promise")}
            found[f"room_{good}"] = taken * self.capacity / 8
        return found


class Craftsman(StartingCraftsman):
    """A craftsman of a particular round."""

    round: Annotated[int, Field(ge=1, le=ROUNDS)]
    cost: Annotated[int, Field(ge=0, le=MAX_GOLD)]


class ResourceCard(CardRow):
    """A card where workers can be placed."""

    type: Literal["sand", "wood", "stone"]
    yields: Annotated[int, Field(ge=1, le=5)]
    workers: Annotated[int, Field(ge=1, le=17)]


class Production(Fields):
    """Extra cubes of one type at production."""

    kind: Literal["production"]
    sand: UpTo3 = 0
    wood: UpTo3 = 0
    stone: UpTo3 = 0


class Priory(Fields):
    """VP for each of the owner's builders at the Priory."""

    kind: Literal["priory"]
    vp: Few


class Room(Fields):
    """A higher limit on craftsmen held."""

    kind: Literal["craftsman_room"]
    cards: Few


class FixedTax(Fields):
    """The owner's tax, regardless of the die."""

    kind: Literal["fixed_tax"]
    gold: Annotated[int, Field(ge=0, le=12)]


class Plain(Fields):
    """An effect without amounts."""

    kind: Literal["foresight", "black_worker", "free_builder", "protection", "tax_exemption"]


class AdvantageGain(Fields):
    """VP, gold and cubes, given at once."""

    kind: Literal["gain"]
    vp: Amount = 0
    gold: Annotated[int, Field(ge=0, le=MAX_GOLD)] = 0
    sand: UpTo3 = 0
    wood: UpTo3 = 0
    stone: UpTo3 = 0
    metal: UpTo3 = 0


class AdvantageCard(CardRow):
    """A card taken at Kingsbridge."""

    effect: Annotated[Production | Priory | Room | FixedTax | Plain | AdvantageGain, Field(discriminator="kind")]
    last_round: bool = False


class Levy(Fields):
    """Gold to be paid; a shortfall is treated as for the tax."""

    kind: Literal["levy"]
    gold: Annotated[int, Field(ge=1, le=12)]


class Builders(Fields):
    """The number of builders that may be used in the next round."""

    kind: Literal["builders"]
    builders: Annotated[int, Field(ge=1, le=2)]


class LoseVp(Fields):
    """VP lost."""

    kind: Literal["lose_vp"]
    vp: Annotated[int, Field(ge=1, le=12)]


class Yield(Fields):
    """More or fewer cubes from each resource card."""

    kind: Literal["yield"]
    cubes: Annotated[int, Field(ge=-3, le=3)]


class MillGold(Fields):
    """One gold for each of the player's workers at the wool mill, up to a limit."""

    kind: Literal["mill_gold"]
    most: Annotated[int, Field(ge=1, le=MAX_GOLD)]


class Happening(Fields):
    """An event without amounts."""

    kind: Literal["lose_craftsman", "blessing"]


class EventGain(Fields):
    """Gold and metal for everyone."""

    kind: Literal["gain"]
    gold: Annotated[int, Field(ge=0, le=MAX_GOLD)] = 0
    metal: UpTo3 = 0


class EventCard(CardRow):
    """A card of the event deck."""

    sign: Literal["negative", "positive"]
    effect: Annotated[Levy | LoseVp | Builders | Yield | Happening | EventGain | MillGold, Field(discriminator="kind")]


class CathedralCatalogue(Catalogue):
    """Every card of the game, by id, in catalogue order."""

    version: Literal[2]
    game: Literal["cathedral"]
    starting_craftsmen: CardList[StartingCraftsman]
    craftsmen: CardList[Craftsman]
    resource_cards: CardList[ResourceCard]
    advantage_cards: CardList[AdvantageCard]
    event_cards: CardList[EventCard]
    sources: dict[str, str]

    def content(self) -> Any:
        """Return the ids and values, as JSON."""
        return {name: [(card, row.values()) for card, row in cards_of(self, name).items()] for name in LISTS}

    def rows(self) -> CardRows:
        """Return every list as plain rows without the fields that do not apply to a card; `sources` are by value."""
        return {name: [row.plain(card, COVERS) for card, row in cards_of(self, name).items()] for name in LISTS}

    @property
    def all_craftsmen(self) -> dict[str, StartingCraftsman]:
        """Starting and round craftsmen in catalogue order."""
        return {**self.starting_craftsmen, **self.craftsmen}

    def kind_of(self, kind: str) -> str:
        """Return the id of the advantage card with an effect, "" if there is none."""
        return next((card for card, values in self.advantage_cards.items() if values.effect.kind == kind), "")


def cards_of(catalogue: CathedralCatalogue, name: str) -> Mapping[str, CardRow]:
    """Return one of the LISTS."""
    cards: Mapping[str, CardRow] = getattr(catalogue, name)
    return cards


def count_faults(catalogue: CathedralCatalogue) -> CardFaults:
    """Check that each list has as many cards as the shipped catalogue at build time, and that no id is repeated."""
    for name in LISTS:
        cards, count = cards_of(catalogue, name), getattr(counts, f"NUM_{name.upper()}")
        if len(cards) != count:
            yield name, text("fault.cards_listed", total=len(cards), number=count)
    ids = Counter(card for name in LISTS for card in cards_of(catalogue, name))
    for card, times in ids.items():
        if times > 1:
            yield card, text("fault.same_id")


def craftsman_faults(catalogue: CathedralCatalogue) -> CardFaults:
    """Check that craftsmen are ordered by round, several per round, give something, and require only craftsmen."""
    rounds = [craftsman.round for craftsman in catalogue.craftsmen.values()]
    for card, round_, before in zip(catalogue.craftsmen, rounds, [1, *rounds], strict=False):
        if round_ < before:
            yield f"craftsmen.{card}.round", text("fault.after", round=round_, before=before)
    for round_ in range(1, ROUNDS + 1):
        if rounds.count(round_) < OF_ROUND:
            few = text("fault.round", total=rounds.count(round_), round=round_, number=OF_ROUND)
            yield "craftsmen", few
    for card, values in catalogue.all_craftsmen.items():
        for other in values.requires:
            if other not in catalogue.all_craftsmen:
                yield f"craftsmen.{card}.requires", text("fault.craftsman", card=repr(other))
        if values.gives == Pay():
            yield f"craftsmen.{card}.gives", text("fault.nothing")
        yield from taken_faults(card, values)
    for permit in PERMITS:
        if all(values.permits != permit for values in catalogue.starting_craftsmen.values()):
            yield "starting_craftsmen", text("fault.permits", permit=repr(permit))


def taken_faults(card: str, values: StartingCraftsman) -> CardFaults:
    """Check that no craftsman gives gold it takes, or needs what it takes: uses in a row then equal one action."""
    if values.takes.gold and values.gives.gold:
        yield f"craftsmen.{card}.gives.gold", text("fault.taken", good=repr("gold"))
    for good in GOODS:
        if getattr(values.takes, good) and getattr(values.needs, good):
            yield f"craftsmen.{card}.needs.{good}", text("fault.taken", good=repr(good))


def deck_faults(catalogue: CathedralCatalogue) -> CardFaults:
    """Check that resource cards are three per type in order (R36), last-round advantages last, and effects distinct."""
    for i, (card, resource) in enumerate(catalogue.resource_cards.items()):
        if resource.type != TYPES[min(i // 3, 2)]:
            yield f"resource_cards.{card}.type", text("fault.type", value=repr(resource.type))
    for i, (card, advantage) in enumerate(catalogue.advantage_cards.items()):
        if advantage.last_round != (i >= ORDINARY):
            yield f"advantage_cards.{card}.last_round", text("fault.last_round")
    effects = Counter(effect for card in catalogue.advantage_cards.values() for effect in lasting(card.effect))
    yield from repeated("advantage_cards", effects)
    for effect in ONCE:
        if not effects[effect]:
            yield "advantage_cards", text("fault.effect", effect=repr(effect))
    for card, event in catalogue.event_cards.items():
        if event.effect.kind == "blessing" and event.sign == "negative":
            yield f"event_cards.{card}.sign", text("fault.blessing", value=repr(event.sign))
    yield from repeated(
        "event_cards", Counter(effect for card in catalogue.event_cards.values() for effect in lasting(card.effect))
    )


def repeated(field: str, effects: Counter[str]) -> CardFaults:
    """Check that an effect that lasts or involves a choice is on at most one card of a deck."""
    for effect, times in effects.items():
        if times > 1:
            yield field, text("fault.effects", times=times, effect=repr(effect))


def lasting(effect: Any) -> list[str]:
    """Return what distinguishes an effect; gains and yields may be on several cards with different amounts."""
    if effect.kind == "production":
        return [f"production {type_}" for type_ in TYPES[:3] if getattr(effect, type_)]
    return [] if effect.kind in ("gain", "yield") else [effect.kind]


def source_faults(catalogue: CathedralCatalogue) -> CardFaults:
    """Check that every value of a card has a source, and every source belongs to a value."""
    for name in LISTS:
        for card, values in cards_of(catalogue, name).items():
            given = set(values.model_dump(exclude={"sources"}, exclude_defaults=True))
            owed = SOURCED[name] | (given & {"names", "requires", "permits", "blessing", "last_round"})
            for field in sorted(owed ^ set(values.sources)):
                yield f"{name}.{card}.sources.{field}", text("fault.missing" if field in owed else "fault.sourceless")


SOURCED: dict[str, set[str]] = {
    "starting_craftsmen": {"conversion", "capacity"},
    "craftsmen": {"round", "cost", "conversion", "capacity"},
    "resource_cards": {"yields", "workers"},
    "advantage_cards": {"name", "effect"},
    "event_cards": {"name", "sign", "effect"},
}

CathedralCatalogue.shipped = Path(__file__).parents[1] / "catalogue.toml"
CathedralCatalogue.checks = (count_faults, craftsman_faults, deck_faults, source_faults)
