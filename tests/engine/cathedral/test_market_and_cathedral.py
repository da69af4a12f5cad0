"""The market, the cathedral and the end of a round (steps 12 to 14), ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import BASIC, COLOURS, CRAFTSMEN
from tests.engine.cathedral.positions import Fields, NewGame, Story, each, late, offered, red, tell

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
    """All wood but 3 is in hands or at the market; one is owed when the market has 4."""
    fields = late(4, "cathedral", **{colour: {"wood": 5, "craftsmen": ["mortar_mixer"]} for colour in COLOURS})
    fields["stock"]["wood"] = stock
    fields["supply"]["wood"] = 23 - 20 - stock
    return fields


STORIES: dict[str, Story] = {
    # Step 12: market
    "any number that is there and can be paid for": [
        market(red={"gold": 7, "metal": 2}),
        {"offered": up_to("buy sand", 3) | up_to("buy wood", 2) | up_to("buy stone", 1) | up_to("sell metal", 2)
         | {"leave"}},
        "sell metal 2", {"red.gold": 17, "red.metal": 0},
        {"offered buy": up_to("buy sand", 4) | up_to("buy wood", 4) | up_to("buy stone", 4)}],
    **{f"{kind} is sold for {price}": [
        market(red={"gold": 0, kind: 2}), f"sell {kind} 2", {"red.gold": 2 * price, f"red.{kind}": 0},
    ] for kind, price in (("sand", 2), ("wood", 3), ("stone", 4), ("metal", 5))},
    "sold cubes go to the supply and gold stops at 30": [
        market(red={"gold": 28, "wood": 3}), "sell wood 3", {"red.gold": 30, "stock.wood": 4, "supply.wood": 19}],
    "two builders act twice a lap and each leaves alone": [
        market("red market, blue market, red market"), {"stall": 1, "to_act": "red"},
        "buy sand 1", {"stall": 2, "to_act": "blue"}, "buy sand 1", {"stall": 3, "to_act": "red"},
        "leave", {"stall": 1, "to_act": "red"}, "buy wood 1", {"stall": 2, "to_act": "blue"},
        "leave", {"stall": 1, "market": ["red", "", "", ""]}, "leave", {"step": "cathedral", "stall": 0}],
    "R18: what was bought is not sold by any builder": [
        market("red market, red market", red={"sand": 2, "wood": 1}),
        "buy sand 1", {"stall": 2, "offered sell": {"sell wood 1"}},
        "sell wood 1", {"offered buy": up_to("buy sand", 3) | up_to("buy wood", 4) | up_to("buy stone", 4)},
        "buy wood 2", {"red.bought": ["sand", "wood"], "offered sell": set()}],
    "R18: the next round forgets what was bought": [market(), "buy sand 1; until advantages", {"red.bought": []}],
    "R19: wood needs a woodworker, selling stone the stonecutter": [
        market("red market, blue market", red={"wood": 1, "stone": 1, "craftsmen": ["mortar_mixer", "mason_1"]},
               blue={"wood": 1, "stone": 1}),
        {"offered": up_to("buy sand", 4) | up_to("buy stone", 4) | {"sell wood 1", "leave"}},
        "leave", {"offered": up_to("buy sand", 4) | up_to("buy wood", 4) | up_to("buy stone", 4)
                  | {"sell stone 1", "sell wood 1", "leave"}}],
    "R19: the master woodworker opens the wood trade": [
        market(red={"stone": 1, "craftsmen": ["mortar_mixer", "master_woodworker_1"]}),
        {"offered": up_to("buy sand", 4) | up_to("buy wood", 4) | up_to("buy stone", 4) | {"leave"}}],
    # Step 13: cathedral
    "R20: all conversions are optional and finish is always a decision": [
        late(3, "cathedral", red={"sand": 3}), {"offered": {"convert mortar_mixer 1", "finish"}, "to_act": "red"},
        "finish", {"step": "cathedral", "to_act": "blue"}, "finish", {"step": "cathedral", "to_act": "green"},
        "finish", {"step": "advantages", "red.vp": 2}],
    "a mason needs a mortar mixer": [
        cathedral(stone=1, craftsmen=["woodworker", "mason_1"]), {"offered": {"finish"}}],
    **{f"a mason is content with {mixer}": [
        cathedral(stone=1, craftsmen=[mixer, "mason_1"]), {"offered": {"convert mason_1 1", "finish"}},
    ] for mixer in ("mortar_mixer", "mortar_mixer_1")},
    "a tool maker needs metal": [cathedral(gold=29, craftsmen=["toolmaker_1"]), {"offered": {"finish"}}],
    "a tool maker keeps the metal": [
        cathedral(gold=29, metal=2, craftsmen=["toolmaker_1"]), {"offered": {"convert toolmaker_1 1", "finish"}},
        "convert toolmaker_1 1", {"red.gold": 30, "red.metal": 2, "offered": {"finish"}}],
    "the master woodworker makes 4 gold of a wood twice": [
        cathedral(gold=0, wood=3, craftsmen=["master_woodworker_1"]),
        {"offered convert": up_to("convert master_woodworker_1", 2)},
        "convert master_woodworker_1 2", {"red.gold": 8, "red.wood": 1, "red.vp": 2}],
    "R21: gold-making and gold-spending keep their free order": [
        cathedral(5, gold=29, wood=2, sand=1, craftsmen=["master_woodworker_1", "goldsmith_5", "potter_2"]),
        "convert master_woodworker_1 1",  # each step applies the limit of gold; twice running is one step
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
    # The archbishop's blessing
    "R42: one craftsman can be used once more": [
        blessed(stone=14, craftsmen=MASONS),
        {"offered convert": up_to("convert mason_1", 3) | up_to("convert stonecutter", 5)},
        "convert stonecutter 5", {"blessing_used": True, "offered": up_to("convert mason_1", 2) | {"finish"}},
        "finish", {"blessing_used": False}],
    "R42: a use within capacity leaves the blessing": [
        blessed(stone=14, craftsmen=MASONS), "convert stonecutter 4",
        {"blessing_used": False, "offered convert": up_to("convert mason_1", 3)}],
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
    "R42: every player is blessed": [
        late(2, "cathedral", event="archbishops_blessing", red={"wood": 10}, blue={"wood": 10}),
        "convert woodworker 5; finish", {"to_act": "blue", "offered convert": up_to("convert woodworker", 5)}],
    "R42: without the event nobody is": [cathedral(wood=10), {"offered convert": up_to("convert woodworker", 4)}],
    # The keep limit
    "R10: each player discards before the next converts": [
        late(2, "cathedral", red={"sand": 2, "wood": 3, "metal": 2}, blue={"sand": 3}), "finish",
        {"step": "keep", "to_act": "red", "floor": "sand", "offered": each("discard", ("sand", "wood", "metal"))},
        "discard wood", {"floor": "wood", "offered": {"discard wood", "discard metal"}},
        "discard metal", {"step": "cathedral", "to_act": "blue", "floor": "", "supply.metal": 12 - 1}],
    "the sixth cube goes and five are kept": [
        late(2, "cathedral", red={"sand": 5, "metal": 1}, blue={"stone": 5}), "finish",
        {"offered": {"discard sand", "discard metal"}},
        "discard metal; finish", {"step": "advantages", "blue.stone": 5}],
    "no discard may leave too few cubes after it": [
        cathedral(sand=1, wood=5, metal=1), "finish", {"offered": {"discard sand", "discard wood"}}],
    "R10: round 6 has no keep limit and the last player converts": [
        late(2, "cathedral", round_=6, red={"sand": 9}, blue={"sand": 3}), "finish; convert mortar_mixer 1; finish",
        {"step": "over", "red.sand": 9, "blue.vp": 3}],
    # Step 14 and the end of the round
    **{f"after {spaces or 'nobody at the start'}, {follows} starts": [
        late(3, "cathedral", spaces), "until advantages", {"starting_player": follows, "start": ""},
    ] for spaces, follows in (("red start", "red"), ("green start", "green"), ("", "blue"))},
    "the starting player stays it until step 14": [
        late(3, "cathedral", "green start"), "finish; finish", {"starting_player": "red", "to_act": "green"}],
    **{f"R7: the refill of {stock} wood takes only what is above zero": [
        sparse_wood(stock), "until advantages", {"stock.wood": refilled, "supply.wood": 3 - refilled},
    ] for stock, refilled in ((0, 3), (1, 3), (2, 3), (3, 3), (4, 4))},
    "the refill stops at 4": [
        market(red={"gold": 9}), "buy sand 3; until advantages", {"stock": dict.fromkeys(BASIC, 4)}],
    "a new round begins as the first did": [
        late(3, "cathedral"), "until advantages",
        {"round": 2, "cost": 7, "event": "", "redraw_used": False, "bag": [3, 3, 3]}],
    "R22: round 6 is played to its end and leftovers count nothing": [
        late(2, "cathedral", "blue start", 6, blue={"gold": 20, "vp": 3},
             red={"gold": 20, "sand": 9, "metal": 3, "advantages": ["tax_exemption"]}),
        "finish; finish", {"step": "over", "to_act": "", "round": 6, "starting_player": "blue", "cost": 0,
                           "event": "kings_favour", "red.bag": 0, "returns": [0, 1]}],
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(model: NewGame, name: str) -> None:
    for seen, expected in tell(model, STORIES[name]):
        assert seen == expected


@pytest.mark.parametrize("card", [card for card, facts in CRAFTSMEN.items() if facts.vp])
def test_ratio_and_capacity(model: NewGame, card: str) -> None:
    """With goods for one use more than there is capacity for, where a player can hold so many."""
    facts = CRAFTSMEN[card]
    hand = {kind: min(count * (facts.capacity + 1), 30) for kind, count in facts.spends.items()}
    held = {"gold": 0, **hand, "craftsmen": [card, *facts.needs_any_card[:1]]}
    game = model(cathedral(max(facts.round, 1), **held))
    assert {text for text in offered(game, "convert") if card in text} == up_to(f"convert {card}", facts.capacity)
    game.play(f"convert {card} {facts.capacity}")
    assert red(game)["vp_craftsmen"] == facts.capacity * facts.vp
    assert {kind: hand[kind] - red(game)[kind] for kind in hand} == {
        kind: facts.capacity * count for kind, count in facts.spends.items()
    }
