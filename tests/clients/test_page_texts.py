"""The initial language of the page: the reader's choice, else the browser's preference."""

import json
from pathlib import Path
from runpy import run_path

import pytest

from tests.clients.node import ROOT, node
from tests.parts import missing

WEB = ROOT / "clients" / "web"
BUNDLE = """
import { build } from "esbuild";
const how = { bundle: true, format: "esm", logLevel: "error" };
await build({ entryPoints: ["src/language/reader.ts"], outfile: process.argv[1], ...how });
"""
# Prints the language of the page for each browser, given the choice made on the page and the tags that it sends.
CHOOSE = """
const [file, browsers] = process.argv.slice(1);
const now = { chosen: null, languages: [] };
Object.defineProperty(globalThis, "navigator", { value: { get languages() { return now.languages; } } });
globalThis.localStorage = { getItem: (name) => (name === "language" ? now.chosen : null) };
const { preferred } = await import(file);
console.log(JSON.stringify(JSON.parse(browsers).map(([chosen, languages]) => {
  Object.assign(now, { chosen, languages });
  return preferred();
})));
"""
CASES: list[tuple[str | None, list[str], str]] = [
    (None, ["he"], "he"),
    (None, ["iw"], "he"),  # the ISO 639 code replaced by `he`, which old systems send
    (None, ["iw-IL", "en-US"], "he"),
    (None, ["IW"], "he"),
    (None, ["en-US", "iw"], "en"),
    (None, ["pt-BR", "iw-IL"], "he"),
    (None, ["de-CH", "iw"], "de"),
    ("iw", ["de"], "he"),
    ("fr", ["iw"], "fr"),
    (None, ["pt"], "en"),
    (None, [], "en"),
]


@pytest.mark.system
def test_the_page_knows_languages_by_their_tags_and_former_codes(tmp_path: Path) -> None:
    if not (WEB / "src" / "gen" / "texts.ts").exists():
        missing("what the page is built with", "python clients/web/build.py")
    bundle = tmp_path / "texts.mjs"
    built = node("--input-type=module", "--eval", BUNDLE, bundle, folder=WEB)
    assert built.returncode == 0, built.stderr
    browsers = json.dumps([(chosen, tags) for chosen, tags, _ in CASES])
    chosen = node("--input-type=module", "--eval", CHOOSE, bundle.as_uri(), browsers)
    assert chosen.returncode == 0, chosen.stderr
    assert json.loads(chosen.stdout) == [language for *_, language in CASES]


def test_generated_files_that_are_right_stay_untouched(tmp_path: Path) -> None:
    """Another build may be reading them."""
    (tmp_path / "same").write_text("a")
    for name in ("other", "old"):
        (tmp_path / name).write_text("b")
    before = (tmp_path / "same").stat()
    run_path(str(WEB / "build.py"))["update"](tmp_path, {"same": b"a", "other": b"c", "in/new": b"d"})
    assert (tmp_path / "same").stat() == before
    found = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"same": "a", "other": "c", "in/new": "d"}
