"""The card catalogue: the values of each card. The shipped one is catalogue.toml in the game's folder."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from clerestory.engine.catalogue import CardFaults, CardList, CardRow, CardRows, Catalogue, Source, require_once
from clerestory.engine.duel.data.constants import ALL_CHIPS, DECK, KINDS, MOST_ONCE, counts_in
from clerestory.engine.positions.fields import Fields
from clerestory.i18n.sentences import text

TABLES = ("castle", "cathedral", "building")
COVERS = {"copies": ("a", "b")}  # values that share one source


Chip = Literal["wood", "sand", "stone", "wool", "ore"]
Material = Literal["beam", "mortar", "brick", "cloth", "bell"]  # the castle's bars count as a bell (D35)
Numeral = Literal["I", "II", "III"]
CHIPS_OF_KIND = counts_in(ALL_CHIPS, KINDS)  # of each player, in the order of Chip

Copies = Annotated[int, Field(ge=0, le=DECK)]
Gold = Annotated[int, Field(ge=1, le=30)]
Few = Annotated[int, Field(ge=1, le=11)]


class Plain(Fields):
    """An effect without numbers."""

    kind: Literal[
        "power", "copy_any", "copy_marked", "copy_unmarked", "return_material", "storm", "trade_seals", "match_gold"
    ]


class Income(Fields):
    """Gold from the bank; for a donation, per complete section."""

    kind: Literal["income", "donation"]
    gold: Gold


class Purchase(Fields):
    """A purchase for gold: seals (influence), turned chips (finish), one placing (place), building (cheap_building)."""

    kind: Literal["influence", "finish", "place", "cheap_building"]
    price: Gold


class Raw(Fields):
    """Chips of one kind from the player's supply."""

    kind: Literal["raw"]
    chip: Chip
    count: Few


class Craftsman(Fields):
    """Turns any number of chips of one kind, for gold each."""

    kind: Literal["craftsman"]
    chip: Chip
    price: Gold


def distinct(kinds: list[Chip]) -> list[Chip]:
    """Return the list. Raises PydanticCustomError, a ValueError, if it repeats a name."""
    require_once(kinds)
    return kinds


class Market(Fields):
    """Purchases of some kinds at a price each, up to a limit; also the sale of wool."""

    kind: Literal["market"]
    limit: Few
    price: Gold
    kinds: Annotated[list[Chip], Field(min_length=1), AfterValidator(distinct)]
    wool: Gold


class LimitedTrade(Fields):
    """The sale of wool (sell_wool) or the turning of chips (convert), up to a limit, for gold each."""

    kind: Literal["sell_wool", "convert"]
    limit: Few
    price: Gold


class Take(Fields):
    """Chips of any kinds except ore from the player's supply."""

    kind: Literal["take"]
    chips: Few


class Seals(Fields):
    """Seals from the stack."""

    kind: Literal["seals"]
    seals: Few


Effect = Plain | Income | Purchase | Raw | Craftsman | Market | LimitedTrade | Take | Seals

# The effects that a card of each frame can have; the rules define when and by what player they are used.
SYMBOLS = frozenset({"power", "income", "influence", "raw", "craftsman", "market"})
PERSONAL = frozenset(
    {"sell_wool", "take", "seals", "place", "copy_any", "convert", "return_material", "finish"}
)  # fmt: skip
ONCE = frozenset(
    {"storm", "cheap_building", "take", "copy_marked", "trade_seals", "donation", "copy_unmarked", "match_gold"}
)
OF_FRAME = {"neutral": SYMBOLS, "red": PERSONAL, "blue": PERSONAL, "once": ONCE}


class AdvantageCard(CardRow):
    """An advantage card: its copies in each deck, its users, and its effect."""

    frame: Literal["neutral", "red", "blue", "once"]
    a: Copies
    b: Copies
    effect: Annotated[Effect, Field(discriminator="kind")]


Three = Annotated[list[Material], Field(min_length=3, max_length=3)]


class Sections(Fields):
    """The materials that each section of a building needs."""

    I: Three  # noqa: E741
    II: Three
    III: Three
    sources: dict[str, Source]

    def needs(self) -> tuple[list[Material], list[Material], list[Material]]:
        """Return the materials of sections I, II and III, as given."""
        return self.I, self.II, self.III


class Building(Fields):
    """Prices of placing one, two or three materials at once; the bonus of each section."""

    placing: Annotated[list[Gold], Field(min_length=3, max_length=3)]
    bonus_seals: Few
    bonus_gold: Gold
    bonus_chips: Few
    sources: dict[str, Source]


class DuelCatalogue(Catalogue):
    """Every card of the game, by id, in catalogue order; both buildings."""

    version: Literal[1]
    game: Literal["duel"]
    cards: CardList[AdvantageCard]
    castle: Sections
    cathedral: Sections
    building: Building
    sources: dict[str, str]

    def content(self) -> Any:
        """Return the ids and values, as JSON."""
        cards = [(card, row.values()) for card, row in self.cards.items()]
        return [cards, [getattr(self, name).model_dump(exclude={"sources"}) for name in TABLES]]

    def rows(self) -> CardRows:
        """Return the cards and the buildings as plain rows; `sources` are by value."""
        cards = [row.plain(card, COVERS) for card, row in self.cards.items()]
        tables = [{"id": name, "name": name, **getattr(self, name).model_dump()} for name in TABLES]
        return {"cards": cards, "buildings": tables}


def copy_faults(catalogue: DuelCatalogue) -> CardFaults:
    """Check that each deck has the right number of cards, and that every card is in at least one deck."""
    for deck in ("a", "b"):
        count = sum(getattr(card, deck) for card in catalogue.cards.values())
        if count != DECK:
            yield "cards", text("fault.deck", deck=deck.upper(), total=count, number=DECK)
    for name, card in catalogue.cards.items():
        if card.a + card.b == 0:
            yield f"cards.{name}", text("fault.nowhere")


def effect_faults(catalogue: DuelCatalogue) -> CardFaults:
    """Check that a card's effect is possible for its frame."""
    for name, card in catalogue.cards.items():
        if card.effect.kind not in OF_FRAME[card.frame]:
            kind, frame, effects = repr(card.effect.kind), repr(card.frame), ", ".join(sorted(OF_FRAME[card.frame]))
            yield f"cards.{name}.effect", text("fault.frame", effect=kind, frame=frame, effects=effects)


def once_faults(catalogue: DuelCatalogue) -> CardFaults:
    """Check that 1x cards are few, with one copy each, and have different effects."""
    once = {name: card for name, card in catalogue.cards.items() if card.frame == "once"}
    if len(once) > MOST_ONCE:
        yield "cards", text("fault.once", total=len(once), most=MOST_ONCE)
    for name, card in once.items():
        if card.a + card.b > 1:
            yield f"cards.{name}", text("fault.copy", a=card.a, b=card.b)
    for effect, times in Counter(card.effect.kind for card in once.values()).items():
        if times > 1:
            yield "cards", text("fault.once_effect", times=times, effect=repr(effect))


def section_faults(catalogue: DuelCatalogue) -> CardFaults:
    """Check that the chips are sufficient for each building."""
    for name in ("castle", "cathedral"):
        needs = Counter(material for need in getattr(catalogue, name).needs() for material in need)
        for material, most in zip(get_args(Material), CHIPS_OF_KIND, strict=True):
            if needs[material] > most:
                yield name, text("fault.asks", total=needs[material], material=material, most=most)


def source_faults(catalogue: DuelCatalogue) -> CardFaults:
    """Check that every value has a source, and every source belongs to a value."""
    fields = {"name", "frame", "copies", "effect"}
    owed = {
        f"cards.{name}": (fields | ({"names"} if card.names else set()), card) for name, card in catalogue.cards.items()
    }
    for name in TABLES:
        table = getattr(catalogue, name)
        owed[name] = (set(type(table).model_fields) - {"sources"}, table)
    for name, (fields, values) in owed.items():
        for field in sorted(fields ^ set(values.sources)):
            yield f"{name}.sources.{field}", text("fault.missing" if field in fields else "fault.sourceless")


DuelCatalogue.shipped = Path(__file__).parents[1] / "catalogue.toml"
DuelCatalogue.checks = (copy_faults, effect_faults, once_faults, section_faults, source_faults)
