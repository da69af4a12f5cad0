"""Shows an answer to people: the table of its lines, a legend, and remarks."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from clerestory.cli.screen import ROOMY
from clerestory.clients import Line, Recommendation
from clerestory.engine import State
from clerestory.engine.scoring import note_on_points

SHOWN_PLIES = 4  # of a variation
LEGEND = (
    "> is the line to play, ? was tried too seldom to compare it. win %: expected share of the win, ± its standard "
    "error; it orders the lines; margin: expected lead over the best other player, in points; loss: by how much the "
    "margin is below that of the line to play; visits: how often the line was tried."
)
CHANCE_LEGEND = (
    "odds: how likely the outcome is, by what everyone can see; below a player: expected share of the win, in percent."
)
ENDS = {
    "time": "until the time was up",
    "iterations": "until the iterations were done",
    "stopped": "until the server was shutting down",
    "decided": "then no other line could still become the one tried most",
    "certain": "then it was certain enough",
}


def answer_view(answer: Recommendation, state: State, width: int) -> Group:
    """Return an answer for a screen of some columns, 60 at least."""
    table = lines_table(answer, width) if answer.best else outcomes_table(answer, state, width)
    legend = LEGEND if answer.best else CHANCE_LEGEND
    note = note_on_points(state)
    return Group(
        Text(title(answer, state), style="bold"),
        table,
        Text(f"{legend} {note}" if note else legend, style="dim"),
        *map(Text, remarks(answer)),
    )


def title(answer: Recommendation, state: State) -> str:
    """Return the title: whose decision it is, and the best action."""
    if answer.best is None or answer.seat is None:
        return "What may come up"
    played = next((meaning(line) for line in answer.lines if line.action == answer.best), answer.best.label)
    return f"{state.game.seat_name(answer.seat)}: {answer.best.text} ({played})"


def lines_table(answer: Recommendation, width: int) -> Table:
    """Return the lines of a decision by the win share shown, doubtful ones last."""
    table = Table(collapse_padding=width < ROOMY, pad_edge=width >= ROOMY)
    table.add_column("", no_wrap=True)
    table.add_column("action", overflow="fold")
    if width >= ROOMY:
        table.add_column("meaning")
    for heading in ("win %", "margin", "loss", "visits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in ordered(answer):
        first = line is answer.lines[0]
        loss = f"{line.loss:z.1f}" if line.visits and not first else ""
        margin = f"{line.margin:+z.1f}" if line.visits else ""
        mark = ">" if first else "?" if line.doubtful else ""
        table.add_row(mark, *names(line, width), win(line, answer.seat or 0), margin, loss, f"{line.visits:,}")
    return table


def ordered(answer: Recommendation) -> list[Line]:
    """Return the lines by the win share of the seat to decide, doubtful ones last."""
    seat = answer.seat or 0
    return sorted(answer.lines, key=lambda line: (line.doubtful, -line.win_shares[seat] if line.win_shares else 0.0))


def outcomes_table(answer: Recommendation, state: State, width: int) -> Table:
    """Return the possible outcomes of a chance event, with the win share of the advised seat, or those of all seats."""
    seats = range(state.seats) if answer.seat is None else [answer.seat]
    table = Table()
    table.add_column("outcome", overflow="fold")
    if width >= ROOMY:
        table.add_column("meaning")
    for heading in ("odds", *map(state.game.seat_name, seats)):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in answer.lines:
        chance = "" if line.probability is None else f"{line.probability:.1%}"
        shares = [f"{100 * line.win_shares[seat]:.1f}" for seat in seats] if line.win_shares else []
        table.add_row(*names(line, width), chance, *shares)
    return table


def names(line: Line, width: int) -> list[str]:
    """Return the text of an action, and what it means if there is room."""
    return [line.action.text, meaning(line)] if width >= ROOMY else [line.action.text]


def meaning(line: Line) -> str:
    """Return what a line begins with in words: its action, or the plan of which that is a part."""
    return ", ".join(line.plan) or line.action.label


def win(line: Line, seat: int) -> str:
    """Return the expected share of the win in percent, with its standard error if known."""
    if not line.visits or not line.win_shares:
        return ""
    error = f" ±{100 * line.standard_errors[seat]:.1f}" if line.standard_errors else ""
    return f"{100 * line.win_shares[seat]:.1f}{error}"


def remarks(answer: Recommendation) -> list[str]:
    """Return the remarks: the reason, the expected play, warnings, figures of the search."""
    notes = [told for told in (answer.reason, answer.lead, answer.favour) if told]
    if answer.lines and (expected := answer.lines[0].variation[1 : 1 + SHOWN_PLIES]):
        notes.append(f"Expected then: {'; '.join(ply.label for ply in expected)}.")
    notes += [f"Warning: {warning}" for warning in answer.warnings]
    if answer.best and (higher := higher_margins(answer)):
        notes.append(about_higher_margin(higher[0], answer.lines[0], answer.seat or 0))
    if answer.best:
        notes.append(f"Of searches ten times longer, {certainty(answer.certainty)} would play the same line.")
    notes.append(
        f"{answer.iterations:,} iterations in {answer.elapsed:.3f} s, {ENDS.get(answer.stop_reason, 'for now')}; "
        f"{answer.nodes:,} information sets, {answer.depth} decisions deep; seed {answer.seed}"
    )
    return notes


def about_higher_margin(line: Line, first: Line, seat: int) -> str:
    """Return why the first line is to be played though this one has a higher margin."""
    if line.win_shares and first.win_shares and line.win_shares[seat] < first.win_shares[seat]:
        return f"{line.action.text} has a higher margin than the line to play, but a smaller share of the win."
    return (
        f"By its margin so far, {line.action.text} is ahead of the line to play. It was tried less, so its margin is "
        "less certain."
    )


def higher_margins(answer: Recommendation) -> list[Line]:
    """Return the lines whose displayed margin is higher than that of the first one, the highest first."""
    tried = [line for line in answer.lines if line.visits]
    higher = [line for line in tried if round(line.margin, 1) > round(answer.lines[0].margin, 1)]
    return sorted(higher, key=lambda line: -line.margin)


def certainty(probability: float) -> str:
    """Return a share in percent, never 100 %."""
    return "over 99%" if probability > 0.99 else f"{probability:.0%}"
