"""Where the focus goes when what had it is gone: a person at the keyboard goes on from there."""

from playwright.sync_api import Page, expect

from tests.browser.harness import resign, settled, start
from tests.browser.positions import LAST_BUILD, nearly_won


def test_the_focus_is_on_every_screen_that_is_opened_and_its_ring_covers_no_words(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    assert settled(page)
    expect(page.locator(".turn:focus-visible")).to_have_count(1)
    rings = "all => all.map(one => getComputedStyle(one).outlineStyle)"
    assert page.eval_on_selector_all(".turn, .stands", rings) == ["solid", "none"]
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("link", name="Study").press("Enter")
    expect(page.get_by_role("link", name="To the game")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)


def test_the_focus_goes_to_the_end_of_a_game_and_to_what_is_answered_there(page: Page) -> None:
    nearly_won(page)
    page.get_by_role("button", name="Start", exact=True).click()
    assert settled(page)
    page.locator(LAST_BUILD).press("Enter")
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)
    check = page.get_by_role("button", name="Check this game")
    check.press("Enter")
    expect(check).to_have_count(0)
    expect(page.locator(".ending:focus")).to_have_count(1)


def test_the_focus_stays_in_a_list_of_which_one_is_forgotten(page: Page) -> None:
    for _ in range(2):
        start(page)
        resign(page)
        page.goto("/#/")
    forget = page.get_by_role("button", name="Forget")
    expect(forget).to_have_count(2)
    forget.first.press("Enter")
    expect(forget).to_have_count(1)
    expect(page.locator("section:focus")).to_contain_text("Forget")
