"""The report of a learning run: one page without scripts, with tables and curves of every generation."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from clerestory.search.training.charts import Curve, chart

GenerationRecord = Mapping[str, Any]  # of a generation, as returned by `loop.record_of`

STYLE = """
:root { color-scheme: light dark; --ink: #1d2025; --paper: #fdfcf9; --soft: #6b7078; --rule: #d9d7d0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --paper: #17191d; --soft: #9aa0a8; --rule: #34383f } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
body { margin: 2rem auto; padding: 0 1rem; max-width: 70rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem } p { color: var(--soft); max-width: 46rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } .wide { overflow-x: auto }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left } th { font-weight: 600 }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); gap: 1.5rem }
svg { width: 100%; height: auto } svg text { fill: var(--ink); font-size: 12px }
svg .tick { fill: var(--soft); font-size: 11px } svg .title { font-size: 13px; font-weight: 600 }
svg .title, svg .middle { text-anchor: middle } svg .end { text-anchor: end }
.axis { stroke: var(--soft) } .grid { stroke: var(--rule) } .curve { fill: none; stroke-width: 1.8 }
.curve.plain { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 3 }
.c0 { stroke: #2f6fb0 } .c1 { stroke: #c4622d } .c2 { stroke: #3d8b57 } .c3 { stroke: #8a58a8 } .c4 { stroke: #b08a1f }
.c5 { stroke: #c0436b } .c6 { stroke: #4a9aa5 } .c7 { stroke: #7a6652 } .mark { fill: var(--paper); stroke-width: 1.8 }
"""
MATCHES = (
    "Of each candidate, in one seat, against the others; every interval is of 95 %, over deals. In a match that its "
    "test decided, H0 or H1, it is too narrow, and the figures flatter the side that won."
)
HELD_OUT = "Every sixth game of a generation is held out; these are the figures on half of those."

PRIORS = (
    "How well the guide's weights, and these times the learned factors, foresee the visits of full searches in all "
    "held-out games: how often the highest prior is that of a most visited action, and cross-entropy in nats."
)


def page(header: Mapping[str, Any], records: Sequence[GenerationRecord]) -> str:
    """Return the report as HTML.

    Args:
        header: header of the plan.
        records: records of the generations, in order.
    """
    title = f"Learning {header['game']}: {len(records)} generation{'s' * (len(records) != 1)}"
    cards = f", cards {header['catalogue']}" if header["catalogue"] else ""
    source = (
        f"Rules of revision {header['rules_revision']}{cards}, features {header['features']}, seed {header['seed']}."
    )
    charts = [*gates(records), *held_out(records), *reliability(records[-1]), losses(records)] if records else []
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
            f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>',
            f"<h1>{escape(title)}</h1><p>{escape(source)}</p>",
            *section("Matches", MATCHES, table(MATCH, match_rows(records))),
            *section("Held-out games", HELD_OUT, table(HELD, held_rows(records))),
            *section("Priors", PRIORS, table(PRIOR, prior_rows(records))),
            '<h2>Curves</h2><div class="charts">',
            *charts,
            "</div></body></html>",
        ]
    )


def section(title: str, text: str, content: str) -> Iterable[str]:
    """Return a section: heading, text and content."""
    return f"<h2>{title}</h2><p>{text}</p>", f'<div class="wide">{content}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    cells = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>{''.join(cells)}</table>"


# -- tables ----------------------------------------------------------------------------------------

MATCH = ("generation", "players", "against", "a move", "games", "score share", "even", "Elo", "test", "passed")
HELD = ("generation", "players", "positions", "R2 of margins", "log loss", "Brier", "calibration error", "order")

PRIOR = (
    "generation", "players", "decisions",
    "guide: most visited", "cross-entropy", "learned: most visited", "cross-entropy",
)  # fmt: skip


def match_rows(records: Sequence[GenerationRecord]) -> Iterable[Sequence[str]]:
    """Return a row for every match of a gate."""
    for record in records:
        for match in record["gate"]["matches"]:
            score, elo = match["score"], match["elo"]
            yield (
                str(record["generation"]), str(match["seats"]), opponent(match), match["budget"], str(match["games"]),
                f"{score['mean']:.1%} [{score['low']:.1%}, {score['high']:.1%}]", f"{1 / match['seats']:.1%}",
                f"{elo['mean']:+.0f} [{elo['low']:+.0f}, {elo['high']:+.0f}]", match["verdict"],
                "yes" if match["passed"] else "no",
            )  # fmt: skip


def opponent(match: Mapping[str, Any]) -> str:
    """Return the name of the candidate's opponent, without paths."""
    text: str = match["opponent"]
    return "the value before" if "value=" in text else text


def held_rows(records: Sequence[GenerationRecord]) -> Iterable[Sequence[str]]:
    """Return a row for every generation and number of players."""
    for record in records:
        for seats, found in record["held_out"].items():
            yield (
                str(record["generation"]), seats, f"{found['positions']:,}", f"{found['r2']:.3f}",
                f"{found['log_loss']:.3f}", f"{found['brier']:.3f}", f"{found['ece']:.3f}",
                f"{found['order']['odds']:.2f}",
            )  # fmt: skip


def prior_rows(records: Sequence[GenerationRecord]) -> Iterable[Sequence[str]]:
    """Return a row for every generation and number of players; older generations have no priors."""
    for record in records:
        for seats, found in record.get("priors", {}).items():
            guide, learned = found["guide"], found["learned"]
            yield (
                str(record["generation"]), seats, f"{found['decisions']:,}",
                f"{guide['top1']:.1%}", f"{guide['cross_entropy']:.3f}",
                f"{learned['top1']:.1%}", f"{learned['cross_entropy']:.3f}",
            )  # fmt: skip


# -- curves ----------------------------------------------------------------------------------------


def gates(records: Sequence[GenerationRecord]) -> Iterable[str]:
    """Return a chart of Elo over each opponent, by generation."""
    found: dict[str, dict[str, list[tuple[int, Mapping[str, float]]]]] = {}
    for record in records:
        for match in record["gate"]["matches"]:
            curves = found.setdefault(opponent(match), {})
            curves.setdefault(f"{match['seats']}p, {match['budget']}", []).append((record["generation"], match["elo"]))
    for against, curves in found.items():
        drawn = [
            Curve(name, [(x, elo["mean"]) for x, elo in row], [(elo["low"], min(elo["high"], 1000)) for _, elo in row])
            for name, row in curves.items()
        ]
        yield chart(f"Elo over {against}", "generation", "Elo", drawn, whole=True)


def held_out(records: Sequence[GenerationRecord]) -> Iterable[str]:
    """Return a chart of the log loss by round for each number of players."""
    for seats in records[-1]["held_out"]:
        curves = [
            Curve(f"generation {record['generation']}", by_round(record["held_out"][seats]))
            for record in records
            if seats in record["held_out"]
        ]
        yield chart(f"Log loss of held-out win shares, {seats} players", "round", "nats", curves, whole=True)


def by_round(found: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return the log loss by round."""
    return [(float(number), figures["log_loss"]) for number, figures in found["rounds"].items()]


def reliability(record: GenerationRecord) -> Iterable[str]:
    """Return a chart of actual wins over predicted win shares."""
    curves = [
        Curve(f"{seats} players", [(row["said"], row["won"]) for row in found["reliability"]])
        for seats, found in record["held_out"].items()
    ]
    yield chart(
        "Win shares of held-out games", "said", "won", [*curves, Curve("as said", [(0, 0), (1, 1)], plain=True)]
    )


def losses(records: Sequence[GenerationRecord]) -> str:
    """Return the loss by epoch."""
    curves = [Curve(f"generation {record['generation']}", list(enumerate(record["losses"], 1))) for record in records]
    return chart("Loss of the fit", "epoch", "mean loss", curves, whole=True)
