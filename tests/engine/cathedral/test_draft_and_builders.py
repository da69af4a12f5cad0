"""The round start, the draft and the master builders, ruling by ruling."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from tests.engine.cathedral.oracle_cards import CRAFTSMEN, RESOURCE_CARDS, craftsmen_of
from tests.engine.cathedral.positions import (
    FIVE_CRAFTSMEN,
    NewGame,
    Story,
    bag,
    draft,
    each,
    late,
    offered,
    opening,
    play_all,
    red,
    tell,
    until,
)

NUMBERED = {f"{location}.{number}" for location in ("kingsbridge", "shiring") for number in (1, 2)}
SPACES = {*NUMBERED, "archbishop", "priory", "court", "castle", "market", "start"}
SIX = [*FIVE_CRAFTSMEN, "potter_2"]
LAST_FOR_0 = "; ".join(f"draw {colour}; accept; wait {colour}" for colour in ("red",) * 3 + ("blue",) * 3 + ("green",))
DIE = {f"roll {face}": Fraction(count, 6) for face, count in ((2, 1), (3, 2), (4, 2), (5, 1))}


def limited() -> dict[str, object]:
    return bag(2, round_=2, red={"limited": True})


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
    "the board is empty at the opening": [
        opening(2), {"cost": 7, "stall": 0, "die": 0, "blessing_used": False, "court_metal": 1, "court": [""] * 4,
                     "market": [""] * 4, "priory": [""] * 2, "stock": {"sand": 4, "wood": 4, "stone": 4},
                     "spared": [False] * 2, "passed": [False] * 2, "limited": [False] * 2}],
    "the two cards left out are not in the supply": [
        opening(2), "until resources; leave-out sand_4 stone_2",
        {"step": "draft",
         "supply_resources": ["sand_2", "sand_3", "wood_2", "wood_3", "wood_4", "stone_3", "stone_4"]}],
    "the last-round cards come in round 6": [
        late(2, "cathedral", round_=5), "until advantages",
        {"odds": dict.fromkeys(("advantage completion", "advantage celebrations"), Fraction(1, 2))}],
    # The draft
    "a resource card needs its workers free": [
        draft(2), "take wood_4; pass", {"offered take": {"take sand_2", "take wood_2"}},  # 9 of the 12 are away
        "take sand_2", {"red.workers": 1, "red.resource_cards": ["sand_2", "wood_4"]}],
    "a craftsman costs gold": [
        draft(2, red={"gold": 4}),
        {"supply_craftsmen": ["mortar_mixer_1", "mason_1"], "offered hire": {"hire mortar_mixer_1"}},
        "hire mortar_mixer_1", {"red.gold": 0, "red.craftsmen": [*FIVE_CRAFTSMEN[:3], "mortar_mixer_1"]}],
    "one of six craftsmen must go": [
        draft(2, round_=2, red={"craftsmen": FIVE_CRAFTSMEN}), "hire potter_2",
        {"to_act": "red", "offered": each("dismiss", SIX)},
        "dismiss potter_2", {"red.craftsmen": FIVE_CRAFTSMEN, "to_act": "blue"}],
    "R24: with Jack a seventh is one too many": [
        draft(2, round_=3, red={"craftsmen": [*FIVE_CRAFTSMEN, "architect_2"], "advantages": ["jack"]}),
        "hire sculptor_3", {"offered": each("dismiss", [*FIVE_CRAFTSMEN, "architect_2", "sculptor_3"])}],
    "a pass is final and the last player goes on": [
        draft(3), "pass; take sand_2; pass", {"step": "draft", "to_act": "blue"},
        "take sand_3", {"step": "draft", "to_act": "blue"}, "hire mortar_mixer_1", {"step": "draft", "to_act": "blue"},
        "pass", {"step": "draw", "supply_resources": [], "supply_craftsmen": [], "mill": [12, 6, 12],
                 "passed": [False] * 3, "workers": [0] * 3}],
    "the draft ends with the last card": [
        {**draft(4), "supply_craftsmen": []},
        "take sand_2; take stone_3; take wood_3; take wood_4; take sand_3; pass; take stone_2; pass",
        {"supply_resources": ["wood_2"]}, "take wood_2", {"step": "draw"}],
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
        "draw blue; redraw", {"cost": 5}],  # still there: none was offered on the third red
    "R2: a builder set aside may be the last": [
        limited(), "; ".join(f"draw {one}; accept; wait {one}" for one in ("red", "red", "blue", "blue", "blue")),
        {"odds": {"draw red": 1}}, "draw red", {"step": "waiting", "cost": 0}],
    "R3: a returned builder was not drawn": [
        limited(), "draw red; accept; wait red; draw red", {"step": "redraw", "to_act": "red"},
        "redraw", {"cost": 6, "red.bag": 2, "redraw_used": True},
        "draw red", {"step": "builder", "red.aside": 0}],  # no longer asked; and it is the second, not the third
    "R3: the redraw is open to the last builder and to the only colour": [
        bag(3), f"{LAST_FOR_0}; draw green; accept; place green castle; draw green; redraw",
        {"cost": 0, "offered": {"draw green"}}, "draw green", {"step": "builder"}],
    "the starting player decides on the redraw of any builder": [
        bag(2), "draw blue", {"to_act": "red", "offered": {"redraw", "accept"}},
        "accept", {"to_act": "blue", "redraw_used": False}],
    "a builder that cannot be paid for waits": [
        bag(2, red={"gold": 6}), "draw red; accept", {"offered": {"wait red"}}],
    "exactly the marked cost is enough for any free space": [
        bag(2, red={"gold": 7}), "draw red; accept", {"offered place": each("place red", SPACES)},
        "place red shiring.2; draw blue; accept",
        {"offered place": each("place blue", SPACES - {"shiring.2"}), "red.gold": 0}],
    "a builder for 0 must be placed": [
        bag(3), f"{LAST_FOR_0}; draw green; accept", {"cost": 0, "verbs": {"place"}}],
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
    "R43: Remigius is not for builders that cost nothing or wait": [
        bag(3, round_=2, green={"advantages": ["brother_remigius"]}),
        f"{LAST_FOR_0}; draw green; accept", {"verbs": {"place"}},
        "place green archbishop; draw green; accept", {"verbs": {"place"}},
        "place green castle; place red court; place red court; place red court",
        "place blue court; place blue market; place blue market",
        {"step": "waiting", "to_act": "green", "verbs": {"place"}}],
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(model: NewGame, name: str) -> None:
    for seen, expected in tell(model, STORIES[name]):
        assert seen == expected


@pytest.mark.parametrize("card", [card for card, facts in CRAFTSMEN.items() if facts.round])
def test_the_cost_of_each_craftsman(model: NewGame, card: str) -> None:
    round_, cost = CRAFTSMEN[card].round, CRAFTSMEN[card].cost
    fields = draft(2, round_, red={"gold": cost}, blue={"gold": cost - 1})
    others = [other for other in craftsmen_of(round_) if other != card]
    game = model({**fields, "shiring_cards": others[:2], "supply_craftsmen": [card, others[2]]})
    assert f"hire {card}" in offered(game)
    game.play("pass")
    assert f"hire {card}" not in offered(game)


#   a card, grey workers, the cards taken before it
TAKEN = [
    *(("sand_2", 0, ["stone_4"]), ("sand_3", 2, ["stone_4"]), ("sand_4", 0, ["stone_2"]), ("wood_2", 0, ["wood_4"])),
    *(("wood_3", 0, ["sand_2", "sand_3"]), ("wood_4", 2, ["stone_2"]), ("stone_2", 0, ["sand_4"])),
    *(("stone_3", 0, ["sand_3"]), ("stone_4", 0, ["sand_2"])),
]


@pytest.mark.parametrize(("card", "grey", "before"), TAKEN, ids=[card for card, _, _ in TAKEN])
def test_exactly_the_workers_needed_are_enough(model: NewGame, card: str, grey: int, before: list[str]) -> None:
    fields = draft(2, 2, red={"grey": grey})
    left_out = [other for other in RESOURCE_CARDS if other not in (card, *before)][-2:]
    fields["supply_resources"] = [other for other in RESOURCE_CARDS if other not in left_out]
    game = play_all(model(fields), f"take {before[0]}", "pass", *(f"take {other}" for other in before[1:]))
    free = red(game)["workers"]
    assert free == RESOURCE_CARDS[card].workers
    left = [other for other in game.position()["supply_resources"] if RESOURCE_CARDS[other].workers <= free]
    assert offered(game, "take") == each("take", left) >= {f"take {card}"}
    game.play(f"take {card}")
    assert red(game)["workers"] == 0


def test_the_ordinary_advantage_cards_come_before_round_6(model: NewGame) -> None:
    assert len(until(model(opening(2)), "advantages").odds()) == 14
