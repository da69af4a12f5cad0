"""Boards of given positions for the tests of the page, and a command that takes pictures of them.

    python -m tools.lab.gallery FOLDER [PART OF A NAME]

takes pictures of every position of examples/ and two rare ones: plain, with hints, and with a preview of the position
after the first action, at three widths, light and dark: FOLDER/NAME-WIDTH-SCHEME.png. It reports pages that are wider
than their screen.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.json_format import MessageToDict
from playwright.sync_api import Page, sync_playwright

from clerestory.engine import Action, State, from_position
from clerestory.engine.core import Game
from clerestory.engine.games import GAMES
from clerestory.server.rpc.translate_rules import write_catalogue
from tools.lab.browser import chromium

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "positions"
WEB = ROOT / "clients" / "web"
WIDTHS = (320, 768, 1280)
SCHEMES: tuple[Any, ...] = ("light", "dark")
SHARES = (0.61, 0.48, 0.33)

Exhibit = dict[str, Any]  # as expected by src/gallery.tsx


def main() -> None:
    """Take the pictures of all exhibits whose name contains the given part."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", nargs="?", default="", help="of the names of exhibits; all by default")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    bundle(folder)
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(**chromium()).new_page()
        page.on("console", lambda message: print(message.text))
        page.on("pageerror", lambda error: print(error))
        page.goto((folder / "gallery.html").as_uri())
        for name, exhibit in exhibits(options.part):
            show(page, exhibit)
            take_pictures(page, folder, name)


def show(page: Page, exhibit: Exhibit) -> None:
    """Show an exhibit. It is passed as text: Playwright inspects each value of an object, and catalogues have many."""
    page.evaluate("async exhibit => { await ready; show(JSON.parse(exhibit)); }", json.dumps(exhibit))


def bundle(folder: Path) -> None:
    """Bundle the gallery's page into a folder."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(["node", "gallery.mjs", folder.resolve()], cwd=WEB, env=os.environ | {"PATH": path}, check=True)


def exhibits(part: str) -> Iterator[tuple[str, Exhibit]]:
    """Yield each exhibit by its name."""
    for name, position in (*examples(), *rare()):
        kinds = {"": plain(position), "-hints": hinted(position), "-ghost": after(position)}
        yield from ((name + kind, exhibit) for kind, exhibit in kinds.items() if part in name + kind)


def examples() -> Iterator[tuple[str, State]]:
    """Yield the positions of the two games, by name."""
    for path in sorted(EXAMPLES.glob("[cd]*.json")):
        yield path.stem, from_position(json.loads(path.read_text()))


def rare() -> Iterator[tuple[str, State]]:
    """Yield a position in which a seat has been shown an event, and one in which the archbishop's blessing is used."""
    yield "cathedral-foreseen", met(lambda state: len(seen(state)["event_deck"]) == 1)
    yield "cathedral-blessed", met(lambda state: seen(state)["blessing_used"])


def seen(state: State) -> dict[str, Any]:
    """Return the fields of a position in the view of the seat to act."""
    fields: dict[str, Any] = state.observe(state.turn).to_position()["cathedral"]
    return fields


def met(wanted: Callable[[State], bool]) -> State:
    """Return the first position of random games that satisfies the condition, in the view of the seat to act."""
    for seed in count():
        luck, state = Random(seed), GAMES["cathedral"].new(3, seed)
        while not state.over:
            if state.turn >= 0 and wanted(state):
                return state.observe(state.turn)
            state.play(luck.choice(state.legal_codes()))
    raise AssertionError


def plain(position: State) -> Exhibit:
    """Return a position with its legal actions."""
    return {
        "position": json.loads(position.to_json()),
        "catalogue": catalogue_of(position.game),
        "actions": [written(action) for action in position.legal_actions()],
        "seats": position.seats,
        "viewer": max(position.turn, 0),
        "marks": [],
        "ghost": False,
    }


@cache
def catalogue_of(game: Game) -> dict[str, Any]:
    """Return the cards of a game as in the service's answer."""
    return MessageToDict(write_catalogue(game))


def written(action: Action) -> dict[str, Any]:
    """Return an action as in the service's answers."""
    kind, *words = action.text.split()
    return {"action": {"text": action.text, "label": action.label}, "kind": kind, "arguments": words}


def hinted(position: State) -> Exhibit:
    """Return a position with marks on three of its actions."""
    texts = [action.text for action in position.legal_actions()]
    chosen = texts[:: max(1, len(texts) // len(SHARES))]
    marks = [
        {"action": text, "rank": rank, "share": share}
        for rank, (text, share) in enumerate(zip(chosen, SHARES, strict=False), 1)
    ]
    return plain(position) | {"marks": marks}


def after(position: State) -> Exhibit:
    """Return a position with a preview of the position after the first action."""
    then = position.copy()
    then.play(position.legal_actions()[0])
    ghost = {"position": json.loads(then.to_json()), "previous": json.loads(position.to_json())}
    return plain(position) | ghost | {"actions": [], "ghost": True}


def take_pictures(page: Page, folder: Path, name: str) -> None:
    """Take the pictures of the current exhibit."""
    for scheme, width in product(SCHEMES, WIDTHS):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
        if overflow(page) > 0:
            print(f"{name} is wider than {width} pixels")


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than its screen."""
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return width


if __name__ == "__main__":
    main()
