"""`clerestory annotate`: what decided a recorded game, and how much of it was luck."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.grouped import grouped
from clerestory.cli.options import BadOption, JsonOption
from clerestory.durations import parse_duration
from clerestory.review.plan import ITERATIONS, LEAST, MOST

if TYPE_CHECKING:
    from clerestory.advice.reviews import ReviewTerms

RecordArgument = Annotated[str, typer.Argument(help="A file of records, or - for standard input.")]


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

    def terms(self, seats: int) -> "ReviewTerms":
        """Return the terms of a review of a game of so many seats. Raises BadOption."""
        from clerestory.advice.reviews import ReviewTerms  # which brings a whole analyst, as help does not need

        if self.time is not None and self.iterations is not None:
            raise BadOption("--time: cannot be combined with --iterations")
        if self.viewer is not None and self.viewer >= seats:
            raise BadOption(f"--viewer: {self.viewer} is not one of 0 to {seats - 1}")
        seconds, more = seconds_of("--time", self.time), seconds_of("--deep", self.deep)
        return ReviewTerms(iterations=self.iterations, seconds=seconds, deep=more, seed=self.seed, viewer=self.viewer)


OPTIONS = ReviewOptions()


@grouped()
def annotate_record(
    record: RecordArgument,
    number: Annotated[int, typer.Option(metavar="N", min=1, help="Number of the game in the file, from 1.")] = 1,
    options: ReviewOptions = OPTIONS,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Searches to run in parallel; by default one per core."),
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report in HTML to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Review a recorded game: a ledger of luck, errors and gifts for each seat, which adds up to its result."""
    from clerestory.cli.reviewing import review_record, show_review, write
    from clerestory.review.report import report

    review = review_record(record, number, options, threads)
    if html is not None:
        write(html, report(review))
    show_review(review, as_json=as_json)


def seconds_of(option: str, duration: str | None) -> float | None:
    """Return a time in seconds, None for None. Raises BadOption."""
    seconds = None if duration is None else parse_duration(duration)
    if duration is not None and (seconds is None or seconds <= 0):
        raise BadOption(f"{option}: {duration[:80]!r} is not a time like 90s")
    return seconds
