"""A puzzle on the page: the answer is not on the page until it is found or requested."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from clerestory.review.puzzle import Puzzle, puzzle
from tests.browser.harness import when_held
from tests.browser.test_access import violations_by_day_and_night
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
    expect(page.locator("[data-fresh]")).to_have_count(0)  # a click on actions that are new has no effect
    page.locator(f'.action[data-action="{action}"]').first.click()


def test_it_is_tried_until_it_is_right(opened: Page, known: Puzzle) -> None:
    told, (answer,) = opened.locator(".puzzle"), known.answer
    wrong = max(known.losses, key=known.losses.__getitem__)
    press(opened, wrong)
    expect(told).to_contain_text(f"loses {100 * known.loss([wrong]):.1f}% of a win")
    assert "Right" not in told.inner_text()
    press(opened, answer.text)
    expect(told).to_contain_text(f"Right: {answer.label}")
    expect(opened.get_by_text(re.compile(r"1 of \d+ solved, 0 at the first try"))).to_be_visible()


def test_the_first_try_counts(opened: Page, known: Puzzle) -> None:
    press(opened, known.best)
    expect(opened.get_by_text(re.compile(r"1 of \d+ solved, 1 at the first try"))).to_be_visible()


def test_nothing_tells_the_answer_before(opened: Page, known: Puzzle) -> None:
    (answer,) = known.answer
    assert answer.label not in opened.locator(".puzzle").inner_text()
    expect(opened.locator("#hints")).to_be_disabled()
    opened.get_by_role("button", name="Show the answer").click()
    expect(opened.locator(".puzzle")).to_contain_text(answer.label)


def test_a_try_that_is_judged_after_the_answer_was_shown_tells_nothing(opened: Page, known: Puzzle) -> None:
    (answer,) = known.answer
    held: list[Route] = []
    opened.route("**/TryPuzzle", lambda route: held.append(route), times=1)
    press(opened, known.best)
    tried = when_held(opened, held)
    opened.get_by_role("button", name="Show the answer").click()
    expect(opened.locator(".puzzle")).to_contain_text(answer.label)
    with opened.expect_event("requestfinished", lambda request: request == tried.request):
        tried.continue_()
    opened.evaluate("fetch('/icon.svg')")  # by now the page has read the verdict
    expect(opened.locator(".puzzle")).not_to_contain_text("Right")
    expect(opened.get_by_text(re.compile(r"0 of \d+ solved, 0 at the first try"))).to_be_visible()


def test_one_goes_on_to_the_next(opened: Page) -> None:
    opened.get_by_role("link", name="Next puzzle").click()
    opened.wait_for_url("**/#/puzzle/duel/2")
    expect(opened.get_by_role("heading", name="Puzzle 2")).to_be_visible()


def test_the_position_can_be_studied(opened: Page) -> None:
    opened.get_by_role("button", name="Show the answer").click()
    opened.get_by_role("button", name="Study the position").click()
    opened.wait_for_url("**/#/study/file")
    expect(opened.locator(".actions button").first).to_be_visible()


def test_the_lobby_leads_to_the_first_that_is_not_solved(page: Page) -> None:
    page.evaluate("localStorage.setItem('puzzles:duel', '[1, 2]')")
    page.locator('a[href="#/puzzle/duel"]').click()
    page.wait_for_url("**/#/puzzle/duel/3")


def test_a_kind_of_which_there_is_none_is_wanted_no_longer(page: Page) -> None:
    page.evaluate("localStorage.setItem('puzzles-wanted', JSON.stringify({level: 99, theme: 'seals'}))")
    page.reload()
    page.goto("/#/puzzle/duel")
    page.wait_for_url("**/#/puzzle/duel/1")
    expect(page.get_by_label("Theme")).to_have_value("")


def test_there_is_no_such_puzzle(page: Page) -> None:
    page.goto("/#/puzzle/duel/99999")
    expect(page.get_by_role("alert")).to_have_text("There is no such puzzle.")


def test_axe_finds_nothing_by_day_and_night(opened: Page) -> None:
    opened.get_by_role("button", name="Show the answer").click()
    expect(opened.get_by_role("button", name="Study the position")).to_be_visible()
    assert violations_by_day_and_night(opened) == []


@pytest.mark.parametrize("number", ["abc", "12x", "1.5", "-1", "99999999999"])
def test_an_address_without_a_number_is_told_like_that_of_a_puzzle_there_is_not(page: Page, number: str) -> None:
    page.goto("/#/puzzle/duel/9999")
    told = re.sub(r"\d+", "N", page.get_by_role("alert").inner_text())
    page.goto("/#/")
    page.goto(f"/#/puzzle/duel/{number}")
    expect(page.get_by_role("alert")).to_be_visible()
    assert re.sub(r"\d+", "N", page.get_by_role("alert").inner_text()) == told
