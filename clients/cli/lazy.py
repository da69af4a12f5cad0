"""Groups of commands that are imported when they are called, which keeps help and errors cheap."""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from clerestory.cli import locale_around

CommandPlaces = Mapping[str, tuple[str, str]]  # by the name of a command: its summary and its place, `MODULE:FUNCTION`
PLAIN: Mapping[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"max_content_width": 100},  # columns of help on a wide terminal
}
ENGLISH = ("", "C", "C.", "PO", "en")  # what the values for English begin with
NUMBERS: Mapping[Any, str] = {int: "a whole number", float: "a number"}
LARGEST = 2**53  # help omits larger bounds, which only reflect the machine


def group(sections: Mapping[str, CommandPlaces], about: str) -> typer.Typer:
    """Return a group of commands, each in a module that is imported when it is called.

    Args:
        sections: commands that belong together, by the heading under which help lists them.
        about: a sentence about the group.
    """
    places = {name: place for section in sections.values() for name, place in section.items()}

    class Group(TyperGroup):
        """Lists the commands by section, and imports a command when it is called."""

        context_class = locale(TyperGroup.context_class)

        def get_params(self, ctx: Any) -> Any:
            """Return the options before a command, including --help."""
            options = super().get_params(ctx)
            for option in options:
                option.process_value = partial(processed, type(option), option)  # type: ignore[method-assign]
            return options

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the name of a command, the command itself, and its arguments."""
            name, known, rest = super().resolve_command(ctx, args)
            return name, known and imported(name or "", places[name or ""][1]), rest

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # as click calls it
            """Write the summaries, all in one column."""
            for heading, rows in sections_of(sections):
                with formatter.section(heading):
                    formatter.write_dl(rows)

    app = typer.Typer(cls=Group, help=about, no_args_is_help=True, **PLAIN)
    for name, (summary, _) in places.items():
        app.command(name, help=summary)(nothing)
    return app


def locale(context: Any) -> Any:
    """Return a subclass of a context of commands, with help in the requested language."""

    class SpokenContext(context):  # type: ignore[misc]
        def make_formatter(self) -> Any:
            """Return the formatter of help; English needs no further import."""
            if wants_words():
                from clerestory.cli.language import spoken_formatter

                self.formatter_class = spoken_formatter(context.formatter_class)
            return super().make_formatter()

    return SpokenContext


def wants_words() -> bool:
    """Return whether the command line or the environment may ask for another language than English."""
    return locale_around(os.environ)[:2] not in ENGLISH or any(word.startswith("--language") for word in sys.argv)


def sections_of(sections: Mapping[str, CommandPlaces]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each heading with its names, of equal width, and their summaries."""
    width = max(len(name) for section in sections.values() for name in section)
    for heading, section in sections.items():
        yield heading, [(name.ljust(width), summary) for name, (summary, _) in section.items()]


def processed(kind: Any, option: Any, context: Any, value: Any) -> Any:
    """Return the value of an option before a command; typer would import pydantic to convert even an absent one."""
    return kind.process_value(option, context, value) if value else value


def nothing() -> None:
    """Placeholder for a command that is not imported yet."""


def imported(name: str, place: str) -> Any:
    """Import a command, or a group of them."""
    module, _, function = place.partition(":")
    found = getattr(import_module(module if "." in module else f"clerestory.cli.{module}"), function)
    if isinstance(found, typer.Typer):
        return get_command(found)
    app = typer.Typer(**PLAIN)
    app.command(name)(found)
    command = get_command(app)
    command.context_class = locale(command.context_class)
    for one in command.params:
        one.process_value = partial(converted, type(one), one)  # type: ignore[method-assign]
        one._get_number_range_help_str = partial(bounds, one)  # type: ignore[attr-defined]
        if one.param_type_name == "argument":
            one.display_type_rich = untyped  # type: ignore[attr-defined]
    return command


def converted(kind: Any, option: Any, context: Any, value: Any) -> Any:
    """Return the value of an option or argument; add the value and both bounds to the error for a wrong number."""
    try:
        return kind.process_value(option, context, value)
    except typer.BadParameter as fault:
        sort = NUMBERS.get(getattr(getattr(option, "type_descriptor", None), "annotation", None))
        if sort and value is not None:
            limits = bounds(option)
            fault.message = f"{value!r} is not {sort} ({limits})" if limits else f"{value!r} is not {sort}"
        raise


def untyped(ctx: Any) -> None:  # as typer calls it
    """Return no type: the help of an argument describes it."""


def bounds(option: Any) -> str | None:
    """Return the range of an option in words, without bounds that only reflect the machine."""
    least, most = option.min, option.max
    if most is None or most > LARGEST:
        return None if least is None else f"{least} or more"
    return f"at most {most}" if least is None else f"{least} to {most}"
