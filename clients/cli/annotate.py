"""`clerestory annotate`: what decided a recorded game, and how much of it was luck."""

from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.grouped import grouped
from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import JsonOption
from clerestory.cli.review_options import ReviewOptions

RecordArgument = Annotated[str, typer.Argument(metavar="RECORD", help="A file of records, or - for standard input.")]


OPTIONS = ReviewOptions()


@grouped()
def annotate_record(
    record: RecordArgument,
    number: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default="1", help="Number of the game in the file, from 1."),
    ] = None,
    options: ReviewOptions = OPTIONS,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Searches to run in parallel; by default one per core."),
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report in HTML to this file.")] = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Review a recorded game: what luck, own errors and those of others brought each seat, adding up to its result."""
    from clerestory.cli.reviewing import require_place, review_record, show_review, tell_user, write
    from clerestory.search.review.report import report

    speak(language, as_json=as_json)
    if html is not None:
        require_place(html)
    review = review_record(record, number, options, threads)
    show_review(review, as_json=as_json)
    if html is not None:
        write(html, report(review))
        tell_user("annotate.written", path=str(html))
