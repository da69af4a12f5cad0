"""`clerestory annotate` and `clerestory report`: what decided a game, and how a player plays over many."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import BadOption, JsonOption, grouped
from clerestory.durations import parse_duration
from clerestory.search.limits import LONGEST_TIME
from clerestory.search.review.plan import ITERATIONS, LEAST, MOST

if TYPE_CHECKING:
    from clerestory.server.analysis.reviews import ReviewTerms

RecordArgument = Annotated[str, typer.Argument(metavar="RECORD", help="A file of records, or - for standard input.")]
IterationsOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=LEAST, max=MOST, help=f"Iterations of each search; {ITERATIONS:,} by default."),
]
ReviewSeedOption = Annotated[int, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the searches.")]
ReviewThreadsOption = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=256, help="Searches to run in parallel; by default one per core.")
]
HtmlOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report in HTML to this file.")]


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How a game is reviewed."""

    iterations: IterationsOption = None
    time: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="TIME", help="Time for the whole review, as in 90s, instead of a number of iterations."
        ),
    ] = None
    seed: ReviewSeedOption = 0
    viewer: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Judge every decision by what this seat knew; by default, by what the deciding seat knew.",
        ),
    ] = None
    deep: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Confirm the worst errors by playing on from them many times, for this long, as in 60s.",
        ),
    ] = None

    def terms(self, seats: int) -> "ReviewTerms":
        """Return the terms of a review, given the number of seats. Raises BadOption."""
        from clerestory.server.analysis.reviews import ReviewTerms

        if self.time is not None and self.iterations is not None:
            raise BadOption("--time: cannot be combined with --iterations")
        if self.viewer is not None and self.viewer >= seats:
            raise BadOption(f"--viewer: {self.viewer} is not a seat; the seats are 0 to {seats - 1}")
        seconds, deep = seconds_of("--time", self.time), seconds_of("--deep", self.deep)
        return ReviewTerms(iterations=self.iterations, seconds=seconds, deep=deep, seed=self.seed, viewer=self.viewer)


def seconds_of(option: str, duration: str | None) -> float | None:
    """Return a time in seconds, None for None. Raises BadOption."""
    if duration is None:
        return None
    seconds = parse_duration(duration)
    if seconds is None or not 0 < seconds <= LONGEST_TIME:
        longest = f"{LONGEST_TIME / 3600:g} hours"
        raise BadOption(f"{option}: {duration[:80]!r} is not a time like 90s, above 0 and up to {longest}")
    return seconds


OPTIONS = ReviewOptions()


@grouped()
def annotate_record(
    record: RecordArgument,
    number: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default="1", help="Number of the game in the file, from 1."),
    ] = None,
    options: ReviewOptions = OPTIONS,
    threads: ReviewThreadsOption = None,
    html: HtmlOption = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Review a recorded game: how much of each result comes from luck, own errors and the errors of others."""
    from clerestory.cli.reviewing import require_place, review_record, show_review, write_report
    from clerestory.search.review.report import report

    speak(language, as_json=as_json)
    if html is not None:
        require_place(html)
    review = review_record(record, number, options.terms, threads)
    show_review(review, as_json=as_json)
    if html is not None:
        write_report(html, report(review))


@grouped()
def report_games(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Files of records, and reviews that `annotate --json` printed."),
    ],
    player: Annotated[
        str, typer.Option(metavar="SEAT", help="The seat of the player: its name, as red, or its number from 0.")
    ],
    iterations: IterationsOption = None,
    seed: ReviewSeedOption = 0,
    threads: ReviewThreadsOption = None,
    html: HtmlOption = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize the play of one player over many games: by part of the game and kind of decision, level, habits."""
    from clerestory.cli.reviewing import require_place, write_report
    from clerestory.cli.summarizing import page_of, show_summary, summary_of
    from clerestory.server.analysis.reviews import ReviewTerms

    speak(language, as_json=as_json)
    if html is not None:
        require_place(html)
    terms = ReviewTerms(iterations=iterations, seed=seed)
    summary = summary_of(files, player, terms, threads)
    show_summary(summary, player, as_json=as_json)
    if html is not None:
        write_report(html, page_of(summary, player))
