"""The explanation in the table of hints: why the first line is the one to play."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.harness import PATIENCE, new_game, settled


def change_tables(page: Page, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change the lines of every table of hints on its way to the page, inside the envelopes of the stream."""

    def answer(route: Route) -> None:
        got = route.fetch()
        rest, changed = got.body(), b""
        while rest:
            flags, end = rest[:1], 5 + int.from_bytes(rest[1:5])
            message, rest = json.loads(rest[5:end]), rest[end:]
            if lines := message.get("recommendation", {}).get("lines"):
                change(lines)
            text = json.dumps(message).encode()
            changed += flags + len(text).to_bytes(4) + text
        route.fulfill(headers={"content-type": got.headers["content-type"]}, body=changed)

    page.route("**/clerestory.v1.AdvisorService/Analyze", answer)


@pytest.mark.parametrize(
    ("more", "share", "says"),
    [(3, 1, "so far, but tried less"), (3, 0, "but fewer wins"), (0.01, 1, None), (-3, 1, None)],
)
def test_a_line_with_more_points_than_the_first_is_explained(
    page: Page, more: float, share: int, says: str | None
) -> None:
    labels: list[str] = []

    def change(lines: list[dict[str, Any]]) -> None:
        labels.append(lines[1]["action"]["label"])
        for line in lines[1:]:
            line["margin"] = lines[0].get("margin", 0) - 5
        lines[0]["margin"] = round(lines[0].get("margin", 0), 1)
        lines[1] |= {"margin": lines[0]["margin"] + more, "win_shares": [share] * 2}

    new_game(page, "duel", ["me", "bot1"])
    settled(page)
    change_tables(page, change)
    page.get_by_label("Hints ?").select_option("table")
    told = page.locator(".told")
    expect(told).to_contain_text("of longer searches would say the same", timeout=PATIENCE)
    if says is None:
        expect(told).not_to_contain_text("more points than the first line")
    else:
        expect(told).to_contain_text(f"{labels[-1]}: more points than the first line")
        expect(told).to_contain_text(says)
