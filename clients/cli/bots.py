"""The list of the bots with their options, which commands print on request."""

from textwrap import fill

from clerestory.cli.screen import screen
from clerestory.cli.settings import plain
from clerestory.declared import declarations, in_words
from clerestory.search.arena.bots import BOTS, REMOTE, function_of, options_of, own_options
from clerestory.search.options import Options

INDENT = " " * 4
SEARCH = "Options of a search, with the defaults of ismcts-plain:"


def bots_in_words() -> str:
    """Return every bot and every option of a search, as commands list them."""
    return "\n\n".join([*map(bot_lines, [*BOTS, *REMOTE]), SEARCH, *search_lines()])


def bot_lines(name: str) -> str:
    """Return what a bot does, and its options with their defaults."""
    own = [f"{option}={default}".rstrip("=") for option, default in own_options(name).items()]
    others = ["those of a search"] if len(options_of(name)) > len(own) else []
    options = f"Options: {', '.join([*own, *others])}." if own or others else "No options."
    about = plain_text(function_of(name).__doc__ or "")
    return f"{name}\n{indented(about)}\n{indented(options)}"


def search_lines() -> list[str]:
    """Return the options of a search: default, range, meaning."""
    return [
        f"{name}={in_words(Options.__dataclass_fields__[name].default, declared)}\n"
        f"{indented(plain_text(plain(declared.meaning)))}\n{indented(f'Must be {declared.range}.')}"
        for name, declared in declarations(Options).items()
    ]


def plain_text(text: str) -> str:
    """Return a docstring as one paragraph, without marks."""
    return " ".join(text.replace("`", "").split())


def indented(text: str) -> str:
    """Return a paragraph wrapped to the terminal."""
    return fill(text, min(screen().width, 100), initial_indent=INDENT, subsequent_indent=INDENT)
