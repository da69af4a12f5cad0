"""Groups of commands that are imported when they are called, so that help and errors cost nothing."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

Places = Mapping[str, tuple[str, str]]  # by the name of a command: its summary, and where it is, as in `play:play`
PLAIN: Mapping[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


def group(places: Places, about: str) -> typer.Typer:
    """Return a group of commands, each in a module of clerestory.cli that is imported when it is called."""

    class Group(TyperGroup):
        """Lists summaries, and calls what they stand for."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the name of a command, the command itself, and its arguments."""
            name, known, rest = super().resolve_command(ctx, args)
            return name, known and imported(name or "", places[name or ""][1]), rest

    app = typer.Typer(cls=Group, help=about, no_args_is_help=True, **PLAIN)
    for name, (summary, _) in places.items():
        app.command(name, help=summary)(nothing)
    return app


def nothing() -> None:
    """Stand for a command in a list."""


def imported(name: str, place: str) -> Any:
    """Import a command, or a group of them."""
    module, _, function = place.partition(":")
    found = getattr(import_module(f"clerestory.cli.{module}"), function)
    if isinstance(found, typer.Typer):
        return get_command(found)
    app = typer.Typer(**PLAIN)
    app.command(name)(found)
    return get_command(app)
