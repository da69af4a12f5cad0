"""The first games help: decisions are explained once, costly moves are confirmed once, and the end teaches."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.harness import (
    calls_to,
    play_on,
    processed,
    settled,
    store,
    version_of,
    wait_for_calls,
    wait_for_change,
)
from tests.browser.positions import begin_at, first_with, in_a_contest, last_plan, mixer_or_mason, nearly_won
from tests.browser.tables import give_tables

HELP = ".notice.first"
QUESTION = ".asking"
DOUBLE_PRESS_MS = 400  # the page ignores a second press within this time


def play_now(page: Page) -> None:
    page.get_by_role("button", name="Play now").click()
    assert settled(page)


def test_each_kind_of_decision_is_explained_once(newcomer: Page) -> None:
    play_now(newcomer)
    explained = newcomer.locator(HELP)
    expect(explained).to_contain_text("You all build one cathedral")
    expect(explained).to_contain_text("Take a card, or pass.")
    assert violations(newcomer) == []
    newcomer.keyboard.press("Home")
    expect(newcomer.get_by_role("button", name="To the present")).to_be_visible()
    newcomer.keyboard.press("End")
    expect(explained, "looking back explains nothing away").to_contain_text("Take a card, or pass.")
    newcomer.get_by_role("link", name="Study").click()
    newcomer.get_by_role("link", name="To the game").click()
    expect(explained, "nor does leaving").to_contain_text("You all build one cathedral")
    newcomer.get_by_role("button", name="Got it").click()
    expect(explained).to_have_count(0)
    newcomer.reload()
    assert settled(newcomer)
    expect(explained).to_have_count(0)
    while newcomer.locator('.action[data-action="pass"]').count():
        play_on(newcomer, 1, lambda offered: "pass")
        settled(newcomer)
    expect(explained).to_be_visible()
    expect(explained).not_to_contain_text("You all build one cathedral")


def test_explanations_are_put_away_and_called_back(newcomer: Page) -> None:
    newcomer.get_by_role("button", name="Or the card game for two").click()
    assert settled(newcomer)
    expect(newcomer.locator(HELP)).to_contain_text("Whoever completes all three sections")
    expect(newcomer.locator(".player-name", has_text="Mabel")).to_be_visible()
    newcomer.get_by_role("button", name="No more of these").click()
    expect(newcomer.locator(HELP)).to_have_count(0)
    newcomer.reload()
    assert settled(newcomer)
    expect(newcomer.locator(HELP)).to_have_count(0)
    newcomer.keyboard.press("h")
    wish = newcomer.get_by_label("Explain each kind of decision once")
    expect(wish).not_to_be_checked()
    wish.check()
    assert violations(newcomer) == []
    newcomer.keyboard.press("Escape")
    expect(newcomer.locator(HELP)).to_be_visible()


def test_players_of_three_games_get_no_help(page: Page) -> None:
    play_now(page)
    page.keyboard.press("h")
    expect(page.get_by_label("Explain each kind of decision once")).not_to_be_checked()
    expect(page.get_by_label("Ask before costly moves")).to_have_value("off")
    expect(page.locator(HELP)).to_have_count(0)


def begin_searched(page: Page) -> None:
    """Begin the game, and wait until the page has read the position's table."""
    with page.expect_request_finished(lambda request: request.url.endswith("/Analyze")):
        page.locator("form button[type=submit]").click()
    assert settled(page)
    processed(page)


@pytest.mark.parametrize(("lead", "better"), [(0.4, "about 100 more games in 100"), (2.5, "2.5 points better")])
def test_a_costly_move_is_asked_about_once_and_the_end_teaches(newcomer: Page, lead: float, better: str) -> None:
    nearly_won(newcomer, "bot8")  # strong enough to use the error
    give_tables(newcomer, {"build III brick": [1, 0], "end": [0, 1]}, reason="2 seals more.", lead=lead)
    begin_searched(newcomer)
    version = version_of(newcomer)
    costly = newcomer.locator('.action[data-action="end"]')
    costly.press("Enter")
    expect(newcomer.locator(QUESTION)).to_contain_text(f"{better}: 2 seals more.")
    expect(costly).to_be_focused()
    assert violations(newcomer) == []
    assert version_of(newcomer) == version
    newcomer.get_by_role("button", name="Something else").click()
    expect(newcomer.locator(QUESTION)).to_have_count(0)
    newcomer.wait_for_timeout(DOUBLE_PRESS_MS)
    costly.click()  # the confirmation was shown before
    wait_for_change(newcomer, version)  # and the opponent wins
    moment = newcomer.locator(".moment")
    expect(moment).to_contain_text("Better: ")
    moment.get_by_role("button", name="See it again").click()
    expect(newcomer.locator(".log .steps")).to_contain_text("1 / 2")  # the error
    newcomer.get_by_role("button", name="To the present").click()
    expect(moment.get_by_role("link", name="Sections")).to_have_attribute("href", "#/learn/sections")
    assert violations(newcomer) == []


def test_a_costly_plan_is_asked_about_and_stays_as_it_was(newcomer: Page) -> None:
    last_plan(newcomer)
    give_tables(newcomer, {"finish": [0, 0, 1]}, {"finish": [0.5, 0.5, 0]})  # the second one after a plan
    searches = calls_to(newcomer, "Analyze", answered=True)
    begin_searched(newcomer)
    wait_for_calls(newcomer, searches, 2)  # the position, and what the plan that is filled in leads to
    less = newcomer.locator(".uses button[aria-label^='One less']:not([aria-disabled='true'])").first
    name = str(less.get_attribute("aria-label")).removeprefix("One less: ")
    uses = int(planned(newcomer, name).inner_text())
    less.click()
    wait_for_calls(newcomer, searches, 3)
    expect(planned(newcomer, name)).to_have_text(str(uses - 1))
    version = version_of(newcomer)
    finish = newcomer.locator('.action[data-action="finish"]')
    finish.click()
    expect(newcomer.locator(QUESTION), "what the plan brings, against that of the better move").to_contain_text(
        re.compile(r"more games in 100: .+ more, but \d+ points? less now\.")
    )
    assert violations(newcomer) == []
    newcomer.get_by_role("button", name="Something else").click()
    expect(newcomer.locator(QUESTION)).to_have_count(0)
    another = newcomer.context.new_page()
    another.goto(newcomer.url)
    expect(planned(another, name), "the plan is kept").to_have_text(str(uses - 1))
    another.close()
    assert version_of(newcomer) == version
    newcomer.wait_for_timeout(DOUBLE_PRESS_MS)
    finish.click()  # the confirmation was shown before
    wait_for_change(newcomer, version)


def test_the_better_move_can_be_played_instead(newcomer: Page) -> None:
    nearly_won(newcomer, "bot8")
    give_tables(newcomer, {"build III brick": [1, 0], "end": [0, 1]})
    begin_searched(newcomer)
    newcomer.locator('.action[data-action="end"]').press("Enter")
    newcomer.locator(QUESTION).get_by_role("button", name="instead").click()
    expect(newcomer.get_by_test_id("winner")).to_be_visible()


def a_draw(page: Page) -> None:
    begin_at(page, first_with("redraw"))


def a_draft(page: Page) -> None:
    begin_at(page, first_with("hire"))


@pytest.mark.parametrize(
    ("position", "better", "other", "fact"),
    [
        (in_a_contest, "flip 2/3", "stop", "whoever stops loses the card."),
        (in_a_contest, "stop", "flip personal", "flipped seals are mostly gone."),
        (in_a_contest, "flip personal", "flip 2/3", "the personal seal comes back to you."),
        (in_a_contest, "flip 2/3", "flip personal", "after the personal seal you cannot flip another."),
        (a_draw, "accept", "redraw", "may then come later, for less gold."),
        (a_draft, "hire toolmaker_1", "hire master_woodworker_1", "2 gold, once"),
        (mixer_or_mason, "dismiss mason_1", "dismiss mortar_mixer", "you keep: Mortar mixer, "),
    ],
)
def test_where_no_difference_is_found_the_question_says_what_the_rules_do(
    newcomer: Page, position: Callable[[Page], object], better: str, other: str, fact: str
) -> None:
    position(newcomer)
    give_tables(newcomer, {better: [1, 0], other: [0, 1]})
    begin_searched(newcomer)
    newcomer.locator(f'.action[data-action="{other}"]').press("Enter")
    expect(newcomer.locator(QUESTION)).to_contain_text(fact)


def test_the_plan_that_is_filled_in_is_not_asked_about(newcomer: Page) -> None:
    last_plan(newcomer)
    give_tables(newcomer, {"finish": [0, 0, 1]}, {"finish": [0.5, 0.5, 0]})  # the second one after a plan
    searches = calls_to(newcomer, "Analyze", answered=True)
    begin_searched(newcomer)
    wait_for_calls(newcomer, searches, 2)
    newcomer.locator('.action[data-action="finish"]').click()
    expect(newcomer.get_by_test_id("winner")).to_be_visible()


def planned(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True).locator("output")


def test_the_end_is_shown_from_its_beginning(newcomer: Page) -> None:
    newcomer.set_viewport_size({"width": 390, "height": 600})
    last_plan(newcomer)
    newcomer.locator("form button[type=submit]").click()
    assert settled(newcomer)
    newcomer.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    newcomer.locator('.action[data-action="finish"]').click()
    expect(newcomer.get_by_test_id("winner")).to_be_in_viewport()


def test_nothing_is_asked_if_that_is_not_wanted(newcomer: Page) -> None:
    store(newcomer, {"first-games": {"ask": "off"}})
    searches = calls_to(newcomer, "Analyze")
    play_now(newcomer)
    expect(newcomer.locator(HELP)).to_be_visible()
    play_on(newcomer, 2, lambda offered: offered[-1])
    assert searches == []
