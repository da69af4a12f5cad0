"""Every command with its options, as help has them: what completion and manual pages are made of."""

from collections.abc import Iterator
from typing import Any, NamedTuple

PROGRAM = "clerestory"


class Listed(NamedTuple):
    """A command, or a group of them.

    Attributes:
        words: of its name, such as `clerestory bench engine`.
        summary: what it does.
        options: that it has, with their values and helps.
        arguments: without a name.
        parts: names of the commands of a group, with their summaries.
    """

    words: tuple[str, ...]
    summary: str
    options: list[Any]
    arguments: list[Any]
    parts: dict[str, str]


def listed(command: Any, words: tuple[str, ...] = (PROGRAM,)) -> Iterator[Listed]:
    """Yield a command of click, and below it those of a group."""
    context = command.make_context(words[-1], [], resilient_parsing=True)
    options = [one for one in command.get_params(context) if one.param_type_name == "option" and not one.hidden]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    below = getattr(command, "commands", {})
    parts = {name: one.help or "" for name, one in below.items()}
    yield Listed(words, " ".join((command.help or "").split()), options, arguments, parts)
    for name in below:
        yield from listed(command.resolve_command(context, [name])[1], (*words, name))


def whole() -> Iterator[Listed]:
    """Yield every command of the program."""
    from typer.main import get_command

    from clerestory.cli.main import app

    return listed(get_command(app))
