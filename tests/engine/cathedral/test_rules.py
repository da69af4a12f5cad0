"""The rules, ruling by ruling; everything else is covered by the comparison with the reference model."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS, NEGATIVE_EVENTS, POSITIVE_EVENTS, RESOURCE_CARDS
from tests.engine.cathedral.positions import (
    FIVE_CRAFTSMEN,
    Core,
    Fields,
    Story,
    bag,
    board,
    draft,
    each,
    late,
    opening,
    tell,
    until,
)
from tests.engine.models import OVER

NUMBERED = {f"{location}.{number}" for location in ("kingsbridge", "shiring") for number in (1, 2)}
SPACES = {*NUMBERED, "archbishop", "priory", "court", "castle", "market", "start"}
SIX = [*FIVE_CRAFTSMEN, "potter_2"]
LAST_FOR_0 = "; ".join(f"draw {colour}; accept; wait {colour}" for colour in ("red",) * 3 + ("blue",) * 3 + ("green",))
DIE = {f"roll {face}": Fraction(count, 6) for face, count in ((2, 1), (3, 2), (4, 2), (5, 1))}


def limited() -> dict[str, object]:
    return bag(2, round_=2, red={"limited": True})


NO_ONE_AT_THE_MILL = {"resource_cards": ["sand_2", "stone_4"]}
WINTER_CARDS = {"resource_cards": ["wood_2", "wood_3"], "advantages": ["aliena"]}
TWO_AT_SHIRING = "red shiring.1, red shiring.2"
DISMISSALS = each("dismiss", ["mortar_mixer", "woodworker", "stonecutter"])


def holding(*advantages: str, **more: object) -> Fields:
    return {"advantages": [*advantages], **more}


def without_stock(fields: Fields, *kinds: str) -> Fields:
    for kind in kinds:
        fields["supply"][kind] += fields["stock"][kind]
        fields["stock"][kind] = 0
    return fields


def metal(**held: int) -> dict[str, Fields]:
    return {colour: {"metal": count} for colour, count in held.items()}


MASONS = ["mortar_mixer", "mason_1", "stonecutter"]


def market(spaces: str = "red market", **players: Fields) -> Fields:
    return late(2, "market", spaces, **players)


def cathedral(round_: int = 1, **red: object) -> Fields:
    return late(2, "cathedral", round_=round_, red=red)


def blessed(round_: int = 5, **red: object) -> Fields:
    return late(2, "cathedral", round_=round_, event="archbishops_blessing", red=red)


def up_to(action: str, most: int) -> set[str]:
    return {f"{action} {times}" for times in range(1, most + 1)}


def sparse_wood(stock: int) -> Fields:
    """Return a position with all wood but 3 in hands or at the market; one is owed when the market has 4."""
    fields = late(4, "cathedral", **{colour: {"wood": 5, "craftsmen": ["mortar_mixer"]} for colour in COLOURS})
    fields["stock"]["wood"] = stock
    fields["supply"]["wood"] = 23 - 20 - stock
    return fields


STORIES: dict[str, Story] = {
    # The round start
    **{f"R23: seat 0 starts and gold follows the turn order, {seats} seats": [
        opening(seats), {"starting_player": "red", "gold": [20, 21, 22, 23][:seats],
                         "supply": {"sand": 19, "wood": 19, "stone": 19, "metal": 12}}] for seats in (2, 3, 4)},
    "R15: what is left out is uniform": [
        opening(2), "until resources", {"odds": dict.fromkeys(
            (f"leave-out {first} {second}" for first, second in combinations(RESOURCE_CARDS, 2)), Fraction(1, 36))}],
    "R15: builders in the bag and pips of the die are alike": [
        bag(2), "draw red; accept; wait red", {"odds": {"draw red": Fraction(2, 5), "draw blue": Fraction(3, 5)}},
        "until tax", {"odds": DIE}],
    # The draft
    "R25: a forced pass is a decision": [
        draft(2, red={"gold": 0}), "take wood_4; hire mason_1; take sand_2; hire mortar_mixer_1",
        {"to_act": "red", "offered": {"pass"}}],
    # Master builders
    "R1: a waiting builder must be placed, at no cost": [
        bag(4), "until waiting", {"to_act": "blue", "verbs": {"place"}, "blue.gold": 21},
        "place blue start", {"blue.gold": 21}],
    "R2: the third of a limited colour is set aside": [
        limited(), "draw red; accept; wait red; draw red; accept; wait red; draw red",
        {"step": "draw", "cost": 5, "drawn": "", "red.aside": 1, "red.bag": 0},
        "draw blue; redraw", {"cost": 5}],  # still available: it was not offered on the third red
    "R3: a returned builder was not drawn": [
        limited(), "draw red; accept; wait red; draw red", {"step": "redraw", "to_act": "red"},
        "redraw", {"cost": 6, "red.bag": 2, "redraw_used": True},
        "draw red", {"step": "builder", "red.aside": 0}],  # no longer asked; and it is the second, not the third
    "R3: the redraw is open to the last builder and to the only colour": [
        bag(3), f"{LAST_FOR_0}; draw green; accept; place green castle; draw green; redraw",
        {"cost": 0, "offered": {"draw green"}}, "draw green", {"step": "builder"}],
    "R16: three locations fill from their lowest space": [
        bag(2, red={"gold": 30}), "draw red; accept", {"offered place": each("place red", SPACES)},
        "place red priory", {"cost": 6}, "draw red; accept; place red court", {"cost": 5},
        "draw red; accept; place red market",
        {"cost": 4, "priory": ["red", ""], "court": ["red", "", "", ""], "market": ["red", "", "", ""]},
        "draw blue; accept; place blue priory", {"priory": ["red", "blue"]},
        "draw blue; accept", {"offered place": each("place blue", SPACES - {"priory"})}],
    "R43: Remigius places for 0 and the marker drops": [
        bag(2, round_=2, red={"gold": 0, "advantages": ["brother_remigius"]}), "draw red; accept",
        {"offered": {"wait red", "use brother_remigius"}},
        "use brother_remigius", {"free_placement": True, "verbs": {"place"}},
        "place red castle", {"cost": 6, "free_placement": False, "red.advantages": [], "red.gold": 0}],
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
    "R4: a holder of Thomas whom the seat protects is not asked": [
        board(2, "quarrel", "red archbishop", 2, red=holding("archbishop_thomas")), "event quarrel; protect",
        {"step": "tax", "red.advantages": ["archbishop_thomas"]}],
    **{f"R33: Thomas is not offered with positive {event}": [
        board(2, event, round_=2, red=holding("archbishop_thomas")), f"event {event}",
        {"step": "tax", "red.spared": False}] for event in POSITIVE_EVENTS},
    "R4: the event asks in turn order from the starting player": [
        {**board(3, "roof_collapse"), "starting_player": "blue"}, "event roof_collapse",
        {"step": "event_choice", "to_act": "blue", "offered": DISMISSALS},
        "dismiss woodworker", {"step": "event_choice", "to_act": "green", "offered": DISMISSALS},
        "dismiss woodworker", {"step": "event_choice", "to_act": "red", "offered": DISMISSALS},
        "dismiss woodworker", {"craftsmen": [["mortar_mixer", "stonecutter"]] * 3}],
    "R17: the archbishop gives what the market has": [
        without_stock(board(2, "kings_favour", "red archbishop"), "sand", "stone"), "event kings_favour",
        {"offered": {"gain wood"}}],
    "R32: town wall acts in the next round only": [
        board(2, "town_wall", "red archbishop"), "event town_wall; protect", {"limited_next": [False, True]},
        "until advantages", {"limited": [False, True]}, "until event", {"aside": [0, 1]},
        "until advantages", {"limited": [False] * 2, "limited_next": [False] * 2, "aside": [0, 0]}],
    "R32: town wall does nothing in round 6": [
        board(2, "town_wall", round_=6), "event town_wall", {"limited_next": [False, False]}],
    "who has no craftsman is not asked for one": [
        board(2, "roof_collapse", red={"craftsmen": []}), "event roof_collapse",
        {"step": "event_choice", "to_act": "blue"}],
    **{f"R41: Philip's wool pays {gold} for the mill, and step 3 pays again, with {card}": [
        board(2, "philips_wool", red={"gold": 0, "resource_cards": [card]}, blue={"gold": 28}), "event philips_wool",
        {"gold": [gold + 12 - busy, 30]},
    ] for card, busy, gold in (("sand_4", 7, 5), ("wood_4", 9, 3), ("stone_4", 10, 2))},
    # Steps 4 to 8: Kingsbridge, Priory, production
    "R5: Kingsbridge cards are taken in space order": [
        board(2, "kings_favour", "red kingsbridge.1, red kingsbridge.2", 1, ["prior_philip", "aliena"]),
        "event kings_favour", {"red.advantages": ["aliena", "prior_philip"], "red.fresh": ["aliena", "prior_philip"]},
        "until advantages", {"red.advantages": ["aliena", "prior_philip"], "red.fresh": []}],
    **{f"R6, R12: an extra {kind} comes at once and without a resource card": [
        board(2, "kings_favour", "red kingsbridge.1", 1, [card]), "event kings_favour", {kind: [1, 0]},
    ] for card, kind in (("aliena", "wood"), ("tom_builder", "stone"), ("richard", "sand"))},
    "R14: cold winter takes one of each resource card but no extra cube": [
        board(2, "cold_winter", round_=2, red=WINTER_CARDS), "event cold_winter", {"red.wood": 1 + 2 + 1}],
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
    "R9: the court refills only while there is metal": [
        board(4, "kings_favour", "yellow court", **metal(red=4, blue=4, green=4)), "event kings_favour; roll 2",
        {"yellow.metal": 1, "court_metal": 0}, "until advantages", {"court_metal": 0, "supply.metal": 0},
        "until event; event richards_gift", {"metal": [4, 4, 4, 1]}],
    **{f"R39: Francis pays 2 when the die shows {pips}": [
        board(2, "quarrel", round_=2, red=holding("francis", gold=10, **NO_ONE_AT_THE_MILL), blue={"gold": 10}),
        f"event quarrel; roll {pips}", {"gold": [10 - 2, 10 + 12 - pips]}] for pips in (2, 3, 4, 5)},
    "R39: Francis changes neither the levy nor who is asked for the exemption": [
        board(2, "hamleigh_levy", round_=2, red=holding("francis", "tax_exemption", gold=10, **NO_ONE_AT_THE_MILL)),
        "event hamleigh_levy; roll 5", {"step": "exemption", "to_act": "red", "red.gold": 10 - 4},
        "use tax_exemption", {"red.gold": 6}],
    "R5: each dismissal at Shiring is settled before the next space": [
        board(2, "kings_favour", TWO_AT_SHIRING, 2, red={"craftsmen": FIVE_CRAFTSMEN}), "event kings_favour; roll 2",
        {"step": "shiring", "shiring": ["", "red"], "shiring_cards": ["", "mason_2"],
         "offered": each("dismiss", [*FIVE_CRAFTSMEN, "carpenter_2"])},
        "dismiss mason_1", {"offered dismiss": each("dismiss", [*FIVE_CRAFTSMEN[:4], "carpenter_2", "mason_2"])},
        "dismiss mason_2", {"red.craftsmen": [*FIVE_CRAFTSMEN[:4], "carpenter_2"]}],
    "R24: Jack finds room in the round of taking": [
        board(2, "kings_favour", "red kingsbridge.1, red shiring.2", 2, ["jack"], red={"craftsmen": FIVE_CRAFTSMEN}),
        "event kings_favour; roll 2", {"step": "market", "red.craftsmen": [*FIVE_CRAFTSMEN, "mason_2"]}],
    "R24: the black worker joins in the next round": [
        board(2, "kings_favour", "red kingsbridge.1", 1, ["otto"]), "event kings_favour", {"red.workers": 12},
        "until draft", {"red.workers": 13}, "until event; until draft", {"red.workers": 13}],
    # Step 12: market
    "sold cubes go to the supply and gold stops at 30": [
        market(red={"gold": 28, "wood": 3}), "sell wood 3", {"red.gold": 30, "stock.wood": 4, "supply.wood": 19}],
    "R18: what was bought is not sold by any builder": [
        market("red market, red market", red={"sand": 2, "wood": 1}),
        "buy sand 1", {"stall": 2, "offered sell": {"sell wood 1"}},
        "sell wood 1", {"offered buy": up_to("buy sand", 3) | up_to("buy wood", 4) | up_to("buy stone", 4)},
        "buy wood 2", {"red.bought": ["sand", "wood"], "offered sell": set()}],
    "R19: wood needs a woodworker, selling stone the stonecutter": [
        market("red market, blue market", red={"wood": 1, "stone": 1, "craftsmen": ["mortar_mixer", "mason_1"]},
               blue={"wood": 1, "stone": 1}),
        {"offered": up_to("buy sand", 4) | up_to("buy stone", 4) | {"sell wood 1", "leave"}},
        "leave", {"offered": up_to("buy sand", 4) | up_to("buy wood", 4) | up_to("buy stone", 4)
                  | {"sell stone 1", "sell wood 1", "leave"}}],
    # Step 13: cathedral
    "R20: all conversions are optional and finish is always a decision": [
        late(3, "cathedral", red={"sand": 3}), {"offered": {"convert mortar_mixer 1", "finish"}, "to_act": "red"},
        "finish", {"step": "cathedral", "to_act": "blue"}, "finish", {"step": "cathedral", "to_act": "green"},
        "finish", {"step": "advantages", "red.vp": 2}],
    "R21: gold-making and gold-spending keep their free order": [
        cathedral(5, gold=29, wood=2, sand=1, craftsmen=["master_woodworker_1", "goldsmith_5", "potter_2"]),
        "convert master_woodworker_1 1",  # each step applies the limit of gold; two uses in a row are one step
        {"red.gold": 30, "offered": up_to("convert goldsmith_5", 6) | {"convert potter_2 1", "finish"}},
        "convert goldsmith_5 2; convert master_woodworker_1 1",
        {"red.gold": 28, "used": [{"craftsman": "master_woodworker_1", "times": 2},
                                  {"craftsman": "goldsmith_5", "times": 2}],
         "offered": up_to("convert goldsmith_5", 4) | {"convert potter_2 1", "finish"}}],
    "R21: the others follow once each in catalogue order": [
        cathedral(5, gold=3, wood=2, stone=3, craftsmen=["stonecutter", "carpenter_2", "sculptor_4", "goldsmith_5"]),
        "convert goldsmith_5 1; convert carpenter_2 1",
        {"last_used": "carpenter_2", "used": [{"craftsman": "goldsmith_5", "times": 1}],
         "offered": up_to("convert sculptor_4", 2) | {"finish"}},
        "finish", {"last_used": "", "used": []}],
    "a worked example": [
        late(2, "cathedral", round_=2, red={
            "sand": 5, "stone": 3, "metal": 1, "gold": 0,
            "craftsmen": ["potter_2", "mortar_mixer", "stonecutter", "architect_2", "toolmaker_1"]}),
        "convert toolmaker_1 1; convert mortar_mixer 1; convert stonecutter 1; convert potter_2 2",
        "convert architect_2 1",
        {"red.vp": 2 + 5, "red.vp_craftsmen": 5, "red.gold": 2, "red.sand": 0, "red.stone": 1, "red.metal": 1}],
    # The archbishop's blessing
    "R42: one craftsman can be used once more": [
        blessed(stone=14, craftsmen=MASONS),
        {"offered convert": up_to("convert mason_1", 3) | up_to("convert stonecutter", 5)},
        "convert stonecutter 5", {"blessing_used": True, "offered": up_to("convert mason_1", 2) | {"finish"}},
        "finish", {"blessing_used": False}],
    "R42: two steps with others in between may exceed one capacity together, but only by one": [
        blessed(gold=0, wood=5, craftsmen=["master_woodworker_1", "goldsmith_5"]),
        "convert master_woodworker_1 2; convert goldsmith_5 1; convert master_woodworker_1 1",
        {"blessing_used": True, "used": [{"craftsman": "master_woodworker_1", "times": 3},
                                         {"craftsman": "goldsmith_5", "times": 1}]},
        "convert goldsmith_5 3", {"offered": {"finish"}}],
    **{f"R42: {card} can be used {times} times under the blessing": [
        blessed(6, **{"gold": 0, **hand, "craftsmen": [card]}), {"offered convert": up_to(f"convert {card}", times)},
    ] for card, hand, times in (
        ("toolmaker_1", {"metal": 3}, 1), ("architect_2", {}, 1), ("organ_builder_6", {"metal": 3, "wood": 3}, 1),
        ("bell_maker_6", {"metal": 4}, 2), ("goldsmith_6", {"gold": 30}, 9),
    )},
    # The keep limit
    "R10: each player discards before the next converts": [
        late(2, "cathedral", red={"sand": 2, "wood": 3, "metal": 2}, blue={"sand": 3}), "finish",
        {"step": "keep", "to_act": "red", "floor": "sand", "offered": each("discard", ("sand", "wood", "metal"))},
        "discard wood", {"floor": "wood", "offered": {"discard wood", "discard metal"}},
        "discard metal", {"step": "cathedral", "to_act": "blue", "floor": "", "supply.metal": 12 - 1}],
    "R10: round 6 has no keep limit and the last player converts": [
        late(2, "cathedral", round_=6, red={"sand": 9}, blue={"sand": 3}), "finish; convert mortar_mixer 1; finish",
        {"step": "over", "red.sand": 9, "blue.vp": 3}],
    # Step 14 and the end of the round
    **{f"R7: the refill of {stock} wood takes only what is above zero": [
        sparse_wood(stock), "until advantages", {"stock.wood": refilled, "supply.wood": 3 - refilled},
    ] for stock, refilled in ((0, 3), (1, 3), (2, 3), (3, 3), (4, 4))},
    "R22: round 6 is played to its end and leftovers count nothing": [
        late(2, "cathedral", "blue start", 6, blue={"gold": 20, "vp": 3},
             red={"gold": 20, "sand": 9, "metal": 3, "advantages": ["tax_exemption"]}),
        "finish; finish", {"step": "over", "to_act": "", "round": 6, "starting_player": "blue", "cost": 0,
                           "event": "kings_favour", "red.bag": 0, "returns": [0, 1]}],
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(name: str) -> None:
    for seen, expected in tell(STORIES[name]):
        assert seen == expected


@pytest.mark.parametrize(("seats", "costs"), [(2, [7, 6, 5, 4, 3, 2]), (3, [7, 6, 5, 4, 3, 2, 1, 0, 0])])
def test_r26_each_builder_costs_one_less(seats: int, costs: list[int]) -> None:
    """The sixth builder of two players still costs 2, although the bag is empty."""
    game = Core.from_position(bag(seats))
    seen = []
    while until(game, "builder", "waiting").position()["step"] == "builder":
        seen.append(game.position()["cost"])
        game.play(sorted(game.legal())[-1])  # wait, where possible
    assert seen == costs


@pytest.mark.parametrize(
    ("results", "shares", "margins"),
    [
        ([(9, 0), (8, 20), (7, 0)], [1, 0, 0], [1, -1, -2]),
        ([(8, 3), (8, 4), (7, 9)], [0, 1, 0], [0, 0, -1]),
        ([(8, 4), (8, 4), (8, 1)], [Fraction(1, 2), Fraction(1, 2), 0], [0, 0, 0]),
        ([(8, 4), (8, 4), (8, 4)], [Fraction(1, 3)] * 3, [0, 0, 0]),
    ],
)
def test_r11_most_vp_then_gold_then_a_shared_win(
    results: list[tuple[int, int]], shares: list[Fraction], margins: list[int]
) -> None:
    players: Fields = {colour: {"vp": vp, "gold": gold} for colour, (vp, gold) in zip(COLOURS, results, strict=False)}
    game = until(Core.from_position(late(3, "cathedral", round_=6, **players)), "over")
    assert (game.turn(), game.legal()) == (OVER, [])
    assert (game.returns(), game.margins()) == (shares, margins)
