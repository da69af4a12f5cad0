"""The board from the event to the castle (steps 1 to 11), ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS, CUBES, LAST_ROUND, NEGATIVE_EVENTS, POSITIVE_EVENTS
from tests.engine.cathedral.positions import FIVE_CRAFTSMEN, Fields, NewGame, Story, board, each, play_all, red, tell

NO_ONE_AT_THE_MILL = {"resource_cards": ["sand_2", "stone_4"]}
WINTER_CARDS = {"resource_cards": ["wood_2", "wood_3"], "advantages": ["aliena"]}
TWO_AT_SHIRING = "red shiring.1, red shiring.2"
DISMISSALS = each("dismiss", ["mortar_mixer", "woodworker", "stonecutter"])


def holding(*advantages: str, **more: object) -> Fields:
    return {"advantages": [*advantages], **more}


def without_stock(fields: Fields, *kinds: str) -> Fields:
    """The position with all cubes of some kinds out of the market."""
    for kind in kinds:
        fields["supply"][kind] += fields["stock"][kind]
        fields["stock"][kind] = 0
    return fields


def metal(**held: int) -> dict[str, Fields]:
    return {colour: {"metal": count} for colour, count in held.items()}


STORIES: dict[str, Story] = {
    # Steps 1 and 2: the event and the archbishop
    **{f"R4: protection is asked with negative {event}": [
        board(2, event, "blue archbishop", round_=6), f"event {event}",
        {"step": "protection", "to_act": "blue", "offered": {"protect", "decline"}}] for event in NEGATIVE_EVENTS},
    **{f"R33: no protection from positive {event}": [
        board(2, event, "blue archbishop", round_=6), f"event {event}", {"step": "archbishop"},
    ] for event in POSITIVE_EVENTS},
    "R4: who takes protection takes no cube": [
        board(2, "quarrel", "blue archbishop"), "event quarrel; protect",
        {"vp": [0, 2], "spared": [False, True], "archbishop": "", "protection": False, "blue.sand": 0}],
    "R4: Thomas spares a holder who declines and takes the cube": [
        board(2, "town_wall", "red archbishop", 6, red=holding("archbishop_thomas")), "event town_wall; decline",
        {"step": "thomas", "to_act": "red", "offered": {"use archbishop_thomas", "save archbishop_thomas"}},
        "use archbishop_thomas", {"step": "archbishop", "red.advantages": [], "red.spared": True},
        "gain wood", {"red.wood": 1, "stock.wood": 3}],
    "R4: Thomas is asked after the seat and spares its holder alone": [
        board(3, "hamleigh_levy", "red archbishop", 2, green=holding("archbishop_thomas")),
        "event hamleigh_levy; protect", {"step": "thomas", "to_act": "green", "protection": True},
        "use archbishop_thomas", {"gold": [30, 21 - 4 + 12, 30], "spared": [True, False, True]}],
    "R4: Thomas saved spares nobody": [
        board(2, "quarrel", round_=2, red=holding("archbishop_thomas", vp=9)), "event quarrel; save archbishop_thomas",
        {"red.vp": 7, "red.advantages": ["archbishop_thomas"], "red.spared": False},
        "until event; event cold_winter; until thomas tax", {"step": "thomas"}],
    "R4: a holder of Thomas whom the seat protects is not asked": [
        board(2, "quarrel", "red archbishop", 2, red=holding("archbishop_thomas")), "event quarrel; protect",
        {"step": "tax", "red.advantages": ["archbishop_thomas"]}],
    **{f"R33: Thomas is not offered with positive {event}": [
        board(2, event, round_=2, red=holding("archbishop_thomas")), f"event {event}",
        {"step": "tax", "red.spared": False}] for event in POSITIVE_EVENTS},
    "R4: Thomas taken at Kingsbridge comes too late": [
        board(2, "cold_winter", "red kingsbridge.1", 1, ["archbishop_thomas"], red={"resource_cards": ["wood_3"]}),
        "event cold_winter", {"red.advantages": ["archbishop_thomas"], "red.wood": 2, "red.spared": False}],
    "R4: the event asks in turn order from the starting player": [
        {**board(3, "roof_collapse"), "starting_player": "blue"}, "event roof_collapse",
        {"step": "event_choice", "to_act": "blue", "offered": DISMISSALS},
        "dismiss woodworker", {"step": "event_choice", "to_act": "green", "offered": DISMISSALS},
        "dismiss woodworker", {"step": "event_choice", "to_act": "red", "offered": DISMISSALS},
        "dismiss woodworker", {"craftsmen": [["mortar_mixer", "stonecutter"]] * 3}],
    "R17: the archbishop gives what the market has": [
        without_stock(board(2, "kings_favour", "red archbishop"), "sand", "stone"), "event kings_favour",
        {"offered": {"gain wood"}}],
    "R17: nothing is gained from an empty market": [
        without_stock(board(2, "kings_favour", "red archbishop"), "sand", "wood", "stone"), "event kings_favour",
        {"step": "tax", "archbishop": ""}],
    "the levy takes VP for gold and only protection helps": [
        board(2, "hamleigh_levy", "red court", 2, red=holding("tax_exemption", gold=0), blue={"gold": 3}),
        "event hamleigh_levy", {"vp": [0, 2], "vp_lost": [2, 0], "red.advantages": ["tax_exemption"]}],
    "R32: town wall acts in the next round only": [
        board(2, "town_wall", "red archbishop"), "event town_wall; protect", {"limited_next": [False, True]},
        "until advantages", {"limited": [False, True]}, "until event", {"aside": [0, 1]},
        "until advantages", {"limited": [False] * 2, "limited_next": [False] * 2, "aside": [0, 0]}],
    "R32: town wall does nothing in round 6": [
        board(2, "town_wall", round_=6), "event town_wall", {"limited_next": [False, False]}],
    "who is spared is not asked": [
        board(2, "roof_collapse", "red archbishop"), "event roof_collapse; protect",
        {"step": "event_choice", "to_act": "blue"}, "dismiss woodworker", {"step": "tax"},
        "until advantages", {"spared": [False, False]}],
    "who has no craftsman is not asked for one": [
        board(2, "roof_collapse", red={"craftsmen": []}), "event roof_collapse",
        {"step": "event_choice", "to_act": "blue"}],
    "Richard's gift gives everyone one metal": [
        board(3, "richards_gift"), "event richards_gift", {"metal": [1, 1, 1], "supply.metal": 12 - 3}],
    "the gift goes round from the starting player while it lasts": [
        {**board(4, "richards_gift", **metal(red=5, blue=5)), "starting_player": "green"}, "event richards_gift",
        {"metal": [5, 5, 1, 1]}],
    "the king's favour gives gold up to 30": [
        board(2, "kings_favour", red={"gold": 29}, blue={"gold": 4, **NO_ONE_AT_THE_MILL}), "event kings_favour",
        {"gold": [30, 9]}],
    **{f"R41: Philip's wool pays {gold} for the mill, and step 3 pays again, with {card}": [
        board(2, "philips_wool", red={"gold": 0, "resource_cards": [card]}, blue={"gold": 28}), "event philips_wool",
        {"gold": [gold + 12 - busy, 30]},
    ] for card, busy, gold in (("sand_4", 7, 5), ("wood_4", 9, 3), ("stone_4", 10, 2))},
    "R41: Philip counts grey and black workers too": [
        board(2, "philips_wool", round_=2, red=holding("otto", gold=0, resource_cards=["stone_4"], grey=2)),
        "event philips_wool", {"red.gold": 2 * (12 + 2 + 1 - 10)}],
    "volunteers bring one cube more of each resource card only": [
        board(2, "volunteers", round_=3, red=WINTER_CARDS, blue=holding("tom_builder")), "event volunteers",
        {"sand": [0, 0], "wood": [3 + 4 + 1, 0], "stone": [0, 1], "metal": [0, 0]}],
    # Steps 4 to 8: Kingsbridge, Priory, production
    "R5: Kingsbridge cards are taken in space order": [
        board(2, "kings_favour", "red kingsbridge.1, red kingsbridge.2", 1, ["prior_philip", "aliena"]),
        "event kings_favour", {"red.advantages": ["aliena", "prior_philip"], "red.fresh": ["aliena", "prior_philip"]},
        "until advantages", {"red.advantages": ["aliena", "prior_philip"], "red.fresh": []}],
    "Prior Philip adds a point for each own builder at the Priory": [
        board(2, "kings_favour", "red priory, red priory, red kingsbridge.1", 1, ["prior_philip"]),
        "event kings_favour", {"red.vp": 2 + 3 + 2, "red.vp_priory": 3, "red.vp_cards": 2, "priory": ["", ""]}],
    "the Priory pays 2 and 1": [
        board(2, "kings_favour", "blue priory, red priory"), "event kings_favour", {"vp_priory": [1, 2]}],
    **{f"R6, R12: an extra {kind} comes at once and without a resource card": [
        board(2, "kings_favour", "red kingsbridge.1", 1, [card]), "event kings_favour", {kind: [1, 0]},
    ] for card, kind in (("aliena", "wood"), ("tom_builder", "stone"), ("richard", "sand"))},
    "R14: cold winter takes one of each resource card but no extra cube": [
        board(2, "cold_winter", round_=2, red=WINTER_CARDS), "event cold_winter", {"red.wood": 1 + 2 + 1}],
    "R14: protection keeps the winter's cubes": [
        board(2, "cold_winter", "red archbishop", 2, red=WINTER_CARDS), "event cold_winter; protect",
        {"red.wood": 2 + 3 + 1}],
    "R7: production owes what the supply lacks": [
        board(4, "kings_favour", "", 2, **{**{colour: {"wood": 5} for colour in COLOURS},
                                           "red": {"wood": 5, "resource_cards": ["wood_3"]}}),
        "event kings_favour", {"red.wood": 8, "supply.wood": -1 - 3}],
    # Steps 9 to 11: King's court, Shiring, castle
    "R8: VP never fall below 0 and only what is lost counts": [
        board(2, "quarrel", round_=2, red={"vp": 1}, blue={"vp": 9}), "event quarrel",
        {"vp": [0, 7], "vp_lost": [1 + 1, 2]}],
    "R9: metal is never owed": [
        {**board(4, "richards_gift", "blue kingsbridge.1", 1, ["toledo"], **metal(blue=3, green=4, yellow=4)),
         "starting_player": "yellow"},
        "event richards_gift", {"metal": [0, 3, 4, 5], "supply.metal": 0}],
    "R9: Toledo gives two metal or as many as there are": [
        board(4, "kings_favour", "blue kingsbridge.1", 1, ["toledo"], **metal(blue=3, green=4, yellow=4)),
        "event kings_favour", {"blue.metal": 4, "supply.metal": 0}],
    "R9: the last metal goes to the court": [
        board(4, "kings_favour", "yellow court", **metal(red=4, blue=3, green=4)), "event kings_favour; roll 2",
        {"court_metal": 0, "supply.metal": 1}, "until advantages", {"court_metal": 1, "supply.metal": 0}],
    "R9: the court refills only while there is metal": [
        board(4, "kings_favour", "yellow court", **metal(red=4, blue=4, green=4)), "event kings_favour; roll 2",
        {"yellow.metal": 1, "court_metal": 0}, "until advantages", {"court_metal": 0, "supply.metal": 0},
        "until event; event richards_gift", {"metal": [4, 4, 4, 1]}],
    "only the first space at court gives the metal": [
        board(2, "kings_favour", "red court"), "event kings_favour; roll 2", {"red.metal": 1, "court_metal": 0}],
    "nobody at court, no metal": [
        board(2, "kings_favour"), "event kings_favour; roll 2", {"metal": [0, 0], "court_metal": 1}],
    "the first at court gets the metal and no one there pays": [
        board(3, "kings_favour", "blue court, red court, green priory"), "event kings_favour", {"gold": [30, 30, 30]},
        "roll 5", {"gold": [30, 30, 25], "metal": [0, 1, 0], "court": [""] * 4, "die": 0, "court_metal": 0}],
    "a tax exemption is asked after the roll even with 0 gold": [
        board(2, "richards_gift", round_=2, red=holding("tax_exemption", gold=0, **NO_ONE_AT_THE_MILL)),
        "event richards_gift; roll 4", {"step": "exemption", "to_act": "red", "die": 4},
        "save tax_exemption", {"red.vp": 0, "red.advantages": ["tax_exemption"]}],
    "a tax exemption that is used": [
        board(2, "richards_gift", round_=2, red=holding("tax_exemption", gold=0, **NO_ONE_AT_THE_MILL)),
        "event richards_gift; roll 4; use tax_exemption", {"red.vp": 2, "red.advantages": [], "die": 0}],
    "a tax exemption can be used in the round of taking": [
        board(2, "kings_favour", "red kingsbridge.1", 1, ["tax_exemption"]),
        "event kings_favour; roll 4; use tax_exemption", {"red.advantages": [], "red.fresh": []}],
    **{f"R39: Francis pays 2 when the die shows {pips}": [
        board(2, "quarrel", round_=2, red=holding("francis", gold=10, **NO_ONE_AT_THE_MILL), blue={"gold": 10}),
        f"event quarrel; roll {pips}", {"gold": [10 - 2, 10 + 12 - pips]}] for pips in (2, 3, 4, 5)},
    "R39: Francis changes neither the levy nor who is asked for the exemption": [
        board(2, "hamleigh_levy", round_=2, red=holding("francis", "tax_exemption", gold=10, **NO_ONE_AT_THE_MILL)),
        "event hamleigh_levy; roll 5", {"step": "exemption", "to_act": "red", "red.gold": 10 - 4},
        "use tax_exemption", {"red.gold": 6}],
    "R39: Francis at court pays nothing": [
        board(2, "quarrel", "red court", 2, red=holding("francis", gold=10, **NO_ONE_AT_THE_MILL)),
        "event quarrel; roll 5", {"red.gold": 10}],
    "a holder at court is not asked for the exemption": [
        board(2, "kings_favour", "red court", 2, red=holding("tax_exemption")), "event kings_favour; roll 4",
        {"step": "market"}],
    "R5: each dismissal at Shiring is settled before the next space": [
        board(2, "kings_favour", TWO_AT_SHIRING, 2, red={"craftsmen": FIVE_CRAFTSMEN}), "event kings_favour; roll 2",
        {"step": "shiring", "shiring": ["", "red"], "shiring_cards": ["", "mason_2"],
         "offered": each("dismiss", [*FIVE_CRAFTSMEN, "carpenter_2"])},
        "dismiss mason_1", {"offered dismiss": each("dismiss", [*FIVE_CRAFTSMEN[:4], "carpenter_2", "mason_2"])},
        "dismiss mason_2", {"red.craftsmen": [*FIVE_CRAFTSMEN[:4], "carpenter_2"]}],
    "R24: Jack finds room in the round of taking": [
        board(2, "kings_favour", "red kingsbridge.1, red shiring.2", 2, ["jack"], red={"craftsmen": FIVE_CRAFTSMEN}),
        "event kings_favour; roll 2", {"step": "market", "red.craftsmen": [*FIVE_CRAFTSMEN, "mason_2"]}],
    "untaken craftsmen leave the game": [
        board(2, "kings_favour"), "event kings_favour; roll 2",
        {"shiring_cards": ["", ""], "craftsmen": [["mortar_mixer", "woodworker", "stonecutter"]] * 2}],
    "the castle lends two grey workers for the next round": [
        board(2, "kings_favour", "red castle"), "event kings_favour; until cathedral",
        {"red.grey": 0, "red.grey_next": 2, "red.workers": 12},
        "until draft", {"red.grey": 2, "red.grey_next": 0, "red.workers": 14},
        "until event; until draft", {"red.grey": 0, "red.workers": 12}],
    "R24: the black worker joins in the next round": [
        board(2, "kings_favour", "red kingsbridge.1", 1, ["otto"]), "event kings_favour", {"red.workers": 12},
        "until draft", {"red.workers": 13}, "until event; until draft", {"red.workers": 13}],
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(model: NewGame, name: str) -> None:
    for seen, expected in tell(model, STORIES[name]):
        assert seen == expected


@pytest.mark.parametrize(
    ("card", "gains"),
    [
        ("wool_fair", {"gold": 8}),
        ("crying_madonna", {"vp": 3, "vp_cards": 3}),
        ("toledo", {"metal": 2}),
        ("celebrations", {"metal": 1}),
        ("completion", {"stone": 1, "wood": 1}),
    ],
)
def test_immediate_cards_act_and_are_gone(model: NewGame, card: str, gains: dict[str, int]) -> None:
    own = {"gold": 3, "vp": 7, **NO_ONE_AT_THE_MILL}
    fields = board(2, "quarrel", "red kingsbridge.1", 6 if card in LAST_ROUND else 2, [card], red=own)
    game = play_all(model(fields), "event quarrel")
    before = {"gold": 3, "vp": 5, "vp_cards": 0, "sand": 2, "wood": 0, "stone": 4, "metal": 0}
    assert {kind: red(game)[kind] - count for kind, count in before.items() if red(game)[kind] != count} == gains
    assert (red(game)["advantages"], red(game)["fresh"]) == ([], [])
    assert game.position()["kingsbridge_cards"] == ["", ""]  # the other card lay over an empty space


@pytest.mark.parametrize(
    ("cards", "cubes"),
    [
        (["sand_2", "wood_2", "stone_2"], [2, 2, 2]),
        (["sand_3", "wood_3"], [3, 3, 0]),
        (["sand_4", "stone_2"], [4, 0, 2]),
        (["wood_4"], [0, 4, 0]),
        (["stone_3"], [0, 0, 3]),
        (["sand_2", "stone_4"], [2, 0, 4]),
    ],
)
def test_resource_cards_yield_and_the_workers_come_home(model: NewGame, cards: list[str], cubes: list[int]) -> None:
    game = play_all(model(board(2, "kings_favour", red={"resource_cards": cards})), "event kings_favour")
    assert [red(game)[kind] for kind in CUBES] == [*cubes, 0]
    assert (red(game)["workers"], red(game)["resource_cards"]) == (12, [])
