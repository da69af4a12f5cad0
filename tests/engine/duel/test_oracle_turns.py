"""The plain model on its own: the turn of a player, card by card and ruling by ruling (2.4, 3, 7)."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_models import NewGame
from tests.engine.duel.oracle_scenes import in_turn, look, play_all

# Stories: a player's turn, what it does, and what is then seen (2.4, 3, 7) ------------------------------------------


class Story(NamedTuple):
    """`setting` goes to `in_turn`; `actions` are divided by semicolons; `seen` is asked of `look`."""

    setting: dict[str, Any]
    actions: str
    seen: dict[str, Any]


def red(own: str, actions: str, seen: dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "red", "own": own.split(), **setting}, actions, seen)


def blue(own: str, actions: str, seen: dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "blue", "own": own.split(), **setting}, actions, seen)


ALL_WOOL = {"raw": ["wool"] * 4}
READY_I = {"gold": 20, "raw": [], "made": ["beam", "mortar", "brick"]}
ALL_BUT_CLOTH = {"I": ["beam", "mortar", "brick"], "II": ["beam", "mortar"], "III": ["brick", "cloth", "bell"]}
ONE_SHORT = {"I": ["beam", "mortar", "brick"], "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}

STORIES = {
    "income": red("income_5", "use income_5", {"red.gold": 8, "bank": 63}),
    "income: the bank is nearly empty, D15": red(
        "income_5", "use income_5", {"red.gold": 43, "bank": 0}, red={"gold": 40}, blue={"gold": 31}
    ),
    "raw": red("ore", "use ore", {"red.raw": "ore sand stone wood"}),
    "raw: wool comes in twos": red("wool", "use wool", {"red.supply": "ore sand stone wood wool wool"}),
    "raw: the supply has one wool only, D15, D26": red(
        "wool", "use wool", {"red.raw": "wool wool wool wool"}, red={"raw": ["wool"] * 3}
    ),
    "craftsman: any number": red(
        "weaver",
        "use weaver; convert wool 3",
        {"red.gold": 2, "red.raw": "wool", "red.made": "cloth cloth cloth"},
        red={"gold": 8, **ALL_WOOL},
    ),
    "craftsman: ends by itself without gold, D21": red(
        "weaver", "use weaver; convert wool 1", {"red.gold": 1, "step": "turn"}, red={"gold": 3, **ALL_WOOL}
    ),
    "craftsman: the bell costs 4": red(
        "bell_founder",
        "use bell_founder; convert ore 1",
        {"red.gold": 1, "red.made": "bell", "step": "turn"},
        red={"gold": 5, "raw": ["ore"]},
    ),
    "influence: seen before the next is decided, D25": red(
        "influence",
        "use influence; buy seal; draw 2/3; buy seal; draw 1/4; done",
        {"red.gold": 3, "red.seals": "0/5 1/4 1/4 2/3 2/3", "unseen_seals": "1/4 2/3"},
        red={"gold": 7},
    ),
    "market: the last gold buys": red("market_2", "use market_2; buy wood", {"red.gold": 0, "step": "turn"}),
    "market: chips and wool in any order, the limit on purchases, D27": red(
        "market_2",
        "use market_2; sell wool 1; buy sand; sell wool 1; sell wool 1; buy stone; sell wool 1",
        {
            "red.gold": 9,
            "red.raw": "sand stone",
            "red.supply": "ore sand stone wood wood wool wool wool wool",
            "step": "turn",
        },
        red={"gold": 3, **ALL_WOOL},
    ),
    "Aliena: up to four wool for 7 each, D35": blue(
        "aliena",
        "use aliena; sell wool 4",
        {"blue.gold": 31, "blue.raw": "", "step": "turn"},
        blue=ALL_WOOL,
    ),
    "Aliena: ended after one": blue("aliena", "use aliena; sell wool 1", {"blue.gold": 10}, blue=ALL_WOOL),
    "Jack: two of one kind, D26": blue(
        "jack", "use jack; take wool; take wool", {"blue.raw": "sand stone wood wool wool"}
    ),
    "Jack: all there is, D26": blue(
        "jack",
        "use jack; take sand",
        {"blue.raw": "ore sand", "blue.supply": "", "step": "turn"},
        blue={"raw": ["ore"], "made": ["beam", "beam", "mortar", "brick", "brick", *["cloth"] * 4]},
    ),
    "Jonathan": blue(
        "jonathan", "use jonathan; draw 1/4; draw 1/4", {"blue.seals": "0/5 1/4 1/4 1/4 2/3", "blue.gold": 3}
    ),
    "Walter: one unseen seal, then one that was seen, D21, D25": red(
        "walter",
        "use walter; draw 2/3",
        {"red.seals": "0/5 2/3", "stack": 1, "seen_seals": "2/3"},
        red={"seals": []},
        blue={"seals": ["0/5", "1/4", "1/4", "1/4", "1/4", "2/3", "2/3"]},
    ),
    "Regan: two chips at 2 each": red(
        "regan_hamleigh",
        "use regan_hamleigh; convert wood 1; convert sand 1",
        {"red.gold": 6, "red.raw": "stone", "red.made": "beam mortar", "step": "turn"},
        red={"gold": 10},
    ),
    "Remigius: a card without a marker, and its price, D18": red(
        "brother_remigius",
        "use brother_remigius; use carpenter; convert wood 1",
        {"red.gold": 1, "red.made": "beam", "step": "turn"},
        free=["carpenter"],
    ),
    "Remigius: a card that was used and is used again": red(
        "income_6 brother_remigius", "use income_6; use brother_remigius; use income_6", {"red.gold": 15}
    ),
    "Remigius: the own use of a card pointed at stays, D18": red(
        "income_6 brother_remigius", "use brother_remigius; use income_6; use income_6", {"red.gold": 15}
    ),
    "Remigius: a red card under blue's marker, D18": red(
        "brother_remigius",
        "use brother_remigius; use walter; draw 1/4; draw 2/3",
        {"red.seals": "0/5 1/4 1/4 2/3 2/3"},
        theirs=["walter"],
    ),
    "William: the opponent chooses, D30": red(
        "william_hamleigh",
        "use william_hamleigh; return II cloth",
        {
            "blue.placed": {"I": ["beam", "mortar", "brick"], "II": [], "III": []},
            "blue.supply": "ore wool wool wool wool",
            "to_act": "red",
        },
        phase=2,
        blue={"raw": ["sand", "stone", "wood"], "placed": {"I": ["beam", "mortar", "brick"], "II": ["cloth"]}},
    ),
    "Alfred: bought, turned, in the camp, D28": red(
        "alfred_builder",
        "use alfred_builder; buy wool; buy wool; done",
        {"red.gold": 5, "red.made": "cloth cloth", "red.raw": "sand stone wood"},
        phase=2,
        red={"gold": 15},
    ),
    "Tom: placed for 2 gold and a seal; the turn's building stays open, D29": blue(
        "tom_builder",
        "use tom_builder; place II mortar 0/5; build I beam",
        {
            "blue.gold": 6,
            "blue.seals": "1/4 2/3",
            "seen_seals": "0/5",
            "blue.placed": {"I": ["beam"], "II": ["mortar"], "III": []},
        },
        phase=2,
        blue={"gold": 10, "made": ["beam"]},
    ),
    "Tom: completes and earns the bonus, D29": blue(
        "tom_builder",
        "use tom_builder; place II mortar 2/3",
        {"blue.gold": 10, "blue.sections": 1, "step": "turn"},
        phase=2,
        blue={"gold": 2, "raw": [], "placed": {"II": ["brick", "cloth"]}},
    ),
    "Tom: 2 gold in spite of Toledo, D29": blue(
        "tom_builder",
        "play studies_in_toledo; use tom_builder; place III beam 1/4; build I mortar",
        {"blue.gold": 7},
        phase=2,
        blue={"gold": 10, "made": ["mortar"], "once": ["studies_in_toledo"]},
    ),
    "Tom: two sections in one turn, D29": blue(
        "tom_builder",
        "use tom_builder; place I beam 2/3; draw 1/4; draw 1/4; build II brick",
        {"blue.sections": 2, "blue.gold": 16},
        phase=2,
        blue={
            "gold": 10,
            "raw": [],
            "made": ["brick"],
            "placed": {"I": ["mortar", "brick"], "II": ["mortar", "cloth"]},
        },
    ),
    "Ellen: a place in a line without any marker, D6, D18": blue(
        "ellen",
        "use ellen; use income_4",
        {"blue.gold": 7},
        phase=2,
        free=["ore", "sand", "wool", "income_4"],
    ),
    "Toledo: 1 gold for three, D5": red(
        "",
        "play studies_in_toledo; build I beam mortar brick; draw 1/4; draw 2/3",
        {"red.gold": 19, "red.once": "", "red.sections": 1},
        round_=2,
        red={**READY_I, "once": ["studies_in_toledo"]},
    ),
    "Volunteers: D26": red(
        "",
        "play volunteer_workers; take sand; take wool",
        {"red.raw": "sand sand stone wood wool", "step": "turn"},
        round_=2,
        red={"once": ["volunteer_workers"]},
    ),
    "Madonna: once more, D9, D18": red(
        "income_6",
        "play return_of_the_madonna; use income_6; use income_6",
        {"red.gold": 15},
        round_=2,
        red={"once": ["return_of_the_madonna"]},
    ),
    "Maud: pair by pair, D24, D30": red(
        "",
        "play empress_maud; pay 2/3 wool; pay 0/5 wool; done",
        {"red.raw": "sand stone wood wool wool", "red.seals": "1/4", "seen_seals": "2/3 0/5"},
        phase=2,
        round_=2,
        red={"once": ["empress_maud"]},
    ),
    "Henry: 5 gold a section, D35": red(
        "",
        "play bishop_henry",
        {"red.gold": 8},
        phase=2,
        round_=2,
        red={"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}, "once": ["bishop_henry"]},
    ),
    "Lord: the other's card, D18": red(
        "",
        "play lord_in_court; use income_6",
        {"red.gold": 9},
        phase=2,
        round_=2,
        theirs=["income_6"],
        red={"once": ["lord_in_court"]},
    ),
    "Lord: a chain of three, D8, D18": red(
        "",
        "play lord_in_court; use brother_remigius; use income_6",
        {"red.gold": 9, "red.once": ""},
        phase=3,
        theirs=["income_6"],
        free=["brother_remigius"],
        red={"once": ["lord_in_court"]},
    ),
    "Stephen: up to the opponent's gold, D12": red(
        "",
        "play king_stephen",
        {"red.gold": 11, "blue.gold": 11},
        phase=2,
        round_=2,
        red={"gold": 4, "once": ["king_stephen"]},
        blue={"gold": 11},
    ),
    "a 1x card is still played after building, D20": red(
        "",
        "build I beam; play volunteer_workers; take wool; take wool",
        {"red.raw": "wool wool", "step": "turn"},
        round_=2,
        red={**READY_I, "once": ["volunteer_workers"]},
    ),
    "1x cards under markers go in front at once, D17": red(
        "bishop_henry power", "", {"red.once": "bishop_henry", "step": "turn"}, phase=2
    ),
    "three materials for 12": red(
        "", "build I beam mortar brick; draw 1/4; draw 1/4", {"red.gold": 8, "red.made": ""}, red=READY_I
    ),
    "bonus I: the top two seals": red(
        "", "build I beam mortar brick; draw 1/4; draw 1/4", {"red.seals": "0/5 1/4 1/4 1/4 2/3"}, red=READY_I
    ),
    "no bonus for the second to complete": red(
        "",
        "build I beam mortar brick",
        {"red.seals": "0/5 1/4 2/3", "step": "turn"},
        red=READY_I,
        blue={"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}},
    ),
    "bonus III: two chips, free, D13, D32": red(
        "",
        "build III bell; convert wood 1; convert wood 1",
        {"red.gold": 1, "red.made": "beam beam", "red.raw": "sand wool", "step": "turn"},
        red={"made": ["bell"], "raw": ["wood", "wood", "sand", "wool"], "placed": {"III": ["brick", "cloth"]}},
    ),
    "bonus III: none, D32": red(
        "",
        "build III bell; done",
        {"red.made": "", "red.raw": "wood", "step": "turn"},
        red={"made": ["bell"], "raw": ["wood"], "placed": {"III": ["brick", "cloth"]}},
    ),
    "bonus III: nothing to turn, D21": red(
        "",
        "build III bell",
        {"red.raw": "wool", "step": "turn"},
        red={"made": ["bell"], "raw": ["wool"], "placed": {"III": ["brick", "cloth"]}},
    ),
    "the third section ends the game before its bonus, D33": red(
        "",
        "build III bell",
        {"step": "over", "red.gold": 1, "red.sections": 3},
        red={"raw": [], "made": ["bell"], "placed": ONE_SHORT},
    ),
    "the third section earns no gold either, D33": red(
        "",
        "build II cloth",
        {"step": "over", "red.gold": 1},
        red={"raw": [], "made": ["cloth"], "placed": ALL_BUT_CLOTH},
    ),
    "the end clears the table and keeps what a round begins with, D45": red(
        "income_5",
        "use income_5; build II cloth",
        dict.fromkeys(("grid", "red.markers", "blue.markers", "red.used", "active", "to_act"), "")
        | {"built": False, "power": "red", "first": "red", "phase": 2, "round": 2},
        red={"raw": [], "made": ["cloth"], "placed": ALL_BUT_CLOTH},
        phase=2,
        round_=2,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_story(model: NewGame, name: str) -> None:
    setting, actions, seen = STORIES[name]
    game = in_turn(model, **setting)
    play_all(game, *filter(None, actions.split("; ")))
    assert {thing: look(game, thing) for thing in seen} == seen
