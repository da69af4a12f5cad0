"""The cards of the board game, typed in from cards-board.md section 7: the oracle's own copy of the catalogue.

Dictionaries and tuples are in catalogue order. Nothing here is read from `catalogue.toml`, so that a comparison with
the core compares the values as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

COLOURS = ("red", "blue", "green", "yellow")
CUBES = ("sand", "wood", "stone", "metal")
BASIC = ("sand", "wood", "stone")

CUBES_IN_BOX = {"sand": 23, "wood": 23, "stone": 23, "metal": 13}
BUY_PRICE = {"sand": 2, "wood": 3, "stone": 4}
SELL_PRICE = {"sand": 2, "wood": 3, "stone": 4, "metal": 5}
TAX_DIE = (2, 3, 3, 4, 4, 5)


@dataclass(frozen=True)
class Craftsman:
    """One craftsman card; what a single use spends, asks for without spending it, and yields."""

    round: int  # 1 to 6; 0: a starting craftsman
    cost: int  # gold, in the draft
    capacity: int  # uses in a round
    spends: Mapping[str, int] = field(default_factory=dict)  # cubes or gold for one use
    vp: int = 0
    gold: int = 0
    needs_cube: str = ""  # held, but not spent
    needs_card: str = ""  # a craftsman of the same owner

    @property
    def free(self) -> bool:
        """Whether its order matters (R21): it makes gold, spends gold, or needs a cube without spending it."""
        return self.gold > 0 or "gold" in self.spends or self.needs_cube != ""


def _mason(round_: int, cost: int, capacity: int) -> Craftsman:
    return Craftsman(round_, cost, capacity, {"stone": 1}, vp=1, needs_card="mortar_mixer")


CRAFTSMEN = {
    "mortar_mixer": Craftsman(0, 0, 3, {"sand": 3}, vp=1),
    "woodworker": Craftsman(0, 0, 4, {"wood": 2}, vp=1),
    "stonecutter": Craftsman(0, 0, 4, {"stone": 2}, vp=1),
    "toolmaker_1": Craftsman(1, 2, 1, {}, gold=2, needs_cube="metal"),
    "master_woodworker_1": Craftsman(1, 4, 2, {"wood": 1}, gold=4),
    "carpenter_1": Craftsman(1, 3, 2, {"wood": 1}, vp=1),
    "mason_1": _mason(1, 4, 2),
    "architect_2": Craftsman(2, 4, 1, {}, vp=1),
    "potter_2": Craftsman(2, 4, 2, {"sand": 1}, vp=1),
    "carpenter_2": Craftsman(2, 5, 3, {"wood": 1}, vp=1),
    "mason_2": _mason(2, 5, 3),
    "potter_3": Craftsman(3, 5, 3, {"sand": 1}, vp=1),
    "carpenter_3": Craftsman(3, 6, 4, {"wood": 1}, vp=1),
    "mason_3": _mason(3, 6, 4),
    "sculptor_3": Craftsman(3, 6, 1, {"stone": 1}, vp=2),
    "potter_4": Craftsman(4, 6, 4, {"sand": 1}, vp=1),
    "mason_4": _mason(4, 7, 5),
    "sculptor_4": Craftsman(4, 8, 2, {"stone": 1}, vp=2),
    "goldsmith_4": Craftsman(4, 7, 4, {"gold": 3}, vp=1),
    "potter_5": Craftsman(5, 7, 5, {"sand": 1}, vp=1),
    "carpenter_5": Craftsman(5, 8, 2, {"wood": 1}, vp=2),
    "sculptor_5": Craftsman(5, 10, 3, {"stone": 1}, vp=2),
    "glassblower_5": Craftsman(5, 9, 2, {"metal": 1, "sand": 1}, vp=4),
    "glassblower_6": Craftsman(6, 10, 3, {"metal": 1, "sand": 1}, vp=4),
    "goldsmith_6": Craftsman(6, 9, 6, {"gold": 3}, vp=1),
    "bell_maker_6": Craftsman(6, 11, 3, {"metal": 1}, vp=5),
    "organ_builder_6": Craftsman(6, 12, 2, {"metal": 1, "wood": 1}, vp=6),
}
STARTING_CRAFTSMEN = ("mortar_mixer", "woodworker", "stonecutter")


@dataclass(frozen=True)
class ResourceCard:
    """One of the nine building resource cards."""

    kind: str
    cubes: int
    workers: int


RESOURCE_CARDS = {
    "sand_2": ResourceCard("sand", 2, 2),
    "sand_3": ResourceCard("sand", 3, 4),
    "sand_4": ResourceCard("sand", 4, 7),
    "wood_2": ResourceCard("wood", 2, 4),
    "wood_3": ResourceCard("wood", 3, 6),
    "wood_4": ResourceCard("wood", 4, 9),
    "stone_2": ResourceCard("stone", 2, 5),
    "stone_3": ResourceCard("stone", 3, 7),
    "stone_4": ResourceCard("stone", 4, 10),
}

PERMANENT = (
    "aliena",
    "stone_patron",
    "sand_patron",
    "prior_philip",
    "archbishop_thomas",
    "black_worker",
    "sixth_craftsman",
)
ONCE = ("brother_remigius", "tax_exemption", "empress_maud")
LAST_ROUND = ("last_metal", "last_stone_wood")
ADVANTAGES = (*PERMANENT, *ONCE, "gold_8", "crying_madonna", "metal_gift", "two_resources", *LAST_ROUND)
PATRON = {"wood": "aliena", "stone": "stone_patron", "sand": "sand_patron"}

NEGATIVE_EVENTS = (
    "hamleigh_levy",
    "two_builders",
    "roof_collapse",
    "philip_vs_waleran",
    "reduced_yield",
    "mill_fire",
    "thieves",
)
EVENTS = (*NEGATIVE_EVENTS, "ore_found", "fleece_fair", "good_weather")


def craftsmen_of(round_: int) -> list[str]:
    """The four craftsmen of a round, in catalogue order."""
    return [card for card, facts in CRAFTSMEN.items() if facts.round == round_]
