"""The cards of a game, each value with its source, and how the cards of two catalogues differ."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from clerestory.cli.card_words import CardWords, Row
from clerestory.cli.options import chosen_game, naming, require_same_game
from clerestory.cli.screen import ROOMY, screen
from clerestory.engine import Game
from clerestory.engine.catalogue import CardRows
from clerestory.engine.games import cards_of_catalogue
from clerestory.engine.value import value_in_use
from clerestory.i18n.languages import ENGLISH

FIELDS = ("list", "card", "field", "in_use", "in_file")  # of a difference


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
    """Return one difference as a line; a card is told by its id and its name."""
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
            for field in {**mine[card], **other[card]}:
                values = mine[card].get(field), other[card].get(field)
                if field != "sources" and values[0] != values[1]:
                    yield dict(zip(FIELDS, (title, card, field, *values), strict=True))


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
