"""The package @clerestory/board in its example: packed, installed, and loaded without a bundler."""

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations_by_day_and_night
from tests.browser.harness import errors_of
from tests.clients.node import EXAMPLES, ROOT, install, node
from tests.parts import missing
from tools.lab.browser import page_server, static_server

POSITIONS = ROOT / "examples" / "positions"
CLAIM = POSITIONS / "duel-2p-phase1-claim.json"
DRAFT = POSITIONS / "cathedral-3p-round4-draft.json"
LIMIT = 50_000  # compressed bytes of the script, without the texts and the drawings
CHECK = {"strict": True, "noEmit": True, "module": "nodenext", "target": "es2023", "lib": ["es2023", "dom"]}
TYPED = """
import { type ActionEvent, type ClerestoryBoard, setLanguage } from "@clerestory/board";
import { JsonClient } from "@clerestory/client/json";
import { Engine } from "@clerestory/engine";

await setLanguage("de");
const board: ClerestoryBoard = document.createElement("clerestory-board");
const game = (await Engine.load("duel")).newGame({ seats: 2 });
board.position = game;
board.actions = game.legalActions();
const client = new JsonClient("http://127.0.0.1:8080");
board.actions = (await client.rules.listActions({})).actions;
board.hints = [{ action: "pass", share: 0.5 }];
board.addEventListener("action", (event) => console.log((event as ActionEvent).detail.toUpperCase()));
"""
LISTEN = """board => {
    window.chosen = [];
    board.addEventListener('action', event => chosen.push(event.detail));
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, with only the three packages installed."""
    packed = tmp_path_factory.mktemp("packed")
    engines = list((ROOT / "build" / "browser").glob("*.tgz"))
    if not engines:
        missing("the engine for browsers", "make engine-wasm")
    run_path(str(ROOT / "clients" / "board" / "pack.py"))["main"](packed)
    run_path(str(ROOT / "clients" / "typescript" / "pack.py"))["main"](packed)
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLES / "board", folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"name": "example", "private": true, "type": "module"}')
    install(folder, *map(str, packed.glob("*.tgz")), *map(str, engines))
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    with static_server(folder) as address:
        yield address


@pytest.fixture
def example(browser: Browser, site: str) -> Iterator[Page]:
    """The example with the engine; any error on it fails the test."""
    with opened(browser, f"{site}/index.html") as page:
        yield page


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        errors = errors_of(page)
        page.goto(address)
        expect(page.locator(".drawn")).to_be_visible()
        page.locator("clerestory-board").evaluate(LISTEN)
        yield page
    assert errors == []


def give(page: Page, path: Path, **properties: object) -> None:
    """Set properties of the board."""
    given = {"position": json.loads(path.read_text()), "previous": None, "actions": [], "hints": [], **properties}
    page.locator("clerestory-board").evaluate("(board, given) => void Object.assign(board, given)", given)


def test_the_example_is_short() -> None:
    assert len((EXAMPLES / "board" / "play.mjs").read_text().splitlines()) <= 40


def test_a_field_that_is_pressed_plays_its_action(example: Page) -> None:
    assert_a_field_can_be_pressed(example)


def assert_a_field_can_be_pressed(page: Page) -> None:
    expect(page.locator(".spot .hint")).not_to_have_count(0)
    before = page.evaluate("JSON.stringify(document.querySelector('clerestory-board').position)")
    page.locator("[data-place='line.row 2']").click()
    asks = page.locator(".choices button")  # where a card of the line is of no use, by the deal
    if page.evaluate("chosen.length") == 0:
        asks.click()
    changed = "before => JSON.stringify(document.querySelector('clerestory-board').position) !== before"
    page.wait_for_function(changed, arg=before)
    assert page.evaluate("chosen") == ["claim row 2"]


def test_the_same_page_plays_with_a_server(browser: Browser, site: str) -> None:
    with (
        page_server("--workers", "1", "--web-origin", site) as (_, url),
        opened(browser, f"{site}/index.html?server={url.rstrip('/')}") as page,
    ):
        assert_a_field_can_be_pressed(page)


def test_the_keyboard_chooses_from_the_list_and_stays_there(example: Page) -> None:
    expect(example.locator(".actions")).to_be_visible()
    example.keyboard.press("Tab")
    focused = "document.querySelector('clerestory-board').shadowRoot.activeElement?.dataset.action ?? ''"
    first = example.evaluate(focused)
    assert first.startswith("claim ")
    example.keyboard.press("Enter")
    example.wait_for_function("chosen.length === 1")
    assert example.evaluate("chosen") == [first]
    expect(example.locator(".action").first).to_be_visible()
    assert example.evaluate("document.activeElement.localName") == "clerestory-board"


@pytest.mark.parametrize("path", [CLAIM, DRAFT], ids=lambda path: path.stem)
def test_a_board_has_no_barriers(example: Page, path: Path) -> None:
    give(example, path, actions=[{"text": "pass", "label": "Pass"}])
    expect(example.locator(".drawn")).to_be_visible()
    assert violations_by_day_and_night(example) == []


def test_a_board_can_be_shown_in_words_and_in_another_language(example: Page) -> None:
    give(example, DRAFT)
    board = example.locator("clerestory-board")
    board.evaluate("board => board.setAttribute('words', '')")
    expect(example.locator(".text-board")).to_be_visible()
    board.evaluate("board => board.setAttribute('lang', 'he')")
    expect(example.locator(".ground")).to_have_attribute("dir", "rtl")
    assert example.evaluate("document.documentElement.lang") == "en"  # what surrounds the board is left alone


def test_the_page_sets_the_colours(example: Page) -> None:
    colour = "getComputedStyle(document.querySelector('clerestory-board').shadowRoot.querySelector('.ground')).color"
    example.add_style_tag(content="clerestory-board { --ink: rgb(1, 2, 3); }")
    assert example.evaluate(colour) == "rgb(1, 2, 3)"


def test_a_wrong_position_names_its_field_and_changes_nothing(example: Page) -> None:
    wrong = json.loads(CLAIM.read_text())
    wrong["duel"]["round"] = "many"
    trying = """(board, wrong) => {
        const before = board.position;
        try { board.position = wrong; } catch (error) { return [error.message, board.position === before]; }
    }"""
    message, same = example.locator("clerestory-board").evaluate(trying, wrong)
    assert "round" in message
    assert same


def test_the_types_are_those_of_servers_and_of_the_engine(folder: Path) -> None:
    (folder / "typed.ts").write_text(TYPED)
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": CHECK, "files": ["typed.ts"]}))
    done = node("--project", folder, folder=ROOT / "clients" / "web", name=str(tsc()))
    assert done.returncode == 0, done.stdout


def tsc() -> Path:
    return ROOT / "clients" / "web" / "node_modules" / ".bin" / "tsc"


def test_the_script_is_small(folder: Path) -> None:
    script = folder / "node_modules" / "@clerestory" / "board" / "dist" / "index.js"
    assert len(gzip.compress(script.read_bytes())) <= LIMIT
