"""The turn of a player, card by card and ruling by ruling, on both models."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_scenes import in_turn, look, play_all
from tests.engine.models import NewGame


class Story(NamedTuple):
    """A player's turn: `setting` goes to `in_turn`, `parts` are actions, and what is then seen and offered."""

    setting: dict[str, Any]
    parts: tuple[str | dict[str, Any], ...]


def red(own: str, *parts: str | dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "red", "own": own.split(), **setting}, parts)


def blue(own: str, *parts: str | dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "blue", "own": own.split(), **setting}, parts)


ALL_WOOL = {"raw": ["wool"] * 4}
BROKE = {"gold": 0, "raw": []}
READY_I = {"gold": 20, "raw": [], "made": ["beam", "mortar", "brick"]}
I_DONE = {"I": ["beam", "mortar", "brick"]}
ALL_BUT_CLOTH = {**I_DONE, "II": ["beam", "mortar"], "III": ["brick", "cloth", "bell"]}
ONE_SHORT = {**I_DONE, "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
REST = ["0/5", "0/5", "1/4", "1/4", "2/3", "2/3"]

STORIES = {
    "income, once": red("income_5", "use income_5", {"red.gold": 8, "bank": 63, "offered": "end"}),
    "income: the bank is nearly empty, D15": red(
        "income_5", "use income_5", {"red.gold": 43, "bank": 0}, red={"gold": 40}, blue={"gold": 31}),
    "raw": red("ore", "use ore", {"red.raw": "ore sand stone wood"}),
    "raw: wool comes in twos": red("wool", "use wool", {"red.supply": "ore sand stone wood wool wool"}),
    "raw: the supply has one wool only, D15, D26": red(
        "wool", "use wool", {"red.raw": "wool wool wool wool"}, red={"raw": ["wool"] * 3}),
    "craftsman: any number": red(
        "weaver", "use weaver; convert wool 3", {"red.gold": 2, "red.raw": "wool", "red.made": "cloth cloth cloth"},
        red={**ALL_WOOL, "gold": 8}),
    "craftsman: ends by itself without gold, D21": red(
        "weaver", "use weaver; convert wool 1", {"red.gold": 1, "step": "turn"}, red={**ALL_WOOL, "gold": 3}),
    "craftsman: the bell costs 4": red(
        "bell_founder", "use bell_founder; convert ore 1", {"red.gold": 1, "red.made": "bell", "step": "turn"},
        red={"gold": 5, "raw": ["ore"]}),
    "influence: one at least, and each is seen before the next is decided, D16, D25": red(
        "influence", "use influence", {"offered": "buy seal"}, "buy seal; draw 2/3", {"offered": "buy seal; done"},
        "buy seal; draw 1/4; done",
        {"red.gold": 3, "red.seals": "0/5 1/4 1/4 2/3 2/3", "unseen_seals": "1/4 2/3"}, red={"gold": 7}),
    "market: the last gold buys": red("market_2", "use market_2; buy wood", {"red.gold": 0, "step": "turn"}),
    "market: chips and wool in any order, the limit on purchases, D27": red(
        "market_2", "use market_2; sell wool 1; buy sand; sell wool 1; sell wool 1; buy stone; sell wool 1",
        {"red.gold": 9, "red.raw": "sand stone", "red.supply": "ore sand stone wood wood wool wool wool wool",
         "step": "turn"}, red={**ALL_WOOL, "gold": 3}),
    "Aliena: up to four wool for 7 each, the number named at once, D35, D36": blue(
        "aliena", "use aliena", {"offered": "sell wool 1; sell wool 2; sell wool 3; sell wool 4"}, "sell wool 4",
        {"blue.gold": 31, "blue.raw": "", "step": "turn"}, blue=ALL_WOOL),
    "Jack: two of one kind, D26": blue(
        "jack", "use jack; take wool; take wool", {"blue.raw": "sand stone wood wool wool"}),
    "Jack: all there is, D26": blue(
        "jack", "use jack; take sand", {"blue.raw": "ore sand", "blue.supply": "", "step": "turn"},
        blue={"raw": ["ore"], "made": ["beam", "beam", "mortar", "brick", "brick", "cloth", "cloth", "cloth", "cloth"]},
    ),
    "Jonathan": blue(
        "jonathan", "use jonathan; draw 1/4; draw 1/4", {"blue.seals": "0/5 1/4 1/4 1/4 2/3", "blue.gold": 3}),
    "Walter: one unseen seal, then one that was seen, D21, D25": red(
        "walter", "use walter; draw 2/3", {"red.seals": "0/5 2/3", "stack": 1, "seen_seals": "2/3"}, red={"seals": []},
        blue={"seals": ["0/5", "1/4", "1/4", "1/4", "1/4", "2/3", "2/3"]}),
    "Regan: two chips at 2 each": red(
        "regan_hamleigh", "use regan_hamleigh; convert wood 1; convert sand 1",
        {"red.gold": 6, "red.raw": "stone", "red.made": "beam mortar", "step": "turn"}, red={"gold": 10}),
    "Remigius: a card without a marker, and its price, D18": red(
        "brother_remigius", "use brother_remigius; use carpenter; convert wood 1",
        {"red.gold": 1, "red.made": "beam", "step": "turn"}, free=["carpenter"]),
    "Remigius: a card that was used and is used again": red(
        "income_6 brother_remigius", "use income_6; use brother_remigius; use income_6", {"red.gold": 15}),
    "Remigius: used up as soon as it is named; the own use of a card pointed at stays, D7, D18, D40": red(
        "income_6 brother_remigius", "use brother_remigius", {"step": "copy", "red.used": "1"},
        "use income_6; use income_6", {"red.gold": 15}),
    "Remigius: a red card under blue's marker, D18": red(
        "brother_remigius", "use brother_remigius; use walter; draw 1/4; draw 2/3",
        {"red.seals": "0/5 1/4 1/4 2/3 2/3"}, theirs=["walter"]),
    "William: the opponent chooses in the player's turn, which goes on, D30, D42": red(
        "william_hamleigh", "use william_hamleigh", {"offered": "return II cloth", "to_act": "blue", "step": "william"},
        "return II cloth", {"blue.placed": {"I": ["beam", "mortar", "brick"], "II": [], "III": []},
                            "blue.supply": "ore wool wool wool wool", "to_act": "red", "step": "turn"}, phase=2,
        blue={"raw": ["sand", "stone", "wood"], "placed": {"I": ["beam", "mortar", "brick"], "II": ["cloth"]}}),
    "Alfred: any number bought, turned, in the camp, D10, D28": red(
        "alfred_builder", "use alfred_builder; buy wool; buy wool", {"offered": "buy wool; done"}, "done",
        {"red.gold": 5, "red.made": "cloth cloth", "red.raw": "sand stone wood"}, phase=2, red={"gold": 15}),
    "Tom: placed for 2 gold and a seal; the turn's building stays open, D29": blue(
        "tom_builder", "use tom_builder; place II mortar 0/5; build I beam",
        {"blue.gold": 6, "blue.seals": "1/4 2/3", "seen_seals": "0/5", "blue.placed": {"I": ["beam"], "II": ["mortar"],
         "III": []}}, phase=2, blue={"gold": 10, "made": ["beam"]}),
    "Tom: completes and earns the bonus, D29": blue(
        "tom_builder", "use tom_builder; place II mortar 2/3", {"blue.gold": 10, "blue.sections": 1, "step": "turn"},
        phase=2, blue={"gold": 2, "raw": [], "placed": {"II": ["brick", "cloth"]}}),
    "Tom: 2 gold in spite of Toledo, D29": blue(
        "tom_builder", "play studies_in_toledo; use tom_builder; place III beam 1/4; build I mortar", {"blue.gold": 7},
        phase=2, blue={"gold": 10, "made": ["mortar"], "once": ["studies_in_toledo"]}),
    "Tom: two sections in one turn, D29": blue(
        "tom_builder", "use tom_builder; place I beam 2/3; draw 1/4; draw 1/4; build II brick",
        {"blue.sections": 2, "blue.gold": 16}, phase=2,
        blue={"gold": 10, "raw": [], "made": ["brick"], "placed": {"I": ["mortar", "brick"], "II": ["mortar",
         "cloth"]}}),
    "Ellen: a place in a line without any marker, D6, D18": blue(
        "ellen", "use ellen; use income_4", {"blue.gold": 7}, phase=2, free=["ore", "sand", "wool", "income_4"]),
    "Toledo: 1 gold for three, D5": red(
        "", "play studies_in_toledo; build I beam mortar brick; draw 1/4; draw 2/3",
        {"red.gold": 19, "red.once": "", "red.sections": 1}, round_=2, red={**READY_I, "once": ["studies_in_toledo"]}),
    "Volunteers: D26": red(
        "", "play volunteer_workers; take sand; take wool", {"red.raw": "sand sand stone wood wool", "step": "turn"},
        round_=2, red={"once": ["volunteer_workers"]}),
    "Madonna: once more, D9, D18": red(
        "income_6", "play return_of_the_madonna; use income_6; use income_6", {"red.gold": 15}, round_=2,
        red={"once": ["return_of_the_madonna"]}),
    "Maud: pair by pair, D24, D30": red(
        "", "play empress_maud; pay 2/3 wool; pay 0/5 wool; done",
        {"red.raw": "sand stone wood wool wool", "red.seals": "1/4", "seen_seals": "2/3 0/5"}, phase=2, round_=2,
        red={"once": ["empress_maud"]}),
    "Henry: 5 gold a section, D35": red(
        "", "play bishop_henry", {"red.gold": 8}, phase=2, round_=2,
        red={"raw": [], "placed": I_DONE, "once": ["bishop_henry"]}),
    "Lord: the other's card, D18": red(
        "", "play lord_in_court; use income_6", {"red.gold": 9}, phase=2, round_=2, theirs=["income_6"],
        red={"once": ["lord_in_court"]}),
    "Lord: a chain of three, D8, D18": red(
        "", "play lord_in_court; use brother_remigius; use income_6", {"red.gold": 9, "red.once": ""}, phase=3,
        free=["brother_remigius"], theirs=["income_6"], red={"once": ["lord_in_court"]}),
    "Stephen: up to the opponent's gold, D12": red(
        "", "play king_stephen", {"red.gold": 11, "blue.gold": 11}, phase=2, round_=2,
        red={"gold": 4, "once": ["king_stephen"]}, blue={"gold": 11}),
    "a 1x card is still played after building, D20": red(
        "", "build I beam; play volunteer_workers; take wool; take wool", {"red.raw": "wool wool", "step": "turn"},
        round_=2, red={**READY_I, "once": ["volunteer_workers"]}),
    "1x cards under markers go in front at once, D17": red(
        "bishop_henry power", {"red.once": "bishop_henry", "step": "turn"}, phase=2),
    "three materials for 12, and bonus I: the top two seals before the turn goes on, D43": red(
        "", "build I beam mortar brick", {"offered": "draw 1/4; draw 2/3", "step": "draw", "to_act": "nature"},
        "draw 1/4; draw 1/4", {"red.gold": 8, "red.made": "", "red.seals": "0/5 1/4 1/4 1/4 2/3"}, red=READY_I),
    "no bonus for the second to complete, D43": red(
        "", "build I beam mortar brick", {"red.seals": "0/5 1/4 2/3", "step": "turn"}, red=READY_I,
        blue={"raw": [], "placed": I_DONE}),
    "bonus III: two chips, free, D13, D32": red(
        "", "build III bell; convert wood 1; convert wood 1",
        {"red.gold": 1, "red.made": "beam beam", "red.raw": "sand wool", "step": "turn"},
        red={"made": ["bell"], "raw": ["wood", "wood", "sand", "wool"], "placed": {"III": ["brick", "cloth"]}}),
    "bonus III: none, D32": red(
        "", "build III bell; done", {"red.made": "", "red.raw": "wood", "step": "turn"},
        red={"made": ["bell"], "raw": ["wood"], "placed": {"III": ["brick", "cloth"]}}),
    "bonus III: nothing to turn, D21, D43": red(
        "", "build III bell", {"red.raw": "wool", "step": "turn"},
        red={"made": ["bell"], "raw": ["wool"], "placed": {"III": ["brick", "cloth"]}}),
    "the third section ends the game before its bonus, D33": red(
        "", "build III bell", {"step": "over", "red.gold": 1, "red.sections": 3},
        red={"raw": [], "made": ["bell"], "placed": ONE_SHORT}),
    "the third section earns no gold either, D33": red(
        "", "build II cloth", {"step": "over", "red.gold": 1},
        red={"raw": [], "made": ["cloth"], "placed": ALL_BUT_CLOTH}),
    "the end clears the table and keeps what a round begins with, D45": red(
        "income_5", "use income_5; build II cloth",
        {"grid": "", "red.markers": "", "blue.markers": "", "red.used": "", "active": "", "to_act": "", "built": False,
         "power": "red", "first": "red", "phase": 2, "round": 2}, phase=2, round_=2,
        red={"raw": [], "made": ["cloth"], "placed": ALL_BUT_CLOTH}),
    # What is offered
    "ending the turn is an action also when forced, D21": red("power", {"offered": "end"}, red=BROKE),
    "the holder cannot take power, D16": red("power income_4", {"offered": "end; use income_4"}, red=BROKE),
    "no income from an empty bank, D15, D16": red("income_4", {"offered": "end"}, red=BROKE, blue={"gold": 74}),
    "no raw chips from an empty supply, D16": red("ore", {"offered": "end"}, red={"gold": 0, "raw": ["ore"]}),
    "no craftsman without a chip, D16": red("weaver carpenter", {"offered": "end; use carpenter"}),
    "no craftsman without gold, D15, D16": red("weaver carpenter", {"offered": "end"}, red={"gold": 1}),
    "no influence without gold, D16": red("influence", {"offered": "end"}, red={"gold": 1}),
    "no seals from an empty stack, D15, D16": red(
        "influence walter", {"offered": "end"}, red={"seals": ["1/4", "1/4", "2/3", "2/3"]}, blue={"seals": REST}),
    "no card of the other colour": red("aliena jack walter", {"offered": "end; use walter"}, red=ALL_WOOL),
    "a market sells no wool and no ore, D14": red(
        "market_2", "use market_2", {"offered": "buy sand; buy stone; buy wood; sell wool 1"},
        red={"gold": 6, "raw": ["wool"]}),
    "a market's limit, and its end, D27": red(
        "market_2", "use market_2; buy wood; buy wood", {"offered": "done; sell wool 1"},
        red={"gold": 9, "raw": ["wool"]}),
    "Jack takes no ore and may not stop at one, D26": blue(
        "jack", "use jack; take wood", {"offered": "take sand; take stone; take wool"}),
    "Regan turns no ore": red(
        "regan_hamleigh", "use regan_hamleigh", {"offered": "convert wool 1"}, red={"gold": 9, "raw": ["ore", "wool"]}),
    "Remigius: no 1x card, no blue one, not himself, D18": red(
        "brother_remigius", "use brother_remigius", {"offered": "use ore; use sand; use walter"},
        free=["volunteer_workers", "jack", "ore", "sand"], theirs=["power", "walter"]),
    "Ellen: no red card, D18": blue(
        "ellen income_4", "use ellen", {"offered": "use income_4; use ore"}, phase=2,
        free=["alfred_builder", "king_stephen", "tom_builder", "ore"], theirs=["power", "power"], blue={"gold": 1}),
    "Lord: no place under an own marker, D18": red(
        "ore", "play lord_in_court", {"offered": "use sand; use wood"}, phase=2, round_=2,
        free=["tom_builder", "bishop_henry", "empress_maud", "sand"], theirs=["wood", "power"],
        red={"once": ["lord_in_court"]}),
    "Madonna: a symbol card under an own marker, D18": red(
        "ore wood walter", "play return_of_the_madonna", {"offered": "use ore; use wood"}, round_=2, theirs=["sand"],
        red={"once": ["return_of_the_madonna"]}),
    "Madonna: nothing to use again, D16": red(
        "walter power jack", {"offered": "end; use walter"}, round_=2,
        red={"once": ["return_of_the_madonna"], "gold": 0}),
    "Toledo only before building, D16": red(
        "", "build I beam", {"offered": "end"}, round_=2, red={"made": ["beam"], "once": ["studies_in_toledo"]}),
    "Toledo also with nothing to build, D16": red(
        "power", {"offered": "end; play studies_in_toledo"}, round_=2, red={**BROKE, "once": ["studies_in_toledo"]}),
    "no cards after building, D20": red("ore", "build I beam", {"offered": "end"}, red={"made": ["beam"]}),
    "one section a turn": red(
        "", "build I beam", {"offered": "end"}, red={"gold": 9, "made": ["beam", "mortar", "cloth"]}),
    "no 1x card before the first act of a use, D48": red(
        "market_2", "use market_2", {"offered": "sell wool 1"}, round_=2,
        red={"gold": 0, "raw": ["wool"], "once": ["volunteer_workers"]}),
    "no 1x card inside a use in which it makes no difference, D48": red(
        "influence", "use influence; buy seal; draw 1/4", {"offered": "buy seal; done"}, round_=2,
        red={"gold": 9, "once": ["volunteer_workers", "studies_in_toledo"]}),
    "Henry needs a section, Stephen a poorer owner, D16, D30": red(
        "power", {"offered": "end"}, phase=2, round_=2,
        red={"gold": 3, "raw": [], "once": ["bishop_henry", "king_stephen"]}),
    "nor from an empty bank, D15": red(
        "", {"offered": "end"}, phase=2, round_=2,
        red={**BROKE, "placed": ONE_SHORT, "once": ["bishop_henry", "king_stephen"]}, blue={"gold": 74}),
    "Maud needs a seal, D30": red(
        "power", {"offered": "end"}, phase=2, round_=2, red={"seals": [], "once": ["empress_maud"], "gold": 0}),
    "Maud: a personal seal is not paid, no ore, D24": red(
        "", "play empress_maud", {"offered": "pay 1/4 sand; pay 1/4 stone; pay 1/4 wood; pay 1/4 wool"}, phase=2,
        round_=2, red={"seals": ["1/4"], "once": ["empress_maud"]}),
    "William: nothing placed in an open section, D30": red(
        "william_hamleigh", {"offered": "end"}, phase=2, blue={"raw": [], "placed": I_DONE}),
    "William: the opponent's choice, D11": red(
        "william_hamleigh", "use william_hamleigh", {"offered": "return II cloth; return III beam; return III bell"},
        phase=2, blue={"raw": ["sand", "stone"], "placed": {"II": ["cloth"], "III": ["bell", "beam"]}}),
    "Tom: the sections that miss it, the seals held, D24, D29": blue(
        "tom_builder", "use tom_builder",
        {"offered": "place I mortar 2/3; place II cloth 2/3; place II mortar 2/3; place III cloth 2/3"}, phase=2,
        blue={"raw": ["ore"], "made": ["beam", "beam", "brick", "brick"], "seals": ["2/3"]}),
    "Tom: needs a seal, D16": blue("tom_builder", {"offered": "end"}, phase=2, blue={"seals": []}),
    "Alfred: from the own supply, no ore, D28": red(
        "alfred_builder", "use alfred_builder", {"offered": "buy wood; buy wool"}, phase=2,
        red={"gold": 5, "made": ["mortar", "mortar", "brick", "brick"], "raw": ["wood"]}),
    "building: sets of what is missing, held and paid, D32": red(
        "", {"offered": "build I mortar; build II cloth; build II mortar; build II mortar cloth; build III cloth; end"},
        red={"gold": 11, "raw": [], "made": ["mortar", "cloth"], "placed": {"I": ["beam"]}}),
    "building: Toledo's price, D5": red(
        "", "play studies_in_toledo",
        {"offered": "build I beam; build I beam mortar; build I mortar; build II beam; build II beam mortar; "
         "build II mortar; end"},
        round_=2, red={"gold": 1, "made": ["beam", "mortar"], "once": ["studies_in_toledo"]}),
    # What cards do in rare cases
    "Stephen pays for another seal in the same use, D48": blue(
        "influence", "use influence; buy seal; draw 1/4; buy seal; draw 1/4; buy seal; draw 2/3",
        {"step": "turn", "blue.gold": 0, "offered": "end; play king_stephen"},
        "play king_stephen", {"blue.gold": 7, "offered": "buy seal; end"},
        "buy seal; draw 2/3", {"blue.gold": 5, "step": "turn", "offered": "end", "open": ""},
        phase=2, round_=2, blue={"gold": 6, "raw": [], "once": ["king_stephen"]}, red={"gold": 7}),
    "Volunteers bring wool back to a market: 18 gold for four wool, D48": red(
        "market_2", "use market_2", {"offered": "sell wool 1"}, "sell wool 1; sell wool 1",
        {"offered": "buy sand; buy stone; buy wood; done; play volunteer_workers; sell wool 1"},
        "play volunteer_workers; take wool; take wool; sell wool 1; sell wool 1; sell wool 1; sell wool 1",
        {"red.gold": 18, "red.supply": "ore sand sand stone stone wood wood wool wool wool wool"},
        round_=2, red={**ALL_WOOL, "gold": 0, "once": ["volunteer_workers"]}),
    "also after the last sale, but not after the end, D48": red(
        "market_2", "use market_2; buy sand; buy stone; sell wool 1; sell wool 1; sell wool 1; sell wool 1",
        {"step": "turn", "red.gold": 12, "offered": "end; play volunteer_workers"},
        "play volunteer_workers; take wool; take wool; sell wool 1", {"offered": "done; sell wool 1"}, "done",
        {"offered": "end", "red.gold": 15}, round_=2, red={**ALL_WOOL, "gold": 6, "once": ["volunteer_workers"]}),
    "Aliena's limit holds for both parts of a sale, D48": blue(
        "aliena", "use aliena; sell wool 3; play volunteer_workers; take wool; take wool",
        {"offered": "build II cloth; build III cloth; end; sell wool 1"}, "sell wool 1",
        {"offered": "build II cloth; build III cloth; end", "blue.gold": 31, "blue.raw": "wool"},
        round_=2, blue={"raw": ["wool"] * 3, "made": ["cloth"], "once": ["volunteer_workers"]}),
    "Maud's seals are bought again in the same use, D48": red(
        "influence", "use influence; buy seal; draw 2/3; buy seal; buy seal",
        {"offered": "end; play empress_maud", "stack": 0, "red.gold": 3},
        "play empress_maud; pay 2/3 wood; done", {"offered": "buy seal; end"}, "buy seal",
        {"offered": "end", "red.gold": 1, "stack": 0},
        phase=2, round_=2, red={"gold": 9, "raw": [], "seals": [], "once": ["empress_maud"]},
        blue={"seals": ["0/5", "1/4", "1/4", "1/4", "1/4", "2/3", "2/3"]}),
    "a use inside a use is left before the one around it, D48": red(
        "market_3", "use market_3; sell wool 1; play lord_in_court; use influence; buy seal; draw 1/4",
        {"step": "turn", "red.gold": 1, "offered": "done; end; play empress_maud"},
        "done", {"offered": "end; play empress_maud; sell wool 1"}, "sell wool 1", {"step": "market", "red.gold": 4},
        phase=2, round_=2, free=["influence"],
        red={"gold": 0, "raw": ["wool"] * 2, "seals": [], "once": ["lord_in_court", "empress_maud"]}),
    "another use ends an open one, D48": red(
        "carpenter ore", "use carpenter; convert wood 1; use ore; play king_stephen",
        {"offered": "build I beam; build II beam; end"},
        phase=2, round_=2, red={"gold": 2, "raw": ["wood"] * 2, "once": ["king_stephen"]}),
    "a craftsman turns more for Stephen's gold, D48": red(
        "carpenter ore", "use carpenter; convert wood 1; play king_stephen; convert wood 1",
        {"offered": "end; use ore", "red.made": "beam beam", "red.gold": 1},
        phase=2, round_=2, red={"gold": 2, "raw": ["wood"] * 2, "once": ["king_stephen"]}),
    "D37: wool can be sold to an empty bank": red(
        "market_2", {"offered": "end; use market_2"}, red={"gold": 0, "raw": ["wool"]}, blue={"gold": 74}),
    "D38: a sale is paid as one, with what there is": blue(
        "aliena", "use aliena; sell wool 4", {"offered": "end", "blue.gold": 9, "bank": 0, "blue.raw": ""},
        red={"gold": 65}, blue={**ALL_WOOL, "gold": 1}),
    "D41: the Lord gives his use after building as well": red(
        "", "build I beam; play lord_in_court; use income_5", {"offered": "end", "red.gold": 5}, phase=3,
        free=["income_5"], red={"gold": 2, "raw": [], "made": ["beam"], "once": ["lord_in_court"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(model: NewGame, name: str) -> None:
    setting, parts = STORIES[name]
    game = in_turn(model, **setting)
    for part in parts:
        if isinstance(part, str):
            play_all(game, *part.split("; "))
        else:
            assert {thing: look(game, thing) for thing in part} == part
