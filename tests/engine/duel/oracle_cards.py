"""The cards of Builders Duel, typed in by hand: the oracle's own copy of the catalogue.

Nothing here is read from `catalogue.toml`, so that a comparison with the core also compares the values.
"""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = ("red", "blue")  # Bishop Waleran, Prior Philip

RAW = ("wood", "sand", "stone", "wool", "ore")
MADE_FROM = {"wood": "beam", "sand": "mortar", "stone": "brick", "wool": "cloth", "ore": "bell"}
RAW_OF = {made: raw for raw, made in MADE_FROM.items()}
NO_ORE = ("wood", "sand", "stone", "wool")  # D26
BONUS_KINDS = ("wood", "sand", "stone")
CHIPS = {"wood": 2, "sand": 2, "stone": 2, "wool": 4, "ore": 1}
START_CAMP = ("wood", "sand", "stone")

GOLD_IN_BOX = 74
START_GOLD = 3

NEUTRAL_SEALS = ("0/5", "1/4", "2/3")
SEALS_IN_BOX = {"0/5": 2, "1/4": 4, "2/3": 4}
START_STACK = ("1/4", "1/4", "2/3", "2/3")
PERSONAL = "personal"
FACES = {"0/5": (0, 5), "1/4": (1, 4), "2/3": (2, 3), PERSONAL: (2, 3)}

SECTIONS = ("I", "II", "III")
NEEDS = {
    "red": {
        "I": ("beam", "mortar", "brick"),
        "II": ("beam", "mortar", "cloth"),
        "III": ("brick", "cloth", "bell"),  # D35: the castle's bars
    },
    "blue": {"I": ("beam", "mortar", "brick"), "II": ("mortar", "brick", "cloth"), "III": ("beam", "cloth", "bell")},
}
PLACING = {1: 2, 2: 6, 3: 12}  # gold by number of materials
BONUS_SEALS, BONUS_GOLD, BONUS_TURNS = 2, 10, 2
SEAL_PRICE = 2


@dataclass(frozen=True)
class Market:
    limit: int  # purchases in one use
    price: int = 3  # gold per chip of wood, sand or stone
    wool: int = 3  # gold per raw wool


INCOME = {"income_4": 4, "income_5": 5, "income_6": 6}
GATHER = {raw: (raw, 2 if raw == "wool" else 1) for raw in RAW}
CRAFT = {
    "carpenter": ("wood", 2),
    "mortar_mixer": ("sand", 2),
    "mason": ("stone", 2),
    "weaver": ("wool", 2),
    "bell_founder": ("ore", 4),
}
MARKETS = {"market_2": Market(limit=2), "market_3": Market(limit=3)}
SYMBOLS = ("power", *INCOME, "influence", *GATHER, *CRAFT, *MARKETS)

PERSONAL_CARDS = {
    "aliena": "blue",
    "jack": "blue",
    "jonathan": "blue",
    "regan_hamleigh": "red",
    "brother_remigius": "red",
    "walter": "red",
    "tom_builder": "blue",
    "ellen": "blue",
    "william_hamleigh": "red",
    "alfred_builder": "red",
}
ONCE_A = ("storming_the_castle", "studies_in_toledo", "volunteer_workers", "return_of_the_madonna")
ONCE_B = ("empress_maud", "bishop_henry", "lord_in_court", "king_stephen")
ONCE = (*ONCE_A, *ONCE_B)
POINTING = ("brother_remigius", "ellen")

ALIENA_WOOL, ALIENA_PRICE = 4, 7
REGAN_CHIPS, REGAN_PRICE = 2, 2
ALFRED_PRICE = 5
TOM_PRICE = 2
GIFT_CHIPS = 2  # Jack, Volunteer Workers
FREE_SEALS = 2  # Jonathan, Walter
HENRY_GOLD = 5
TOLEDO_PRICE = 1

_EVERY_DECK = {**dict.fromkeys(INCOME, 1), "influence": 2, **dict.fromkeys(GATHER, 1), **dict.fromkeys(CRAFT, 1)}
DECKS = {
    "A": {
        **_EVERY_DECK,
        "power": 1,
        "market_2": 1,
        **dict.fromkeys(("aliena", "jack", "jonathan", "regan_hamleigh", "brother_remigius", "walter"), 1),
        **dict.fromkeys(ONCE_A, 1),
    },
    "B": {
        **_EVERY_DECK,
        "power": 2,
        "market_3": 2,
        **dict.fromkeys(("tom_builder", "ellen", "william_hamleigh", "alfred_builder"), 1),
        **dict.fromkeys(ONCE_B, 1),
    },
}
DECK_OF_PHASE = {1: "A", 2: "B", 3: "A", 4: "B"}

PLACES = ("1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "3.1", "3.2", "3.3")  # row and column
LINES = {
    "row 1": (0, 1, 2),
    "row 2": (3, 4, 5),
    "row 3": (6, 7, 8),
    "column 1": (0, 3, 6),
    "column 2": (1, 4, 7),
    "column 3": (2, 5, 8),
    "diagonal down": (0, 4, 8),
    "diagonal up": (2, 4, 6),
}


def other(colour: str) -> str:
    return COLOURS[1 - COLOURS.index(colour)]
