"""The plain model on its own: which actions are legal in a turn (2.4, 3, 7)."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_models import NewGame
from tests.engine.duel.oracle_scenes import in_turn, offered, play_all


class Offer(NamedTuple):
    """`setting` goes to `in_turn`; `actions` are divided by semicolons; then these are `offered`."""

    setting: dict[str, Any]
    actions: str
    offered: set[str]


def red(own: str, actions: str, offered: str, **setting: Any) -> Offer:
    return Offer({"colour": "red", "own": own.split(), **setting}, actions, set(offered.split("; ")))


def blue(own: str, actions: str, offered: str, **setting: Any) -> Offer:
    return Offer({"colour": "blue", "own": own.split(), **setting}, actions, set(offered.split("; ")))


ALL_WOOL = {"raw": ["wool"] * 4}
ONE_SHORT = {"I": ["beam", "mortar", "brick"], "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
REST = ["0/5", "0/5", "1/4", "1/4", "2/3", "2/3"]
BROKE = {"gold": 0, "raw": []}

OFFERS = {
    "ending the turn is an action also when forced, D21": red("power", "", "end", red=BROKE),
    "the holder cannot take power, D16": red("power income_4", "", "end; use income_4", red=BROKE),
    "no income from an empty bank, D15, D16": red("income_4", "", "end", red=BROKE, blue={"gold": 74}),
    "no raw chips from an empty supply, D16": red("ore", "", "end", red={"gold": 0, "raw": ["ore"]}),
    "no craftsman without a chip, D16": red("weaver carpenter", "", "end; use carpenter"),
    "no craftsman without gold, D15, D16": red("weaver carpenter", "", "end", red={"gold": 1}),
    "no influence without gold, D16": red("influence", "", "end", red={"gold": 1}),
    "no seals from an empty stack, D15, D16": red(
        "influence walter", "", "end", red={"seals": ["1/4", "1/4", "2/3", "2/3"]}, blue={"seals": REST}
    ),
    "no card of the other colour": red("aliena jack walter", "", "end; use walter", red=ALL_WOOL),
    "a use begun does one thing at least, D16": red("influence", "use influence", "buy seal"),
    "then it may be ended, D16": red(
        "influence", "use influence; buy seal; draw 1/4", "buy seal; done", red={"gold": 4}
    ),
    "a card is used once": red("income_4", "use income_4", "end"),
    "a market sells no wool and no ore, D14": red(
        "market_2", "use market_2", "buy wood; buy sand; buy stone; sell wool 1", red={"gold": 6, "raw": ["wool"]}
    ),
    "a market's limit, and its end, D27": red(
        "market_2", "use market_2; buy wood; buy wood", "sell wool 1; done", red={"gold": 9, "raw": ["wool"]}
    ),
    "Jack takes no ore and may not stop at one, D26": blue(
        "jack", "use jack; take wood", "take sand; take stone; take wool"
    ),
    "Regan turns no ore": red(
        "regan_hamleigh", "use regan_hamleigh", "convert wool 1", red={"gold": 9, "raw": ["ore", "wool"]}
    ),
    "Remigius: no 1x card, no blue one, not himself, D18": red(
        "brother_remigius",
        "use brother_remigius",
        "use ore; use sand; use walter",
        theirs=["power", "walter"],
        free=["volunteer_workers", "jack", "ore", "sand"],
    ),
    "Ellen: no red card, D18": blue(
        "ellen income_4",
        "use ellen",
        "use income_4; use ore",
        phase=2,
        theirs=["power", "power"],
        free=["alfred_builder", "king_stephen", "tom_builder", "ore"],
        blue={"gold": 1},
    ),
    "Lord: no place under an own marker, D18": red(
        "ore",
        "play lord_in_court",
        "use wood; use sand",
        phase=2,
        round_=2,
        red={"once": ["lord_in_court"]},
        theirs=["wood", "power"],
        free=["tom_builder", "bishop_henry", "empress_maud", "sand"],
    ),
    "Madonna: a symbol card under an own marker, D18": red(
        "ore wood walter",
        "play return_of_the_madonna",
        "use ore; use wood",
        round_=2,
        theirs=["sand"],
        red={"once": ["return_of_the_madonna"]},
    ),
    "Madonna: nothing to use again, D16": red(
        "walter power jack", "", "end; use walter", round_=2, red={"once": ["return_of_the_madonna"], "gold": 0}
    ),
    "Toledo only before building, D16": red(
        "", "build I beam", "end", round_=2, red={"made": ["beam"], "once": ["studies_in_toledo"]}
    ),
    "Toledo also with nothing to build, D16": red(
        "power", "", "end; play studies_in_toledo", round_=2, red={**BROKE, "once": ["studies_in_toledo"]}
    ),
    "no cards after building, D20": red("ore", "build I beam", "end", red={"made": ["beam"]}),
    "one section a turn": red("", "build I beam", "end", red={"gold": 9, "made": ["beam", "mortar", "cloth"]}),
    "1x cards are not played inside a use, D20": red(
        "influence", "use influence", "buy seal", round_=2, red={"once": ["volunteer_workers"]}
    ),
    "Henry needs a section, Stephen a poorer owner, D16, D30": red(
        "power", "", "end", phase=2, round_=2, red={**BROKE, "gold": 3, "once": ["bishop_henry", "king_stephen"]}
    ),
    "nor from an empty bank, D15": red(
        "",
        "",
        "end",
        phase=2,
        round_=2,
        blue={"gold": 74},
        red={"gold": 0, "raw": [], "placed": ONE_SHORT, "once": ["bishop_henry", "king_stephen"]},
    ),
    "Maud needs a seal, D30": red(
        "power", "", "end", phase=2, round_=2, red={"seals": [], "once": ["empress_maud"], "gold": 0}
    ),
    "Maud: a personal seal is not paid, no ore, D24": red(
        "",
        "play empress_maud",
        "pay 1/4 wood; pay 1/4 sand; pay 1/4 stone; pay 1/4 wool",
        phase=2,
        round_=2,
        red={"seals": ["1/4"], "once": ["empress_maud"]},
    ),
    "William: nothing placed in an open section, D30": red(
        "william_hamleigh", "", "end", phase=2, blue={"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}}
    ),
    "William: the opponent's choice, D11": red(
        "william_hamleigh",
        "use william_hamleigh",
        "return II cloth; return III bell; return III beam",
        phase=2,
        blue={"raw": ["sand", "stone"], "placed": {"II": ["cloth"], "III": ["bell", "beam"]}},
    ),
    "Tom: the sections that miss it, the seals held, D24, D29": blue(
        "tom_builder",
        "use tom_builder",
        "place I mortar 2/3; place II mortar 2/3; place II cloth 2/3; place III cloth 2/3",
        phase=2,
        blue={"raw": ["ore"], "made": ["beam", "beam", "brick", "brick"], "seals": ["2/3"]},
    ),
    "Tom: needs a seal, D16": blue("tom_builder", "", "end", phase=2, blue={"seals": []}),
    "Alfred: from the own supply, no ore, D28": red(
        "alfred_builder",
        "use alfred_builder",
        "buy wood; buy wool",
        phase=2,
        red={"gold": 5, "made": ["mortar", "mortar", "brick", "brick"], "raw": ["wood"]},
    ),
    "building: sets of what is missing, held and paid, D32": red(
        "",
        "",
        "end; build I mortar; build II mortar; build II cloth; build II mortar cloth; build III cloth",
        red={"gold": 11, "raw": [], "made": ["mortar", "cloth"], "placed": {"I": ["beam"]}},
    ),
    "building: Toledo's price, D5": red(
        "",
        "play studies_in_toledo",
        "end; build I beam; build I mortar; build I beam mortar; build II beam; build II mortar; build II beam mortar",
        round_=2,
        red={"gold": 1, "made": ["beam", "mortar"], "once": ["studies_in_toledo"]},
    ),
}


@pytest.mark.parametrize("name", OFFERS)
def test_offer(model: NewGame, name: str) -> None:
    setting, actions, expected = OFFERS[name]
    game = in_turn(model, **setting)
    play_all(game, *filter(None, actions.split("; ")))
    assert offered(game) == expected
