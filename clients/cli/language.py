"""The language of the terminal, and help in it: chosen by `--language`, else by the environment, else English."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.cli import locale_around
from clerestory.cli.options import BadOption
from clerestory.i18n.languages import ENGLISH, LANGUAGES, BadLanguage, language_of

LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="TAG",
        help=f"Language of the texts: {', '.join(LANGUAGES)}. By default that of LC_ALL, LC_MESSAGES or LANG; JSON is"
        " English.",
    ),
]

LISTED = ", ".join(LANGUAGES)  # as the option --language declares it
EXTRA = re.compile(r"  \[([^\]]*)\]\Z")  # what click adds: a default, bounds, whether it is required
NAMED = re.compile(r"--language[= ](\S+)")


if TYPE_CHECKING:
    from click import HelpFormatter as Written
else:
    Written = object  # typer bundles its own click; its formatter follows this class in the bases


def speak(tag: str | None, *, as_json: bool = False) -> str:
    """Speak a language from now on, and return it.

    Args:
        tag: names it; None: that of the environment.
        as_json: a program reads it, which no environment changes.

    Raises BadOption for a tag of no language that there is.
    """
    try:
        chosen = language_of(tag) if tag is not None else ENGLISH if as_json else language_around(os.environ)
    except BadLanguage as error:
        raise BadOption(f"--language: {error}") from None
    from clerestory.server.rpc.locale import LOCALE  # with the games, which help does not need

    LOCALE.set(chosen)
    return chosen


def language_around(environment: Mapping[str, str]) -> str:
    """Return the language that an environment asks for; ENGLISH if it names none that there is."""
    try:
        return language_of(locale_around(environment).partition(".")[0].partition("@")[0])
    except BadLanguage:
        return ENGLISH


# -- help ------------------------------------------------------------------------------------------


class Translated(Written):
    """Writes help in the language that the command line names, else in that of the environment."""

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """The words of the language by the English ones; {} for English."""
        from clerestory.i18n import patterns

        language = language_named(sys.argv)
        return {} if language == ENGLISH else patterns("help", language)

    def translated(self, english: str) -> str:
        """Return a sentence or a word in the language, in English if that has none for it."""
        return str(self.words.get(english.replace(LISTED, "{languages}"), english)).replace("{languages}", LISTED)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called; beside an error in English, as the error is."""
        super().write_usage(prog, args, prefix or f"{'Usage:' if sys.exception() else self.translated('Usage:')} ")

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        super().write_heading(self.translated(heading))

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text("\n\n".join(self.translated(" ".join(part.split())) for part in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options, arguments or commands, each with what it is for."""
        super().write_dl([(name, self.line(about)) for name, about in rows], col_max, col_spacing)

    def line(self, about: str) -> str:
        """Return what something is for, with what click adds."""
        text, *extra, _ = [*EXTRA.split(about), ""] if EXTRA.search(about) else [about, ""]
        added = "; ".join(self.added(part) for one in extra if one for part in one.split("; "))
        return f"{self.translated(text)}  [{added}]" if added else self.translated(text)

    def added(self, part: str) -> str:
        """Return a part of what click adds."""
        name, colon, value = part.partition(": ")
        if colon:
            return f"{self.translated(name)}: {value}"
        return re.sub(r"[a-z ]+", lambda found: self.translated(found[0]), part)


def spoken_formatter(formatter: Any) -> Any:
    """Return what writes help in a language, from what writes it in English."""
    return type("TranslatedFormatter", (Translated, formatter), {})


def language_named(words: Sequence[str]) -> str:
    """Return the language that a command line asks for, else that of the environment; but --json alone is English."""
    named = NAMED.search(" ".join(words))
    if named is None:
        return ENGLISH if "--json" in words else language_around(os.environ)
    try:
        return language_of(named[1])
    except BadLanguage:
        return ENGLISH
