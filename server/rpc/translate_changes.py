"""Translates the changes that an action made into messages, with a text for each."""

from collections.abc import Iterable
from functools import lru_cache

from clerestory.engine.changes import Change
from clerestory.engine.core import Game
from clerestory.i18n import has, say
from clerestory.server.rpc.locale import LOCALE, name_of
from clerestory.v1 import rules_pb2 as rules

REMEMBERED = 4096  # cached texts


def write_changes(game: Game, changes: Iterable[Change]) -> list[rules.Change]:
    """Return changes as messages."""
    return [write_change(game, change) for change in changes]


def write_change(game: Game, change: Change) -> rules.Change:
    """Return one change as a message."""
    return rules.Change(**change._asdict(), text=in_words(game, change))  # they have the same field names


def in_words(game: Game, change: Change) -> str:
    """Return a change in the locale of the call: `+2 points (Mason)`."""
    return worded(game, change, LOCALE.get())


@lru_cache(REMEMBERED)
def worded(game: Game, change: Change, language: str) -> str:
    """Return a change in the locale of the call, which is an argument for the cache."""
    item, card = item_of(game, change), name_of(game, change.card)
    alone = change.amount == 1 and has(game.name, f"alone.{change.thing}")  # named without a count
    kind = "alone" if alone else "thing"
    thing = say(game.name, f"{kind}.{change.thing}", language=language, count=abs(change.amount), item=item).strip()
    cause = say(game.name, f"cause.{change.cause}", language=language, card=card) if change.cause else ""
    if cause.casefold() in thing.casefold() and not change.lost:
        cause = ""  # avoid repeating the cause
    key, amount = "change.lost" if change.lost else "change.cause" if cause else "change", f"{change.amount:+d}"
    translated_text = {"amount": "" if alone else amount, "thing": thing, "cause": cause, "count": change.lost}
    return say("service", key, language=language, **translated_text).strip()


def item_of(game: Game, change: Change) -> str:
    """Return the name of the changed item in the locale of the call: a card, a material, or a cell of a grid."""
    row, dot, column = change.item.partition(".")
    if dot and has(game.name, "cell"):
        return say(game.name, "cell", language=LOCALE.get(), row=row, column=column)
    return name_of(game, change.item)
