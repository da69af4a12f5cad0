"""What had the focus and is gone leaves it to what is around it: whoever uses the keyboard goes on from there."""

from playwright.sync_api import Page, expect

from tests.browser.harness import begin, menu, settled, start
from tests.browser.positions import nearly_won


def test_the_focus_is_on_every_screen_that_is_opened(page: Page) -> None:
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    assert settled(page)
    expect(page.locator(":focus")).to_have_count(1)
    page.get_by_role("link", name="Study").press("Enter")
    expect(page.get_by_role("link", name="To the game")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)


def test_the_ring_around_whose_turn_it_is_covers_no_words(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    assert settled(page)
    expect(page.locator(".turn:focus-visible")).to_have_count(1)
    rings = "all => all.map(one => getComputedStyle(one).outlineStyle)"
    assert page.eval_on_selector_all(".turn, .stands", rings) == ["solid", "none"]


def test_the_focus_goes_to_the_end_of_a_game_and_to_what_is_answered_there(page: Page) -> None:
    nearly_won(page)
    begin(page)
    assert settled(page)
    page.locator('.action[data-action="build III brick"]').press("Enter")
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(":focus")).to_have_count(1)
    check = page.get_by_role("button", name="Check this game")
    check.press("Enter")
    expect(check).to_have_count(0)
    expect(page.locator(".ending:focus")).to_have_count(1)


def test_the_focus_stays_in_a_list_of_which_one_is_forgotten(page: Page) -> None:
    for _ in range(2):
        start(page)
        menu(page, "Players")
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Yes, resign").click()
        expect(page.locator(".ending")).to_be_visible()
        page.goto("/#/")
    forget = page.get_by_role("button", name="Forget")
    expect(forget).to_have_count(2)
    forget.first.press("Enter")
    expect(forget).to_have_count(1)
    expect(page.locator("section:focus")).to_contain_text("Forget")


def test_whoever_has_left_what_had_the_focus_gets_it_nowhere_else(page: Page) -> None:
    page.get_by_label("Your name").focus()
    page.locator("h1").click()
    page.get_by_label("Your name").evaluate("field => field.remove()")
    expect(page.locator(":focus")).to_have_count(0)
