"""Output for people: the console, the actions of a position, the end of a game."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table

from clerestory.engine import Action, State
from clerestory.engine.scoring import in_points, note_on_points, outcome, point_sources

ROOMY = 90  # columns needed for showing labels and sources in separate columns


def screen(*, stderr: bool = False) -> Console:
    """Return a console that prints plain text, wrapped between words on a terminal and not at all elsewhere."""
    console = Console(stderr=stderr, markup=False, highlight=False)
    console.soft_wrap = not console.is_terminal
    return console


@contextmanager
def redrawing(console: Console) -> Iterator[Callable[[RenderableType], None]]:
    """Yield a function that replaces its previous output; without a terminal, only the last output is printed."""
    if console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            yield lambda shown: live.update(shown, refresh=True)
        return
    last: list[RenderableType] = []
    yield lambda shown: last.__setitem__(slice(None), [shown])
    for shown in last:
        console.print(shown)


def actions_table(actions: Iterable[tuple[str, Action]]) -> Table:
    """Return actions with their labels, each after its mark."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(min_width=16)
    table.add_column()
    for mark, action in actions:
        table.add_row(f"  {mark}" if mark else "", action.text, action.label)
    return table


def figures_table(title: str, first: str, *headings: str) -> Table:
    """Return a table of figures: names in the first column, numbers in the others."""
    table = Table(title=title or None, title_justify="left")
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", overflow="fold")
    return table


def ending(state: State) -> list[str]:
    """Return how a game ended, in lines: who won, then where the points came from. Raises NotOver."""
    lines = [f"{outcome(state)}."]
    for seat, sources in enumerate(point_sources(state)):
        parts = ", ".join(f"{name} {in_points(points)}" for name, points in sources.items()) or "nothing"
        lines.append(f"  {state.game.seat_name(seat)}: {parts}")
    if note := note_on_points(state):
        lines.append(f"  {note}")
    return lines
