"""The oracle's position: the fields of RULES.md section 4 under the same names, and operations shared by all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from tests.engine.cathedral import oracle_cards as box

GOLD_LIMIT = 30
_CATALOGUE = [*box.CRAFTSMEN, *box.RESOURCE_CARDS, *box.ADVANTAGES, *box.CUBES]


def with_card(cards: list[str], card: str) -> list[str]:
    """Return the list with one more card (or cube type), in catalogue order."""
    return sorted([*cards, card], key=_CATALOGUE.index)


def turn_up(deck: list[str], card: str) -> None:
    """Take a card off a deck; if the known order has another card, it gives way."""
    if not deck:
        return  # unknown
    if card in deck:
        deck[deck.index(card)] = deck[0]
    deck.pop(0)


class Player(SimpleNamespace):
    def held(self, kind: str) -> int:
        count: int = getattr(self, kind)
        return count

    def add(self, kind: str, count: int) -> None:
        """Change the cubes of a type, or the gold, which never exceeds 30 (step 3)."""
        total = self.held(kind) + count
        setattr(self, kind, min(total, GOLD_LIMIT) if kind == "gold" else total)

    def cubes(self) -> int:
        return sum(self.held(kind) for kind in box.CUBES)

    def has_any(self, craftsmen: Iterable[str]) -> bool:
        return any(card in self.craftsmen for card in craftsmen)

    def use_up(self, card: str) -> None:
        """Remove a single-use card from the game, possibly in the round in which it was taken."""
        self.advantages.remove(card)
        self.fresh = [other for other in self.fresh if other != card]

    def crowded(self) -> bool:
        return len(self.craftsmen) > (6 if "jack" in self.advantages else 5)

    def score(self, account: str, points: int) -> None:
        """Earn VP, recorded under `vp_priory`, `vp_craftsmen` or `vp_cards`."""
        self.vp += points
        setattr(self, account, getattr(self, account) + points)

    def lose_vp(self, points: int) -> None:
        lost = min(points, self.vp)  # R8
        self.vp -= lost
        self.vp_lost += lost

    def charge(self, due: int) -> None:
        """Pay as much as possible, and lose 1 VP for every full 2 gold missing (step 9)."""
        paid = min(due, self.gold)
        self.gold -= paid
        self.lose_vp((due - paid) // 2)


class Position(SimpleNamespace):
    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Position:
        """Read the inner position of RULES.md section 4; the argument is copied."""
        own = copied(fields)
        players = [Player(**player) for player in own["players"]]
        return cls(**{**own, "players": players})

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = copied(vars(self))
        return fields

    def colours(self) -> list[str]:
        return list(box.COLOURS[: len(self.players)])

    def player(self, colour: str) -> Player:
        return self.players[box.COLOURS.index(colour)]

    def clockwise_from(self, colour: str) -> list[str]:
        """Return all colours, the given one first."""
        seat = box.COLOURS.index(colour)
        return self.colours()[seat:] + self.colours()[:seat]

    def turn_order(self) -> list[str]:
        return self.clockwise_from(self.starting_player)

    def after_in_turn_order(self, colour: str) -> list[str]:
        order = self.turn_order()
        return order[order.index(colour) + 1 :]

    def holder(self, card: str, among: Iterable[str]) -> str:
        """Return the colour that holds an advantage card, or ""."""
        return next((colour for colour in among if card in self.player(colour).advantages), "")

    def ask(self, step: str, who: str) -> None:
        self.step = step
        self.to_act = who

    def produce(self, player: Player, kind: str, count: int) -> None:
        """Take cubes from the supply: sand, wood and stone may be owed (R7), metal never (R9)."""
        if kind == "metal":
            count = min(count, self.supply["metal"])
        player.add(kind, count)
        self.supply[kind] -= count

    def give_back(self, player: Player, kind: str, count: int) -> None:
        player.add(kind, -count)
        self.supply[kind] += count


def copied(value: Any) -> Any:
    """Return a deep copy, with objects as dictionaries; five times as fast as `dataclasses.asdict`."""
    if type(value) in (str, int, bool):
        return value
    if type(value) is list:
        return [*value] if value and type(value[0]) is str else [*map(copied, value)]  # of names, or of objects
    return {name: copied(one) for name, one in (value if type(value) is dict else vars(value)).items()}


Move = Callable[..., None]  # (position, verb, words)
