"""Imports only point down, and the application does not know the wire formats (docs/architecture.md)."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from tests.packages import FOLDERS, ROOMS, ROOT, SUFFIXES, folder_of, imports_of, module_of, sources

STUBS = r"clerestory\.v1\b"
ENGINE = r"clerestory\.engine\b"
IMPORTS = {room["folder"]: room["imports"] for room in ROOMS}
ORDER = [*FOLDERS]
ANYWHERE = {"common", "common/i18n"}
SOURCES = [path for path in sources() if str(folder_of(path)) in FOLDERS]
MODULES = {*map(module_of, sources())}


@cache
def text_of(path: Path) -> str:
    return (ROOT / path).read_text()


def room_of(module: str) -> str:
    """Return the folder of one of our modules; "" for the stubs, which are generated."""
    packages = {name: folder for folder, name in FOLDERS.items() if not folder.endswith(".py")}
    names = [name for name in packages if f"{module}.".startswith(f"{name}.")]
    return "" if f"{module}.".startswith("clerestory.v1.") else packages[max(names, key=len)]


def is_allowed(module: str, importer: str) -> bool:
    """Whether a folder may import a module."""
    room = room_of(module)
    if room in {importer, *ANYWHERE}:
        return True
    for name in IMPORTS[importer]:
        if name == "*" and room in {"", *ORDER[: ORDER.index(importer)]}:
            return True
        if f"{module}.".startswith(f"clerestory.{name}.") and room in {"", room_of(f"clerestory.{name}")}:
            return True
    return False


def upward(path: Path, text: str) -> list[str]:
    found = (name for name in imports_of(text, MODULES) if name.startswith("clerestory"))
    return sorted(name for name in found if not is_allowed(name, str(folder_of(path))))


def test_imports_point_down() -> None:
    assert {str(path): found for path in SOURCES if (found := upward(path, text_of(path)))} == {}
    assert upward(Path("server/games/x.py"), "from clerestory import __version__, server")


def test_rooms_are_listed_from_the_lowest() -> None:
    order = [FOLDERS[folder] for folder in ORDER]
    above = {
        folder: name
        for place, folder in enumerate(ORDER)
        for name in IMPORTS[folder]
        if name not in {"*", "v1"} and not any(f"clerestory.{name}.".startswith(f"{low}.") for low in order[:place])
    }
    assert above == {}


ARROW = re.compile(r"^([\w/]+) ─+► ([\w./*]+(?:, [\w./*]+)*)$", re.MULTILINE)


def group_of(folder: str) -> str:
    """Return the folder of the picture that a folder is in."""
    parts = Path(folder).parts
    return "/".join(parts[:2] if parts[0] in {"clients", "tools"} else parts[:1])


def test_the_picture_of_the_page_has_every_arrow() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text().partition("\n## ")[0]
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for folder, names in IMPORTS.items():
        groups[group_of(folder)] |= {
            name if name in {"*", "v1"} else group_of(room_of(f"clerestory.{name}")) for name in names
        }
    listed = {group: {"*"} if "*" in names else names - {group} for group, names in groups.items() if group != "common"}
    drawn = {group: set(names.split(", ")) for group, names in ARROW.findall(page)}
    assert list(drawn.items()) == [(group, names) for group, names in listed.items() if names]


def test_shipped_code_does_not_import_tools_or_tests() -> None:
    needs = re.compile(r"^\s*(?:from|import)\s+(?:tools|loadtest|tests)\b", re.MULTILINE)
    assert [path for path in SOURCES if needs.search(text_of(path)) and not is_in(path, ["loadtest"])] == []


def test_the_source_distribution_has_every_shipped_folder() -> None:
    lines = (ROOT / "MANIFEST.in").read_text().splitlines()
    grafted = [line.removeprefix("graft ") for line in lines if line.startswith("graft ")]
    folders = [room["folder"] for room in ROOMS if room.get("shipped", True)]
    assert [folder for folder in folders if not is_in(Path(folder), grafted)] == []


MOST_MODULES = 25  # in a folder
CROWDED = {"clients/cli": 31}  # one module for each subject of the command line


def test_no_folder_is_crowded() -> None:
    """A .pyx with its .pxd, .pyi and .h is one module."""
    tops = {Path(folder).parts[0] for folder in (*FOLDERS, "tools")}
    files = {path.relative_to(ROOT) for top in tops for kind in ("p*", "h") for path in (ROOT / top).rglob(f"*.{kind}")}
    code = {path for path in files if path.suffix in SUFFIXES | {".h"} and "node_modules" not in path.parts}
    sizes = Counter(str(path.parent) for path in {path.with_suffix("") for path in code})
    assert {folder: size for folder, size in sizes.items() if size > CROWDED.get(folder, MOST_MODULES)} == {}
    assert sizes["engine"] > 9


WIRE = re.compile(r"^\s*(?:from|import)\s+(?:grpc|google|structlog)\b", re.MULTILINE)
APART = ("engine", "search", "server/analysis", "server/games", "server/notices", "server/lessons")


def is_in(path: Path, folders: Collection[str]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def test_the_application_knows_no_wire() -> None:
    wired = {path for path in SOURCES if WIRE.search(text_of(path))}
    assert Path("server/rpc/errors.py") in wired
    assert {path for path in wired if is_in(path, APART)} == set()


GAME = re.compile(r"cathedral|duel|pillars", re.IGNORECASE)


def named_games(path: Path) -> list[str]:
    return [line for line in text_of(path).splitlines() if GAME.search(line)]


GENERAL = ("search", "server/analysis", "server/games", "server/rpc")
NAMELESS = [path for path in SOURCES if is_in(path, GENERAL) or path.parent == Path("server")]


def test_no_game_is_named() -> None:
    """To these modules a game is a table of functions, and a message found by the name of its field."""
    assert {str(path): found for path in NAMELESS if (found := named_games(path))} == {}
    assert named_games(Path("engine/games.py"))


def fields_of(game: Game) -> set[str]:
    (position,) = (fields for name, fields in game.new(game.seats[0], 0).to_position().items() if name == game.name)
    return {*position, *position["players"][0], *(game.cards() if game.catalogue else ())}


FIELDS = [fields_of(game) for game in GAMES.values()]
# Words with another meaning in general modules: a value, a mark of a log, a class of a drawing, a metric.
ORDINARY = {"drawn", "event", "grid", "hand", "passed", "played", "points", "start", "waiting", "workers"}
OWN = {name for fields in FIELDS for name in fields if sum(name in others for others in FIELDS) == 1} - ORDINARY
QUOTED = re.compile(r"""["'](\w+)["']""")


def own_fields(path: Path) -> list[str]:
    return [line for line in text_of(path).splitlines() if OWN & set(QUOTED.findall(line))]


def test_no_game_is_recognized_by_a_field() -> None:
    assert {str(path): found for path in NAMELESS if (found := own_fields(path))} == {}
    assert own_fields(Path("engine/cathedral/script.py"))


def test_only_translations_see_protobuf_and_engine_together() -> None:
    texts = {path.name: text_of(path) for path in SOURCES if is_in(path, ["server/rpc"])}
    both = [name for name, text in texts.items() if re.search(STUBS, text) and re.search(ENGINE, text)]
    assert [name for name in both if not name.startswith("translate")] == []


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
    assert {"clerestory.engine.core", "clerestory.search.loop.proof", "clerestory.i18n"} < graph.keys()
    assert cycle_in(graph) == []
    assert cycle_in(graph_of({"clerestory.a": ["from clerestory cimport b"], "clerestory.b": ["cimport clerestory.a"]}))
