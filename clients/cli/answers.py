"""Shows answers about a position, at the end of a search or live: as tables with remarks, or as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer
from google.protobuf.json_format import MessageToDict
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.game_files import read_position
from clerestory.cli.options import BadOption
from clerestory.cli.screen import ROOMY, redrawing, screen
from clerestory.clients import ONLOOKER, Line, Rate, Recommendation, Update
from clerestory.engine import State
from clerestory.engine.record import movers
from clerestory.engine.scoring import note_on_points
from clerestory.v1.advisor_pb2 import RecommendMoveResponse

LEAST = 12  # columns for an action, which takes several lines there
EDGES, BETWEEN = 5, 2  # columns of a table besides its cells: around the mark and the action, and for each figure
SHOWN_PLIES = 4  # of a variation
ENDS = ("time", "iterations", "stopped", "decided", "certain")  # why a search ended


def observer_of(word: str | None) -> int | None:
    """Return whose knowledge an option names. Raises BadOption."""
    if word is None or word == "onlooker":
        return None if word is None else ONLOOKER
    if not (word.isascii() and word.isdigit()):
        raise BadOption(f"--observer: {word!r} is neither a seat nor onlooker")
    return int(word[:12])  # any longer number is out of range as well


def in_json(answer: RecommendMoveResponse) -> dict[str, Any]:
    """Return an answer in the JSON of the API, with its names as proto/ has them; 64-bit numbers are strings."""
    return MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def show_answer(answer: Recommendation, position: str, *, as_json: bool) -> None:
    """Print an answer about a position."""
    if as_json:
        typer.echo(json.dumps(in_json(answer.message), indent=2))
        return
    console = screen()
    console.print(answer_view(answer, read_position(position), console.width))


def print_updates(updates: Iterator[Update]) -> None:
    """Print each table as it arrives, as a line of JSON."""
    for update in updates:
        recommendation = in_json(update.recommendation.message)
        fields = {"recommendation": recommendation, "sequence": update.sequence, "final": update.final}
        typer.echo(json.dumps(fields))


def show_updates(updates: Iterator[Update], position: str) -> None:
    """Show each table of a position as it arrives, in place of the previous one."""
    state, console = read_position(position), screen()
    with redrawing(console) as show:
        for update in updates:
            show(answer_view(update.recommendation, state, console.width))


# -- tables ----------------------------------------------------------------------------------------


def answer_view(answer: Recommendation, state: State, width: int) -> Group:
    """Return an answer for a screen of some columns; with less than 60, some figures are left out."""
    table = lines_table(answer, width) if answer.best else outcomes_table(answer, state, width)
    legend = locale.say("answer.legend" if answer.best else "answer.legend.chance")
    note = note_on_points(state, locale.language())
    rates: list[RenderableType] = [
        rates_table(answer.rates, width),
        Text(locale.say("answer.rates.legend"), style="dim"),
    ]
    return Group(
        Text(title(answer, state), style="bold"),
        table,
        Text(f"{legend} {note}" if note else legend, style="dim"),
        *map(Text, remarks(answer, state)),
        *(rates if answer.rates else []),
    )


def title(answer: Recommendation, state: State) -> str:
    """Return the title: whose decision it is, and the best action."""
    if answer.best is None or answer.seat is None:
        return locale.say("answer.chance")
    played = next((meaning(line) for line in answer.lines if line.action == answer.best), answer.best.label)
    who = locale.seat(state.game, answer.seat)
    return locale.say("told", who=who, what=locale.with_text(played, answer.best.text))


def lines_table(answer: Recommendation, width: int) -> Table:
    """Return the lines of a decision, the one to play first."""
    lines, first = answer.lines, answer.lines[0]
    marks = [">" if line is first else "?" if line.doubtful else "" for line in lines]
    figures = {
        "win": [win(line, answer.seat or 0) for line in lines],
        "margin": [locale.figure(line.margin, 1, "+z") if line.visits else "" for line in lines],
        "loss": [locale.figure(line.loss, 1, "z") if line.visits and line is not first else "" for line in lines],
        "visits": [locale.figure(line.visits) for line in lines],
    }
    table = compact_table(width)
    table.add_column("", no_wrap=True)
    name_columns(table, "answer.action", width)
    columns = figure_columns(table, {locale.say(f"answer.{name}"): cells for name, cells in figures.items()}, width)
    for line, mark, *cells in zip(lines, marks, *columns, strict=True):
        table.add_row(mark, *names(line, width), *cells)
    return table


def compact_table(width: int) -> Table:
    """Return an empty table, with little space between its columns unless there is much."""
    return Table(collapse_padding=width < ROOMY, pad_edge=width >= ROOMY)


def figure_columns(table: Table, figures: Mapping[str, Sequence[str]], width: int) -> list[Sequence[str]]:
    """Add the columns of figures, by their headings, as far as they leave room for an action; return their cells."""
    room, shown = width - LEAST - EDGES, []
    for heading, cells in figures.items():
        room -= BETWEEN + max(map(cell_len, (heading, *cells)))
        if room < 0:
            break
        table.add_column(*locale.cells([heading]), justify="right", no_wrap=True)
        shown.append(cells)
    return shown


def outcomes_table(answer: Recommendation, state: State, width: int) -> Table:
    """Return the possible outcomes of a chance event, with the win share of the advised seat, or those of all seats."""
    lines, seats = answer.lines, range(state.seats) if answer.seat is None else [answer.seat]
    table = compact_table(width)
    name_columns(table, "answer.outcome", width)
    odds = ["" if line.probability is None else locale.percent(line.probability, 1) for line in lines]
    shares = {locale.seat(state.game, seat): [share(line, seat) for line in lines] for seat in seats}
    for line, *cells in zip(
        lines, *figure_columns(table, {locale.say("answer.odds"): odds, **shares}, width), strict=True
    ):
        table.add_row(*names(line, width), *cells)
    return table


def rates_table(rates: Sequence[Rate], width: int) -> Table:
    """Return the exchange rates: what one more of each good is worth."""
    table = compact_table(width)
    for heading in ("answer.rate.good", "answer.rate.win", "answer.rate.points"):
        table.add_column(*locale.cells([locale.say(heading)]), justify="left" if heading.endswith("good") else "right")
    for rate in rates:
        win_share = worth(rate.win_share, rate.win_share_error, 100.0)
        table.add_row(*locale.cells([rate.name, win_share, worth(rate.points, rate.points_error, 1.0)]))
    return table


def worth(value: float | None, error: float | None, unit: float) -> str:
    """Return a rate with its error; "" without figures."""
    if value is None or error is None:
        return ""
    return f"{locale.figure(unit * value, 2, '+z')} ±{locale.figure(unit * error, 2)}"


def share(line: Line, seat: int) -> str:
    """Return the expected share of the win of a seat in percent, "" if it is not known."""
    return locale.figure(100 * line.win_shares[seat], 1) if line.win_shares else ""


def name_columns(table: Table, heading: str, width: int) -> None:
    """Add the columns of `names`."""
    table.add_column(*locale.cells([locale.say(heading)]), overflow="fold")
    if width >= ROOMY and locale.is_english():
        table.add_column(locale.say("answer.meaning"))


def names(line: Line, width: int) -> list[str]:
    """Return the text of an action, and what it means if there is room; only that in languages other than English."""
    if not locale.is_english():
        return locale.cells([meaning(line)])
    return [line.action.text, meaning(line)] if width >= ROOMY else [line.action.text]


def called(line: Line) -> str:
    """Return how a line is named in a sentence."""
    return line.action.text if locale.is_english() else meaning(line)


def meaning(line: Line) -> str:
    """Return the start of a line in words: its action, or the plan that contains it."""
    return ", ".join(line.plan) or line.action.label


def win(line: Line, seat: int) -> str:
    """Return the expected share of the win in percent, with its standard error if known."""
    if not line.visits or not line.win_shares:
        return ""
    error = f" ±{locale.figure(100 * line.standard_errors[seat], 1)}" if line.standard_errors else ""
    return f"{locale.figure(100 * line.win_shares[seat], 1)}{error}"


def remarks(answer: Recommendation, state: State) -> list[str]:
    """Return the remarks on a position: the reason, the expected play, warnings, figures of the search."""
    notes = [note for note in (answer.reason, answer.lead, answer.favour) if note]
    if moves := expected_moves(answer, state):
        notes.append(locale.say("answer.expected", what="; ".join(moves)))
    notes += [locale.say("answer.warning", what=str(warning)) for warning in answer.warnings]
    if answer.best and (higher := higher_margins(answer)):
        notes.append(about_higher_margin(higher[0], answer.lines[0], answer.seat or 0))
    if answer.best and all(warning.reason != "few_iterations" for warning in answer.warnings):
        notes.append(locale.say("answer.longer", share=certainty(answer.certainty)))
    return [*notes, figures(answer)]


def expected_moves(answer: Recommendation, state: State) -> list[str]:
    """Return the moves expected after the first line's action, each with who makes it."""
    variation = answer.lines[0].variation[: 1 + SHOWN_PLIES] if answer.lines else ()
    names = movers(state.observe(answer.observer), [ply.text for ply in variation])
    moves = zip(names[1:], variation[1:], strict=True)
    return [locale.say("told", who=locale.colour(name), what=ply.label) for name, ply in moves]


def figures(answer: Recommendation) -> str:
    """Return the figures of the search."""
    return locale.say(
        "answer.figures",
        iterations=counted("answer.iterations", answer.iterations),
        seconds=locale.figure(answer.elapsed, 3),
        why=locale.say(f"answer.ended.{answer.stop_reason if answer.stop_reason in ENDS else 'now'}"),
        nodes=counted("answer.nodes", answer.nodes),
        depth=counted("answer.depth", answer.depth),
        seed=str(answer.seed),
    )


def counted(key: str, count: int) -> str:
    """Return how many there are of something."""
    return locale.say(key, count=count, number=locale.figure(count))


def about_higher_margin(line: Line, first: Line, seat: int) -> str:
    """Return why the first line is recommended although this one has a higher margin."""
    if line.win_shares and first.win_shares and line.win_shares[seat] < first.win_shares[seat]:
        return locale.say("answer.wins_less", what=called(line))
    return locale.say("answer.tried_less", what=called(line))


def higher_margins(answer: Recommendation) -> list[Line]:
    """Return the lines whose displayed margin is higher than that of the first one, the highest first."""
    tried = [line for line in answer.lines if line.visits]
    higher = [line for line in tried if round(line.margin, 1) > round(answer.lines[0].margin, 1)]
    return sorted(higher, key=lambda line: -line.margin)


def certainty(probability: float) -> str:
    """Return a share in percent, never 100 %."""
    return locale.say("percent.over", share=locale.percent(0.99)) if probability > 0.99 else locale.percent(probability)
