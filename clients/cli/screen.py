"""Output for people: the console, tables, the end of a game, a line of status, and the choice of an action."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from time import monotonic
from typing import TYPE_CHECKING, TextIO, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table

from clerestory.cli import locale
from clerestory.engine import Action, Game, Record, State
from clerestory.engine.scoring import ScoreSource, in_points, note_on_points, outcome, points_by_history
from clerestory.i18n import has, say
from clerestory.i18n.languages import ENGLISH
from clerestory.server.rpc.locale import name_of

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

ALIGNED = 16  # columns of the texts of actions, so that tables below each other are aligned; fewer if there is no room
ROOMY = 90  # columns needed for showing labels and sources in separate columns
USUAL = 80  # columns if the environment reports zero, which means unknown

BAR_COLUMNS = 20

T = TypeVar("T")

LISTED = 8  # actions listed when the input is ambiguous
HELP = ("help", "h")  # inputs that ask for help


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
    """Return the end of a game by its rules, in lines: the winner, then the sources of the points."""
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
    """Return the word for a source of points; its code if the game has none."""
    key = f"source.{source}"
    return say(game.name, key, language=locale.language()) if has(game.name, key) else source


def points_of(source: str, points: float) -> str:
    """Return the points of a source, in words."""
    return locale.say("over.source", source=source, points=in_points(points, locale.language()))


# -- a line of status ------------------------------------------------------------------------------


@contextmanager
def status_line(
    what: str, total: int | None = None, *, hidden: bool = False, still: bool = False
) -> Iterator[Callable[[], None]]:
    """Show what is done, and for how long, as long as the block runs; yield a function to call after each step.

    Args:
        what: is done, in the language of the terminal.
        total: number of steps; None if the work has none to count.
        hidden: show nothing, because the output is for programs.
        still: draw only after a step, so that no thread disturbs what is measured meanwhile.
    """
    from rich.progress import Progress  # which not every command needs

    console = Console(stderr=True, markup=False, highlight=False)
    with Progress(
        *columns(total),
        console=console,
        transient=True,
        auto_refresh=not still,
        disable=hidden or not console.is_terminal or is_pipe(sys.stdout),
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        task = progress.add_task(what, total=total)

        def count() -> None:
            progress.update(task, advance=1, refresh=still)

        yield count


def tracked(items: Iterable[T], what: str, total: int, *, hidden: bool = False, still: bool = False) -> Iterator[T]:
    """Yield items, with a line of status that counts those that are done; the other arguments are its own."""
    with status_line(what, total, hidden=hidden, still=still) as count:
        for item in items:
            yield item
            count()


@contextmanager
def progress_bar(
    first: str = "", *, every: float | None = None, transient: bool = False
) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows the progress of a stage of the work: in a bar on a terminal, elsewhere in lines.

    Args:
        first: the stage whose bar is drawn before its first step; "" for none.
        every: as in `ProgressLines`.
        transient: whether the bars are removed at the end.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield ProgressLines(console, every)
        return
    what = TextColumn("{task.description}", markup=False)
    with Progress(
        what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=transient
    ) as progress:
        tasks = {first: progress.add_task(first, total=None)} if first else {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage)
            progress.update(tasks[stage], completed=done, total=total)

        yield show


class ProgressLines:
    """Prints the progress of work where a bar cannot be drawn: a line now and then, and at the end of long work.

    Args:
        console: the console.
        every: seconds between two lines, and the first one is printed at once; None for the attributes of the class.

    Attributes:
        first: seconds until the first line of a stage of the work.
        interval: seconds between two lines.
    """

    first = 2.0
    interval = 10.0

    def __init__(self, console: Console, every: float | None = None) -> None:
        self.console = console
        if every is not None:
            self.first, self.interval = 0.0, every
        self.stage, self.due, self.printed = "", 0.0, -1

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Print the progress of a stage, if it is time to."""
        now = monotonic()
        if stage != self.stage:
            self.stage, self.due, self.printed = stage, now + self.first, -1
        if done > self.printed and (now >= self.due or (self.printed >= 0 and done >= total)):
            self.due, self.printed = now + self.interval, done
            self.console.print(f"{stage}: {locale.figure(done)} / {locale.figure(total)}", highlight=False)


def columns(total: int | None) -> "list[ProgressColumn]":
    """Return what the line has: a bar and a count only where there are steps."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    what = TextColumn("{task.description}", markup=False)
    counted = [BarColumn(BAR_COLUMNS), MofNCompleteColumn()] if total is not None else []
    return [SpinnerColumn(), what, *counted, TimeElapsedColumn()]


def is_pipe(stream: TextIO) -> bool:
    """Whether another program reads a stream: it may show what it reads on the terminal of the status line."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return True  # a stream without a file
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


# -- choosing an action ----------------------------------------------------------------------------


def show_actions(console: Console, game: Game, actions: Sequence[Action]) -> None:
    """Print the actions that there are, numbered and grouped by kind."""
    numbered = enumerate(actions, 1)
    for kind, group in groupby(numbered, key=lambda entry: locale.kind(game, entry[1].text)):
        console.print(f" {kind}", style="bold")
        console.print(actions_table(game, ((f"{number:>2}", action) for number, action in group)))


def find_action(console: Console, game: Game, legal: Sequence[Action], typed: str) -> Action | None:
    """Return the action among some that the input names, by its number, its text or its label; print why if none."""
    if typed.isascii() and typed.isdigit():
        number = int(typed[:4])
        if 1 <= number <= len(legal):
            return legal[number - 1]
        console.print(locale.say("choose.range", typed=typed[:20], last=len(legal)))
        return None
    wanted = " ".join(typed.lower().split())
    if not wanted:
        return None
    fits = fitting(game, legal, wanted, str.__eq__) or fitting(game, legal, wanted, str.startswith)
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(locale.called(game, action) for action in fits[:LISTED]) + (", ..." if len(fits) > LISTED else "")
    console.print(locale.say("choose.several" if fits else "choose.none", typed=repr(typed[:40]), names=names))
    return None


def fitting(game: Game, legal: Sequence[Action], wanted: str, fits: Callable[[str, str], bool]) -> list[Action]:
    """Return the actions whose text, or label outside of English, fits what is wanted."""
    return [
        action
        for action in legal
        if any(fits(name.lower(), wanted) for name in {action.text, locale.called(game, action)})
    ]


# -- what only one seat is shown -------------------------------------------------------------------


def ask_owner(
    console: Console, game: Game, seat: int, possible: Sequence[Action], read: Callable[[str], str | None]
) -> Action | None:
    """Ask a player which of the possible outcomes was shown; return it, or None without an answer.

    Args:
        console: for the dialogue.
        game: that is played.
        seat: whose card it is.
        possible: the possible outcomes.
        read: shows a prompt and returns the input without echoing it; None at the end of input.
    """
    name = locale.seat(game, seat)
    console.print(f"\n{locale.say('shown.ask', who=name)}")
    console.print(actions_table(game, ((f"{number:>2}", action) for number, action in enumerate(possible, 1))))
    console.print(locale.say("shown.unseen"))
    while typed := read(f"{locale.say('shown.prompt', who=name)}> "):
        fits = fitting_outcomes(possible, typed)
        if len(fits) == 1:
            return fits[0]
        console.print(locale.say("shown.none"))
    return None


def fitting_outcomes(possible: Sequence[Action], typed: str) -> list[Action]:
    """Return the outcomes that a number, a text or the end of one names."""
    if typed.isascii() and typed.isdigit():
        return list(possible[int(typed[:4]) - 1 : int(typed[:4])]) if int(typed[:4]) else []
    wanted = " ".join(typed.lower().split())
    return [action for action in possible if wanted in (action.text, action.text.split(" ", 1)[-1])]


def known(state: State, seed: int) -> State:
    """Return the view of the seat to decide, with a guess for an event that it has been shown but not entered."""
    view = state.observe(state.turn)
    return view.determinize(seed).observe(state.turn) if view.private_outcomes(state.turn) else view


def shareable(state: State) -> tuple[State, bool]:
    """Return the part of the seat's view that others may see, and whether there is more."""
    view = state.observe(state.turn)
    more = view.clear_private_outcome(state.turn)
    return view, more


@contextmanager
def out_of_sight(console: Console, hide: bool, read: Callable[[str], str | None]) -> Iterator[None]:
    """Print on a separate screen until Enter; print normally if there is no terminal or without `hide`."""
    if not (hide and console.is_terminal):
        yield
        return
    with console.screen():
        yield
        read(locale.say("shown.hide"))
