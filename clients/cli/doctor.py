"""`clerestory doctor`: what this machine can serve, and what is set wrong, with the options of `clerestory serve`."""

import os
from inspect import signature
from typing import Any

import typer

from clerestory.cli.serve import serve


def doctor(**values: Any) -> None:
    """Say in ten lines what this machine can serve with these settings, and what to change.

    The options and the environment are those of `clerestory serve`. The exit code is 1 if a line says `wrong`.
    """
    from clerestory.cli.checkup import Mark, checkup  # the whole server, which help does not need

    findings = checkup(values, os.environ)
    for finding in findings:
        typer.echo(finding)
    raise typer.Exit(code=int(any(finding.mark is Mark.WRONG for finding in findings)))


doctor.__signature__ = signature(serve)  # type: ignore[attr-defined]
doctor.__annotations__ = serve.__annotations__
