"""Imports point only down, and the application knows no wire (docs/architecture.md)."""

import re
from functools import cache
from pathlib import Path

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from tests.packages import ROOT, imports_of, module_of, sources

STUBS = r"clerestory\.v1\b"
ENGINE = r"clerestory\.engine\b"
ABOVE = {"__init__", "games", "record", "scoring", "script", "speed"}  # of engine/; what is left is for every game
COMMON = "|".join(sorted({path.stem for path in (ROOT / "engine").glob("*.p*")} - ABOVE))
COMMON_GROUND = (  # what needs nothing else
    r"clerestory\.(addresses|counting|declared|durations|exports|figures|folders|metadata|pem|percentiles|protojson|refusals|refused|seeds|sizes|spans|texts|turns)\b"
)
ALLOWED: dict[str, str] = {
    "engine": rf"clerestory\.(engine\.({COMMON})|texts)\b",
    "engine/__init__.py": r"clerestory\.exports\b",
    "engine/__init__.pyi": r"clerestory\.engine\.(core|rng|errors|games|record)\b",
    "engine/record.py": r"clerestory\.engine\.(core|errors|games)\b",
    "engine/scoring.py": r"clerestory\.(engine\.(changes|core|games)|texts)\b",
    "engine/script.py": r"clerestory\.engine\.(core|games)\b",
    "engine/games.py": r"clerestory\Z|clerestory\.(engine|texts)\b",
    "engine/toy": rf"clerestory\.(engine\.({COMMON}|toy)|texts)\b",
    "engine/cathedral": rf"clerestory\.(engine\.({COMMON}|cathedral)|texts)\b",
    "engine/duel": rf"clerestory\.(engine\.({COMMON}|duel)|texts)\b",
    "search": (
        rf"clerestory\.(engine\.(clock|core|elementary|errors|integers|rng|tuning|value)\b|search\b)|{COMMON_GROUND}"
    ),
    "search/reasons.py": rf"clerestory\.(engine\.(core|games)\b|figures\b|search\b)|{COMMON_GROUND}",  # names plans
    "arena": (
        rf"clerestory\.(engine\.(clock|core|integers|net|rng|errors|script|tuning|value)\b|search\b|arena\b)|{COMMON_GROUND}"
    ),
    "arena/remote.py": r"clerestory\.(engine\.core|arena\.(errors|revisions)|clients)\b",
    "learn": r"clerestory\.(engine\.(core|rng|errors|net|value|weights)\b|search\b|arena\b|learn\b)",
    "review": rf"clerestory\.(engine\.(colours|core|rng|scoring|tuning|value)\b|search\b|review\b)|{COMMON_GROUND}",
    "review/puzzle.py": rf"clerestory\.(engine\.(core|errors|games)\b|search\b|review\b)|{COMMON_GROUND}",
    "advice": rf"clerestory\.(engine\.(core|errors|rng|tuning)\b|(advice|search|review)\b)|{COMMON_GROUND}",
    "games": rf"clerestory\Z|clerestory\.(advice|games|review|search\.limits)\b|{ENGINE}|{COMMON_GROUND}",
    "lessons": r"clerestory\.(engine\.(core|errors|games|record|rng)|lessons|texts)\b",
    "server": (
        rf"clerestory\Z|clerestory\.(server|advice|games|lessons|search|review)\b|{ENGINE}|{STUBS}|{COMMON_GROUND}"
    ),
    "clients": rf"clerestory\.clients\b|{STUBS}|{COMMON_GROUND}",
    "door": rf"clerestory\.door\b|clerestory\.clients\.connection\b|{STUBS}|{COMMON_GROUND}",
    "texts": r"clerestory\.texts\b",
    "cli": r"clerestory\Z|clerestory\.(?!bench\b)",
    "lab": r"clerestory\b",
    "lab/load": rf"clerestory\.clients\b|{STUBS}|{COMMON_GROUND}",
    "lab/load/strength.py": rf"clerestory\.(clients|arena)\b|{ENGINE}",  # plays
    "lab/load/simulate.py": r"clerestory\.advice\.(policy|demand)\b",  # which is what it simulates
}


def folder_of(path: Path) -> str:
    """The longest folder (or file) that has its own rule."""
    return next(str(one) for one in (path, *path.parents) if str(one) in ALLOWED)


EVERYWHERE = {"src", "tools"}  # what may be imported anywhere, and what may import anything
SOURCES = [path for path in sources() if path.parts[0] not in EVERYWHERE]
MODULES = {*map(module_of, sources())}


@cache
def text_of(path: Path) -> str:
    return (ROOT / path).read_text()


def upward(path: Path, text: str) -> list[str]:
    found = (name for name in imports_of(text, MODULES) if name.startswith("clerestory"))
    return sorted(name for name in found if not re.match(ALLOWED[folder_of(path)], name))


def test_imports_point_down() -> None:
    assert {str(path): found for path in SOURCES if (found := upward(path, text_of(path)))} == {}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("search/x.py", "from clerestory.engine.toy.rules import TOY"),
        ("engine/core.pyx", "from clerestory.search.ismcts import Searcher"),
        ("clients/x.py", "from clerestory.engine import State"),
        ("advice/x.py", "from clerestory.games.kept import ServerGame"),
        ("lab/load/strength.py", "from clerestory.advice.policy import Policy"),
        ("server/x.py", "from clerestory import arena"),
    ],
)
def test_an_upward_import_is_caught(path: str, line: str) -> None:
    assert upward(Path(path), line)


ARROW = re.compile(r"^(\w+) ─+► ([\w.]+(?:, [\w.]+)*)", re.MULTILINE)
ANYWHERE = {"texts", *(path.stem for path in sources() if path.parts[:-1] == ("src", "clerestory"))}


def drawn() -> dict[str, set[str]]:
    page = (ROOT / "docs" / "architecture.md").read_text().partition("\n## ")[0].replace("stubs", "v1")
    return {room: {name.partition(".")[0] for name in names.split(", ")} for room, names in ARROW.findall(page)}


def imported(room: str) -> set[str]:
    texts = [text_of(path) for path in SOURCES if path.parts[0] == room]
    names = {name for text in texts for name in imports_of(text, MODULES) if name.startswith("clerestory.")}
    return {name.split(".")[1] for name in names} - ANYWHERE - {room}


def test_the_picture_of_the_page_has_every_arrow() -> None:
    rooms = {path.parts[0] for path in SOURCES} - {"engine", "texts", "cli", "lab"}
    assert drawn() == {room: imported(room) for room in rooms}


def test_shipped_code_does_not_import_lab_tools_or_tests() -> None:
    needs = re.compile(r"^\s*(?:from|import)\s+(?:tools|lab|tests)\b", re.MULTILINE)
    shipped = [path for path in SOURCES if path.parts[0] != "lab" or path.parts[1] == "bench"]
    assert [path for path in shipped if needs.search(text_of(path))] == []


WIRE = re.compile(r"^\s*(?:from|import)\s+(?:grpc|google|structlog)\b", re.MULTILINE)
APART = {"engine", "search", "arena", "review", "advice", "games", "lessons", "learn"}


def test_the_application_knows_no_wire() -> None:
    wired = {path for path in SOURCES if WIRE.search(text_of(path))}
    assert Path("server/errors.py") in wired
    assert {path for path in wired if path.parts[0] in APART} == set()


GAME = re.compile(r"cathedral|duel|pillars", re.IGNORECASE)


def named_games(path: Path) -> list[str]:
    return [line for line in text_of(path).splitlines() if GAME.search(line)]


GENERAL = {"search", "arena", "learn", "review", "advice", "games", "server"}
NAMELESS = [path for path in SOURCES if path.parts[0] in GENERAL]


def test_no_game_is_named() -> None:
    """To these modules a game is a table of functions, and a message found by the name of its field."""
    assert {str(path): found for path in NAMELESS if (found := named_games(path))} == {}
    assert named_games(Path("engine/games.py"))


def fields_of(game: Game) -> set[str]:
    (position,) = (fields for name, fields in game.new(game.seats[0], 0).to_position().items() if name == game.name)
    return {*position, *position["players"][0], *(game.cards() if game.catalogue else ())}


FIELDS = [fields_of(game) for game in GAMES.values()]
# Words that mean something else in general modules: a value, a mark of a log, a class of a drawing, a metric.
ORDINARY = {"drawn", "event", "grid", "hand", "passed", "played", "points", "start", "waiting", "workers"}
OWN = {name for fields in FIELDS for name in fields if sum(name in others for others in FIELDS) == 1} - ORDINARY
QUOTED = re.compile(r"""["'](\w+)["']""")


def own_fields(path: Path) -> list[str]:
    return [line for line in text_of(path).splitlines() if OWN & set(QUOTED.findall(line))]


def test_no_game_is_recognized_by_a_field() -> None:
    assert {str(path): found for path in NAMELESS if (found := own_fields(path))} == {}
    assert own_fields(Path("engine/cathedral/script.py"))


def test_only_translations_see_protobuf_and_engine_together() -> None:
    texts = {path.name: text_of(path) for path in SOURCES if path.parts[0] == "server"}
    both = [name for name, text in texts.items() if re.search(STUBS, text) and re.search(ENGINE, text)]
    assert [name for name in both if not name.startswith("translate")] == []
