"""Builds the labels of actions in every language from their texts: `hire potter_2` is "hire the Potter of round 2"."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clerestory.i18n import has, say
from clerestory.i18n.cards import card_names
from clerestory.i18n.glossary import word

CardLists = Mapping[str, Sequence[Mapping[str, Any]]]  # the cards of a game, by list

# Meanings of the words after the first, by game and first word. `goods` covers all remaining words.
ARGUMENTS: dict[str, dict[str, str]] = {
    "cathedral": {
        **dict.fromkeys(("advantage", "craftsman", "event", "take", "hire", "dismiss", "use", "save"), "card"),
        "leave-out": "card other",
        **dict.fromkeys(("draw", "wait"), "colour"),
        "roll": "number",
        "place": "colour place",
        **dict.fromkeys(("gain", "discard"), "good"),
        **dict.fromkeys(("buy", "sell"), "good number"),
        "convert": "card times",
    },
    "duel": {
        "face": "number",
        **dict.fromkeys(("draw", "flip", "keep"), "seal"),
        "claim": "line line",
        "take-back": "cell",
        "build": "section goods",
        **dict.fromkeys(("convert", "sell"), "good number"),
        **dict.fromkeys(("buy", "take"), "good"),
        "pay": "seal good",
        "place": "section good seal",
        "return": "section good",
        **dict.fromkeys(("deal", "use", "play"), "card"),
    },
}


class Labels:
    """The labels of a game's actions in a language, cached."""

    def __init__(self, game: str, cards: CardLists, language: str) -> None:
        self._game = game
        self._language = language
        self._cards = {row["id"]: row for rows in cards.values() for row in rows}
        self._made: dict[str, str] = {}

    def label(self, text: str, english: str) -> str:
        """Return the label of an action.

        Args:
            text: the action.
            english: its English label, for games without label texts.
        """
        made = self._made.get(text)
        if made is None:
            made = self._made[text] = self._make(text) or english
        return made

    def _make(self, text: str) -> str:
        kind, *named = text.split(" ")
        key = next((key for key in self._keys(kind, named) if has(self._game, key)), "")
        names = ARGUMENTS.get(self._game, {}).get(kind, "").split()
        if not key or len(named) < len(names):
            return ""
        return self._say(key, **dict(self._arguments(names, named)), **self._amount(names, named))

    def _amount(self, names: list[str], named: list[str]) -> dict[str, str]:
        """Return the amount of a good that an action names, as an argument: 1 unless it has a number."""
        good = named[names.index("good")] if "good" in names else ""
        if not has(self._game, f"amount.{good}"):
            return {}
        count = int(named[names.index("number")]) if "number" in names else 1
        return {"amount": self._say(f"amount.{good}", count=count)}

    def _keys(self, kind: str, named: list[str]) -> Iterator[str]:
        """Yield the possible keys of a label, most specific first."""
        for one in named[:1]:
            yield f"label.{kind}.{one}"
            yield f"label.{kind}.{self._cards.get(one, {}).get('effect', {}).get('kind', '')}"
        yield f"label.{kind}"

    def _arguments(self, names: list[str], named: list[str]) -> Iterator[tuple[str, str]]:
        for place, name in enumerate(names):
            if name == "goods":
                yield name, ", ".join(map(self.good, named[place:]))
            elif name == "line":
                yield name, self._say(f"line.{'.'.join(named)}")
            else:
                yield name, self._argument(name, named[place])

    def _argument(self, name: str, value: str) -> str:
        """Return the phrase for one word of an action."""
        if name in ("card", "other"):
            return self.card(value)
        if name == "good":
            return self.good(value)
        if name == "times":
            return (
                self._say(f"times.{value}") if has(self._game, f"times.{value}") else self._say("times", number=value)
            )
        if name == "section":
            return self._say("section", number=value)
        if name == "cell":
            return self._say("cell", row=value[0], column=value[-1])
        key = f"{name}.{value}"  # a colour, a place or a seal
        return self._say(key) if has(self._game, key) else value

    def card(self, card: str) -> str:
        """Return a card's name; for a craftsman with its round, because names repeat."""
        row = self._cards.get(card, {"id": card, "name": card})
        own = card_names(self._game, row).get(self._language)
        name = own.text if own else str(row["name"])
        return self._say("of_round", card=name, round=row["round"]) if "round" in row else name

    def good(self, good: str) -> str:
        """Return the word for a good."""
        found = word(self._game, f"good.{good}", self._language)
        return found.text if found else good

    def _say(self, key: str, **arguments: object) -> str:
        return say(self._game, key, language=self._language, **arguments)
