"""Writes what the engine needs of a game besides its C code, from the declarations of the game.

A JavaScript module holds names, texts, the layout of positions and the settings of searches. Binary files hold the
memory of C, one for each learned value: tables of the cards, weights of the value, and learned factors of the priors.
"""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clerestory import __version__
from clerestory.engine import GAMES, Game
from clerestory.engine.cathedral.data import tables as cathedral_tables
from clerestory.engine.cathedral.data.constants import MOST_USES
from clerestory.engine.duel.data import tables as duel_tables
from clerestory.engine.games import LIST
from clerestory.engine.positions.kinds import Kind
from clerestory.engine.positions.layout import Field, Layout
from clerestory.engine.tuning import EVEN, LEAST_SHARPNESS, MEASURED, NUM_LEVELS
from clerestory.engine.values.net import NetMemory
from clerestory.engine.values.value import HAND, LEARNED, value_of
from clerestory.search import certainty, levels, lines, options
from clerestory.search.limits import MAX_VISITS

TABLES = {"cathedral": cathedral_tables.content, "duel": duel_tables.content}
ALIGNMENT = 64
CONSTANTS = {
    "even": EVEN,
    "leastSharpness": LEAST_SHARPNESS,
    "measured": MEASURED,
    "numLevels": NUM_LEVELS,
    "mostErrors": certainty.MOST_ERRORS,
    "seen": levels.SEEN,
    "doubtful": lines.DOUBTFUL,
    "proportion": lines.PROPORTION,
    "point": options.POINT,
    "settledVisits": options.SETTLED_VISITS,
    "wellVisited": options.WELL_VISITED,
    "maxVisits": MAX_VISITS,
}
# What positions need of each kind of values: the names of its attributes.
KINDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Number": lambda kind: {"low": kind.low, "high": kind.high, "first": kind.first},
    "Flag": lambda _: {},
    "SeatFlag": lambda _: {},
    "Choice": lambda kind: {"names": kind.names, "low": kind.low},
    "Seat": lambda kind: {"names": kind.names, "low": kind.low, "others": kind.others},
    "Card": lambda kind: {"ids": kind.ids},
    "Each": lambda kind: {"kind": kind_of(kind.kind), "count": kind.count},
    "Set": lambda kind: {"ids": list(kind.bits)},
    "Deck": lambda kind: {"ids": kind.ids, "places": kind.places, "unique": kind.unique},
    "EventDeck": lambda kind: {"ids": kind.ids, "places": kind.places, "unique": kind.unique},
    "Order": lambda kind: {"names": kind.names, "bits": kind.bits, "most": kind.most, "seated": kind.seated},
    "Amounts": lambda kind: {"names": kind.names, "low": kind.low, "high": kind.high, "bits": kind.bits},
    "Uses": lambda kind: {"ids": kind.ids, "most": MOST_USES},
    "Multiset": lambda kind: {"names": kind.names, "most": kind.most},
    "Section": lambda kind: {"needs": kind.sorted, "shift": kind.shift},
    "OpenUses": lambda kind: {"ids": kind.ids, "most": kind.most, "mostLeft": kind.most_left},
    "Undealt": lambda kind: {"decks": kind.decks},
}


def write_game(name: str, folder: Path) -> None:
    """Write the files of a game into a folder."""
    game, memory = GAMES[name], {}
    for value in sorted({options.shipped(game, seats)["value"] for seats in game.seats}):
        content, memory[value] = memory_of(game, value)
        (folder / f"{value.replace(LEARNED, name)}.bin").write_bytes(content)
    data = {**facts_of(game), "layout": layout_of(game.layout), "points": points_of(name), "tuning": tuning_of(game)}
    text = json.dumps({**data, "memory": memory}, ensure_ascii=False, separators=(",", ":"))
    (folder / f"{name}.js").write_text(f"export default {text};\n", "utf-8")


def facts_of(game: Game) -> dict[str, Any]:
    """Return the identity of a game, and its actions."""
    return {
        "version": __version__,
        "name": game.name,
        "rulesRevision": game.rules_revision,
        "catalogue": game.catalogue,
        "seats": [game.seats[0], game.seats[-1]],
        "seatNames": [game.seat_name(seat) for seat in range(game.seats[-1])],
        "stateBytes": game.state_bytes,
        "actions": game.texts,
        "labels": game.labels,
    }


def points_of(name: str) -> dict[str, Any]:
    """Return the sources of a game's points, and what breaks ties."""
    points = LIST[name].points
    assert points is not None
    return {"sources": [source._asdict() for source in points.SOURCES], "tieBreak": points.TIE_BREAK._asdict()}


# -- positions ---------------------------------------------------------------------------------------


def layout_of(layout: Layout) -> dict[str, Any]:
    """Return the layout of positions, with addresses from the beginning of the struct."""
    assert not layout.has_hands, "bridge.pyx begins searches of games without hands"
    start, _ = layout.struct_at
    players, stride = layout.players_at
    return {
        "players": [players - start, stride],
        "fields": [field_of(field, start) for field in layout.fields],
        "playerFields": [field_of(field, start) for field in layout.player_fields],
        "everywhere": sorted(layout.everywhere),
    }


def field_of(field: Field, start: int) -> dict[str, Any]:
    """Return a field of a position."""
    members: Any = field.members if isinstance(field.members[0], tuple) else (field.members,)
    more = {"home": field.home} if field.home else {}
    more |= {} if field.default is None else {"default": field.default}
    places = [[at - start, code, count] for at, code, count in members]
    return {"name": field.name, "members": places, "kind": kind_of(field.kind), **more}


def kind_of(kind: Kind) -> dict[str, Any]:
    """Return a kind of values. Raises KeyError for one that kinds.ts does not know."""
    name = type(kind).__name__
    return {"is": name, **KINDS[name](kind)}


# -- searches ----------------------------------------------------------------------------------------


def tuning_of(game: Game) -> dict[str, Any]:
    """Return the settings of the shipped search."""
    tuning = game.tuning
    return {
        "constants": CONSTANTS,
        "levels": [{"iterations": level.iterations, "noise": level.noise} for level in tuning.levels],
        "bySeats": {str(seats): search_of(game, seats) for seats in game.seats},
    }


def search_of(game: Game, seats: int) -> dict[str, Any]:
    """Return the options of the shipped search for a number of seats."""
    tuning = game.tuning
    chosen = options_of(game, seats)
    if chosen.value == HAND or (chosen.playout, chosen.priors, chosen.sharpness) != ("informed", "learned", "fitted"):
        raise SystemExit(f"{game.name}: the engine expects a learned value with priors, in its shipped search")
    fitted = tuning.sharpness[seats]
    weights = (fitted.even, fitted.stronger, fitted.later, fitted.both, fitted.last, fitted.first)
    return {
        "value": chosen.value,
        "loop": packed(loop_options(game, seats)).hex(),
        "marginShare": chosen.margin_share,
        "scale": chosen.scale,
        "choice": chosen.choice,
        "deviations": chosen.deviations,
        "certainty": tuning.certainty[seats],
        "sharpness": {"weights": weights, "firstSeat": fitted.first_seat, "rounds": fitted.rounds},
    }


def options_of(game: Game, seats: int) -> options.Options:
    """Return all options of the shipped search for a number of seats."""
    tuning = game.tuning
    own = {"temperature": tuning.temperature, "scale": tuning.scale[seats], **options.shipped(game, seats)}
    return options.Options(**own)


def loop_options(game: Game, seats: int) -> options.InLoop:
    """Return those options that the loop uses."""
    return options_of(game, seats).in_loop(game.max_plies)


def packed(chosen: options.InLoop) -> bytes:
    """Return the options used in the loop as the struct of C, which has the same layout for both machines."""
    codes = "".join("d" if kind is float else "i" for kind in options.InLoop.__annotations__.values())
    return struct.pack(f"@{codes}0d", *(chosen[name] for name in options.InLoop.__annotations__))  # type: ignore[literal-required]


def memory_of(game: Game, value: str) -> tuple[bytes, dict[str, Any]]:
    """Return the memory of a game with a learned value, and the place and size of each part of it, in bytes."""
    weights = value_of(game, value).weights
    assert weights is not None
    assert weights.priors is not None
    rows, others = NetMemory(game, weights).content()
    _, rounds, _ = weights.priors.shape or ()
    content, parts = b"", {}
    for name, part in (
        ("rows", rows),
        ("others", others),
        ("priors", weights.priors.tobytes()),
        ("tables", TABLES[game.name]()),
    ):
        content += bytes(-len(content) % ALIGNMENT)
        parts[name] = [len(content), len(part)]
        content += part
    return content, {**parts, "rounds": rounds, "weights": weights.checksum}
