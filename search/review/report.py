"""The review of a game as one self-contained HTML file: chart, ledger, errors, luck, moves."""

from collections.abc import Iterable, Iterator
from html import escape

from clerestory.engine.core import NATURE
from clerestory.search.review.annotation import Annotation
from clerestory.search.review.chart import Chart
from clerestory.search.review.classes import GLYPHS
from clerestory.search.review.ledger import PlyValuation
from clerestory.search.review.page import page
from clerestory.search.review.words import (
    SHOWN,
    TENTH,
    figure_rows,
    ledger_rows,
    made_by,
    note,
    percent,
    place,
    rolled,
    tell,
    verdict,
    who,
    winners,
)

# Texts without arguments, by the last word of their keys.
HEADINGS = (
    *(f"heading.{name}" for name in ("ledger", "errors", "luck", "moves", "made")),
    "ply",
    "by",
    "action",
    "best",
)


def report(review: Annotation) -> str:
    """Return the page."""
    heads = "".join(f'<th scope="col">{seat_name(review, seat)}</th>' for seat in range(len(review.names)))
    texts = {key.partition(".")[2] or key: escape(tell(review, key)) for key in HEADINGS} | {
        "ended": escape(ended(review)),
        "wide": Chart(review, 960, 300, 90).svg(),
        "narrow": Chart(review, 400, 260, 80).svg(),
        "heads": heads,
        "changes": heads,
        "ledger_rows": "".join(ledger(review)),
        "note": escape(note(review)),
        "error_list": listed(review, (error(review, one) for one in review.errors()[: 2 * SHOWN])),
        "luck_list": listed(review, (event(review, one) for one in review.luckiest(SHOWN))),
        "move_rows": "".join(move(review, one) for one in review.valuations),
        "made_how": escape(made_by(review)),
    }
    return page("report.html", review.language, tell(review, "title", game=review.title), texts)


def seat_name(review: Annotation, seat: int) -> str:
    """Return the name of a seat in its colour."""
    return f'<i class="seat" style="background: {review.colours[seat]}"></i><bdi>{escape(review.names[seat])}</bdi>'


def ended(review: Annotation) -> str:
    """Return a sentence on how a game ended."""
    if review.ended:
        return tell(review, "ended", ended=review.ended)
    return tell(review, "unfinished.sentence", count=review.plies)


def ledger(review: Annotation) -> Iterator[str]:
    """Yield the rows of the ledger, then those of the figures."""
    rows = ledger_rows(review)
    for i, (name, cells) in enumerate(rows):
        yield row(name, cells, "total" if i == len(rows) - 1 else "")
    for i, (name, cells) in enumerate(figure_rows(review)):
        yield row(name, cells, "next" if i == 0 else "")


def row(name: str, cells: Iterable[str], kind: str) -> str:
    """Return a row of a table."""
    texts = "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells)
    return f'<tr class="{kind}"><td>{escape(name)}</td>{texts}</tr>'


def listed(review: Annotation, items: Iterable[str]) -> str:
    """Return an HTML list, or a word if it is empty."""
    texts = "".join(f"<li>{item}</li>" for item in items)
    return f"<ol>{texts}</ol>" if texts else f"<p>{escape(tell(review, 'none'))}</p>"


def error(review: Annotation, one: PlyValuation) -> str:
    """Return the description of an error."""
    glyph = GLYPHS[review.class_of(one)]
    where = f'<span class="soft">{escape(place(review, one))}</span>'
    name = seat_name(review, one.seat)
    more = escape(f" {rolled(review, one)}".rstrip())
    return f'<b class="glyph">{glyph}</b>{name}: {escape(one.label)} {where}<br>{escape(verdict(review, one))}{more}'


def event(review: Annotation, one: PlyValuation) -> str:
    """Return the description of a chance event."""
    where = f'<span class="soft">{escape(place(review, one))}</span>'
    return f"{escape(one.label)} {where}<br>{escape(winners(review, one))}"


def move(review: Annotation, one: PlyValuation) -> str:
    """Return the table row of a ply: its effect on each seat."""
    glyph = GLYPHS.get(review.class_of(one), "")
    best = one.best_label if one.seat != NATURE and one.loss else ""
    cells = [who(review, one), f"{one.label} {glyph}".strip(), best]
    return row(str(one.ply), [*cells, *(percent(review, round(part / TENTH), signed=True) for part in one.change)], "")
