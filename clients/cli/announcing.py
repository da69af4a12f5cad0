"""What commands that serve announce on standard output."""

import os
import sys

import typer


def announce(text: str) -> None:
    """Print a line; where nobody reads it any more, as after `| head -1`, or the disk is full, serve on without."""
    try:
        typer.echo(text)
    except OSError:  # what is unwritten would be tried again at the end, and the failure reported
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
