"""The site of the documents: every page has its place, and the API pages have every exported name."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import missing
from tools import site

ROOT = Path(__file__).parents[2]
TYPESCRIPT = {  # pages, each with some words of it
    "client": "Play an action, and more directly after it",
    "client.json": "Code of the protocol",
    "engine": "An option out of its range",
    "board": "The board of a position",
}
READERS = ["Players", "Hosts", "Front-end authors", "Engine developers", "Researchers"]


def pages_of(nav: Any) -> Iterator[str]:
    for entry in nav if isinstance(nav, list) else [nav]:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else pages_of(value)


def collected(out: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.setattr(site, "OUT", out)
    site.main()
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}


def test_every_reader_has_a_path_and_every_page_but_decisions_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    files, linked = collected(tmp_path / "docs", monkeypatch), set(pages_of(nav))
    assert [name for entry in nav for name in entry if name in READERS] == READERS
    assert linked - files == {f"api/typescript/@clerestory.{name}.md" for name in TYPESCRIPT}
    other = {name for name in files - linked if name.endswith(".md") and "/decisions/0" not in name}
    assert other == {"clients/examples/node/README.md", "engine/toy/RULES.md"}
    assert {"docs/pictures/page-hints.png", "LICENSE"} <= files


def test_a_link_to_a_folder_becomes_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collected(tmp_path / "docs", monkeypatch)
    text = (tmp_path / "docs" / "docs" / "translating.md").read_text()
    assert "common/i18n" in text
    assert "](../common/i18n)" not in text


def test_the_list_of_decisions_has_each_by_its_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collected(tmp_path / "docs", monkeypatch)
    folder = tmp_path / "docs" / "docs" / "decisions"
    listed = re.findall(r"^- \[(.*?)\]\((.*?)\)$", (folder / "README.md").read_text(), re.MULTILINE)
    assert sorted(name for _, name in listed) == sorted(page.name for page in folder.glob("0*.md"))
    assert all((folder / name).read_text().startswith(f"# {title}\n") for title, name in listed)


@pytest.mark.parametrize(("package", "folder", "title"), site.API.values(), ids=site.API)
def test_an_api_page_has_every_exported_name(package: str, folder: str, title: str) -> None:
    names = re.findall(r"::: [\w.]+\.(\w+)\n", site.api_page(package, ROOT / folder, title))
    assert sorted(names) == sorted(importlib.import_module(package).__all__)


@pytest.mark.system
def test_the_site_is_built_with_its_links_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("zensical") is None:
        missing("zensical", "make .venv/.docs")
    collected(tmp_path / "docs", monkeypatch)
    site.write_typescript()
    settings = (ROOT / "mkdocs.yml").read_text()
    (tmp_path / "mkdocs.yml").write_text(settings.replace("build/docs", "docs").replace("build/manual", "site"))
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", tmp_path / "mkdocs.yml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "api" / "clients.html").read_text()
    assert "in the order in which it becomes ready" in page  # the docstring of a method that is made
    assert "determinize" in (tmp_path / "site" / "api" / "engine.html").read_text()  # of a compiled module
    for name, words in TYPESCRIPT.items():
        assert words in (tmp_path / "site" / "api" / "typescript" / f"@clerestory.{name}.html").read_text()
    assert "clerestory mcp" in (tmp_path / "site" / "search.json").read_text()
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff2?)"', page)
