"""Holds the locale of the current call, from its `accept-language`, for all texts that users read."""

from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from clerestory.engine.core import Game
from clerestory.i18n import has, say
from clerestory.i18n.cards import card_names
from clerestory.i18n.glossary import word, words
from clerestory.i18n.labels import Labels
from clerestory.i18n.languages import ENGLISH, language_asked
from clerestory.i18n.sentences import Text, format_text
from clerestory.metadata import LANGUAGE, LANGUAGES

LOCALE: ContextVar[str] = ContextVar("spoken", default=ENGLISH)

if TYPE_CHECKING:  # importing gRPC is unnecessary for terminal commands without a server
    import grpc

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


async def speak(context: Context) -> None:
    """Set the locale of a call and report it in `content-language`; default to English for unsupported languages.

    The locale is a variable of the task that handles the call.
    """
    language = language_of_call(context)
    if language is not None:
        LOCALE.set(language)
        await context.send_initial_metadata(((LANGUAGE, language),))


def language_of_call(context: Context) -> str | None:
    """Return the language that a call requests; ENGLISH if it is unsupported, None if the call requests none."""
    asked = next((value for key, value in context.invocation_metadata() or () if key == LANGUAGES), None)
    return None if asked is None else language_asked(str(asked))


def translated_text(one: Text, game: Game) -> str:
    """Return a text about a game in the locale of the call."""
    return format_text(one, game.name, LOCALE.get(), lambda quoted: label_of(game, quoted.action, quoted.label))


def luck_of(game: Game, source: str) -> str:
    """Return the name of a source of luck in the locale of the call."""
    key = f"luck.{source.replace(' ', '_')}"
    return say(game.name, key, language=LOCALE.get()) if has(game.name, key) else source


def label_of(game: Game, text: str, english: str) -> str:
    """Return the label of an action in the locale of the call."""
    language = LOCALE.get()
    return english if language == ENGLISH else labels(game, language).label(text, english)


@cache
def labels(game: Game, language: str) -> Labels:
    """Return the labels of a game's actions in a language, cached."""
    return Labels(game.name, game.cards(), language)


def name_of(game: Game, item: str) -> str:
    """Return the name of a card or material in the locale of the call; any other item is returned as it is."""
    known = f"good.{item}" not in words(game.name) and names(game, LOCALE.get()).get(item)
    return known or material(game, item)


def good_name(game: Game, good: str) -> str:
    """Return the name of a good of exchange rates in the locale of the call."""
    key = f"thing.{good}"
    counted = has(game.name, key) and f"good.{good}" not in words(game.name)
    return say(game.name, key, language=LOCALE.get(), count=1) if counted else name_of(game, good)


@cache
def names(game: Game, language: str) -> dict[str, str]:
    """Return the display names of all cards by id."""
    rows = [row for rows in game.cards().values() for row in rows if "name" in row]
    english = {row["id"]: str(row["name"]) for row in rows}
    own = {row["id"]: name.text for row in rows if (name := card_names(game.name, row).get(language))}
    return english | own


def material(game: Game, item: str) -> str:
    """Return the word for a material in the locale of the call; the material itself if there is none."""
    language = LOCALE.get()
    found = word(game.name, f"good.{item}", language) if language != ENGLISH else None
    return found.text if found else item
