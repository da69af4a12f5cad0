"""Measures the curves of docs/benchmarks.md: figures by offered load, with a fresh server for each point.

`python -m loadtest.curve` measures 0.1x to 20x capacity (five and a half minutes), writes `docs/pictures/load-*.svg`
and the rows in `docs/pictures/load.json`, and prints a table in Markdown; `--draw` only redraws the rows already there.
"""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import matplotlib.pyplot as plt
import typer
from matplotlib.axes import Axes

from clerestory.v1.position_pb2 import Position
from loadtest.corpus import positions
from loadtest.figures import in_time, summary
from loadtest.openloop import Load, offer
from loadtest.options import read_numbers
from loadtest.server import own_server

LOADS = (0.1, 0.25, 0.5, 1, 2, 3, 5, 7, 10, 20)  # multiples of the capacity
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
COLUMNS = (
    "capacity",
    "calls",
    "rejected",
    "of answers late by > 5 ms",
    "> 20 ms",
    "lateness p50 / p99 / max, ms",
    "rejected after p99, ms",
    "iterations/s",
    "first hint p50, ms",
    "health p99, ms",
    "memory, MiB",
    "lost",
)
CurveRow = dict[str, Any]


def measure(loads: tuple[float, ...], seconds: float, workers: int, seed: int, serve: str) -> list[CurveRow]:
    """Return the figures at each load."""
    rows, corpus = [], list[Position]()
    for capacity in loads:
        with own_server("--workers", str(workers), *serve.split()) as server:
            corpus = corpus or positions(server.target)
            load = Load([(capacity, seconds)], seed=seed)
            run = asyncio.run(offer(server.target, workers, corpus, load, server.pid))
        rows.append({"capacity": capacity, **summary(run)})
        typer.echo(f"{capacity:g}x: {rows[-1]['answered']} answered, {rows[-1]['rejected']} rejected", err=True)
    return rows


def table(rows: list[CurveRow]) -> str:
    """Return the figures in Markdown."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    for row in rows:
        late = row["late_ms"]
        cells = [
            f"{row['capacity']:g}x",
            f"{row['calls']}",
            f"{row['rejected_share']:.1%}",
            f"{row['late_over_5_ms']:.1%}",
            f"{row['late_over_20_ms']:.1%}",
            f"{late['p50']:.1f} / {late['p99']:.1f} / {late['max']:.1f}",
            f"{row['rejected_after_ms']['p99']:.1f}" if row["rejected"] else "-",
            f"{row['iterations_per_s']:,}",
            f"{row['first_hint_ms']['p50']:.0f}",
            f"{row['health_ms']['p99']:.1f}",
            f"{row['rss_mib']['max']:.0f}",
            f"{row['lost']}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(rows: list[CurveRow], folder: Path) -> None:
    """Draw the charts of lateness and of throughput."""
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "load", "font.size": 9, "axes.grid": True})
    figure, (hit, late) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    line(hit, rows, "answered within the budget + 5 ms", in_time)
    line(hit, rows, "rejected", lambda row: row["rejected_share"])
    hit.set(ylim=(-0.03, 1.03), title="share of calls")
    for name in ("p50", "p95", "p99", "max"):
        line(late, rows, name, lambda row, name=name: max(row["late_ms"][name], 0.0))
    late.set(title="lateness after the budget, ms")
    save(figure, (hit, late), folder / "load-lateness.svg")
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.9), layout="constrained")
    line(axes[0], rows, "iterations/s", lambda row: row["iterations_per_s"])
    line(axes[1], rows, "p50", lambda row: row["first_hint_ms"]["p50"])
    line(axes[1], rows, "p99", lambda row: row["first_hint_ms"]["p99"])
    line(axes[2], rows, "resident", lambda row: row["rss_mib"]["max"])
    for one, title in zip(axes, ("iterations/s, all searches", "first hint after, ms", "memory, MiB"), strict=True):
        one.set(title=title)
        one.set_ylim(bottom=0)
    save(figure, tuple(axes), folder / "load-work.svg")


def line(axes: Axes, rows: list[CurveRow], label: str, value: Any) -> None:
    """Draw one figure against the load."""
    axes.plot([row["capacity"] for row in rows], [value(row) for row in rows], marker="o", ms=3, label=label)


def save(figure: Any, all_axes: tuple[Axes, ...], path: Path) -> None:
    """Write a picture whose axes all show the load."""
    for axes in all_axes:
        axes.set(xscale="log", xlabel="offered load, multiples of capacity")
        axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(
    seconds: Annotated[float, typer.Option(help="Length of each point.")] = 30.0,
    loads: Annotated[str, typer.Option(help="Multiples of the capacity.")] = ",".join(map(str, LOADS)),
    workers: Annotated[int, typer.Option(help="Of the server.")] = 2,
    seed: Annotated[int, typer.Option(help="Of all luck.")] = 1,
    serve: Annotated[str, typer.Option(help="More options for the server.")] = "",
    folder: Annotated[Path, typer.Option(help="Where pictures and rows are written.")] = PICTURES,
    draw_only: Annotated[bool, typer.Option("--draw", help="Measure nothing; draw the rows that are there.")] = False,
) -> None:
    """Measure, draw, and print a table."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "load.json"
    if draw_only:
        rows: list[CurveRow] = json.loads(path.read_text())
    else:
        multiples = tuple(read_numbers(loads, float))
        rows = measure(multiples, seconds, workers, seed, serve)
        path.write_text(json.dumps(rows, indent=1) + "\n")
    draw(rows, folder)
    typer.echo(table(rows))


if __name__ == "__main__":
    typer.run(main)
