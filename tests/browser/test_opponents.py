"""Opponents have faces: in the lobby, where they are chosen, and at the table."""

import time

from playwright.sync_api import Page, Route, expect

from tests.browser.harness import PATIENCE, when_held


def test_an_opponent_is_chosen_by_face_and_sits_at_the_table(page: Page) -> None:
    blue = page.get_by_role("radiogroup", name="Opponent in blue")
    expect(blue.get_by_role("radio")).to_have_count(8, timeout=PATIENCE)
    blue.get_by_role("radio", name="Theda, level 6").check()
    expect(blue).to_contain_text("The merchant: never misses a market day.")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Theda", timeout=PATIENCE)
    expect(page.locator(".player.of-blue .face circle").first).to_be_attached(timeout=PATIENCE)


def test_play_now_is_against_mabel(page: Page) -> None:
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".player.of-blue")).to_contain_text("Mabel", timeout=PATIENCE)


def test_opponents_who_did_not_come_are_asked_for_again(page: Page) -> None:
    page.route("**/ListCharacters", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/ListCharacters")):
        page.reload()
    blue = page.get_by_role("radiogroup", name="Opponent in blue")
    expect(blue.get_by_role("radio")).to_have_count(8, timeout=PATIENCE)


def test_whoever_begins_before_the_opponents_have_come_meets_them_all_the_same(page: Page) -> None:
    held: list[Route] = []
    page.route("**/ListCharacters", lambda route: held.append(route), times=1)
    page.reload()
    come = when_held(page, held)
    page.clock.install()
    page.clock.pause_at(time.time() + 3600)  # the page's patience ends when time goes on, however busy the machine is
    start_it = page.get_by_role("button", name="Start", exact=True)
    start_it.click()
    expect(start_it).to_be_disabled()
    with page.expect_response("**/ListCharacters"):
        come.continue_()
    page.clock.resume()
    expect(page.locator(".player.of-blue")).to_contain_text("Linnet", timeout=PATIENCE)
