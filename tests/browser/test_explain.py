"""The board explains itself: everything by a key, a part of it by resting on it or by pressing it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import settled
from tests.browser.test_access import violations


@pytest.fixture
def table(page: Page) -> Page:
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/#/game/*")
    expect(page.locator('[data-about="draft"]')).to_be_visible()
    assert settled(page)
    return page


def test_the_goal_the_round_and_every_place_are_one_key_away(table: Page) -> None:
    table.keyboard.press("i")
    told = table.get_by_role("dialog", name="The board explained")
    expect(told).to_contain_text("Whoever then has the most victory points wins")
    expect(told.locator("[aria-current=step]")).to_contain_text("Take a card, or pass")
    names = told.locator("summary").all_inner_texts()
    assert len(names) > 15
    told.locator("summary", has_text="Castle").first.click()
    expect(told).to_contain_text("two grey workers for the next round")
    expect(told).to_contain_text("Rules: Step 11, the castle")
    assert not violations(table)
    table.keyboard.press("Escape")
    expect(told).to_have_count(0)


def test_resting_on_a_card_tells_what_it_would_bring(table: Page) -> None:
    table.locator('[data-about^="draft.wood"]').first.hover()
    bubble = table.locator(".bubble")
    expect(bubble).to_contain_text("A resource card sends workers out")
    expect(bubble).to_contain_text("wood for")
    table.mouse.move(1, 1)
    expect(bubble).to_have_count(0)


def test_pressing_explains_instead_of_playing_while_that_is_wanted(table: Page) -> None:
    version = table.locator(".table").get_attribute("data-version")
    if table.locator(".menu-button").is_visible():
        table.locator(".menu-button").click()
    table.get_by_role("button", name="What is this?").click()
    table.locator('[data-about^="draft.wood"]').first.click()
    expect(table.locator(".bubble")).to_contain_text("A resource card")
    assert table.locator(".table").get_attribute("data-version") == version
    table.keyboard.press("Escape")
    expect(table.locator(".bubble")).to_have_count(0)
