"""The base of card catalogues: reads a TOML file with the cards of a game into the game's model.

A game declares its cards (a subclass of Catalogue) and checks on them, and fills its C tables from them. Reading the
file, reporting errors and hashing are common to all games.
"""

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar, cast

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from clerestory.engine.errors import BadCatalogue, CatalogueInUse, quoted, unread
from clerestory.engine.positions.fields import Fields, read_fields
from clerestory.i18n.sentences import Text, text

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=60)]
Source = Annotated[str, StringConstraints(pattern=r"^(stated|found|derived|reconstructed)\b")]
Names = dict[Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")], Name]  # by language other than English
CardRows = dict[str, list[dict[str, Any]]]  # cards as plain rows, by list
PROSE = {"name", "names", "sources"}  # fields of a card that no rule reads
CardFaults = Iterator[tuple[str, Text]]  # path of a field, and its error


def by_id(cards: object) -> object:
    """Convert a list of cards to a table by id, so that errors name the card.

    Raises PydanticCustomError, a ValueError.
    """
    if not isinstance(cards, list) or not all(isinstance(card, dict) and type(card.get("id")) is str for card in cards):
        raise PydanticCustomError("fault.cards", "must be a list of cards that each have an id")
    require_once([card["id"] for card in cards])
    return {card["id"]: {name: value for name, value in card.items() if name != "id"} for card in cards}


def require_once(names: Sequence[str]) -> None:
    """Raise PydanticCustomError, a ValueError, if a name is repeated."""
    for name, times in Counter(names).items():
        if times > 1:
            raise PydanticCustomError("fault.twice", "{value} occurs more than once", {"value": quoted(name)})


def sources_by_value(row: dict[str, Any], covers: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a row with a separate source for each of its values.

    Args:
        row: a row with `sources`; a source may apply to several values.
        covers: for each of these sources, the values that it applies to; values missing from the row are skipped.
    """
    sources: dict[str, str] = {}
    for name, source in row["sources"].items():
        sources |= {value: source for value in covers.get(name, (name,)) if value in row}
    return {**row, "sources": sources}


class CardRow(Fields):
    """The fields of every card: display names in English and other languages, and the source of each value.

    Attributes:
        DERIVED: names of the values that `derived` returns.
    """

    DERIVED: ClassVar[Sequence[str]] = ()

    name: Name
    names: Names = Field(default_factory=dict)
    sources: dict[str, Source]

    def derived(self) -> dict[str, float]:
        """Return quantities computed from several values that matter to a learned value, by name, as in DERIVED."""
        return {}

    def values(self) -> dict[str, Any]:
        """Return the values of the card that the rules use."""
        return self.model_dump(exclude=PROSE)

    def plain(self, card: str, covers: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return the card with its id and without the fields that do not apply to it; `sources` are by value."""
        return sources_by_value({"id": card, **self.model_dump(exclude_defaults=True)}, covers)


Row = TypeVar("Row", bound=CardRow)
CardList = Annotated[dict[Id, Row], BeforeValidator(by_id)]

IN_USE: dict[str, str] = {}  # by game: hash of the catalogue whose cards are in this process's tables


class Catalogue(Fields):
    """The cards of a game.

    Attributes:
        shipped: path of the default file.
        checks: checks beyond the types and ranges of the fields; each yields errors.
    """

    shipped: ClassVar[Path]
    checks: ClassVar[Sequence[Callable[[Any], CardFaults]]]

    game: str

    @classmethod
    def load(cls, path: Path | str | None = None) -> Self:
        """Return the catalogue in a TOML file. Raises BadCatalogue, which lists the errors by card and field."""
        return cls.read(read_file(path or cls.shipped))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the catalogue that TOML text describes. Raises BadCatalogue."""
        return cls.read(parse(text))

    @classmethod
    def read(cls, tables: Mapping[str, Any]) -> Self:
        """Return the catalogue that the tables of a TOML file describe. Raises BadCatalogue."""
        catalogue = read_fields(cls, tables, "catalogue", BadCatalogue)
        faults = [fault for check in cls.checks for fault in check(catalogue)]
        if faults:
            raise BadCatalogue([(f"catalogue.{field}", fault) for field, fault in faults], catalogue.game)
        return catalogue

    def content_hash(self) -> str:
        """Return 16 hexadecimal digits that depend on ids and values, but not on names and sources."""
        text = json.dumps(self.content(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def content(self) -> Any:
        """Return the ids and values, as JSON."""
        raise NotImplementedError

    def rows(self) -> CardRows:
        """Return the cards as plain rows, by list; `sources` are by value."""
        raise NotImplementedError


Cards = TypeVar("Cards", bound=Catalogue)


def take_cards(shape: type[Cards], catalogue: Cards | Path | str | None, fill: Callable[[Cards], None]) -> Cards:
    """Return the catalogue for a game, after filling the game's tables with its cards.

    Args:
        shape: class of the game's catalogues.
        catalogue: a catalogue or its TOML file; None for the shipped one.
        fill: fills the tables, which exist once per process.

    Raises BadCatalogue for an invalid one, CatalogueInUse if the tables hold the cards of another.
    """
    cards = catalogue if isinstance(catalogue, shape) else shape.load(cast("Path | str | None", catalogue))
    content = cards.content_hash()
    in_use = IN_USE.get(cards.game)
    if in_use is None:
        fill(cards)
        IN_USE[cards.game] = content
    elif in_use != content:
        raise CatalogueInUse(
            f"{cards.game}: this process has the cards of catalogue {in_use}; start another process for other cards"
        )
    return cards


def amount_of(card: str, effect: Fields, amounts: Sequence[str], others: Sequence[str]) -> int:
    """Return the amount of a card's effect, 0 for a kind of effect without one.

    Args:
        card: id of the card.
        effect: its effect; every field besides `kind` must be in `amounts` or `others`.
        amounts: possible names of the amount.
        others: names of fields that the game's tables store separately.

    Raises BadCatalogue for a field with any other name, which no rule would read.
    """
    names = type(effect).model_fields.keys() - {"kind"}
    if unread := sorted(names.difference(amounts, others)):
        raise BadCatalogue([(f"catalogue.{card}.effect.{name}", text("fault.amount")) for name in unread])
    return next((getattr(effect, name) for name in amounts if name in names), 0)


def read_file(path: Path | str) -> dict[str, Any]:
    """Return the tables of a TOML file. Raises BadCatalogue."""
    try:
        content = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = str(error.strerror if isinstance(error, OSError) else error)
        raise BadCatalogue([("catalogue", text("fault.file", file=str(path), why=why))]) from None
    return parse(content)


def parse(content: str) -> dict[str, Any]:
    """Return the tables of TOML text. Raises BadCatalogue."""
    try:
        return tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadCatalogue([("catalogue", text("fault.toml", why=unread(error)))]) from None
