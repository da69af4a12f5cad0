"""A puzzle on the page: the answer is not on the page until it is found or requested."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from clerestory.engine import State
from clerestory.search.review.puzzle import Puzzle, puzzle
from tests.browser.axe import violations_by_day_and_night
from tests.browser.harness import hold, processed, settled, store, when_held
from tests.browser.positions import begin_at
from tests.search.review.games import lost_by_dismissal
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


# -- one's own mistakes ----------------------------------------------------------------------------


def mistake(number: int) -> dict[str, Any]:
    """Return a shipped puzzle as a mistake of a reviewed game, in which the worst action was played."""
    found = puzzle(DUEL, number)
    worst = max(found.losses, key=found.losses.__getitem__)
    seat = found.state.turn
    texts = {"played": worst, "best": found.best}
    return {"id": f"g.{number}.{seat}", "position": found.position, "seat": seat, "loss": 0.25} | texts


def queue(page: Page, key: str = "mistakes:duel") -> list[Any]:
    found: list[Any] = json.loads(page.evaluate("key => localStorage.getItem(key)", key) or "[]")
    return found


def practise(page: Page, *numbers: int) -> None:
    """Open the first of several mistakes from the path."""
    store(page, {"mistakes:duel": [mistake(number) for number in numbers]})
    page.goto("/#/path")
    page.get_by_role("link", name="Practise my mistakes").click()
    page.wait_for_url(f"**/#/puzzle/duel/mine/{mistake(numbers[0])['id']}")
    expect(page.locator(".actions button").first).to_be_enabled()


def test_a_mistake_that_is_put_right_at_once_leaves_and_a_failed_one_comes_back(page: Page) -> None:
    practise(page, 1, 2)
    one, two = mistake(1), mistake(2)
    told = page.locator(".puzzle")
    worst = DUEL.parse_action(one["played"]).label
    expect(told).to_contain_text(f"in your game, \u201c{worst}\u201d cost 25.0% of a win")
    expect(page.locator("#hints")).to_be_disabled()
    assert DUEL.parse_action(one["best"]).label not in told.inner_text()
    press(page, one["played"])
    expect(told).to_contain_text("of a win. Try again.")
    assert [known["id"] for known in queue(page)] == [two["id"], one["id"]]
    press(page, one["best"])
    expect(told).to_contain_text(f"Right: {DUEL.parse_action(one['best']).label}")
    expect(page.get_by_text("2 mistakes to practise")).to_be_visible()
    assert violations_by_day_and_night(page) == []
    page.get_by_role("link", name="Next mistake").click()
    page.wait_for_url(f"**/#/puzzle/duel/mine/{two['id']}")
    press(page, two["best"])
    expect(page.get_by_text("1 mistake to practise")).to_be_visible()
    assert [known["id"] for known in queue(page)] == [one["id"]]
    assert queue(page, "corrected:duel") == [two["id"]]
    page.get_by_role("link", name="Next mistake").click()
    page.wait_for_url(f"**/#/puzzle/duel/mine/{one['id']}")
    page.get_by_role("button", name="Show the answer").click()
    expect(told).to_contain_text(DUEL.parse_action(one["best"]).label)
    assert [known["id"] for known in queue(page)] == [one["id"]]
    page.get_by_role("link", name="Next mistake").click()
    expect(page.get_by_role("button", name="Show the answer"), "the only one is asked anew").to_be_visible()


def test_without_mistakes_the_page_says_where_they_come_from(page: Page) -> None:
    page.goto("/#/puzzle/duel/mine")
    expect(page.get_by_text("There are no mistakes to practise.")).to_be_visible()
    page.get_by_role("link", name="Your path").click()
    expect(page.get_by_role("link", name="Practise my mistakes")).to_have_count(0)


def test_a_mistake_that_the_cards_in_use_do_not_allow_leaves(page: Page) -> None:
    wrong = mistake(1)
    wrong["position"] = {**wrong["position"], "catalogue": "0123456789abcdef"}
    store(page, {"mistakes:duel": [wrong]})
    page.goto("/#/puzzle/duel/mine")
    expect(page.get_by_role("alert")).to_be_visible()
    assert queue(page) == []


def test_the_mistakes_of_a_reviewed_game_can_be_practised(page: Page) -> None:
    begin_at(page, dismissal())
    page.get_by_role("button", name="Start", exact=True).click()
    settled(page)
    press(page, "dismiss mortar_mixer")
    expect(page.get_by_test_id("winner")).to_be_visible()
    page.get_by_role("link", name="Review").click()
    expect(page.locator(".review .figures")).to_be_visible()
    page.get_by_role("button", name="Practise my mistakes").click()
    page.wait_for_url("**/#/puzzle/cathedral/mine/*")
    expect(page.locator(".puzzle")).to_contain_text("dismiss the Mortar mixer")
    (known,) = queue(page, "mistakes:cathedral")
    assert (known["played"], known["seat"]) == ("dismiss mortar_mixer", 0)
    press(page, known["best"])
    expect(page.locator(".puzzle")).to_contain_text("Right")
    assert queue(page, "corrected:cathedral") == [known["id"]]
    page.goto("/#/path")
    expect(page.get_by_text("From the review of 1 game."), "its figures are kept as well").to_be_visible()


def dismissal() -> State:
    """Return the position in which Red loses by dismissing the only mortar mixer."""
    state = lost_by_dismissal()
    while state.history:
        state.undo()
    return state
