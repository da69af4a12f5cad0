"""The options of a review."""

from dataclasses import dataclass
from typing import Annotated

import typer

from clerestory.search.review.plan import ITERATIONS, LEAST, MOST


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How a game is reviewed."""

    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", min=LEAST, max=MOST, help=f"Iterations of each search; {ITERATIONS:,} by default."),
    ] = None
    time: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="TIME", help="Time for the whole review, as in 90s, instead of a number of iterations."
        ),
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the searches.")] = 0
    viewer: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Judge every decision by what this seat knew; by default each seat by its own knowledge.",
        ),
    ] = None
    deep: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Then play on from the worst errors many times, for this long, as in 60s, to confirm them.",
        ),
    ] = None
