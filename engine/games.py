"""The list of games, and reading positions of any of them."""

import copyreg
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from clerestory import __version__
from clerestory.engine.catalogue import CardRows, Catalogue, read_file
from clerestory.engine.cathedral import changes as cathedral_changes
from clerestory.engine.cathedral import plans as cathedral_plans
from clerestory.engine.cathedral import points as cathedral_points
from clerestory.engine.cathedral import script as cathedral_script
from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from clerestory.engine.cathedral.rules import CathedralGame
from clerestory.engine.cathedral.text import show as show_cathedral
from clerestory.engine.changes import Consequences
from clerestory.engine.core import Game, State, read_json
from clerestory.engine.duel import changes as duel_changes
from clerestory.engine.duel import points as duel_points
from clerestory.engine.duel.catalogue import DuelCatalogue
from clerestory.engine.duel.rules import DuelGame
from clerestory.engine.duel.text import show as show_duel
from clerestory.engine.envelope import check_envelope
from clerestory.engine.errors import BadCatalogue, BadPosition, quoted
from clerestory.engine.picture import Telling
from clerestory.engine.plans import Planner
from clerestory.engine.toy import changes as toy_changes
from clerestory.engine.toy.rules import TOY, ToyGame
from clerestory.i18n.sentences import text


class Points(Protocol):
    """How a game describes its points and its luck."""

    LUCK: dict[str, str]  # kinds of chance events in words, by the first word of their texts

    def point_sources(self, fields: Mapping[str, Any]) -> list[dict[str, float]]:
        """Return the points of each seat by source."""

    def tie_break(self, fields: Mapping[str, Any]) -> tuple[str, list[float]] | None:
        """Return what decides between equal best scores: its code, and what is compared; None if they differ."""


class GameListing(NamedTuple):
    """A game of the list.

    Attributes:
        make: makes the game, with the given card catalogue if it has one.
        changes: how it explains what an action changed.
        catalogue: its kind of card catalogue; None for a game without one.
        points: how it describes its points, if it does.
        planner: how it plans what is done in any order, if there is such a thing.
        picture: shows the fields of a position as a table for the terminal, if not only in English.
        taker: names the card of a seat that needs a thing, "" for none, if cards of the game need things.
        script: a player by published rules of thumb, if there is one: its action, and how many it rated.
    """

    make: Callable[..., Game]
    changes: Consequences
    catalogue: type[Catalogue] | None = None
    points: Points | None = None
    script: Callable[[State], tuple[str, int]] | None = None
    planner: Planner | None = None
    taker: Callable[[State, int, str], str] | None = None
    picture: Callable[[dict[str, Any], Telling], str] | None = None


LIST = {
    "cathedral": GameListing(
        CathedralGame,
        cathedral_changes,
        CathedralCatalogue,
        cathedral_points,
        cathedral_script.advised,
        cathedral_plans,
        cathedral_plans.taker,
        show_cathedral,
    ),
    "duel": GameListing(DuelGame, duel_changes, DuelCatalogue, duel_points, picture=show_duel),
    "toy": GameListing(lambda: TOY, toy_changes),
}
MADE: dict[str, Game] = {}  # the games of this process, each made on first use
MAKING = threading.Lock()


class Games(Mapping[str, Game]):
    """The games by name; a game with a catalogue uses the one of its first use, by default the shipped one."""

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
        catalogue: TOML file of its cards, or a catalogue that was read from one. None: the one already in use in this
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
    """Return the error of a catalogue for what is no game with one."""
    return BadCatalogue(
        [("catalogue.game", text("fault.one_of", value=quoted(name), known=", ".join(with_catalogue())))]
    )


def game_of_catalogue(path: Path | str) -> Game:
    """Return the game that the field `game` of a TOML file names, with the cards of that file.

    Raises BadCatalogue for a faulty file, CatalogueInUse for a catalogue other than the one in use.
    """
    catalogue = read_catalogue(path)
    return game(catalogue.game, catalogue=catalogue)


def cards_of_catalogue(path: Path | str) -> tuple[str, CardRows]:
    """Return the game that a TOML file names and the cards of the file, as `Game.cards` does, without using them.

    Raises BadCatalogue for a faulty file.
    """
    catalogue = read_catalogue(path)
    return catalogue.game, catalogue.rows()


def read_catalogue(path: Path | str) -> Catalogue:
    """Return the catalogue in a TOML file, of the game that it names. Raises BadCatalogue for a faulty file."""
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

    Raises BadPosition, which lists everything that is wrong with it.
    """
    fields = read_json(position)
    named = [name for name in GAMES if name in fields]
    if len(named) != 1:
        raise BadPosition([("position", text("fault.named", games=", ".join(GAMES)))])
    return game(named[0]).from_position(fields)


# -- pickles: a game is its name, and what the memory of its positions depends on ----------------------


def pickled(kept: Game) -> tuple[Callable[[str, dict[str, Any]], Game], tuple[str, dict[str, Any]]]:
    """Return what finds a game in another process."""
    return unpickled, (kept.name, build_of(kept))


def build_of(made: Game) -> dict[str, Any]:
    """Return what must be equal for memory of a game's positions to be read."""
    return {
        "rules_revision": made.rules_revision,
        "catalogue": made.catalogue,
        "version": __version__,
        "layout": made.layout.fingerprint,
    }


def unpickled(name: str, build: dict[str, Any]) -> Game:
    """Return the game of this process that a pickled one was. Raises BadPosition if it is of another build."""
    found = game(name)
    check_envelope(found, {"rules_revision": build["rules_revision"], "catalogue": build["catalogue"], name: {}})
    if build != build_of(found):
        raise BadPosition([("version", text("fault.build", value=build["version"], version=__version__))])
    return found


for kind in (CathedralGame, DuelGame, ToyGame):
    copyreg.pickle(kind, pickled)
