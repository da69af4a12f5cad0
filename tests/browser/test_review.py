"""The review of a record on the page: chart, errors to try again, the ledger."""

import re
from functools import cache

from playwright.sync_api import Page, Route, expect

from clerestory.engine import Record, State
from clerestory.engine.record import EarlyEnd
from clerestory.review import Annotation, ReviewPlan, annotate
from clerestory.review.classes import GLYPHS
from clerestory.review.words import ledger_rows
from tests.browser.harness import PATIENCE, lost, when_held
from tests.browser.test_access import violations_by_day_and_night
from tests.languages import english_in
from tests.review.games import cut, random_game

GAME = cut(random_game("duel", 2, 1), 26)
ITERATIONS = 2000  # as the page asks for
STREAM = "application/connect+proto"
GIVEN: list[bytes] = []  # the review in this format; one at most


def studied(page: Page, game: State = GAME) -> None:
    """Open the study of a record."""
    record = "\n".join(Record(game).lines())
    page.evaluate("text => sessionStorage.setItem('imported', text)", record)
    page.goto("/#/study/file")


def opened(page: Page, *, anew: bool = False) -> Page:
    """The study of a record of random players, which has errors, and its review, which takes the service seconds.

    One that it has given to this process before is shown again, unless it is to be made anew.
    """
    if GIVEN and not anew:
        page.route("**/AnnotateGame", lambda route: route.fulfill(content_type=STREAM, body=GIVEN[0]))
    studied(page)
    with page.expect_response("**/AnnotateGame") as response:
        page.get_by_role("button", name="Review this game").click()
    expect(page.locator(".review table")).to_be_visible(timeout=5 * PATIENCE)
    GIVEN[:] = GIVEN or [response.value.body()]
    return page


@cache
def review() -> Annotation:
    """What the page is to show."""
    return annotate(GAME, ReviewPlan(iterations=ITERATIONS))


def the_ledger_is_that_of_the_command(page: Page) -> None:
    expected = review()
    cells = page.locator(".review tr", has_text="Own errors").locator("td")
    expect(cells).to_have_text(dict(ledger_rows(expected))["own errors"])
    expect(page.locator(".shares .mark")).to_have_count(len(expected.errors()))
    assert expected.errors(), "a record without errors tests nothing"
    errors = sorted(expected.errors(), key=lambda one: one.ply)
    expect(page.locator(".log li b")).to_have_text([GLYPHS[expected.class_of(one)] for one in errors])


def the_columns_add_up_as_they_are_shown(page: Page) -> None:
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".review tbody tr").all()]
    end = len(rows) - 4  # decisions, mean loss, level and accuracy come after the result
    for *parts, total in zip(*rows[:end], strict=True):
        assert sum(round(10 * float(part)) for part in parts) == round(10 * float(total))


def the_chart_leads_to_a_ply(page: Page) -> None:
    box = page.locator(".shares").bounding_box()
    assert box is not None
    page.locator(".shares").click(position={"x": box["width"] / 2, "y": 20})
    expect(page.locator(".log .steps span")).to_have_text(f"{len(GAME.history) // 2} / {len(GAME.history)}")


def axe_finds_nothing_by_day_and_night(page: Page) -> None:
    page.get_by_text("Events that mattered most").click()
    page.get_by_role("button", name="Look at the errors").click()
    assert violations_by_day_and_night(page) == []


def marks_keep_their_order_on_a_page_from_right_to_left(page: Page) -> None:
    page.evaluate("document.documentElement.dir = 'rtl'")
    marks = page.locator(".mark text, .error b, .log li b")
    assert set(marks.evaluate_all("all => all.map(one => getComputedStyle(one).direction)")) == {"ltr"}


def test_a_review_is_that_of_the_command_adds_up_leads_to_plies_and_is_accessible(page: Page) -> None:
    """One review, which takes seconds, is looked at in each of these ways."""
    opened(page, anew=True)
    the_ledger_is_that_of_the_command(page)
    the_columns_add_up_as_they_are_shown(page)
    the_chart_leads_to_a_ply(page)
    axe_finds_nothing_by_day_and_night(page)
    marks_keep_their_order_on_a_page_from_right_to_left(page)


def test_of_a_resigned_game_it_is_said_who_won(page: Page) -> None:
    record = "\n".join(Record(cut(GAME, 5), early=EarlyEnd(1)).lines())
    page.evaluate("text => sessionStorage.setItem('imported', text)", record)
    page.goto("/#/study/file")
    expect(page.get_by_text("Red resigned.")).to_be_visible()
    expect(page.get_by_test_id("winner")).to_contain_text("Blue wins")
    expect(page.get_by_text("The game is over")).to_have_count(0)
    page.get_by_role("button", name="To the end").click()
    expect(page.get_by_text("The game is over")).to_be_visible()


def test_a_review_is_told_in_another_language(page: Page) -> None:
    opened(page)
    page.unroute_all()
    page.get_by_role("button", name="Look at the errors").click()
    page.get_by_role("button", name="Show", exact=True).click()
    page.keyboard.press("h")
    with page.expect_request_finished(lambda asked: asked.url.endswith("/AnnotateGame"), timeout=5 * PATIENCE):
        page.locator("dialog .language select").select_option("de")
    page.keyboard.press("Escape")
    expect(page.locator(".review progress")).to_have_count(0)
    assert [text for text in page.locator(".review").inner_text().splitlines() if english_in(text, "de")] == []


def test_an_error_is_tried_again(page: Page) -> None:
    """The position before the error appears without the answer; the best action is right, the one played is not."""
    reviewed, expected = opened(page), review()
    error = expected.errors()[0]
    reviewed.get_by_role("button", name="Look at the errors").click()
    expect(reviewed.locator(".log .steps span")).to_have_text(f"{error.ply - 1} / {len(GAME.history)}")
    box = reviewed.locator(".review .error")
    expect(box).to_contain_text(error.label)
    assert error.best_label not in box.inner_text()
    expect(box).to_be_in_viewport(ratio=0.99)
    expect(reviewed.locator(".actions:not([data-fresh]) button").first).to_be_enabled()
    reviewed.locator(".actions button", has_text=error.best_label).first.click()
    expect(box).to_contain_text("Right")
    expect(box).to_be_in_viewport(ratio=0.99)
    box.get_by_role("button", name="Show").click()
    expect(box).to_contain_text(error.best_label)


def test_the_verdict_on_a_try_is_told_of_no_other_error(page: Page) -> None:
    reviewed, errors = opened(page), review().errors()
    assert len(errors) > 1
    steps, box = reviewed.locator(".log .steps span"), reviewed.locator(".review .error")
    reviewed.get_by_role("button", name="Look at the errors").click()
    expect(steps).to_have_text(f"{errors[0].ply - 1} / {len(GAME.history)}")
    held: list[Route] = []
    reviewed.route("**/RecommendMove", lambda route: held.append(route))
    other = reviewed.locator(".actions:not([data-fresh]) button").filter(has_not_text=errors[0].best_label)
    other.filter(has_not_text=errors[0].label).first.click()
    expect(box).to_contain_text("Looking")
    reviewed.keyboard.press("n")
    there = f"{errors[1].ply - 1} / {len(GAME.history)}"
    expect(steps).to_have_text(there)
    with reviewed.expect_response("**/RecommendMove"):
        when_held(reviewed, held).continue_()
    box.get_by_role("button", name="Show").click()
    expect(box).to_contain_text(errors[1].best_label)
    expect(box.locator("p")).to_have_count(2)
    expect(steps).to_have_text(there)


def test_a_move_on_another_line_is_no_try(page: Page) -> None:
    reviewed, errors = opened(page), review().errors()
    steps, box = reviewed.locator(".log .steps span"), reviewed.locator(".review .error")
    asked: list[str] = []
    reviewed.on("request", lambda request: asked.append(request.url) if "RecommendMove" in request.url else None)
    reviewed.get_by_role("button", name="Look at the errors").click()
    expect(steps).to_have_text(f"{errors[0].ply - 1} / {len(GAME.history)}")
    claim = next(ply for ply, action in enumerate(GAME.history) if action.text.startswith("claim"))
    assert claim < errors[0].ply - 1
    for _ in range(claim, errors[0].ply - 1):
        reviewed.keyboard.press("ArrowLeft")
    expect(steps).to_have_text(f"{claim} / {len(GAME.history)}")
    for at in range(claim, errors[0].ply + 1):
        there = f".actions:not([data-fresh]) .action:not([data-action='{GAME.history[at].text}'])"
        reviewed.locator(there).first.click()
        expect(steps).to_have_text(f"{at + 1} / {at + 1}")
    expect(box.locator("p")).to_have_count(1)
    assert asked == []


def test_a_review_that_was_lost_is_asked_for_again(page: Page) -> None:
    studied(page, cut(GAME, 5))
    with lost(page, "**/AnnotateGame"):
        page.get_by_role("button", name="Review this game").click()
        expect(page.locator(".review").get_by_role("alert")).to_contain_text("Trying again")
    expect(page.locator(".review table")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_try_whose_verdict_was_lost_is_judged_again(page: Page) -> None:
    reviewed, error = opened(page), review().errors()[0]
    reviewed.get_by_role("button", name="Look at the errors").click()
    expect(reviewed.locator(".log .steps span")).to_have_text(f"{error.ply - 1} / {len(GAME.history)}")
    box = reviewed.locator(".review .error")
    other = reviewed.locator(".actions:not([data-fresh]) button").filter(has_not_text=error.best_label)
    with lost(reviewed, "**/RecommendMove"):
        other.filter(has_not_text=error.label).first.click()
        expect(box).to_contain_text("Trying again")
    expect(box).to_contain_text(re.compile("Right|That loses"))


def test_one_seat_is_looked_at_alone(page: Page) -> None:
    """Its errors, and the luckiest and unluckiest events; `n` goes to the next error, with Shift to the one before."""
    reviewed, expected = opened(page), review()
    own = expected.errors(1)
    reviewed.get_by_label("Errors and luck of").select_option("1")
    button = reviewed.get_by_role("button", name="Look at the errors")
    expect(button).to_contain_text(f"({len(own)})")
    button.blur()
    steps = reviewed.locator(".log .steps span")
    reviewed.keyboard.press("n")
    expect(steps).to_have_text(f"{own[0].ply - 1} / {len(GAME.history)}")
    reviewed.keyboard.press("Shift+N")
    expect(steps).to_have_text(f"{own[-1].ply - 1} / {len(GAME.history)}")
    reviewed.keyboard.press("h")
    expect(reviewed.locator("dialog[open]")).to_have_count(1)
    reviewed.keyboard.press("n")  # is not for what is behind the dialog
    reviewed.keyboard.press("Escape")
    expect(reviewed.locator("dialog[open]")).to_have_count(0)
    reviewed.keyboard.press("n")
    expect(steps).to_have_text(f"{own[0].ply - 1} / {len(GAME.history)}")
    lucky = max((one for one in expected.valuations if one.source), key=lambda one: one.change[1])
    luckiest = reviewed.locator("details", has_text="Luckiest events").first
    luckiest.locator("summary").click()
    expect(luckiest.locator("li").first).to_contain_text(lucky.label)
    expect(reviewed.get_by_text("Unluckiest events")).to_be_visible()


def test_it_is_no_part_of_the_first_load(page: Page) -> None:
    with page.expect_response(lambda response: "/assets/study-" in response.url):
        page.goto("/#/study/new/duel/2")
    names = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert not [name for name in names if "/review-" in name]
