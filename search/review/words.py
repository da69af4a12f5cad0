"""A review as text, with rounded numbers that still add up, for the terminal and the page."""

from bisect import bisect_right
from collections.abc import Sequence

from clerestory.engine.core import NATURE
from clerestory.i18n import has
from clerestory.i18n import say as say_text
from clerestory.i18n.languages import number
from clerestory.i18n.sentences import format_text
from clerestory.search.review.annotation import Annotation
from clerestory.search.review.classes import CLASSES, GLYPHS
from clerestory.search.review.ledger import UNIT, PlyValuation

TENTH = UNIT // 1000  # tenth of a percent
REVIEW = "review"  # the domain of texts
SHOWN = 10  # maximum length of a list
BARS = "▁▂▃▄▅▆▇█"


def rounded(parts: Sequence[int], total: int) -> list[int]:
    """Return parts in tenths of a percent that sum to the total in tenths, by the largest remainder method."""
    whole = [part // TENTH for part in parts]
    missing = round(total / TENTH) - sum(whole)
    order = sorted(range(len(parts)), key=lambda i: -(parts[i] % TENTH))
    for i in range(missing):
        whole[order[i % len(parts)]] += 1
    return whole


def tell(review: Annotation, key: str, /, **arguments: object) -> str:
    """Return a text in the language of a review."""
    return say_text(REVIEW, key, language=review.language, **arguments)


def figure(review: Annotation, value: float, sign: str = "") -> str:
    """Return a number with one decimal, formatted for the language of a review; signs as in format specifications."""
    return number(value, review.language, 1, sign)


def percent(review: Annotation, tenths: int, *, signed: bool = False) -> str:
    """Return tenths of a percent as text: `33.4`, `+1.2`."""
    return figure(review, tenths / 10, "+" if signed and tenths else "")


def ledger_rows(review: Annotation) -> list[tuple[str, list[str]]]:
    """Return the rows of the ledger, one number per seat, rounded so that each column adds up to its last row."""
    sources = list(review.accounts[0].luck)
    names = [tell(review, "start"), *(tell(review, "luck", source=luck(review, source)) for source in sources)]
    names += [tell(review, key) for key in ("own", "gifts", "revaluation")]
    columns = []
    for one in review.accounts:
        parts = [one.start, *(one.luck[source] for source in sources), one.errors, one.gifts, one.revaluation]
        tenths = rounded(parts, one.final)
        signed = (percent(review, part, signed=True) for part in tenths[1:])
        columns.append([percent(review, tenths[0]), *signed])
    rows = [(name, [column[i] for column in columns]) for i, name in enumerate(names)]
    last = [percent(review, round(one.final / TENTH)) for one in review.accounts]
    return [*rows, (tell(review, "result" if review.over else "now"), last)]


def luck(review: Annotation, source: str) -> str:
    """Return a kind of luck in the language of a review."""
    key = f"luck.{source.replace(' ', '_')}"
    return say_text(review.game, key, language=review.language) if has(review.game, key) else source


def figure_rows(review: Annotation) -> list[tuple[str, list[str]]]:
    """Return the figures beside the ledger, one text per seat."""
    figures, accounts = review.figures, review.accounts
    rows = [
        ("luck.all", [percent(review, round(one.total_luck / TENTH), signed=True) for one in accounts]),
        ("adjusted", [percent(review, round(one.adjusted / TENTH)) for one in accounts]),
        ("decisions", [f"{one.counted}" for one in figures]),
        ("mean_loss", [known(review, one.mean_loss, 1000 / UNIT) for one in figures]),
        ("level", [f"{one.level or '-'}" for one in figures]),
        ("accuracy", [known(review, one.accuracy) for one in figures]),
        ("points_lost", [figure(review, one.points) for one in figures]),
    ]
    classes = (
        (f"{glyph} {tell(review, f'class.{name}')}", [f"{one.classes[name]}" for one in figures])
        for name, glyph in GLYPHS.items()
    )
    return [*((tell(review, key), cells) for key, cells in rows), *classes]


def known(review: Annotation, value: float | None, scale: float = 1.0) -> str:
    """Return a scaled number, or a dash for None."""
    return "-" if value is None else figure(review, scale * value)


def place(review: Annotation, one: PlyValuation) -> str:
    """Return the place of a ply in the game, as text."""
    return tell(review, "place.round" if one.round else "place", ply=one.ply, round=one.round)


def verdict(review: Annotation, one: PlyValuation) -> str:
    """Return sentences on an error: its cost, the best action, and why it is better."""
    loss, points = percent(review, round(one.loss / TENTH)), figure(review, one.points)
    cost = tell(review, "cost.points" if one.points >= 0.05 else "cost.win", loss=loss, points=points)
    return " ".join(filter(None, [cost, tell(review, "better", what=one.best_label), one.reason]))


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
    first, last = review.spans[one.ply]
    alone = first == last  # the rollouts of a plan start only from its worst ply
    doubt = [tell(review, "rolled.doubt")] if alone and found.at_most * UNIT < CLASSES[-1][2] else []
    lost, error = figure(review, 100 * found.loss, "+"), figure(review, 100 * found.error)
    return " ".join([tell(review, "rolled", lost=lost, error=error, count=found.pairs), *doubt])


def winners(review: Annotation, one: PlyValuation) -> str:
    """Return which seats a chance event helped and hurt most: `+4.2 blue, -3.1 red`."""
    change = one.change
    best, worst = (pick(range(len(change)), key=change.__getitem__) for pick in (max, min))
    return ", ".join(
        tell(review, "winner", size=percent(review, round(change[seat] / TENTH), signed=True), who=review.names[seat])
        for seat in (best, worst)
    )


def who(review: Annotation, one: PlyValuation) -> str:
    """Return the name of the seat that acted, or of chance."""
    return tell(review, "nature") if one.seat == NATURE else review.names[one.seat]


def made_by(review: Annotation) -> str:
    """Return the parameters of the review, which reproduce it."""
    plan = review.plan
    options = ", ".join(f"{name}={value}" for name, value in review.settings.items()) or tell(review, "made.plain")
    limits = {
        "iterations": number(plan.iterations, review.language),
        "seed": str(plan.seed),
        "options": options,
    }
    if plan.viewer is None:
        return tell(review, "made.how", **limits)
    return tell(review, "made.how.viewer", **limits, who=review.names[plan.viewer])


def note(review: Annotation) -> str:
    """Return notes on the figures: how to read them, missing data, and which seat the game favours."""
    floor, idle = percent(review, round(review.floor / TENTH)), sum(one.idle for one in review.figures)
    revaluation = say_text("service", "review.revaluation", language=review.language)
    remarks = [tell(review, "note", floor=floor), tell(review, "note.idle", count=idle), revaluation]
    if review.unrolled:
        remarks.append(tell(review, "note.unrolled", count=review.unrolled))
    if review.favour:
        remarks.append(format_text(review.favour, review.game, review.language))
    return " ".join(remarks)
