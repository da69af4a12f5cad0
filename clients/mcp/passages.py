"""Passages about the rules of a game: short explanations, its RULES.md, and its cards; searched by words."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from clerestory.i18n import patterns

MOST = 12  # passages in an answer about a topic
INTRODUCTION = ("goal.text", "scoring.text")
HEADING = re.compile(r"^#+ (?:[\d.]+ )?(.*)$")
ROW = re.compile(r"^\| (.*?) \|$")
TABLE_HEAD = re.compile(r"\|[ |-]+$|\| (?:text|step) \|")
WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Passage:
    """A part of the rules.

    Attributes:
        title: its subject.
        text: one or more sentences.
    """

    title: str
    text: str


def introduction(game: str) -> list[Passage]:
    """Return short explanations of a game, in the order of play: of everything on its table."""
    first = [Passage(key.partition(".")[0], of_game(game)[key]) for key in INTRODUCTION if key in of_game(game)]
    return [*first, *explanations(game)] or [*rulings(game)]


def about(game: str, topic: str, cards: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """Return the passages about a topic, those with it in their title first; [] if there are none.

    Args:
        game: its name.
        topic: words; a passage must have all of them.
        cards: entries of its catalogue.
    """
    wanted = words(topic)
    found = [one for one in all_passages(game, cards) if wanted and wanted <= words(f"{one.title} {one.text}")]
    return sorted(found, key=lambda one: not wanted <= words(one.title))[:MOST]


def all_passages(game: str, cards: Iterable[Mapping[str, Any]]) -> Iterator[Passage]:
    """Yield all passages about a game."""
    yield from map(card_passage, cards)
    yield from introduction(game)
    yield from rulings(game)


def words(text: str) -> set[str]:
    """Return the words of a text in lower case; those of an ID such as `tool_maker` are separate too."""
    found = {word.lower() for word in WORD.findall(text)}
    return found | {part for word in found for part in re.split("[_-]", word) if part}


def of_game(game: str) -> dict[str, str]:
    """Return the explanations of a game, by what they explain."""
    start = f"explain.{game}."
    return {key.removeprefix(start): str(text) for key, text in patterns("explain").items() if key.startswith(start)}


def explanations(game: str) -> Iterator[Passage]:
    """Yield the explanations that belong to a chapter of the rules."""
    texts = of_game(game)
    for key, text in texts.items():
        if chapter := texts.get(f"{key}.chapter"):
            yield Passage(f"{key.replace('.', ' ')} ({chapter})", text)


def rulings(game: str) -> Iterator[Passage]:
    """Yield the paragraphs, items and rows of tables of a game's RULES.md."""
    heading = ""
    for block in blocks((files("clerestory.engine") / game / "RULES.md").read_text("utf-8")):
        if found := HEADING.match(block):
            heading = found[1]
        else:
            row = ROW.match(block)
            yield Passage(heading, row[1] if row else block)


def blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs, items and rows of tables of a text in Markdown, each on one line."""
    for part in re.split(r"\n\n|\n(?=- |\| )", text):
        if part.strip() and not TABLE_HEAD.match(part):
            yield " ".join(part.split())


def card_passage(card: Mapping[str, Any]) -> Passage:
    """Return what a card says. Values that were never published are marked."""
    values = [f"{value['name']} {shown(value['json'])}{doubt(value['provenance'])}" for value in card["values"]]
    return Passage(f"{card['name']} ({card['id']}, {card['section']})", "; ".join(values))


def shown(value: str) -> str:
    """Return a value, given as JSON, with its letters."""
    return json.dumps(json.loads(value), ensure_ascii=False)


def doubt(provenance: str) -> str:
    """Return a remark about a value that is not printed anywhere."""
    return " (reconstructed)" if provenance == "reconstructed" else ""
