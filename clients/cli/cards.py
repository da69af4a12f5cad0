"""The cards of a game in a language, each value with its source, and how the cards of two catalogues differ."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from clerestory.cli.options import chosen_game, naming, require_same_game
from clerestory.cli.screen import ROOMY, screen
from clerestory.engine.catalogue import CardRows
from clerestory.engine.core import Game
from clerestory.engine.games import cards_of_catalogue
from clerestory.engine.values.value import value_in_use
from clerestory.i18n import say
from clerestory.i18n.cards import card_names
from clerestory.i18n.glossary import OURS, SERVICE, word
from clerestory.i18n.languages import ENGLISH

GRADES = ("stated", "found", "derived", "reconstructed")
KEY = re.compile(r"[A-Z][A-Z0-9&-]*")  # of a source
Row = dict[str, Any]  # of a catalogue

FIELDS = ("list", "card", "field", "in_use", "in_file")  # of a difference


@dataclass
class CardWords:
    """The words for the cards of a game in a language.

    Attributes:
        missing: names without a word in the language, shown as catalogue files spell them.
    """

    game: Game
    language: str
    missing: list[str] = field(default_factory=list)

    def say(self, key: str, **arguments: Any) -> str:
        """Return a text of the command `rules`."""
        return say("rules", key, language=self.language, **arguments)

    def title(self) -> str:
        """Return the name of the game."""
        return self.word("game") or self.game.name

    def word(self, *keys: str) -> str:
        """Return the first of these words of the game that there is in the language, "" if there is none."""
        found = (word(self.game.name, key, self.language) for key in keys)
        return next((one.text for one in found if one and one.language == self.language), "")

    def word_or_id(self, name: str, *kinds: str) -> str:
        """Return the word for a name in a catalogue file; itself if there is none."""
        return self.word(*(f"{kind}.{name}" for kind in kinds)) or self.english(name)

    def english(self, name: str) -> str:
        """Return what there is no word for, and note it."""
        if name not in self.missing:
            self.missing.append(name)
        return name

    def list_title(self, name: str) -> str:
        """Return the heading of a list of cards."""
        return self.word_or_id(name, "list").replace("_", " ")

    def field(self, name: str) -> str:
        """Return the name of a value."""
        if name in ("card", "name", "names"):
            return self.say(name.removesuffix("s"))
        return self.word_or_id(name, "field")

    # -- cards -------------------------------------------------------------------------------------

    def renamed(self, row: Row) -> Row:
        """Return a card with its name, and the source of that, in the language."""
        if self.language == ENGLISH:
            return row
        name = card_names(self.game.name, row).get(self.language)
        if name is None:
            return {**row, "name": self.english(row["name"])}
        return {**row, "name": name.text, "sources": {"name": name.source, **row["sources"]} | {"name": name.source}}

    def values(self, row: Row) -> str:
        """Return a card's values on one line."""
        values = {name: value for name, value in row.items() if name not in ("id", "name", "names", "sources")}
        pairs = (self.say("pair", name=self.field(name), value=self.value(value)) for name, value in values.items())
        return self.say("between").join(pairs)

    def value(self, value: Any) -> str:
        """Return a value as plain text, without brackets or quotes."""
        if isinstance(value, dict):
            return self.say("within").join(self.part(name, part) for name, part in value.items())
        if isinstance(value, list):
            return " ".join(map(self.value, value))
        if isinstance(value, bool):
            said = word(SERVICE, "word.yes" if value else "word.no", self.language)
            return said.text if said else str(value).lower()
        return self.named(value) if isinstance(value, str) else str(value)

    def named(self, value: str) -> str:
        """Return what text in a value names: a resource, an effect, a card."""
        if said := self.word(f"value.{value}", f"good.{value}", f"effect.{value}"):
            return said
        cards = (row for rows in self.game.cards().values() for row in rows if row["id"] == value)
        return next((str(self.renamed(card)["name"]) for card in cards), None) or self.english(value)

    def part(self, name: str, value: Any) -> str:
        """Return a part of a value: resources as `3 sand`, other numbers after their names."""
        if isinstance(value, str):
            return self.named(value)
        if word(self.game.name, f"field.{name}", ENGLISH):
            return f"{self.field(name)} {self.value(value)}"
        return f"{self.value(value)} {self.word_or_id(name, 'good')}"

    # -- sources -----------------------------------------------------------------------------------

    def sources(self, sources: dict[str, str]) -> str:
        """Return where the values of a card come from, equal sources together."""
        fields: dict[str, list[str]] = {}
        for name, source in sources.items():
            fields.setdefault(self.source(source), []).append(self.field(name))
        grouped = ((", ".join(dict.fromkeys(names)), source) for source, names in fields.items())
        return "; ".join(self.say("source", name=name, value=source) for name, source in grouped)

    def source(self, source: str) -> str:
        """Return one source; the reasons that some give are in English only, and left out elsewhere."""
        return source if self.language == ENGLISH else ", ".join(self.grades(source))

    def grades(self, source: str) -> Iterator[str]:
        """Yield each grade in a source, with the keys of who says so."""
        for clause in source.split(", "):
            grade, _, rest = clause.partition(" ")
            if OURS in source and clause != OURS:
                continue
            if clause == OURS or grade in GRADES:
                said = word(SERVICE, f"grade.{grade}", self.language)
                yield " ".join([said.text if said else grade, *KEY.findall(rest)])


# -- the cards in use ------------------------------------------------------------------------------


def show_cards(game: Game, language: str, *, as_json: bool) -> None:
    """Print the cards in use, in a language."""
    words = CardWords(game, language)
    cards = {title: [words.renamed(row) for row in rows] for title, rows in words.game.cards().items()}
    value, why = value_in_use(words.game)
    if as_json:
        typer.echo(json.dumps({**words.game.identity(), "value": value, "cards": cards}, indent=2, ensure_ascii=False))
        return
    tell_game(words, value, why)
    console = screen()
    for title, rows in cards.items():
        console.print(cards_table(words, title, rows, console.width))
    tell_missing(words)


def tell_game(words: CardWords, value: str, why: str) -> None:
    """Print what is in use."""
    about = words.game.identity()
    revision, catalogue = about["rules_revision"], about["catalogue"] or "-"
    typer.echo(words.say("head", game=words.title(), revision=revision, catalogue=catalogue))
    said = f"{value} ({why})" if words.language == ENGLISH or value not in ("net", "hand") else words.say(value)
    typer.echo(words.say("value", value=said))


def tell_missing(words: CardWords) -> None:
    """Print what there is no word for in the language."""
    if words.missing:
        typer.echo(words.say("missing", count=len(words.missing), words=", ".join(words.missing)))


# -- another catalogue -----------------------------------------------------------------------------


def check_catalogue(path: Path, game: str | None, language: str, *, as_json: bool) -> None:
    """Print how a file differs from the catalogue in use of the game that it names; exit with 1 if it does.

    Raises BadOption for the file of a game other than the one given.
    """
    with naming(path):
        name, theirs = cards_of_catalogue(path)
    require_same_game(game, name)
    words = CardWords(chosen_game(name), language)
    found = list(differences(words.game.cards(), theirs))
    if as_json:
        typer.echo(json.dumps({"game": name, "differences": found}, indent=2, ensure_ascii=False))
    elif not found:
        typer.echo(words.say("same", game=words.title()))
    for row in () if as_json else found:
        typer.echo(difference_text(words, row))
    raise typer.Exit(bool(found))


def difference_text(words: CardWords, row: Row) -> str:
    """Return one difference as a line, with the id and the name of the card."""
    cards = (card for card in words.game.cards()[row["list"]] if card["id"] == row["card"])
    names = [words.renamed(card)["name"] for card in cards]
    card = " ".join([row["card"], *(f"({name})" for name in names)])
    ours, other = (words.value(row[side]) if row[side] is not None else "-" for side in ("in_use", "in_file"))
    if row["field"] == "card":  # that one of them lacks
        ours = names[0] if names else ours
    return words.say("differs", card=card, field=words.field(row["field"]), ours=ours, other=other)


def differences(ours: CardRows, theirs: CardRows) -> Iterator[dict[str, Any]]:
    """Yield each value that differs: `list`, `card`, `field`, `in_use`, `in_file`; None if there is none.

    A card that only one catalogue has differs in the field `card`. Sources are not compared.
    """
    for title in ours:
        mine, other = ({row["id"]: row for row in cards[title]} for cards in (ours, theirs))
        for card in {**mine, **other}:
            if card not in mine or card not in other:
                names = (catalogue.get(card, {}).get("name") for catalogue in (mine, other))
                yield dict(zip(FIELDS, (title, card, "card", *names), strict=True))
                continue
            for name in {**mine[card], **other[card]}:
                values = mine[card].get(name), other[card].get(name)
                if name != "sources" and values[0] != values[1]:
                    yield dict(zip(FIELDS, (title, card, name, *values), strict=True))


# -- tables ----------------------------------------------------------------------------------------


def cards_table(words: CardWords, title: str, rows: list[Row], width: int) -> Table:
    """Return cards with their values and sources, side by side if there is room, else below each other."""
    heading: dict[str, Any] = {"title": words.list_title(title), "title_justify": "left"}
    if width >= ROOMY:
        table = Table(*(words.say(name) for name in ("id", "name", "values", "sources")), **heading)
        for row in rows:
            table.add_row(row["id"], row["name"], words.values(row), words.sources(row["sources"]))
        return table
    table = Table(words.say("card"), words.say("both"), show_lines=True, **heading)
    for row in rows:
        about = Text.assemble(words.values(row), "\n", (words.sources(row["sources"]), "dim"))
        table.add_row(f"{row['id']}\n{row['name']}", about)
    return table
