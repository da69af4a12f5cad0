"""Output for people: the console, the actions of a position, the end of a game."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table

from clerestory.cli import locale
from clerestory.engine import Action, Game, Record, State
from clerestory.engine.scoring import ScoreSource, in_points, note_on_points, outcome, points_by_history
from clerestory.i18n import has, say
from clerestory.i18n.languages import ENGLISH
from clerestory.server.rpc.locale import name_of

ALIGNED = 16  # columns of the texts of actions, so that tables below each other are aligned; fewer if there is no room
ROOMY = 90  # columns needed for showing labels and sources in separate columns
USUAL = 80  # columns where the environment says that there are none, which is to say that it does not know


def screen(*, stderr: bool = False) -> Console:
    """Return a console that prints plain text, wrapped between words on a terminal and not at all elsewhere."""
    console = Console(stderr=stderr, markup=False, highlight=False)
    if not console.width:
        console.width = USUAL
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


def actions_table(game: Game, actions: Iterable[tuple[str, Action]]) -> Table:
    """Return actions with their labels, each after its mark; their texts are English, and shown in English only."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    if locale.is_english():
        table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for mark, action in actions:
        texts = [f"{action.text:<{ALIGNED}}"] if locale.is_english() else []
        table.add_row(f"  {mark}" if mark else "", *texts, *locale.cells([locale.label(game, action)]))
    return table


def figures_table(title: str, first: str, *headings: str) -> Table:
    """Return a table of figures: names in the first column, numbers in the others."""
    table = Table(title=title or None, title_justify="left")
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", overflow="fold")
    return table


def ending(state: State) -> list[str]:
    """Return how a game ended by its rules, in lines: who won, then where the points came from."""
    lines = [f"{ended(Record(state))}."]
    for seat, sources in enumerate(points_by_history(state)):
        what = "; ".join(points_of(*source) for source in in_words(state.game, sources)) or locale.say("over.nothing")
        lines.append(f"  {locale.say('told', who=locale.seat(state.game, seat), what=what)}")
    if note := note_on_points(state, locale.language()):
        lines.append(f"  {note}")
    return lines


def ended(record: Record) -> str:
    """Return how a recorded game ended, in the language of the terminal; "" if it did not."""
    return outcome_of(record, locale.language(), locale.colour)


def outcome_of(record: Record, language: str = ENGLISH, name: Callable[[str], str] = str) -> str:
    """Return how a recorded game ended, by its rules or by its players: `blue wins, red resigned`; "" if it did not.

    The arguments are those of `outcome`.
    """
    state, early = record.state, record.early
    if state.over:
        return outcome(state, language, name)
    if early is None:
        return ""
    if early.winner is None:
        return say(locale.TERMINAL, "over.abandoned", language=language)
    who, other = (name(state.game.seat_name(seat)) for seat in (early.winner, 1 - early.winner))
    return say(locale.TERMINAL, "over.resigned", language=language, who=who, other=other)


def in_words(game: Game, sources: Mapping[ScoreSource, float]) -> Iterable[tuple[str, float]]:
    """Return the points of sources in words, those of cards of one name together."""
    found: dict[str, float] = {}
    for (source, card), points in sources.items():
        name = name_of(game, card) if card else source_in_words(game, source)
        found[name] = found.get(name, 0.0) + points
    return ((name, points) for name, points in found.items() if points)


def source_in_words(game: Game, source: str) -> str:
    """Return the word for what brings points; a game without one has the code itself."""
    key = f"source.{source}"
    return say(game.name, key, language=locale.language()) if has(game.name, key) else source


def points_of(source: str, points: float) -> str:
    """Return the points of a source, in words."""
    return locale.say("over.source", source=source, points=in_points(points, locale.language()))
