"""Summarizes the games of one player, reviewed now or before."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.game_files import recorded
from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.cli.options import BadOption, read_text
from clerestory.cli.reviewing import review_progress
from clerestory.cli.screen import figures_table, screen
from clerestory.engine import GAMES, Game, Record
from clerestory.i18n.languages import isolated
from clerestory.search.review.summary import GameFigures, GroupSummary, Summary, figures_of, summarize
from clerestory.search.review.summary_report import summary_page
from clerestory.search.review.summary_words import (
    COLUMNS,
    cells,
    group_name,
    groups,
    habit_sentence,
    level_sentence,
    tell,
)
from clerestory.server.analysis.reviews import ReviewTerms


def summary_of(files: Sequence[str], player: str, terms: ReviewTerms, threads: int | None) -> Summary:
    """Return the summary of the games in some files, in their order. Raises BadOption.

    Args:
        files: records, which are reviewed, or the output of `annotate --json`.
        player: name or number of the seat.
        terms: of the reviews.
        threads: searches at a time; None for one per core.
    """
    sources = [(path, source) for path in files for source in games_in(path)]
    names = sorted({name_of(source) for _, source in sources})
    if len(names) > 1:
        raise BadOption(f"FILE: the games must be of one kind; these are of {' and '.join(names)}")
    seats = [seat_of(path, source, player) for path, source in sources]
    with LocalAdvisor(threads or os.cpu_count() or 1) as here:
        figures = [figures_in(one, seat, terms, here) for (_, one), seat in zip(sources, seats, strict=True)]
    return summarize(names[0], figures)


def games_in(path: str) -> Iterator[Record | dict[str, Any]]:
    """Yield the games of a file: records, or one review. Raises BadOption."""
    if path != "-" and (review := review_in(path)) is not None:
        yield review
    else:
        yield from recorded(path)


def review_in(path: str) -> dict[str, Any] | None:
    """Return the review in a file; None if it has something else. Raises BadOption for an old or damaged review."""
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "annotation" not in found:
        return None
    try:
        for account in found["accounts"]:
            figures_of(account)
        known = found["game"] in GAMES and len(found["seats"]) == len(found["accounts"])
    except (KeyError, TypeError):
        known = False
    if not known:
        raise BadOption(f"{path}: is not a whole review; repeat `clerestory annotate --json`")
    return found


def name_of(source: Record | dict[str, Any]) -> str:
    """Return the name of the game of a record or review."""
    return source.state.game.name if isinstance(source, Record) else str(source["game"])


def seat_of(path: str, source: Record | dict[str, Any], player: str) -> int:
    """Return the number of the player's seat. Raises BadOption if the game has no such seat."""
    names = [game_of(source).seat_name(seat) for seat in range(seats_of(source))]
    if player in names:
        return names.index(player)
    if player.isdecimal() and int(player) < len(names):
        return int(player)
    raise BadOption(f"--player: {player[:40]!r} is not a seat of {path}; the seats are {', '.join(names)}")


def game_of(source: Record | dict[str, Any]) -> Game:
    """Return the game of a record or review."""
    return GAMES[name_of(source)]


def seats_of(source: Record | dict[str, Any]) -> int:
    """Return the number of seats of a record or review."""
    return source.state.seats if isinstance(source, Record) else len(source["seats"])


def figures_in(source: Record | dict[str, Any], seat: int, terms: ReviewTerms, here: LocalAdvisor) -> GameFigures:
    """Return the figures of a seat in a game, which is reviewed if it is a record."""
    if not isinstance(source, Record):
        return figures_of(source["accounts"][seat])
    with review_progress() as progress:
        found = here.review(source.state, terms, progress).figures[seat]
    return GameFigures(groups=found.groups, patterns=found.patterns, level=found.level)


def title_of(summary: Summary, player: str) -> tuple[str, str]:
    """Return the player and the game for display."""
    game = GAMES[summary.game]
    return locale.colour(game.seat_name(int(player)) if player.isdecimal() else player), locale.title(game)


def page_of(summary: Summary, player: str) -> str:
    """Return a summary as HTML in the language of the terminal."""
    who, title = title_of(summary, player)
    return summary_page(summary, who, title, locale.language())


def show_summary(summary: Summary, player: str, *, as_json: bool) -> None:
    """Print a summary."""
    if as_json:
        typer.echo(json.dumps({"summary": 1, "player": player, **summary.to_dict()}, indent=2))
    else:
        screen().print(summary_view(summary, player))


def summary_view(summary: Summary, player: str) -> RenderableType:
    """Return a summary for a screen of at least 60 columns."""
    language, (who, title) = locale.language(), title_of(summary, player)
    head = tell(language, "title", count=len(summary.games), who=who, game=title)
    sentences = [habit_sentence(summary, habit, language) for habit in summary.habits]
    parts: list[RenderableType] = [Text(head, style="bold"), Text(level_sentence(summary, language))]
    parts += [Text(tell(language, "habits"), style="bold")]
    parts += [Text(one) for one in sentences or [tell(language, "habits.none")]]
    parts += [table(summary, heading, rows) for heading, rows in groups(summary, language)]
    return Group(*parts, Text(tell(language, "note"), style="dim"))


def table(summary: Summary, heading: str, rows: Sequence[GroupSummary]) -> Table:
    """Return a table of groups of decisions."""
    language = locale.language()
    found = figures_table(heading, "", *(isolated(tell(language, f"column.{name}")) for name in COLUMNS))
    for one in rows:
        found.add_row(isolated(group_name(summary.game, one, language)), *map(isolated, cells(one, language)))
    return found
