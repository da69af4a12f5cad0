"""The explanation in the table of hints: why the first line is the one to play."""

import re
from collections.abc import Callable, MutableSequence

import pytest
from playwright.sync_api import Page, Route, expect

from clerestory.v1.advisor_pb2 import AnalyzeResponse, Line
from tests.browser.harness import start

LAST = 2  # flag of the envelope that ends a stream of Connect
Lines = MutableSequence[Line]


def change_tables(page: Page, change: Callable[[Lines], None]) -> None:
    """Change the lines of every table of hints on its way to the page, inside the envelopes of the stream."""

    def answer(route: Route) -> None:
        got = route.fetch()
        rest, changed = got.body(), b""
        while rest:
            flags, size = rest[0], int.from_bytes(rest[1:5])
            body, rest = rest[5 : 5 + size], rest[5 + size :]
            if not flags & LAST:
                table = AnalyzeResponse.FromString(body)
                if table.recommendation.lines:
                    change(table.recommendation.lines)
                body = table.SerializeToString()
            changed += bytes([flags]) + len(body).to_bytes(4) + body
        route.fulfill(headers={"content-type": got.headers["content-type"]}, body=changed)

    page.route("**/clerestory.v1.AdvisorService/Analyze", answer)


def hinted(page: Page, change: Callable[[Lines], None]) -> None:
    """Begin a game, and wait for the last of its tables, which come changed."""
    page.evaluate("localStorage.setItem('hint-seconds', '1')")
    start(page)
    change_tables(page, change)
    page.get_by_label("Hints ?").select_option("table")
    expect(page.locator(".told")).to_contain_text("of longer searches would say the same")


@pytest.mark.parametrize(("higher", "sure"), [(1, 2), (5, 4)])
def test_the_board_counts_in_the_order_of_the_table(page: Page, higher: int, sure: int) -> None:
    """Which is by the win share; the move to play is marked beside, wherever it is. Doubtful shares are left out."""

    def change(lines: Lines) -> None:
        for place, (line, share) in enumerate(zip(lines, (0.6, *[0.7] * higher, *[0.5] * len(lines)), strict=False)):
            line.visits, line.doubtful = 1000, place > higher
            line.win_shares[:] = [share] * 2

    hinted(page, change)
    rows = page.locator(".lines tbody tr").evaluate_all("all => all.map(one => one.dataset.line)")
    for rank, name in enumerate(rows[:3], 1):
        expect(page.locator(f'.action[data-action="{name}"] .rank')).to_have_text(str(rank))
    expect(page.locator(".lines tbody tr").nth(higher)).to_have_class(re.compile("first"))
    expect(page.locator(".action.best .rank")).to_have_text(str(higher + 1))
    expect(page.locator(".is-best .hint")).to_contain_text(str(higher + 1))
    expect(page.locator(".hint small")).to_have_count(sure)


@pytest.mark.parametrize(
    ("more", "share", "says"),
    [(3, 1, "so far, but tried less"), (3, 0, "but fewer wins"), (0.01, 1, None), (-3, 1, None)],
)
def test_a_line_with_more_points_than_the_first_is_explained(
    page: Page, more: float, share: int, says: str | None
) -> None:
    labels: list[str] = []

    def change(lines: Lines) -> None:
        labels.append(lines[1].action.label)
        first = round(lines[0].margin, 1)
        for line in lines:
            line.visits, line.doubtful, line.margin = 1000, False, first - 5
            line.win_shares[:] = [0.5] * 2
        lines[0].margin, lines[1].margin = first, first + more
        lines[1].win_shares[:] = [share] * 2

    hinted(page, change)
    told = page.locator(".told")
    if says is None:
        expect(told).not_to_contain_text("more points than the first line")
    else:
        expect(told).to_contain_text(f"{labels[-1]}: more points than the first line")
        expect(told).to_contain_text(says)
