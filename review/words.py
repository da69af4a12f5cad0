"""A review in words, and in rounded numbers that still add up, for the terminal and the page."""

from bisect import bisect_right
from collections.abc import Sequence

from clerestory.engine.core import NATURE
from clerestory.review.annotation import Annotation
from clerestory.review.classes import CLASSES, GLYPHS
from clerestory.review.ledger import UNIT, PlyValuation
from clerestory.texts import say

TENTH = UNIT // 1000  # of a percent
ENDED, BROKEN_OFF = "result", "share now"
SHOWN = 10  # of a list
BARS = "▁▂▃▄▅▆▇█"


def rounded(parts: Sequence[int], total: int) -> list[int]:
    """Return parts in tenths of a percent that sum to the total in tenths: the largest remainders are rounded up."""
    whole = [part // TENTH for part in parts]
    missing = round(total / TENTH) - sum(whole)
    order = sorted(range(len(parts)), key=lambda i: -(parts[i] % TENTH))
    for i in range(missing):
        whole[order[i % len(parts)]] += 1
    return whole


def percent(tenths: int, *, signed: bool = False) -> str:
    """Return tenths of a percent as text: `33.4`, `+1.2`."""
    return f"{tenths / 10:+.1f}" if signed and tenths else f"{tenths / 10:.1f}"


def thousandths(units: float) -> str:
    """Return millionths as thousandths of a win: `9.0`."""
    return f"{1000 * units / UNIT:.1f}"


def ledger_rows(review: Annotation) -> list[tuple[str, list[str]]]:
    """Return the rows of the ledger, one number for each seat, rounded so that each column adds up to its last row."""
    sources = list(review.accounts[0].luck)
    names = ["share at the start", *(f"luck: {source}" for source in sources)]
    names += ["own errors", "gifts of others", "revaluation"]
    columns = []
    for one in review.accounts:
        parts = [one.start, *(one.luck[source] for source in sources), one.errors, one.gifts, one.revaluation]
        tenths = rounded(parts, one.final)
        columns.append([percent(tenths[0]), *(percent(part, signed=True) for part in tenths[1:])])
    rows = [(name, [column[i] for column in columns]) for i, name in enumerate(names)]
    return [
        *rows,
        (ENDED if review.over else BROKEN_OFF, [percent(round(one.final / TENTH)) for one in review.accounts]),
    ]


def figure_rows(review: Annotation) -> list[tuple[str, list[str]]]:
    """Return the figures beside the ledger, one text per seat."""
    figures = review.figures
    return [
        ("luck, all", [percent(round(one.total_luck / TENTH), signed=True) for one in review.accounts]),
        ("luck-adjusted", [percent(round(one.adjusted / TENTH)) for one in review.accounts]),
        ("decisions", [f"{one.counted}" for one in figures]),
        ("mean loss, ‰", ["-" if one.mean_loss is None else thousandths(one.mean_loss) for one in figures]),
        ("played like level", [f"{one.level or '-'}" for one in figures]),
        ("accuracy", ["-" if one.accuracy is None else f"{one.accuracy:.1f}" for one in figures]),
        ("points lost", [f"{one.points:.1f}" for one in figures]),
        *((f"{glyph} {name}", [f"{one.classes[name]}" for one in figures]) for name, glyph in GLYPHS.items()),
    ]


def place(one: PlyValuation) -> str:
    """Return in words where in the game a ply is."""
    return f"ply {one.ply}, round {one.round}" if one.round else f"ply {one.ply}"


def verdict(one: PlyValuation) -> str:
    """Return a sentence on an error: what it cost, and which action was best."""
    points = f" and {one.points:.1f} points" if one.points >= 0.05 else ""
    gains = f" {one.reason}" if one.reason else ""
    return f"Cost {percent(round(one.loss / TENTH))} % of a win{points}. Better: {one.best_label}.{gains}"


def curve(review: Annotation, seat: int, width: int) -> str:
    """Return a seat's share of the win over the plies, as one line of bar characters."""
    plies = [one.ply for one in review.valuations]
    known = [review.valuations[0].before if plies else review.final, *(one.after for one in review.valuations)]
    ends = (review.plies * column // width for column in range(1, width))
    shares = [*(known[bisect_right(plies, end)][seat] for end in ends), review.final[seat]]
    return "".join(BARS[min(max(share, 0) * len(BARS) // UNIT, len(BARS) - 1)] for share in shares)


def rolled(review: Annotation, one: PlyValuation) -> str:
    """Return the result of rollouts of an error, with their standard error; "" if there are none."""
    found = review.rollouts.get(one.ply)
    if found is None:
        return ""
    doubt = " They do not find it." if found.at_most * UNIT < CLASSES[-1][2] else ""
    lost = f"{100 * found.loss:+.1f} ± {100 * found.error:.1f} %"
    return f"Rollouts: {lost} lost, over {found.pairs} pairs of games.{doubt}"


def winners(review: Annotation, one: PlyValuation) -> str:
    """Return which seats a chance event helped and hurt most: `+4.2 blue, -3.1 red`."""
    change = one.change
    best, worst = (pick(range(len(change)), key=change.__getitem__) for pick in (max, min))
    parts = ((best, change[best]), (worst, change[worst]))
    return ", ".join(f"{percent(round(size / TENTH), signed=True)} {review.names[seat]}" for seat, size in parts)


def who(review: Annotation, one: PlyValuation) -> str:
    """Return who acted."""
    return "nature" if one.seat == NATURE else review.names[one.seat]


def made_by(review: Annotation) -> str:
    """Return the parameters of the review, with which it can be reproduced."""
    plan = review.plan
    viewer = "" if plan.viewer is None else f", by what {review.names[plan.viewer]} knows"
    options = ", ".join(f"{name}={value}" for name, value in review.settings.items())
    return f"{plan.iterations:,} iterations a search, seed {plan.seed}{viewer}; {options or 'plain search'}."


def note(review: Annotation) -> str:
    """Return how to read the figures."""
    floor, idle = percent(round(review.floor / TENTH)), sum(one.idle for one in review.figures)
    return (
        f"In percent of a win. Noise floor {floor} on average: an error is named only above twice that of its part of "
        f"the game. "
        f"{idle} decisions with nothing at stake are not counted. {say('service', 'review.revaluation')}"
    )
