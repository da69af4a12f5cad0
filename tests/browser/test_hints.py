"""The table of hints: its order, and why the first line is the one to play."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.harness import start
from tests.browser.tables import ANALYZE, Lines, change_tables


def begun(page: Page) -> Page:
    page.evaluate("localStorage.setItem('hint-seconds', '1')")
    page.reload()
    start(page)
    return page


def ask_anew(page: Page, change: Callable[[Lines], None]) -> None:
    """Wait for the last table of another search, whose lines are changed."""
    page.unroute(ANALYZE)
    change_tables(page, change)
    hints = page.get_by_label("Hints ?")
    hints.select_option("off")
    expect(page.locator(".told")).to_have_count(0)
    hints.select_option("table")
    expect(page.locator(".told")).to_contain_text("of longer searches would say the same")


def test_the_board_counts_in_the_order_of_the_table(page: Page) -> None:
    """Which is that of the service, whatever the shares are. Doubtful shares are left out."""
    begun(page)
    for higher, sure in ((1, 2), (5, 3)):

        def change(lines: Lines, higher: int = higher) -> None:
            shares = (0.6, *[0.7] * higher, *[0.5] * len(lines))
            for place, (line, share) in enumerate(zip(lines, shares, strict=False)):
                line.visits, line.doubtful = 1000, place > higher
                line.win_shares[:] = [share] * 2

        ask_anew(page, change)
        rows = page.locator(".lines tbody tr").evaluate_all("all => all.map(one => one.dataset.line)")
        for rank, name in enumerate(rows[:3], 1):
            expect(page.locator(f'.action[data-action="{name}"] .rank')).to_have_text(str(rank))
        expect(page.locator(".lines tbody tr").first).to_have_class(re.compile("first"))
        expect(page.locator(".action.best .rank")).to_have_text("1")
        expect(page.locator(".is-best .hint")).to_contain_text("1")
        expect(page.locator(".hint small")).to_have_count(sure)


def test_a_line_with_more_points_than_the_first_is_explained(page: Page) -> None:
    begun(page)
    for more, share, says in (
        (3, 1, "so far, but tried less"),
        (0.01, 1, None),
        (3, 0, "but fewer wins"),
        (-3, 1, None),
    ):
        labels: list[str] = []

        def change(lines: Lines, more: float = more, share: int = share, labels: list[str] = labels) -> None:
            labels.append(lines[1].action.label)
            first = round(lines[0].margin, 1)
            for line in lines:
                line.visits, line.doubtful, line.margin = 1000, False, first - 5
                line.win_shares[:] = [0.5] * 2
            lines[0].margin, lines[1].margin = first, first + more
            lines[1].win_shares[:] = [share] * 2

        ask_anew(page, change)
        told = page.locator(".told")
        if says is None:
            expect(told).not_to_contain_text("more points than the first line")
        else:
            expect(told).to_contain_text(f"{labels[-1]}: more points than the first line")
            expect(told).to_contain_text(says)
