"""The cards of the board game, typed in by hand: the oracle's own copy of the catalogue.

Dictionaries and tuples are in catalogue order. Nothing here is read from `catalogue.toml`, so that a comparison with
the core also compares the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

COLOURS = ("red", "blue", "green", "yellow")
CUBES = ("sand", "wood", "stone", "metal")
BASIC = ("sand", "wood", "stone")

BUY_PRICE = {"sand": 2, "wood": 3, "stone": 4}
SELL_PRICE = {"sand": 2, "wood": 3, "stone": 4, "metal": 5}
TAX_DIE = (2, 3, 3, 4, 4, 5)


@dataclass(frozen=True)
class Craftsman:
    """One craftsman card: what a single use spends, requires without spending, and yields."""

    round: int  # 1 to 6; 0: a starting craftsman
    cost: int  # gold, in the draft
    capacity: int  # uses in a round
    spends: Mapping[str, int] = field(default_factory=dict)  # cubes or gold for one use
    vp: int = 0
    gold: int = 0
    needs_cube: str = ""  # held, but not spent
    needs_any_card: tuple[str, ...] = ()  # craftsmen of the same owner; one of them is enough
    can_be_blessed: bool = True  # the archbishop's blessing can raise its capacity

    @property
    def free(self) -> bool:
        """Whether its order matters (R21): it makes gold, spends gold, or needs a cube without spending it."""
        return self.gold > 0 or "gold" in self.spends or self.needs_cube != ""


MORTAR_MIXERS = ("mortar_mixer", "mortar_mixer_1")
WOODWORKERS = ("woodworker", "master_woodworker_1")


def _mason(round_: int, cost: int, capacity: int) -> Craftsman:
    return Craftsman(round_, cost, capacity, {"stone": 1}, vp=1, needs_any_card=MORTAR_MIXERS)


CRAFTSMEN = {
    "mortar_mixer": Craftsman(0, 0, 3, {"sand": 3}, vp=1),
    "woodworker": Craftsman(0, 0, 4, {"wood": 2}, vp=1),
    "stonecutter": Craftsman(0, 0, 4, {"stone": 2}, vp=1),
    "toolmaker_1": Craftsman(1, 2, 1, {}, gold=2, needs_cube="metal", can_be_blessed=False),
    "master_woodworker_1": Craftsman(1, 3, 2, {"wood": 1}, gold=4),
    "mortar_mixer_1": Craftsman(1, 4, 3, {"sand": 2}, vp=1),
    "mason_1": _mason(1, 5, 2),
    "carpenter_2": Craftsman(2, 3, 2, {"wood": 1}, vp=1),
    "mason_2": _mason(2, 4, 3),
    "potter_2": Craftsman(2, 5, 2, {"sand": 1}, vp=1),
    "architect_2": Craftsman(2, 6, 1, {}, vp=1, can_be_blessed=False),
    "mason_3": _mason(3, 4, 4),
    "carpenter_3": Craftsman(3, 5, 3, {"wood": 1}, vp=1),
    "sculptor_3": Craftsman(3, 6, 1, {"stone": 1}, vp=2),
    "potter_3": Craftsman(3, 7, 3, {"sand": 1}, vp=1),
    "mason_4": _mason(4, 5, 5),
    "carpenter_4": Craftsman(4, 6, 4, {"wood": 1}, vp=1),
    "sculptor_4": Craftsman(4, 7, 2, {"stone": 1}, vp=2),
    "glassblower_4": Craftsman(4, 8, 1, {"metal": 1, "sand": 1}, vp=3),
    "carpenter_5": Craftsman(5, 6, 5, {"wood": 1}, vp=1),
    "goldsmith_5": Craftsman(5, 7, 6, {"gold": 3}, vp=1),
    "sculptor_5": Craftsman(5, 8, 3, {"stone": 1}, vp=2),
    "glassblower_5": Craftsman(5, 9, 2, {"metal": 1, "sand": 1}, vp=3),
    "goldsmith_6": Craftsman(6, 7, 8, {"gold": 3}, vp=1),
    "sculptor_6": Craftsman(6, 8, 4, {"stone": 1}, vp=2),
    "organ_builder_6": Craftsman(6, 9, 1, {"metal": 1, "wood": 1}, vp=6, can_be_blessed=False),
    "bell_maker_6": Craftsman(6, 10, 2, {"metal": 1}, vp=4, can_be_blessed=False),
}


@dataclass(frozen=True)
class ResourceCard:
    kind: str
    cubes: int
    workers: int


RESOURCE_CARDS = {
    "sand_2": ResourceCard("sand", 2, 2),
    "sand_3": ResourceCard("sand", 3, 4),
    "sand_4": ResourceCard("sand", 4, 7),
    "wood_2": ResourceCard("wood", 2, 3),
    "wood_3": ResourceCard("wood", 3, 6),
    "wood_4": ResourceCard("wood", 4, 9),
    "stone_2": ResourceCard("stone", 2, 5),
    "stone_3": ResourceCard("stone", 3, 8),
    "stone_4": ResourceCard("stone", 4, 10),
}

PERMANENT = ("aliena", "tom_builder", "richard", "prior_philip", "francis", "ellen", "otto", "jack")
ONCE = ("brother_remigius", "archbishop_thomas", "tax_exemption")
LAST_ROUND = ("completion", "celebrations")
ADVANTAGES = (*PERMANENT, *ONCE, "crying_madonna", "wool_fair", "toledo", *LAST_ROUND)
EXTRA_CUBE = {"wood": "aliena", "stone": "tom_builder", "sand": "richard"}

NEGATIVE_EVENTS = ("hamleigh_levy", "quarrel", "town_wall", "cold_winter", "roof_collapse")
POSITIVE_EVENTS = ("kings_favour", "richards_gift", "philips_wool", "volunteers", "archbishops_blessing")
EVENTS = (*NEGATIVE_EVENTS, *POSITIVE_EVENTS)


def craftsmen_of(round_: int) -> list[str]:
    """Return the four craftsmen of a round, in catalogue order."""
    return [card for card, facts in CRAFTSMEN.items() if facts.round == round_]
