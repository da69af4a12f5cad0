"""The list of games, and functions that read positions of any game."""

import copyreg
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from clerestory import __version__
from clerestory.engine.catalogue import CardRows, Catalogue, read_file
from clerestory.engine.cathedral import changes as cathedral_changes
from clerestory.engine.cathedral import plans as cathedral_plans
from clerestory.engine.cathedral import priced as cathedral_priced
from clerestory.engine.cathedral import script as cathedral_script
from clerestory.engine.cathedral.data import points as cathedral_points
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.cathedral.rules import CathedralGame
from clerestory.engine.cathedral.text import show as show_cathedral
from clerestory.engine.changes import Consequences
from clerestory.engine.core import Game, State, read_json
from clerestory.engine.duel import changes as duel_changes
from clerestory.engine.duel.data import points as duel_points
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.duel.rules import DuelGame
from clerestory.engine.duel.text import show as show_duel
from clerestory.engine.errors import BadCatalogue, BadPosition, quoted
from clerestory.engine.picture import PictureTexts
from clerestory.engine.plans import Planner, Shortage
from clerestory.engine.positions.envelope import check_envelope
from clerestory.engine.shared.points import Source, TieBreak
from clerestory.engine.toy import changes as toy_changes
from clerestory.engine.toy.rules import TOY, ToyGame
from clerestory.i18n.sentences import text


class Points(Protocol):
    """A game's description of its points and luck."""

    LUCK: dict[str, str]  # names of kinds of chance events, by the first word of their texts
    SOURCES: Sequence[Source]
    TIE_BREAK: TieBreak


class GameListing(NamedTuple):
    """A game of the list.

    Attributes:
        make: creates the game, with the given card catalogue if it has one.
        changes: explains what an action changed.
        catalogue: class of its card catalogue; None for a game without one.
        points: describes its points, if available.
        planner: plans actions whose order does not matter, if there are any.
        picture: formats the fields of a position as a table, if in more languages than English.
        taker: returns the card with which a seat uses a thing, "" for none, if cards of the game use things.
        shortage: returns what an action brings that cards of a seat lack, None for nothing, if they use things.
        scripts: players by published advice, by name: each returns its action, and how many it rated.
    """

    make: Callable[..., Game]
    changes: Consequences
    catalogue: type[Catalogue] | None = None
    points: Points | None = None
    scripts: Mapping[str, Callable[[State], tuple[str, int]]] = MappingProxyType({})
    planner: Planner | None = None
    taker: Callable[[State, int, str], str] | None = None
    shortage: Callable[[State, int, str], Shortage | None] | None = None
    picture: Callable[[dict[str, Any], PictureTexts], str] | None = None


LIST = {
    "cathedral": GameListing(
        CathedralGame,
        cathedral_changes,
        CathedralCatalogue,
        cathedral_points,
        {"script-v1": cathedral_script.advised, "priced-v1": cathedral_priced.advised},
        cathedral_plans,
        cathedral_plans.taker,
        cathedral_plans.shortage,
        show_cathedral,
    ),
    "duel": GameListing(DuelGame, duel_changes, DuelCatalogue, duel_points, picture=show_duel),
    "toy": GameListing(lambda: TOY, toy_changes),
}
MADE: dict[str, Game] = {}  # the games of this process, each created on first use
MAKING = threading.Lock()


class Games(Mapping[str, Game]):
    """The games by name; a game with a catalogue keeps the one of its first use, by default the shipped one."""

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
        catalogue: TOML file of its cards, or a catalogue read from one. None: the one already in use in this
            process, else the shipped one; a process has one catalogue per game.

    Raises KeyError, which lists the names; BadCatalogue; CatalogueInUse for a catalogue other than the one in use.
    """
    if name not in LIST:
        raise KeyError(f"{name!r}: no such game; the games are {', '.join(LIST)}")
    if catalogue is not None and LIST[name].catalogue is None:
        raise no_catalogue(name)
    with MAKING:
        if name not in MADE or catalogue is not None:
            made = LIST[name].make() if catalogue is None else LIST[name].make(catalogue)
            MADE.setdefault(name, made)
    return MADE[name]


def with_catalogue() -> list[str]:
    """Return the names of the games that have a card catalogue."""
    return [name for name, entry in LIST.items() if entry.catalogue is not None]


def no_catalogue(name: object) -> BadCatalogue:
    """Return the error of a catalogue whose game does not exist or has no catalogue."""
    return BadCatalogue(
        [("catalogue.game", text("fault.one_of", value=quoted(name), known=", ".join(with_catalogue())))]
    )


def game_of_catalogue(path: Path | str) -> Game:
    """Return the game named by the field `game` of a TOML file, with the cards of that file.

    Raises BadCatalogue for an invalid file, CatalogueInUse for a catalogue other than the one in use.
    """
    catalogue = read_catalogue(path)
    return game(catalogue.game, catalogue=catalogue)


def cards_of_catalogue(path: Path | str) -> tuple[str, CardRows]:
    """Return the game that a TOML file names and the file's cards, in the form of `Game.cards`, without using them.

    Raises BadCatalogue for an invalid file.
    """
    catalogue = read_catalogue(path)
    return catalogue.game, catalogue.rows()


def read_catalogue(path: Path | str) -> Catalogue:
    """Return the catalogue in a TOML file, for the game that it names. Raises BadCatalogue for an invalid file."""
    tables = read_file(path)
    if "game" not in tables:
        raise BadCatalogue([("catalogue.game", text("fault.missing"))])
    name: Any = tables["game"]
    shape = LIST[name].catalogue if name in with_catalogue() else None
    if shape is None:
        raise no_catalogue(name)
    return shape.read(tables)


def from_position(position: str | bytes | Mapping[str, Any]) -> State:
    """Return the position described by JSON text or a dictionary, of any game.

    Raises BadPosition, which lists all errors in it.
    """
    fields = read_json(position)
    named = [name for name in GAMES if name in fields]
    if len(named) != 1:
        raise BadPosition([("position", text("fault.named", games=", ".join(GAMES)))])
    return game(named[0]).from_position(fields)


# -- pickling: by name, and by what the memory of positions depends on --------------------------------


def pickled(kept: Game) -> tuple[Callable[[str, dict[str, Any]], Game], tuple[str, dict[str, Any]]]:
    """Support pickling of a game."""
    return unpickled, (kept.name, build_of(kept))


def build_of(made: Game) -> dict[str, Any]:
    """Return the properties of a build that the memory of a game's positions depends on."""
    return {
        "rules_revision": made.rules_revision,
        "catalogue": made.catalogue,
        "version": __version__,
        "layout": made.layout.fingerprint,
    }


def unpickled(name: str, build: dict[str, Any]) -> Game:
    """Return this process's instance of a pickled game. Raises BadPosition if it comes from another build."""
    found = game(name)
    check_envelope(found, {"rules_revision": build["rules_revision"], "catalogue": build["catalogue"], name: {}})
    if build != build_of(found):
        raise BadPosition([("version", text("fault.build", value=build["version"], version=__version__))])
    return found


for kind in (CathedralGame, DuelGame, ToyGame):
    copyreg.pickle(kind, pickled)
