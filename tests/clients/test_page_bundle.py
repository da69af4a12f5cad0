"""The built page: small, complete, and without traces of the build machine."""

import gzip
import json
import re
from pathlib import Path

import pytest

from clerestory.i18n.languages import LANGUAGES

WEB = Path(__file__).parents[2] / "clients" / "web"
DIST = WEB / "dist"
LIMIT = 80_000  # compressed bytes of the first load, with the texts of one language
LANGUAGE = 15_500  # compressed bytes of another language: all of its files, for any opened screens
ART = ("pictures-*.js", "hero-*.js", "faces-*.js")  # loaded after the first screen
ART_LIMIT = 60_000  # compressed bytes of all drawings
STATIC = re.compile(r'(?:import|from)\s*"\./([\w-]+\.js)"')
NAMED = re.compile(r'(?:src|href)="/(assets/[\w-]+\.\w+|icon\.svg)"')


def first_load() -> set[Path]:
    """Return the files needed for the lobby in any language: those named by the index, and their static imports."""
    wanted = [DIST / name for name in NAMED.findall((DIST / "index.html").read_text())]
    found = {DIST / "index.html"}
    while wanted:
        path = wanted.pop()
        if path not in found:
            found.add(path)
            wanted += [path.parent / name for name in STATIC.findall(path.read_text())]
    return found


def packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_load_and_each_further_language_are_small(language: str) -> None:
    lobby = {next(DIST.glob(f"assets/lobby-{part}-*.js")) for part in ("keys", language)}
    assert not lobby & first_load()  # only the current language is loaded
    sizes = {path.name: packed(path) for path in {*first_load(), *lobby}}
    assert sum(sizes.values()) <= LIMIT, sizes
    sizes = {path.name: packed(path) for path in DIST.glob(f"assets/*-{language}-*.js")}  # the keys are there already
    assert {name.partition("-")[0] for name in sizes} == {"lobby", "table", "box", "edit"}
    assert sum(sizes.values()) <= LANGUAGE, sizes


def test_the_first_load_leaves_out_what_is_seldom_wanted_and_the_art_is_small() -> None:
    # Scripts, styles, texts, and the art.
    for what in ("study-*.js", "help-*.js", "screens-*.css", "table-*.js", *ART):
        later = set(DIST.glob(f"assets/{what}"))
        assert later
        assert not later & first_load()
    paths = {path for pattern in ART for path in DIST.glob(f"assets/{pattern}")}
    assert len(paths) == len(ART)
    assert sum(map(packed, paths)) <= ART_LIMIT


def test_the_index_names_files_that_are_there_and_nothing_is_loaded_from_elsewhere() -> None:
    named = NAMED.findall((DIST / "index.html").read_text())
    assert {Path(name).suffix for name in named} == {".js", ".css", ".svg"}
    assert [name for name in named if not (DIST / name).is_file()] == []
    texts = {path.name: path.read_text() for path in DIST.rglob("*") if path.is_file()}
    style = "".join(text for name, text in texts.items() if name.endswith((".css", ".html")))
    assert not re.search(r"https?://|@import|url\(", style)


def test_every_tool_is_locked_by_its_hash_and_may_be_used_as_it_is_licensed() -> None:
    for name in ("package.json", "package-lock.json", ".npmrc"):
        assert "://" not in (WEB / name).read_text(), name
    lock = json.loads((WEB / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, package in packages.items() if not package.get("integrity")] == []
    licences = {package.get("license") for package in packages.values()}
    assert licences <= {"MIT", "Apache-2.0", "(Apache-2.0 AND BSD-3-Clause)", "MPL-2.0"}
