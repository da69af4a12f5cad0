"""Opponents have faces: in the lobby, where they are chosen, and at the table."""

from playwright.sync_api import Page, expect

from tests.browser.harness import hold, lost, when_held


def test_an_opponent_is_chosen_by_face_and_sits_at_the_table(page: Page) -> None:
    with lost(page, "ListCharacters"):
        page.reload()
    blue = page.get_by_role("radiogroup", name="Opponent in blue")
    expect(blue.get_by_role("radio"), "they are asked for again").to_have_count(8)
    blue.get_by_role("radio", name="Theda, level 6").check()
    expect(blue).to_contain_text("The merchant: never misses a market day.")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Theda")
    expect(page.locator(".player.of-blue .face circle").first).to_be_attached()
    page.goto("/#/")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Mabel")


def test_a_game_that_is_started_before_the_opponents_have_come_has_them_all_the_same(page: Page) -> None:
    page.clock.install()
    held = hold(page, "ListCharacters", times=1)
    page.reload()
    come = when_held(page, held)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)  # the page's patience ends when time goes on
    start_it = page.get_by_role("button", name="Start", exact=True)
    start_it.click()
    expect(start_it).to_be_disabled()
    with page.expect_response("**/ListCharacters"):
        come.continue_()
    page.clock.resume()
    expect(page.locator(".player.of-blue")).to_contain_text("Linnet")
