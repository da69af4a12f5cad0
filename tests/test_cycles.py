"""No module needs itself, not even inside its functions: .pyx, .pxd and .py of one name are one module."""

import re
from collections import defaultdict
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = r"\([^)]*\)|[^\n#]*"
IMPORT = re.compile(rf"^ *(?:from (clerestory[\w.]*) c?import ({NAMES})|c?import (clerestory[\w.]*))", re.MULTILINE)
ROOMS = (
    "engine",
    "search",
    "arena",
    "learn",
    "review",
    "advice",
    "games",
    "server",
    "clients",
    "door",
    "texts",
    "cli",
    "lab",
)

Graph = Mapping[str, set[str]]


def sources() -> dict[str, list[str]]:
    """The texts of each module, by its dotted name."""
    found = defaultdict(list)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.p*"):
            if path.suffix in {".py", ".pyx", ".pxd"}:
                found[".".join(("clerestory", *path.relative_to(ROOT).with_suffix("").parts))].append(path.read_text())
    return found


def needs_of(text: str, modules: set[str]) -> set[str]:
    """The modules that a text imports: `from package import module` names one, too."""
    needs = set()
    for origin, names, whole in IMPORT.findall(text):
        inside = {f"{origin}.{name}" for name in re.findall(r"\w+", names)} & modules
        needs |= inside or {origin or whole} & modules
    return needs


def graph_of(texts: Mapping[str, list[str]]) -> Graph:
    """What each of some modules needs of the others."""
    return {name: {need for text in own for need in needs_of(text, set(texts))} - {name} for name, own in texts.items()}


def cycle_in(graph: Graph) -> list[str]:
    """The modules of a cycle, the first one again at its end; none without one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_needs_itself() -> None:
    graph = graph_of(sources())
    assert {
        "clerestory.engine.core",
        "clerestory.engine.duel.tables",
        "clerestory.search.proof",
        "clerestory.games.kept",
    } < graph.keys()
    assert cycle_in(graph) == []


@pytest.mark.parametrize(
    "line",
    [
        "from clerestory.b cimport *",
        "from clerestory.b import x  # why",
        "from clerestory cimport b",
        "from clerestory.b cimport (\n    x,\n)",
        "cimport clerestory.b",
        "    from clerestory.b import x",
    ],
)
def test_a_cycle_is_found(line: str) -> None:
    graph = graph_of({"clerestory.a": ["", line], "clerestory.b": ["from clerestory.a import y"]})
    assert set(cycle_in(graph)) == {"clerestory.a", "clerestory.b"}
