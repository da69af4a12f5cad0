"""The summary of many games as one self-contained HTML file: tables, level over time, habits."""

from collections.abc import Iterator
from html import escape

from clerestory.search.review.groups import ErrorPattern
from clerestory.search.review.page import page
from clerestory.search.review.summary import GroupSummary, Summary
from clerestory.search.review.summary_words import (
    COLUMNS,
    cells,
    group_name,
    groups,
    habit_sentence,
    level_sentence,
    tell,
)

LEVELS = 8
WIDE, STEP, EDGE = 600, 16, 10  # pixels of the drawing: its width, between levels, around it


def summary_page(summary: Summary, who: str, title: str, language: str) -> str:
    """Return the page.

    Args:
        summary: of the games.
        who: the player, as text.
        title: the name of the game for display.
        language: one of LANGUAGES.
    """
    texts = {
        "level": escape(level_sentence(summary, language)),
        "drawing": drawing(summary, language),
        "tables": "".join(table(summary, heading, rows, language) for heading, rows in groups(summary, language)),
        "habits": escape(tell(language, "habits")),
        "habit_list": listed(summary, summary.habits, language),
        "note": escape(tell(language, "note")),
    }
    head = tell(language, "title", count=len(summary.games), who=who, game=title)
    return page("summary.html", language, head, texts)


def table(summary: Summary, heading: str, rows: list[GroupSummary], language: str) -> str:
    """Return a table of groups."""
    heads = "".join(f'<th scope="col">{escape(tell(language, f"column.{name}"))}</th>' for name in COLUMNS)
    body = "".join(row(summary, one, language) for one in rows)
    return (
        f'<h2>{escape(heading)}</h2><div class="scroll"><table><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def row(summary: Summary, group: GroupSummary, language: str) -> str:
    """Return the row of a group."""
    figures = "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells(group, language))
    return f"<tr><td>{escape(group_name(summary.game, group, language))}</td>{figures}</tr>"


def listed(summary: Summary, habits: tuple[ErrorPattern, ...], language: str) -> str:
    """Return the habits as a list, or a sentence if there are none."""
    items = "".join(f"<li>{escape(habit_sentence(summary, habit, language))}</li>" for habit in habits)
    return f"<ol>{items}</ol>" if items else f"<p>{escape(tell(language, 'habits.none'))}</p>"


def drawing(summary: Summary, language: str) -> str:
    """Return the level of each game in order; "" for fewer than two games with a level."""
    levels = [figures.level for figures in summary.games if figures.level is not None]
    if len(levels) < 2:
        return ""
    high = STEP * (LEVELS - 1) + 2 * EDGE
    name = escape(tell(language, "over_time"))
    parts = "".join([*lines(high), *marks(levels, high)])
    return f'<h2>{name}</h2><svg viewBox="0 0 {WIDE} {high}" role="img" aria-label="{name}">{parts}</svg>'


def lines(high: int) -> Iterator[str]:
    """Yield a line for each level, with its number."""
    for level in range(1, LEVELS + 1):
        y = high - EDGE - STEP * (level - 1)
        yield f'<line class="grid" x1="{2 * EDGE}" x2="{WIDE}" y1="{y}" y2="{y}"/>'
        yield f'<text x="2" y="{y + 4}">{level}</text>'


def marks(levels: list[int], high: int) -> Iterator[str]:
    """Yield the curve of the levels, and a mark for each."""
    step = (WIDE - 4 * EDGE) / (len(levels) - 1)
    points = [(3 * EDGE + i * step, high - EDGE - STEP * (level - 1)) for i, level in enumerate(levels)]
    yield f'<polyline class="axis" fill="none" points="{" ".join(f"{x:.1f},{y}" for x, y in points)}"/>'
    for x, y in points:
        yield f'<circle class="mark" cx="{x:.1f}" cy="{y}" r="4"/>'
