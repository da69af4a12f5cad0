"""Makes reviews of recorded games, and shows them."""

import errno
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.game_files import recorded
from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.cli.options import BadOption, writing
from clerestory.cli.screen import ended, figures_table, progress_bar, screen
from clerestory.engine import Game, Record
from clerestory.i18n import say
from clerestory.i18n.languages import isolated
from clerestory.search.review import Annotation, PlyValuation
from clerestory.search.review.classes import GLYPHS
from clerestory.search.review.words import (
    REVIEW,
    SHOWN,
    curve,
    figure_rows,
    ledger_rows,
    made_by,
    note,
    place,
    rolled,
    tell,
    verdict,
    winners,
)
from clerestory.server.analysis.reviews import ReviewTerms
from clerestory.server.rpc.locale import label_of, translated_text

CURVE = 50  # columns of a curve


def review_record(
    path: str, number: int | None, terms_of: Callable[[int], ReviewTerms], threads: int | None
) -> Annotation:
    """Return the review of a game of a file, with a progress bar on standard error. Raises BadOption.

    Args:
        path: of the file.
        number: of the game, from 1; None for the first.
        terms_of: returns the terms of a review, given the number of seats.
        threads: searches at a time; None for one per core.
    """
    records = list(recorded(path))
    played = chosen_record(records, number)
    terms = terms_of(played.state.seats)
    with review_progress() as progress, LocalAdvisor(threads or os.cpu_count() or 1) as here:
        return translated(here.review(played.state, terms, progress), played, title_of(records, number or 1))


def title_of(records: Sequence[Record], number: int) -> str:
    """Return the title of a game, which of the games it is if there are others."""
    title, count = locale.title(records[number - 1].state.game), len(records)
    return locale.say("annotate.game", title=title, number=number, count=count) if count > 1 else title


def translated(review: Annotation, played: Record, title: str) -> Annotation:
    """Return a review in the language of the terminal, with the end of the game from its record.

    Args:
        review: in English.
        played: its game.
        title: of the review.
    """
    game = played.state.game
    titled = replace(review, title=title, ended=ended(played), early=played.early is not None)
    if locale.is_english():
        return titled
    return replace(
        titled,
        names=tuple(map(locale.colour, review.names)),
        valuations=tuple(in_own_words(one, game) for one in review.valuations),
        decisions={ply: in_own_words(one, game) for ply, one in review.decisions.items()},
        language=locale.language(),
    )


def in_own_words(one: PlyValuation, game: Game) -> PlyValuation:
    """Return a ply with its labels and reasons in the language of the terminal."""
    return replace(
        one,
        label=label_of(game, one.action, one.label),
        best_label=label_of(game, one.best, one.best_label) if one.best else "",
        reason=" ".join(translated_text(reason, game) for reason in one.reasons) or one.reason,
    )


def show_review(review: Annotation, *, as_json: bool) -> None:
    """Print a review."""
    if as_json:
        typer.echo(json.dumps(review.to_dict(), indent=2))
    else:
        screen().print(review_view(review))


def chosen_record(records: Sequence[Record], number: int | None) -> Record:
    """Return one of the games of a file, for None the first, and say so if there are others. Raises BadOption."""
    if number is None and len(records) > 1:
        tell_user("annotate.first", count=len(records))
    number = number or 1
    if number > len(records):
        raise BadOption(f"--number: {number} is past the end; games in the file: {len(records)}")
    return records[number - 1]


def tell_user(key: str, **arguments: object) -> None:
    """Print a text of the terminal on standard error, beside what was asked for."""
    typer.echo(locale.say(key, **arguments), err=True)


def require_place(path: Path) -> None:
    """Raise BadOption where no file can be written, before the work on what it will hold."""
    if path.is_dir():
        raise BadOption(f"--html: {path}: {os.strerror(errno.EISDIR)}")
    if not path.parent.is_dir():
        raise BadOption(f"--html: {path}: {os.strerror(errno.ENOENT)}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadOption(f"--html: {path}: {os.strerror(errno.EACCES)}")


def write_report(path: Path, text: str) -> None:
    """Write a report, and print its path. Raises OSError."""
    with writing(path):
        path.write_text(text, encoding="utf-8")
    tell_user("annotate.written", path=str(path))


@contextmanager
def review_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield the function that shows how far a review has come."""
    what = say(REVIEW, "reviewing", language=locale.language())
    with progress_bar(what, transient=True) as show:
        yield partial(show, what)


def review_view(review: Annotation) -> RenderableType:
    """Return a review for a screen of at least 60 columns."""
    ended = review.ended or tell(review, "unfinished", count=review.plies)
    head = tell(review, "head", game=review.title, ended=ended)
    parts: list[RenderableType] = [Text(head, style="bold"), *chart(review), ledger_table(review)]
    parts += [Text(note(review), style="dim"), Text(""), *errors(review), Text(""), luck_table(review)]
    return Group(*parts, Text(tell(review, "made", what=made_by(review)), style="dim"))


def chart(review: Annotation) -> list[Text]:
    """Return the share of the win of each seat over the game, a line for each."""
    wide = max(map(len, review.names))
    lines = (
        (isolated(name) + " " * (wide - len(name)), curve(review, seat, CURVE))
        for seat, name in enumerate(review.names)
    )
    return [Text(" ".join(line)) for line in lines]


def ledger_table(review: Annotation) -> Table:
    """Return the ledger, a column for each seat, and the figures below it."""
    table = figures_table("", "", *map(isolated, review.names))
    rows = ledger_rows(review)
    for i, (name, cells) in enumerate(rows):
        last = i == len(rows) - 1
        table.add_row(isolated(name), *cells, style="bold" if last else "", end_section=last or i == len(rows) - 2)
    for name, cells in figure_rows(review):
        table.add_row(isolated(name), *cells)
    return table


def errors(review: Annotation) -> list[Text]:
    """Return the most expensive errors in words."""
    found = review.errors()[:SHOWN]
    lines = [Text(tell(review, "errors" if found else "errors.none"), style="bold")]
    for one in found:
        glyph, who = GLYPHS[review.class_of(one)], review.names[one.seat]
        lines.append(Text(f"{glyph:<3}{tell(review, 'error', who=who, what=one.label, where=place(review, one))}"))
        lines.append(Text(f"   {verdict(review, one)}", style="dim"))
        if found_by_rollouts := rolled(review, one):
            lines.append(Text(f"   {found_by_rollouts}", style="dim"))
    return lines


def luck_table(review: Annotation) -> Table:
    """Return the events with the largest luck."""
    table = Table(title=tell(review, "heading.luck"), title_justify="left", title_style="bold")
    for key in ("ply", "event", "for_whom"):
        table.add_column(isolated(tell(review, key)), overflow="fold")
    for one in review.luckiest(SHOWN // 2):
        table.add_row(str(one.ply), *map(isolated, (one.label, winners(review, one))))
    return table
