"""Translates what an action changed to messages, with their English."""

from collections.abc import Iterable
from functools import cache

from clerestory.engine.changes import Change
from clerestory.engine.core import Game, State
from clerestory.engine.scoring import changes_of
from clerestory.texts import say
from clerestory.v1 import rules_pb2 as rules


def write_changes(before: State, action: str, after: State) -> list[rules.Change]:
    """Return what an action changed for a viewer, given the viewer's views before and after it."""
    return [write_change(before.game, change) for change in changes_of(before, action, after)]


def write_change(game: Game, change: Change) -> rules.Change:
    """Return one change as a message."""
    return rules.Change(
        seat=change.seat,
        thing=change.thing,
        item=change.item,
        amount=change.amount,
        cause=change.cause,
        card=change.card,
        lost=change.lost,
        text=in_english(game, change),
    )


@cache
def in_english(game: Game, change: Change) -> str:
    """Return a change in plain English: `+2 points (Mason)`."""
    item, card = name_of(game, change.item), name_of(game, change.card)
    thing = say(game.name, f"thing.{change.thing}", count=abs(change.amount), item=item)
    cause = say(game.name, f"cause.{change.cause}", card=card) if change.cause else ""
    key = "change.lost" if change.lost else "change.cause" if cause else "change"
    return say("service", key, amount=f"{change.amount:+d}", thing=thing, cause=cause, count=change.lost)


def name_of(game: Game, item: str) -> str:
    """Return the display name of a card; what is no card has its own."""
    return names(game).get(item, item)


@cache
def names(game: Game) -> dict[str, str]:
    """Return the display names of all cards by id."""
    return {row["id"]: row["name"] for rows in game.cards().values() for row in rows if "name" in row}


def write_all(game: Game, changes: Iterable[Change]) -> list[rules.Change]:
    """Return changes as messages."""
    return [write_change(game, change) for change in changes]
