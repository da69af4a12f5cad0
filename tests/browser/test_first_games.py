"""The first games help: decisions are explained once, costly moves are asked about once, and the end teaches."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from clerestory.texts import patterns
from tests.browser.harness import PATIENCE, play_on, settled, thought_over, wait_for_change
from tests.browser.positions import last_plan, nearly_won
from tests.browser.test_access import violations

HELP = ".notice.first"
QUESTION = ".asking"
STEP = re.compile(r"^\| `(\w+)` \| ([^|]*)\|", re.MULTILINE)  # a row of the table of steps
ROOT = Path(__file__).parents[2]


def play_now(page: Page) -> None:
    page.get_by_role("button", name="Play now").click()
    assert settled(page)


def test_each_kind_of_decision_is_explained_once(newcomer: Page) -> None:
    play_now(newcomer)
    expect(newcomer.locator(HELP)).to_contain_text("You all build one cathedral", timeout=PATIENCE)
    expect(newcomer.locator(HELP)).to_contain_text("Take a card, or pass.")
    assert not violations(newcomer)
    newcomer.keyboard.press("Home")
    expect(newcomer.get_by_role("button", name="To the present")).to_be_visible()
    newcomer.keyboard.press("End")
    expect(newcomer.locator(HELP), "looking back explains nothing away").to_contain_text("Take a card, or pass.")
    newcomer.get_by_role("link", name="Study").click()
    newcomer.get_by_role("link", name="To the game").click()
    expect(newcomer.locator(HELP), "nor does leaving").to_contain_text("You all build one cathedral")
    newcomer.get_by_role("button", name="Got it").click()
    expect(newcomer.locator(HELP)).to_have_count(0)
    newcomer.reload()
    assert settled(newcomer)
    expect(newcomer.locator(HELP)).to_have_count(0)
    while newcomer.locator('.action[data-action="pass"]').count():
        play_on(newcomer, lambda offered: "pass", 1)
        settled(newcomer)
    expect(newcomer.locator(HELP)).to_be_visible()
    expect(newcomer.locator(HELP)).not_to_contain_text("You all build one cathedral")


def test_explanations_are_put_away_and_called_back(newcomer: Page) -> None:
    play_now(newcomer)
    newcomer.get_by_role("button", name="No more of these").click(timeout=PATIENCE)
    expect(newcomer.locator(HELP)).to_have_count(0)
    newcomer.reload()
    assert settled(newcomer)
    expect(newcomer.locator(HELP)).to_have_count(0)
    newcomer.keyboard.press("h")
    wish = newcomer.get_by_label("Explain each kind of decision once")
    expect(wish).not_to_be_checked()
    wish.check()
    assert not violations(newcomer)
    newcomer.keyboard.press("Escape")
    expect(newcomer.locator(HELP)).to_contain_text("Take a card, or pass.")


def test_who_has_played_three_games_needs_no_help(page: Page) -> None:
    play_now(page)
    page.keyboard.press("h")
    expect(page.get_by_label("Explain each kind of decision once")).not_to_be_checked(timeout=PATIENCE)
    expect(page.get_by_label("Ask before costly moves")).to_have_value("off")
    expect(page.locator(HELP)).to_have_count(0)


def test_a_costly_move_is_asked_about_once_and_the_end_teaches(newcomer: Page) -> None:
    nearly_won(newcomer, "bot8")  # which uses what it is given
    thought_over(newcomer)
    version = newcomer.locator("[data-version]").get_attribute("data-version")
    costly = newcomer.locator('.action[data-action="end"]')
    costly.focus()
    newcomer.keyboard.press("Enter")
    expect(newcomer.locator(QUESTION)).to_contain_text("of a win. Sure?")
    expect(costly).to_be_focused()
    assert not violations(newcomer)
    assert newcomer.locator("[data-version]").get_attribute("data-version") == version
    newcomer.get_by_role("button", name="Something else").click()
    expect(newcomer.locator(QUESTION)).to_have_count(0)
    costly.click()  # it has been asked about
    wait_for_change(newcomer, version)  # and the other wins
    moments = newcomer.locator(".moments")
    expect(moments).to_contain_text("Your costliest error", timeout=2 * PATIENCE)
    expect(moments.get_by_role("link", name="Sections")).to_have_attribute("href", "#/learn/sections")
    assert not violations(newcomer)


def test_a_costly_plan_is_asked_about_and_stays_as_it_was(newcomer: Page) -> None:
    last_plan(newcomer)
    thought_over(newcomer, lambda: plan_potter(newcomer))
    version = newcomer.locator("[data-version]").get_attribute("data-version")
    finish = newcomer.locator('.action[data-action="finish"]')
    finish.click()
    expect(newcomer.locator(QUESTION)).to_contain_text("of a win. Sure?")
    assert not violations(newcomer)
    newcomer.get_by_role("button", name="Something else").click()
    expect(newcomer.locator(QUESTION)).to_have_count(0)
    another = newcomer.context.new_page()
    another.goto(newcomer.url)
    expect(planned(another), "the plan is kept").to_have_text("1", timeout=PATIENCE)
    another.close()
    assert newcomer.locator("[data-version]").get_attribute("data-version") == version
    finish.click()  # it has been asked about
    wait_for_change(newcomer, version)


def test_the_card_game_is_begun_with_one_press_too(newcomer: Page) -> None:
    newcomer.get_by_role("button", name="Or the card game for two").click()
    assert settled(newcomer)
    expect(newcomer.locator(HELP)).to_contain_text("Whoever completes all three sections", timeout=PATIENCE)
    expect(newcomer.locator(".player-name", has_text="Mabel")).to_be_visible()


def test_the_end_is_shown_from_its_beginning(newcomer: Page) -> None:
    newcomer.set_viewport_size({"width": 390, "height": 600})
    last_plan(newcomer)
    newcomer.locator("form button[type=submit]").click()
    assert settled(newcomer)
    newcomer.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    newcomer.locator('.action[data-action="finish"]').click()
    expect(newcomer.get_by_test_id("winner")).to_be_in_viewport(timeout=PATIENCE)


def planned(page: Page) -> Locator:
    return page.locator(".uses li", has_text="otter").locator("output")


def plan_potter(page: Page) -> None:
    """Plan that a weak craftsman works, and wait until the page has asked what that leads to."""
    with page.expect_request_finished(lambda request: request.url.endswith("/ApplyActions"), timeout=PATIENCE):
        page.locator(".uses li", has_text="otter").get_by_role("button").last.click()
    expect(planned(page)).to_have_text("1")


def test_nothing_is_asked_if_that_is_not_wanted(newcomer: Page) -> None:
    newcomer.evaluate("localStorage.setItem('first-games', JSON.stringify({ ask: 'off' }))")
    newcomer.reload()
    asked: list[str] = []
    newcomer.on("request", lambda request: asked.append(request.url))
    play_now(newcomer)
    expect(newcomer.locator(HELP)).to_be_visible(timeout=PATIENCE)
    play_on(newcomer, lambda offered: offered[-1], 2)
    assert not [url for url in asked if url.endswith("/Analyze")]


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_decision_has_an_explanation(game: str) -> None:
    told = {key.rpartition(".")[2] for key in patterns("first") if key.startswith(f"first.{game}.")}
    steps = STEP.findall((ROOT / "engine" / game / "RULES.md").read_text().split("## 3.")[0].split("## 2.")[1])
    assert told - {"goal"} == {step for step, who in steps if who.strip() not in ("nature", "")}
