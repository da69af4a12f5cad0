"""Facts as data, found.json, and the tables of docs/strategy.md, which are made from them.

A table of the document follows a comment with its name, `<!-- facts: NAME -->`, and optional words: of facts about
actions the figure (`win`, `points`, `chosen`), and the numbers of players to show (`2 3 4`). The table `maxims` has
what players say, of maxims.toml, with the facts that decide about it.
"""

import json
import re
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tools.lab.facts.figures import Figure
from tools.lab.facts.games import EACH, FIRST_SEED, ITERATIONS, SPARSE, Table
from tools.lab.facts.measures import KINDS, NAMES, OF_ACTIONS, Items, measure, natural

DOCUMENT = Path("docs/strategy.md")
FOUND = Path(__file__).with_name("found.json")
MARK = re.compile(r"(<!-- facts: (?P<name>[\w ]+) -->\n)\n(?:\|.*\n)*")
MAXIMS = Path(__file__).with_name("maxims.toml")
DECIMALS = {"leader": 0, "luck": 0, "luck_saved": 0, "length": 0, "goods_in_points": 2}  # else 1
PAGE_MODULE = Path("clients/web/src/path/found.ts")
ON_PAGE = {  # questions of the page, by the keys of their texts
    "first": "seats win: seat 0",
    "leader": "leader win: after round 3",
    "luck": "luck win: all",
    "waiting": "passing win: at 7 gold",
    "mill": "mill win: round 1",
    "gold": "goods win: gold, round 2",
    "metal": "goods win: metal, round 2",
    "architect": "craftsmen win: hire architect_2",
}
BOARD_GAME = ("2 players", "3 players", "4 players")

Facts = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]  # by fact, table and item


def titled(table: Table) -> str:
    """Return the heading of a game and number of players."""
    return f"{table.seats} players" if table.game == "cathedral" else "card game"


def printed(name: str, stored: Sequence[Table]) -> str:
    """Return a fact as a table."""
    shown = [(titled(table), measure(name, table)) for table in stored]
    return "".join(markdown({title: as_data(items) for title, items in shown}, DECIMALS.get(name, 1)))


def as_data(items: Items) -> dict[str, list[float]]:
    """Return figures as rounded numbers."""
    return {item: [round(number, 4) for number in astuple(found)] for item, found in items.items()}


def store(stored: Sequence[Table], games: int) -> None:
    """Write all facts, with how they were measured."""
    wanted = [(name, kind) for name in NAMES for kind in (KINDS if name in OF_ACTIONS else ["win"])]
    facts = {
        f"{name} {kind}": {titled(table): as_data(measure(name, table, kind)) for table in stored}
        for name, kind in wanted
    }
    about = {
        "command": f"python -m tools.lab.facts write --games {games}",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "games": {titled(table): len(table.rows) for table in stored},
        "first_seed": FIRST_SEED,
        "iterations": ITERATIONS,
        "iterations_per_compared_action": EACH,
        "compared_decisions": f"1 in {SPARSE}",
    }
    text = json.dumps({"about": about, "facts": facts}, indent=1)
    FOUND.write_text(re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n")


def read_found() -> Mapping[str, Any]:
    """Return the stored facts."""
    found: Mapping[str, Any] = json.loads(FOUND.read_text("utf-8"))
    return found


def filled(document: str, found: Mapping[str, Any]) -> str:
    """Return a document with its tables made from the facts."""
    return MARK.sub(lambda mark: f"{mark[1]}\n{table_of(mark['name'].split(), found['facts'])}", document)


def table_of(words: Sequence[str], facts: Facts) -> str:
    """Return the table for the words of a comment."""
    name, *rest = words
    if name == "maxims":
        return "".join(maxims(facts))
    columns = facts[f"{name} {next((word for word in rest if word in KINDS), 'win')}"]
    if seats := [f"{word} players" for word in rest if word.isdigit()]:
        columns = {title: items for title, items in columns.items() if title in seats}
    return "".join(markdown(columns, DECIMALS.get(name, 1)))


def maxims(facts: Facts) -> list[str]:
    """Return the lines of the table of what players say."""
    rows = tomllib.loads(MAXIMS.read_text("utf-8"))["maxim"]
    head = ["| players say | source | verdict | worth, for 2, 3 and 4 players |\n", "| -- | -- | -- | -- |\n"]
    return head + [
        f"| {row['says']} | {row['source']} | {row['verdict']} | {worth_of(row['facts'], facts)} |\n" for row in rows
    ]


def worth_of(references: Sequence[str], facts: Facts) -> str:
    """Return the figures of several items."""
    return "; ".join(quoted(one, facts) for one in references)


def quoted(reference: str, facts: Facts) -> str:
    """Return the figures of an item, given as `NAME KIND: ITEM`, for each number of players of the board game."""
    name, _, item = reference.partition(": ")
    found = facts[name]
    decimals = DECIMALS.get(name.split()[0], 1)
    shown = [cell(found.get(title, {}).get(item), decimals) or "-" for title in BOARD_GAME]
    return f"{item}: {', '.join(shown)}"


def markdown(columns: Mapping[str, Mapping[str, Sequence[float]]], decimals: int) -> list[str]:
    """Return the lines of a table: items by game and number of players."""
    columns = {title: items for title, items in columns.items() if items}
    items = sorted({item for found in columns.values() for item in found}, key=natural)
    rows = [
        f"| {item} | {' | '.join(cell(found.get(item), decimals) for found in columns.values())} |\n" for item in items
    ]
    return [f"|  | {' | '.join(columns)} |\n", f"| -- |{' -- |' * len(columns)}\n", *rows] if columns else []


def cell(numbers: Sequence[float] | None, decimals: int) -> str:
    """Return a figure with its interval; "" if there is none."""
    if numbers is None:
        return ""
    found = Figure(numbers[0], numbers[1], numbers[2], int(numbers[3]))
    return f"{found.mean:.{decimals}f} [{found.low:.{decimals}f}, {found.high:.{decimals}f}]"


# -- the page ----------------------------------------------------------------------------------------


def page_module(facts: Facts) -> str:
    """Return the module of the page with the figures of its questions, for 2, 3 and 4 players."""
    rows = [f"  {name}: {page_figures(reference, facts)},\n" for name, reference in ON_PAGE.items()]
    return (
        "// Written by `python -m tools.lab.facts write`: mean and 95 % interval of each answer, by players.\n\n"
        f"export const FOUND = {{\n{''.join(rows)}}} as const;\n"
    )


def page_figures(reference: str, facts: Facts) -> str:
    """Return the figures of an item, given as `NAME KIND: ITEM`, as a literal; [] if it was not measured everywhere."""
    name, _, item = reference.partition(": ")
    found = [facts[name].get(title, {}).get(item) for title in BOARD_GAME]
    if not all(found):
        return "[]"
    rows = [[round(number, 1) for number in numbers[:3]] for numbers in found if numbers]
    lines = "".join(f"    {json.dumps(row)},\n" for row in rows)
    return f"[\n{lines}  ]"
