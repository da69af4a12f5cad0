"""The only list of games, and the door for a position of any of them."""

import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from clerestory.engine.cathedral import catalogue as cathedral_catalogue
from clerestory.engine.cathedral import points as cathedral_points
from clerestory.engine.cathedral.rules import CathedralGame
from clerestory.engine.core import Game, State, read_json
from clerestory.engine.duel import catalogue as duel_catalogue
from clerestory.engine.duel import points as duel_points
from clerestory.engine.duel.rules import DuelGame
from clerestory.engine.errors import BadCatalogue, BadPosition
from clerestory.engine.toy.rules import TOY


class Points(Protocol):
    """What a game says of its points, and of its luck."""

    POINTS: str
    LUCK: dict[str, str]  # kinds of chance events in words, by the first word of their texts

    def point_sources(self, fields: Mapping[str, Any]) -> list[dict[str, float]]:
        """Return the points of each seat by where they came from."""


CardRows = dict[str, list[dict[str, Any]]]


class Entry(NamedTuple):
    """A game of the list.

    Attributes:
        make: makes the game, of the card catalogue given if it has one.
        parse: reads a catalogue out of the text of a TOML file; None for a game without one.
        rows: the cards of a catalogue as plain rows, by list.
        points: what it says of its points, if anything.
    """

    make: Callable[..., Game]
    parse: Callable[[str], Any] | None = None
    rows: Callable[[Any], CardRows] | None = None
    points: Points | None = None


LIST = {
    "cathedral": Entry(CathedralGame, cathedral_catalogue.parse, cathedral_catalogue.rows, cathedral_points),
    "duel": Entry(DuelGame, duel_catalogue.parse, duel_catalogue.rows, duel_points),
    "toy": Entry(lambda: TOY),
}
MADE: dict[str, Game] = {}  # those of this process, each made when it is first asked for
MAKING = threading.Lock()


class Games(Mapping[str, Game]):
    """The games by name; one that has a catalogue is that of its first use, else of the shipped one."""

    def __getitem__(self, name: str) -> Game:
        return game(name)

    def __contains__(self, name: object) -> bool:
        return name in LIST

    def __iter__(self) -> Iterator[str]:
        return iter(LIST)

    def __len__(self) -> int:
        return len(LIST)


GAMES = Games()


def game(name: str, *, catalogue: Any = None) -> Game:
    """Return a game by its name.

    Args:
        name: one of GAMES.
        catalogue: TOML file of its cards, or a catalogue that was read from one. None is the one that this process
            uses already, else the shipped one: a process has one catalogue of a game.

    Raises KeyError, which lists the names there are; BadCatalogue; CatalogueInUse for another than that in use.
    """
    if name not in LIST:
        raise KeyError(f"{name!r}: no such game; there are {', '.join(LIST)}")
    if catalogue is not None and LIST[name].parse is None:
        raise BadCatalogue([("catalogue.game", f"{name!r} is not one of {', '.join(with_catalogue())}")])
    with MAKING:
        if name not in MADE or catalogue is not None:
            made = LIST[name].make() if catalogue is None else LIST[name].make(catalogue)
            MADE.setdefault(name, made)
    return MADE[name]


def with_catalogue() -> list[str]:
    """Return the names of the games that have a card catalogue."""
    return [name for name, entry in LIST.items() if entry.parse is not None]


def game_of_catalogue(path: Path | str) -> Game:
    """Return the game that the field `game` of a TOML file names, with the cards of that file.

    Raises BadCatalogue for a faulty file, CatalogueInUse for another than that in use.
    """
    name, catalogue = read_catalogue(path)
    return game(name, catalogue=catalogue)


def cards_of_catalogue(path: Path | str) -> tuple[str, CardRows]:
    """Return the game that a TOML file names and the cards of the file, as `Game.cards` does, without using them.

    Raises BadCatalogue for a faulty file.
    """
    name, catalogue = read_catalogue(path)
    rows = LIST[name].rows
    assert rows is not None
    return name, rows(catalogue)


def read_catalogue(path: Path | str) -> tuple[str, Any]:
    """Return the game that a TOML file names, and the catalogue in it. Raises BadCatalogue for a faulty file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        name: Any = tomllib.loads(text).get("game")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCatalogue([("catalogue", f"cannot be read: {error}")]) from None
    except tomllib.TOMLDecodeError as error:
        raise BadCatalogue([("catalogue", f"is not TOML: {error}")]) from None
    parse = LIST[name].parse if name in with_catalogue() else None
    if parse is None:
        raise BadCatalogue([("catalogue.game", f"{name!r} is not one of {', '.join(with_catalogue())}")])
    return name, parse(text)


def from_position(position: str | bytes | Mapping[str, Any]) -> State:
    """Return the position described by JSON text, or by the same as a dictionary, of whichever game it is.

    Raises BadPosition, which lists everything that is wrong with it.
    """
    fields = read_json(position)
    named = [name for name in GAMES if name in fields]
    if len(named) != 1:
        raise BadPosition([("position", f"must have one field named after its game: {', '.join(GAMES)}")])
    return game(named[0]).from_position(fields)
