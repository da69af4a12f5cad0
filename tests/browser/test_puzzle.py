"""A puzzle on the page: the answer is not on the page until it is found or requested."""

import re

import pytest
from playwright.sync_api import Page, expect

from clerestory.search.review.puzzle import Puzzle, puzzle
from tests.browser.axe import violations_by_day_and_night
from tests.browser.harness import hold, processed, store, when_held
from tests.shipped import DUEL


@pytest.fixture
def known() -> Puzzle:
    return puzzle(DUEL, 1)


@pytest.fixture
def opened(page: Page) -> Page:
    page.goto("/#/puzzle/duel/1")
    expect(page.locator(".actions button").first).to_be_enabled()
    return page


def press(page: Page, action: str) -> None:
    expect(page.locator("[data-fresh]")).to_have_count(0)  # clicks on new actions have no effect
    page.locator(f'.action[data-action="{action}"]').first.click()


def expect_solved(page: Page, solved: int, at_first: int) -> None:
    expect(page.get_by_text(re.compile(rf"{solved} of \d+ solved, {at_first} at the first try"))).to_be_visible()


def test_it_is_tried_until_it_is_right(opened: Page, known: Puzzle) -> None:
    told, (answer,) = opened.locator(".puzzle"), known.answer
    wrong = max(known.losses, key=known.losses.__getitem__)
    assert answer.label not in told.inner_text()
    expect(opened.locator("#hints")).to_be_disabled()
    press(opened, wrong)
    expect(told).to_contain_text(f"costs {100 * known.loss([wrong]):.1f}% of a win")
    expect(told).not_to_contain_text("Right")
    told.locator("[aria-live] p").evaluate("one => one.dataset.before = ''")
    press(opened, wrong)
    expect(told.locator("[aria-live] [data-before]"), "the same would not be spoken again").to_have_count(0)
    press(opened, answer.text)
    expect(told).to_contain_text(f"Right: {answer.label}")
    expect_solved(opened, 1, 0)
    opened.get_by_role("link", name="Next puzzle").click()
    opened.wait_for_url("**/#/puzzle/duel/2")
    expect(opened.get_by_role("heading", name="Puzzle 2")).to_be_visible()


def test_the_first_try_counts(opened: Page, known: Puzzle) -> None:
    press(opened, known.best)
    expect_solved(opened, 1, 1)


def test_a_try_that_is_judged_after_the_answer_was_shown_has_no_effect(opened: Page, known: Puzzle) -> None:
    (answer,) = known.answer
    held = hold(opened, "TryPuzzle", times=1)
    press(opened, known.best)
    tried = when_held(opened, held)
    opened.get_by_role("button", name="Show the answer").click()
    expect(opened.locator(".puzzle")).to_contain_text(answer.label)
    with opened.expect_event("requestfinished", lambda request: request == tried.request):
        tried.continue_()
    processed(opened)
    expect(opened.locator(".puzzle")).not_to_contain_text("Right")
    expect_solved(opened, 0, 0)
    study = opened.get_by_role("button", name="Study the position")
    expect(study).to_be_visible()
    assert violations_by_day_and_night(opened) == []
    study.click()
    opened.wait_for_url("**/#/study/file")
    expect(opened.locator(".actions button").first).to_be_visible()


def test_the_lobby_leads_to_the_first_puzzle_that_is_not_solved(page: Page) -> None:
    store(page, {"puzzles:duel": [1, 2], "puzzles-wanted": {"level": 99, "theme": "seals"}})
    page.locator('a[href="#/puzzle/duel"]').click()
    page.wait_for_url("**/#/puzzle/duel/3")
    expect(page.get_by_label("Theme"), "a kind of which there is none is wanted no longer").to_have_value("")


@pytest.mark.parametrize("number", ["99999", "abc", "12x", "1.5", "-1", "99999999999"])
def test_there_is_no_such_puzzle(page: Page, number: str) -> None:
    page.goto(f"/#/puzzle/duel/{number}")
    expect(page.get_by_role("alert")).to_have_text("There is no such puzzle.")
