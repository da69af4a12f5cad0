"""Converts the oracle's position to the fields of RULES.md section 4, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tests.engine.duel import oracle_cards as box
from tests.engine.duel.oracle_state import Player, Position, Use
from tests.engine.duel.oracle_uses import MAY_END

Fields = dict[str, Any]

CATALOGUE = [
    *box.SYMBOLS,
    *(card for card, colour in box.PERSONAL_CARDS.items() if colour == "blue"),
    *(card for card, colour in box.PERSONAL_CARDS.items() if colour == "red"),
    *box.ONCE,
]
MATERIALS = [box.MADE_FROM[raw] for raw in box.RAW]


def _in_order(things: Iterable[str], order: Sequence[str]) -> list[str]:
    return sorted(things, key=order.index)


def _places(places: Iterable[int]) -> list[str]:
    return [box.PLACES[place] for place in sorted(places)]


#   fields that are attributes of the position, with their own names where they differ
SAME = {name: name for name in ("phase", "round", "step", "to_act", "power", "flipping", "built")}
SAME |= {"first_player": "first", "turn_of": "active", "seals_due": "draws", "cheap": "toledo"}


def to_fields(s: Position) -> Fields:
    open_use = s.bonus if s.step == "bonus" else s.use if s.step not in ("draw", "turn") else None
    counted = open_use is not None and s.step in ("take", "regan", "bonus", "market")
    return {
        **{field: getattr(s, name) for field, name in SAME.items()},
        "grid": [*s.grid, *[""] * (9 - len(s.grid))],
        "used": _places(s.player(s.active).used) if s.active else [],
        "card": s.use.card if s.use else "",
        "left": open_use.left if open_use and counted else 0,
        "floor": open_use.floor if open_use else "",
        "open_uses": [{"card": use.card, "left": use.left} for use in s.open],
        "may_end": s.step == "bonus" or (s.use is not None and s.use.began and s.use.card in MAY_END),
        "unseen_seals": _in_order(s.unseen_seals.elements(), box.NEUTRAL_SEALS),
        "seal_order": list(s.seal_order),
        "stack": list(s.seen_seals),
        "undealt": _in_order(s.unseen_cards.elements(), CATALOGUE),
        "deck": list(s.deck),
        "players": [_player_fields(player) for player in s.players.values()],
    }


def _player_fields(player: Player) -> Fields:
    sections = [_in_order(player.placed[section], MATERIALS) for section in box.SECTIONS]
    return {
        "gold": player.gold,
        "supply": {raw: player.supply[raw] for raw in box.RAW},
        "camp": {raw: player.raw[raw] for raw in box.RAW},
        "materials": {made: player.made[made] for made in MATERIALS},
        **{f"section_{number}": placed for number, placed in enumerate(sections, 1)},
        "seals": _in_order(player.seals.elements(), box.NEUTRAL_SEALS),
        "flipped": [seal for seal in player.flipped if seal != box.PERSONAL],
        "personal_flipped": box.PERSONAL in player.flipped,
        "sum": player.total,
        "cards": _in_order(player.once, CATALOGUE),
        "markers": _places(player.markers),
    }


def from_fields(fields: Fields) -> Position:
    """Read a position; the bank has the rest of the 74 gold."""
    players = {colour: _player(colour, own) for colour, own in zip(box.COLOURS, fields["players"], strict=True)}
    dealt = 9 if fields["step"] not in ("deal", "over") else sum(card != "" for card in fields["grid"])
    s = Position(
        players,
        **{name: fields[field] for field, name in SAME.items()},
        bank=box.GOLD_IN_BOX - sum(player.gold for player in players.values()),
        unseen_cards=Counter(fields["undealt"]),
        deck=list(fields["deck"]),
        grid=fields["grid"][:dealt],
        unseen_seals=Counter(fields["unseen_seals"]),
        seal_order=list(fields["seal_order"]),
        seen_seals=list(fields["stack"]),
    )
    if s.active:
        s.me().used = [box.PLACES.index(place) for place in fields["used"]]
    _read_use(s, fields)
    return s


def _read_use(s: Position, fields: Fields) -> None:
    if s.step == "bonus":
        s.bonus = Use("", fields["left"], fields["floor"])
    elif fields["card"]:
        left = box.ALIENA_WOOL if fields["step"] == "aliena" else fields["left"]
        s.use = Use(fields["card"], left, fields["floor"], fields["may_end"])
    s.open = [Use(use["card"], use["left"]) for use in fields["open_uses"]]


def _player(colour: str, own: Fields) -> Player:
    flipped = [*own["flipped"], *([box.PERSONAL] if own["personal_flipped"] else [])]
    return Player(
        colour,
        gold=own["gold"],
        supply=+Counter(own["supply"]),
        raw=+Counter(own["camp"]),
        made=+Counter(own["materials"]),
        placed={section: list(own[f"section_{number}"]) for number, section in enumerate(box.SECTIONS, 1)},
        seals=Counter(own["seals"]),
        flipped=flipped,
        total=own["sum"],
        once=list(own["cards"]),
        markers=[box.PLACES.index(place) for place in own["markers"]],
    )
