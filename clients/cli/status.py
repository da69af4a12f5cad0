"""One line of status on standard error while a command works: on a terminal only, and gone when the work is done."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

BAR_COLUMNS = 20

T = TypeVar("T")


@contextmanager
def status_line(
    what: str, total: int | None = None, *, hidden: bool = False, still: bool = False
) -> Iterator[Callable[[], None]]:
    """Show what is done, and for how long, as long as the block runs; yield a function to call after each step.

    Args:
        what: is done, in the language of the terminal.
        total: number of steps; None if the work has none to count.
        hidden: show nothing, because the output is for programs.
        still: draw only after a step, so that no thread disturbs what is measured meanwhile.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    with Progress(
        *columns(total),
        console=console,
        transient=True,
        auto_refresh=not still,
        disable=hidden or not console.is_terminal or is_pipe(sys.stdout),
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        task = progress.add_task(what, total=total)

        def count() -> None:
            progress.update(task, advance=1, refresh=still)

        yield count


def tracked(items: Iterable[T], what: str, total: int, *, hidden: bool = False, still: bool = False) -> Iterator[T]:
    """Yield items, with a line of status that counts those that are done; the other arguments are its own."""
    with status_line(what, total, hidden=hidden, still=still) as count:
        for item in items:
            yield item
            count()


def columns(total: int | None) -> list[ProgressColumn]:
    """Return what the line has: a bar and a count only where there are steps."""
    what = TextColumn("{task.description}", markup=False)
    counted = [BarColumn(BAR_COLUMNS), MofNCompleteColumn()] if total is not None else []
    return [SpinnerColumn(), what, *counted, TimeElapsedColumn()]


def is_pipe(stream: TextIO) -> bool:
    """Whether another program reads a stream: it may show what it reads on the terminal of the status line."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return True  # a stream without a file
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
