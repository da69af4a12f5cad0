"""Options shared by several measurements."""

from collections.abc import Callable
from typing import TypeVar

import typer

DEFAULT_GAME = "cathedral"
Number = TypeVar("Number", int, float)


def read_numbers(text: str, kind: Callable[[str], Number]) -> list[Number]:
    """Parse numbers like `2,64`, in order; none from an empty text. Raises typer.BadParameter."""
    try:
        return [kind(part) for part in text.split(",") if part]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not like 2,64") from None
