"""No module imports itself indirectly, even inside functions: .pyx, .pxd and .py of one name are one module."""

from collections import defaultdict
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.packages import ROOT, imports_of, module_of, sources

Graph = Mapping[str, set[str]]


def texts_by_module() -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in sources():
        if path.suffix != ".pyi":
            found[module_of(path)].append((ROOT / path).read_text())
    return found


def graph_of(texts: Mapping[str, list[str]]) -> Graph:
    return {
        name: {need for text in own for need in imports_of(text, texts.keys()) if need in texts} - {name}
        for name, own in texts.items()
    }


def cycle_in(graph: Graph) -> list[str]:
    """Return the modules of a cycle, with the first one repeated at its end; none without a cycle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_needs_itself() -> None:
    graph = graph_of(texts_by_module())
    assert {
        "clerestory.engine.core",
        "clerestory.search.loop.proof",
        "clerestory.i18n",
        "loadtest.server",
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
        "from clerestory import __version__, b",
        "from clerestory import b as c",
    ],
)
def test_a_cycle_is_found(line: str) -> None:
    graph = graph_of({"clerestory.a": ["", line], "clerestory.b": ["from clerestory.a import y"]})
    assert set(cycle_in(graph)) == {"clerestory.a", "clerestory.b"}


def test_a_cycle_through_a_package_is_found() -> None:
    package, inner = module_of(Path("common/i18n/__init__.py")), module_of(Path("common/i18n/files.py"))
    graph = graph_of({package: ["from clerestory.i18n.files import x"], inner: ["from clerestory.i18n import y"]})
    assert set(cycle_in(graph)) == {"clerestory.i18n", "clerestory.i18n.files"}
