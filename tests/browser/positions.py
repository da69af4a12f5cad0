"""Positions that games of a browser begin at."""

import json

from playwright.sync_api import Page

from clerestory.engine import from_position
from clerestory.engine.rng import Rng
from clerestory.lessons import lesson
from tests.browser.harness import PATIENCE


def nearly_won(page: Page) -> None:
    """Fill in the form for a game in which both lack one material, against the weakest bot."""
    position = lesson("sections").positions["win"].to_position()
    red, blue = position["duel"]["players"]
    blue |= {field: red[field] for field in ("gold", "supply", "camp", "section_1")}
    blue |= {"section_2": ["mortar", "brick", "cloth"], "section_3": ["cloth", "bell"]}
    blue["materials"] = {**red["materials"], "beam": 1, "brick": 0}
    dealt = from_position(position).deal(Rng(1)).to_position()
    page.evaluate("text => sessionStorage.setItem('imported', text)", json.dumps(dealt))
    page.goto("/#/study/file")
    page.get_by_role("button", name="Play on from here").click(timeout=PATIENCE)
    page.locator("form").get_by_label("Blue", exact=True).select_option("bot1")
