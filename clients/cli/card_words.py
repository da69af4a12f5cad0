"""How the cards of a catalogue are told in a language: by the words of their owner's box."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clerestory.engine.core import Game
from clerestory.i18n import say
from clerestory.i18n.cards import card_names
from clerestory.i18n.glossary import OURS, SERVICE, word
from clerestory.i18n.languages import ENGLISH

GRADES = ("stated", "found", "derived", "reconstructed")
KEY = re.compile(r"[A-Z][A-Z0-9&-]*")  # of a source
Row = dict[str, Any]  # of a catalogue


@dataclass
class CardWords:
    """The words for the cards of a game in a language.

    Attributes:
        missing: what was told as catalogue files call it, for want of a word.
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

    def told(self, name: str, *kinds: str) -> str:
        """Return the word for a name in a catalogue file; itself if there is none."""
        return self.word(*(f"{kind}.{name}" for kind in kinds)) or self.english(name)

    def english(self, name: str) -> str:
        """Return what there is no word for, and note it."""
        if name not in self.missing:
            self.missing.append(name)
        return name

    def list_title(self, name: str) -> str:
        """Return the heading of a list of cards."""
        return self.told(name, "list").replace("_", " ")

    def field(self, name: str) -> str:
        """Return the name of a value."""
        if name in ("card", "name", "names"):
            return self.say(name.removesuffix("s"))
        return self.told(name, "field")

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
        return f"{self.value(value)} {self.told(name, 'good')}"

    # -- sources -----------------------------------------------------------------------------------

    def sources(self, sources: dict[str, str]) -> str:
        """Return where the values of a card come from, equal sources together."""
        fields: dict[str, list[str]] = {}
        for name, source in sources.items():
            fields.setdefault(self.source(source), []).append(self.field(name))
        told = ((", ".join(dict.fromkeys(names)), source) for source, names in fields.items())
        return "; ".join(self.say("source", name=name, value=source) for name, source in told)

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
