"""The card catalogue: the shipped file, its hash, and every possible error in another."""

import re
from functools import partial

import pytest

from clerestory.engine.cathedral.data.catalogue import LISTS, CathedralCatalogue, cards_of
from tests.engine.faulty import changed_line, faults_of_catalogue, matching

TEXT = CathedralCatalogue.shipped.read_text()


faults = partial(faults_of_catalogue, CathedralCatalogue)
changed = partial(changed_line, CathedralCatalogue)


def hash_of(text: str) -> str:
    return CathedralCatalogue.parse(text).content_hash()


def test_the_shipped_catalogue_is_whole() -> None:
    catalogue = CathedralCatalogue.load()
    assert [len(cards_of(catalogue, name)) for name in LISTS] == [3, 24, 9, 16, 10]
    assert list(catalogue.all_craftsmen)[:4] == ["mortar_mixer", "woodworker", "stonecutter", "toolmaker_1"]
    assert list(catalogue.resource_cards)[3:6] == ["wood_2", "wood_3", "wood_4"]


def test_every_source_is_in_the_list_of_sources() -> None:
    catalogue = CathedralCatalogue.load()
    cards = [card for name in LISTS for card in cards_of(catalogue, name).values()]
    words = {word.strip(",:") for card in cards for source in card.sources.values() for word in source.split()[1:]}
    assert {word for word in words if word.isupper() or "&" in word} == set(catalogue.sources)


def test_the_hash_is_of_the_values_alone() -> None:
    shipped = CathedralCatalogue.load().content_hash()
    assert re.fullmatch("[0-9a-f]{16}", shipped)
    own = 'name = "Töpfer"\nnames = { it = "Vasaio" }\nsources.names = "found OWNER"'
    assert hash_of(changed("potter_2", 'name = "Potter"', own)) == shipped
    assert hash_of(changed("potter_2", 'sources.cost = "found GLU TK"', 'sources.cost = "derived"')) == shipped
    assert hash_of(changed("potter_2", "cost = 5", "cost = 6")) != shipped
    assert hash_of(TEXT.replace('"potter_2"', '"clay_worker"')) != shipped


COST = 'sources.cost = "found GLU TK"'
NEEDS_MIXER = 'requires = ["mortar_mixer", "mortar_mixer_1"]'
GAIN = 'effect = { kind = "gain", gold = 8 }'
YIELD = 'effect = { kind = "yield", cubes = 1 }'
ONE_VP = "gives = { vp = 1 }"

#   card, its line, the replacement line, the field at fault, the error
WRONG: list[tuple[str, str, str, str, str]] = [
    ("potter_2", "cost = 5", "cost = 31", "craftsmen.potter_2.cost", "must be at most 30"),
    ("potter_2", "cost = 5", 'cost = "4"', "craftsmen.potter_2.cost", "must be a whole number"),
    ("potter_2", "cost = 5", "", "craftsmen.potter_2.cost", "is missing"),
    ("potter_2", "cost = 5", "cost = 5\nprice = 4", "craftsmen.potter_2.price", "is not a field here"),
    ("potter_2", "capacity = 2", "capacity = 10", "craftsmen.potter_2.capacity", "must be at most 9"),
    ("potter_2", "round = 2", "round = 3", "craftsmen", "3 of round 2; there must be 4 or more"),
    ("potter_2", "takes = { sand = 1 }", "takes = { clay = 1 }", "craftsmen.potter_2.takes.clay", "not a field here"),
    ("potter_2", ONE_VP, "gives = {}", "craftsmen.potter_2.gives", "nothing"),
    ("potter_2", "name = \"Potter\"", "name = \"\"", "craftsmen.potter_2.name", "at least 1 character"),
    ("potter_2", 'id = "potter_2"', 'id = "Potter 2"', "craftsmen.Potter 2.[key]", "match pattern"),
    ("potter_2", 'id = "potter_2"', 'id = "potter_3"', "craftsmen", "'potter_3' occurs more than once"),
    ("potter_2", 'id = "potter_2"', "", "craftsmen", "must be a list of cards that each have an id"),
    ("potter_2", 'id = "potter_2"', 'id = "sand_2"', "sand_2", "is the id of more than one card"),
    ("potter_2", COST, "", "craftsmen.potter_2.sources.cost", "is missing"),
    ("potter_2", COST, 'sources.cost = "guessed"', "craftsmen.potter_2.sources.cost", "match"),
    ("aliena", 'sources.name = "stated T&K, found GLU"', 'sources.name = "stated"\nsources.age = "found"',
     "advantage_cards.aliena.sources.age", "is the source of nothing"),
    ("mason_2", NEEDS_MIXER, 'requires = ["mortar_mixr"]',
     "craftsmen.mason_2.requires", "'mortar_mixr' is not a craftsman"),
    ("mason_2", NEEDS_MIXER, 'requires = "mortar_mixer"', "craftsmen.mason_2.requires", "must be a list"),
    ("architect_2", "blessing = false", "blessing = 0", "craftsmen.architect_2.blessing", "must be true or false"),
    ("goldsmith_5", ONE_VP, "gives = { gold = 4 }", "craftsmen.goldsmith_5.gives.gold",
     "it takes 'gold', so it can neither need nor give it"),
    ("goldsmith_5", ONE_VP, "needs = { gold = 9 }\ngives = { vp = 1 }",
     "craftsmen.goldsmith_5.needs.gold", "it takes 'gold'"),
    ("potter_2", ONE_VP, "needs = { sand = 2 }\ngives = { vp = 1 }", "craftsmen.potter_2.needs.sand",
     "it takes 'sand'"),
    ("archbishops_blessing", 'sign = "positive"', 'sign = "negative"', "event_cards.archbishops_blessing.sign",
     "is 'negative'; a blessing is positive"),
    ("woodworker", 'permits = "buy_wood"', 'permits = "sell_stone"', "starting_craftsmen", "must permit 'buy_wood'"),
    ("wood_3", 'type = "wood"', 'type = "metal"', "resource_cards.wood_3.type", "'sand', 'wood' or 'stone'"),
    ("wood_3", 'type = "wood"', 'type = "sand"', "resource_cards.wood_3.type", "is 'sand'; three of"),
    ("wood_3", "workers = 6", "workers = 0", "resource_cards.wood_3.workers", "must be at least 1"),
    ("wool_fair", GAIN, 'effect = { kind = "gain", golf = 8 }',
     "advantage_cards.wool_fair.effect.gain.golf", "is not a field here"),
    ("wool_fair", GAIN, 'effect = { kind = "win" }',
     "advantage_cards.wool_fair.effect", "kind is 'win'; must be one of"),
    ("wool_fair", GAIN, 'effect = { kind = "protection" }',
     "advantage_cards", "2 cards have the effect 'protection'; only one can"),
    ("aliena", 'effect = { kind = "production", wood = 1 }', 'effect = { kind = "production", stone = 1 }',
     "advantage_cards", "2 cards have the effect 'production stone'"),
    ("archbishop_thomas", 'effect = { kind = "protection" }', 'effect = { kind = "gain", vp = 1 }',
     "advantage_cards", "no card has the effect 'protection'"),
    ("volunteers", YIELD, 'effect = { kind = "blessing" }',
     "event_cards", "2 cards have the effect 'blessing'; only one can"),
    ("volunteers", YIELD, 'effect = { kind = "yield", cubes = -4 }',
     "event_cards.volunteers.effect.yield.cubes", "must be at least -3"),
    ("celebrations", "last_round = true", "", "advantage_cards.celebrations.last_round",
     "only the last two of the list"),
    ("quarrel", 'sign = "negative"', 'sign = "bad"', "event_cards.quarrel.sign", "'negative' or 'positive'"),
    ("quarrel", 'effect = { kind = "lose_vp", vp = 2 }', 'effect = { kind = "levy", gold = 0 }',
     "event_cards.quarrel.effect.levy.gold", "must be at least 1"),
]  # fmt: skip


@pytest.mark.parametrize(("card", "line", "to", "field", "description"), WRONG)
def test_a_fault_names_card_and_field(card: str, line: str, to: str, field: str, description: str) -> None:
    found = faults(changed(card, line, to))
    assert matching(found, f"catalogue.{field}", description), found


def test_all_faults_are_listed_and_missing_cards_and_lists_among_them() -> None:
    first, *rest = TEXT.split("[[event_cards]]")
    assert faults("[[event_cards]]".join([first, *rest[:-2], rest[-1]])) == [
        ("catalogue.event_cards", "9 cards; there must be 10")
    ]
    found = faults(first.replace("cost = 5", "cost = 40"))
    assert ("catalogue.event_cards", "is missing") in found
    assert {field for field, _ in found} >= {"catalogue.craftsmen.mason_1.cost", "catalogue.craftsmen.potter_2.cost"}
