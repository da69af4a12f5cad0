"""The card catalogue: the shipped file, its hash, and every possible error in another."""

import re
from functools import partial
from pathlib import Path

import pytest

from clerestory.engine.duel.data.catalogue import DECK, DuelCatalogue
from tests.engine.faulty import changed_line, faults_of_catalogue, matching
from tests.shipped import DUEL

TEXT = DuelCatalogue.shipped.read_text()


faults = partial(faults_of_catalogue, DuelCatalogue)
changed = partial(changed_line, DuelCatalogue)


def hash_of(text: str) -> str:
    return DuelCatalogue.parse(text).content_hash()


def test_the_shipped_catalogue_is_whole() -> None:
    catalogue = DuelCatalogue.load()
    cards = catalogue.cards.values()
    assert [sum(card.a for card in cards), sum(card.b for card in cards)] == [DECK, DECK]
    kinds = [card.frame for card in cards]
    assert [kinds.count(frame) for frame in ("red", "blue", "once")] == [5, 5, 8]
    symbols = [card for card in cards if card.frame == "neutral"]
    assert [sum(card.a for card in symbols), sum(card.b for card in symbols)] == [17, 19]


def test_every_source_is_in_the_list_of_sources() -> None:
    catalogue = DuelCatalogue.load()
    sourced = [*catalogue.cards.values(), catalogue.castle, catalogue.cathedral, catalogue.building]
    words = {word.strip(",:") for row in sourced for source in row.sources.values() for word in source.split()[1:]}
    assert {word for word in words if word.isupper()} == set(catalogue.sources)


def test_the_hash_is_of_the_values_alone() -> None:
    shipped = DuelCatalogue.load().content_hash()
    assert shipped == DUEL.catalogue
    assert re.fullmatch("[0-9a-f]{16}", shipped)
    assert hash_of(changed("mason", 'name = "Mason"', 'name = "Maurer"')) == shipped
    assert hash_of(TEXT.replace('sources.name = "reconstructed"', 'sources.name = "found"')) == shipped
    assert hash_of(TEXT.replace("gold = 4", "gold = 3")) != shipped
    assert hash_of(TEXT.replace('"mason"', '"bricklayer"')) != shipped
    assert hash_of(TEXT.replace("bonus_gold = 10", "bonus_gold = 9")) != shipped


def test_rows_say_everything() -> None:
    shown = DuelCatalogue.load().rows()
    assert [len(shown["cards"]), len(shown["buildings"])] == [35, 3]
    assert all({"id", "name", "sources"} <= set(row) for listed in shown.values() for row in listed)
    assert DUEL.cards() == shown


MASON = 'effect = { kind = "craftsman", chip = "stone", price = 2 }'
MARKET = 'effect = { kind = "market", limit = 2, price = 3, kinds = ["wood", "sand", "stone"], wool = 3 }'

#   card, its line, the replacement line, the field at fault, the error
WRONG: list[tuple[str, str, str, str, str]] = [
    ("mason", "a = 1", "a = 28", "cards.mason.a", "must be at most 27"),
    ("mason", "a = 1", "a = 2", "cards", "deck A has 28 cards; there must be 27"),
    ("mason", "b = 1", "b = 0", "cards", "deck B has 26 cards; there must be 27"),
    ("aliena", "a = 1", "a = 0", "cards.aliena", "the card is in no deck"),
    ("mason", 'frame = "neutral"', 'frame = "green"', "cards.mason.frame", "'green'"),
    ("mason", 'frame = "neutral"', 'frame = "red"', "cards.mason.effect", "'craftsman' is not for frame 'red'"),
    ("mason", MASON, 'effect = { kind = "storm" }', "cards.mason.effect", "'storm' is not for frame 'neutral'"),
    ("mason", MASON, 'effect = { kind = "win" }', "cards.mason.effect", "kind is 'win'; must be one of"),
    ("mason", MASON, 'effect = { kind = "craftsman", chip = "brick", price = 2 }',
     "cards.mason.effect.craftsman.chip", "'brick'"),
    ("mason", MASON, 'effect = { kind = "craftsman", chip = "stone", price = 0 }',
     "cards.mason.effect.craftsman.price", "must be at least 1"),
    ("market_2", MARKET, MARKET.replace('"sand"', '"wood"'), "cards.market_2.effect.market.kinds",
     "'wood' occurs more than once"),
    ("market_2", MARKET, MARKET.replace("limit = 2", "limit = 12"), "cards.market_2.effect.market.limit",
     "must be at most 11"),
    ("mason", 'id = "mason"', 'id = "weaver"', "cards", "'weaver' occurs more than once"),
    ("mason", 'sources.copies = "reconstructed"', "", "cards.mason.sources.copies", "is missing"),
    ("mason", 'sources.copies = "reconstructed"', 'sources.copies = "found"\nsources.age = "found"',
     "cards.mason.sources.age", "is the source of nothing"),
    ("king_stephen", "b = 1", "b = 2", "cards.king_stephen", "there is one copy"),
    ("king_stephen", 'effect = { kind = "match_gold" }', 'effect = { kind = "storm" }', "cards",
     "2 cards with the frame 'once' have the effect 'storm'; only one can"),
    ("castle", 'I = ["beam", "mortar", "brick"]', 'I = ["beam", "mortar"]', "castle.I", "at least 3 entries"),
    ("castle", 'I = ["beam", "mortar", "brick"]', 'I = ["beam", "mortar", "wood"]', "castle.I[2]", "'wood'"),
    ("castle", 'I = ["beam", "mortar", "brick"]', 'I = ["beam", "mortar", "bell"]', "castle",
     "asks for 2 bell; a player has 1"),
    ("cathedral", 'sources.I = "reconstructed"', "", "cathedral.sources.I", "is missing"),
    ("building", "placing = [2, 6, 12]", "placing = [2, 6]", "building.placing", "at least 3 entries"),
    ("building", "bonus_gold = 10", "bonus_gold = 0", "building.bonus_gold", "must be at least 1"),
]  # fmt: skip


@pytest.mark.parametrize(("card", "line", "to", "field", "description"), WRONG)
def test_a_fault_names_card_and_field(card: str, line: str, to: str, field: str, description: str) -> None:
    found = faults(changed(card, line, to))
    assert matching(found, f"catalogue.{field}", description), found


def test_all_faults_are_listed() -> None:
    text = TEXT.replace("gold = 4", "gold = 0").replace("limit = 4", "limit = 12")
    named = {"catalogue.cards.income_4.effect.income.gold", "catalogue.cards.aliena.effect.sell_wool.limit"}
    assert {field for field, _ in faults(text)} == named
    many = TEXT.replace('frame = "blue"', 'frame = "once"')
    assert ("catalogue.cards", "13 cards have the frame 'once'; there can be 8") in faults(many)


def test_the_second_proposal_differs_in_two_counts_and_keeps_to_what_is_known() -> None:
    """The named cards once each; 17 symbol cards in A, 19 in B; every kind of effect in both decks, as before."""
    proposal = Path(__file__).parents[4] / "examples" / "catalogues" / "duel-more-wool.toml"
    shipped, other = DuelCatalogue.load(), DuelCatalogue.load(proposal)
    copies = {card: (row.a, row.b) for card, row in shipped.cards.items()}
    assert {card: (row.a, row.b) for card, row in other.cards.items() if (row.a, row.b) != copies[card]} == {
        "income_4": (0, 1),
        "wool": (2, 1),
    }
    for catalogue in (shipped, other):
        symbols = [card for card in catalogue.cards.values() if card.frame == "neutral"]
        assert [sum(getattr(card, deck) for card in symbols) for deck in ("a", "b")] == [17, 19]
        kinds = [{card.effect.kind for card in symbols if getattr(card, deck)} for deck in ("a", "b")]
        assert kinds[0] == kinds[1]
    values = [row.model_dump(exclude={"a", "b", "sources"}) for row in shipped.cards.values()]
    assert values == [row.model_dump(exclude={"a", "b", "sources"}) for row in other.cards.values()]
    assert [*shipped.cards] == [*other.cards]
    assert (shipped.castle, shipped.cathedral, shipped.building) == (other.castle, other.cathedral, other.building)
