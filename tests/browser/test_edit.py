"""The editor of positions: a form made from the schema, checked by the server, to analyse or to play from."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.harness import settled

VALID = "The position is valid."


def opened(page: Page, game: str = "cathedral", seats: int = 2) -> None:
    page.goto(f"/#/edit/{game}/{seats}")
    expect(page.get_by_text(VALID)).to_be_visible()


@pytest.mark.parametrize(("game", "seats"), [("cathedral", 4), ("duel", 2)])
def test_every_game_has_a_form_that_fits_a_phone(page: Page, game: str, seats: int) -> None:
    opened(page, game, seats)
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    expect(page.locator(".edit > section h2")).to_have_count(1 + seats)


def test_the_field_at_fault_is_named_and_led_to_by_keyboard(page: Page) -> None:
    opened(page)
    gold = page.get_by_label("Gold", exact=True).first
    gold.fill("61")
    expect(page.locator(".state li")).to_have_text("Red, Gold is 61; must be at most 60")
    expect(gold).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name="Analyse")).to_have_attribute("aria-disabled", "true")
    page.locator(".state li button").press("Enter")
    expect(gold).to_be_focused()
    gold.fill("30")
    expect(page.get_by_text(VALID)).to_be_visible()


def test_a_position_is_analysed_and_come_back_to_and_played_from(page: Page) -> None:
    opened(page)
    page.get_by_label("Gold", exact=True).first.fill("30")
    expect(page.get_by_text(VALID)).to_be_visible()
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url("**/#/study/file")
    expect(page.locator(".board > .drawn")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Gold", exact=True).first).to_have_value("30")
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator(".new .notice")).to_contain_text("it goes on after 0 moves")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/#/game/*")
    assert settled(page)


def test_a_text_replaces_the_position(page: Page) -> None:
    opened(page)
    page.get_by_text("As text (JSON)").click()
    box = page.get_by_role("textbox", name="As text (JSON)")
    position = json.loads(box.input_value())
    position["cathedral"]["players"][1]["gold"] = 7
    box.fill("{")
    page.get_by_role("button", name="Use this text").click()
    expect(page.get_by_role("alert")).to_contain_text("neither a record nor a position")
    box.fill(json.dumps(position))
    page.get_by_role("button", name="Use this text").click()
    expect(page.get_by_label("Gold", exact=True).nth(1)).to_have_value("7")
