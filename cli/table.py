"""The one table of lines that people see: of a hint, a recommendation, an analysis, a game."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from clerestory.engine import State
from clerestory.engine.scoring import note_on_points

ROOMY = 90  # columns, from which labels stand beside the texts
LEGEND = (
    "win %: expected share of the win; margin: points ahead of the best other; loss: points less than the first line"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `win` is text, in percent; `margin` and `loss` are points."""

    text: str
    label: str
    win: str
    margin: float
    loss: float
    visits: int


def lines_table(title: str, rows: Iterable[Row], state: State, width: int) -> Table:
    """Return the rows as a table for a screen of some columns, 60 at least, with a legend below."""
    note = note_on_points(state)
    table = Table(title=title, caption=f"{LEGEND}. {note}" if note else LEGEND, caption_justify="left")
    table.add_column("action", overflow="fold")
    if width >= ROOMY:
        table.add_column("meaning")
    for heading in ("win %", "margin", "loss", "visits"):
        table.add_column(heading, justify="right", no_wrap=len(heading) > 5)
    for rank, row in enumerate(rows):
        loss = f"{row.loss:.1f}" if rank and row.visits else ""
        margin = f"{row.margin:+.1f}" if row.visits else ""
        words = [row.text, row.label] if width >= ROOMY else [row.text]
        table.add_row(*words, row.win, margin, loss, f"{row.visits:,}")
    return table
