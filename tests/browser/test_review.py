"""The review of a record on the page: chart, errors to try again, the ledger."""

import re
from functools import cache

from playwright.sync_api import Locator, Page, expect

from clerestory.engine import Record
from clerestory.engine.record import EarlyEnd
from clerestory.search.review import Annotation, ReviewPlan, annotate
from clerestory.search.review.classes import GLYPHS
from clerestory.search.review.words import ledger_rows
from tests.browser.axe import violations_by_day_and_night
from tests.browser.harness import calls_to, hold, lost, study, when_held
from tests.browser.tables import STREAM
from tests.languages import english_in
from tests.search.review.games import cut, lost_by_dismissal, random_game

GAME = cut(random_game("duel", 2, 1), 26)  # of random players, so that it has errors
ITERATIONS = 2000  # as requested by the page
AGAIN = re.compile("Try the .* again yourself")
MINUS = "\N{MINUS SIGN}"  # on the page; the command line writes a hyphen
WORST = 5  # errors that are listed and marked
ANSWERS: list[bytes] = []  # of the service to the page, at most one: a review takes seconds


def studied(page: Page, record: Record) -> None:
    study(page, "\n".join(record.lines()))


def opened(page: Page) -> None:
    """Open the study of the game and its review; each process requests the review once."""
    if ANSWERS:
        page.route("**/AnnotateGame", lambda route: route.fulfill(content_type=STREAM, body=ANSWERS[0]))
    studied(page, Record(GAME))
    with page.expect_response("**/AnnotateGame") as response:
        page.get_by_role("button", name="Review this game").click()
    expect(page.locator(".review .figures")).to_be_visible()
    ANSWERS[:] = ANSWERS or [response.value.body()]


@cache
def review() -> Annotation:
    return annotate(GAME, ReviewPlan(iterations=ITERATIONS))


def look_at_errors(page: Page) -> Locator:
    """Go to the first error, and return its box."""
    page.get_by_role("button", name=AGAIN).click()
    expect_ply(page, review().errors()[0].ply - 1)
    expect(page.locator(".actions:not([data-fresh]) button").first).to_be_enabled()
    return page.locator(".review .error")


def expect_ply(page: Page, ply: int, last: int = len(GAME.history)) -> None:
    expect(page.locator(".log .steps span")).to_have_text(f"{ply} / {last}")


def try_another(page: Page) -> None:
    """Try an action that is neither the best nor the one played."""
    error = review().errors()[0]
    actions = page.locator(".actions:not([data-fresh]) button")
    actions.filter(has_not_text=error.best_label).filter(has_not_text=error.label).first.click()


def test_the_first_game_of_a_file_of_many_is_reviewed(page: Page) -> None:
    """The whole file is larger than a request may be."""
    study(page, "\n".join(5 * list(Record(GAME).lines())))
    with page.expect_request("**/AnnotateGame") as request:
        page.get_by_role("button", name="Review this game").click()
    sent = request.value.post_data_buffer or b""
    assert sent.count(b"record") == "\n".join(Record(GAME).lines()).encode().count(b"record") > 0


def test_a_review_is_that_of_the_command_adds_up_leads_to_plies_and_is_accessible(page: Page) -> None:
    opened(page)
    expect(page.locator(".turn"), "not that chance decides").to_have_text("Review")
    expected = review()
    errors = sorted(expected.errors(), key=lambda one: one.ply)
    assert len(errors) > 1, "a record without errors tests nothing"
    page.locator("summary", has_text="Details").click()
    cells = page.locator(".review tr", has_text="Own errors").locator("td")
    expect(cells).to_have_text([cell.replace("-", MINUS) for cell in dict(ledger_rows(expected))["own errors"]])
    expect(page.locator(".shares .mark")).to_have_count(min(len(errors), WORST))
    expect(page.locator(".log li b")).to_have_text([GLYPHS[expected.class_of(one)] for one in errors])
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".numbers tbody tr").all()]
    for *parts, total in zip(*rows[:-2], strict=True):  # decisions and mean loss follow the result
        assert sum(round(10 * float(part.replace(MINUS, "-"))) for part in parts) == round(10 * float(total))
    box = page.locator(".shares").bounding_box()
    assert box is not None
    page.locator(".shares").click(position={"x": box["width"] / 2, "y": 20})
    expect_ply(page, len(GAME.history) // 2)
    page.get_by_text("Events that mattered most").click()
    worst = page.locator(".worst li")
    expect(worst).to_have_count(min(len(errors), WORST))
    first = expected.errors()[0]
    for part in (first.label, first.best_label):
        expect(worst.first).to_contain_text(part)
    worst.first.get_by_role("button").click()
    expect_ply(page, first.ply - 1)
    look_at_errors(page)
    assert violations_by_day_and_night(page) == []
    page.evaluate("document.documentElement.dir = 'rtl'")
    marks = page.locator(".mark text, .error b, .log li b")
    assert set(marks.evaluate_all("all => all.map(one => getComputedStyle(one).direction)")) == {"ltr"}


def test_the_review_of_a_resigned_game_shows_the_winner(page: Page) -> None:
    studied(page, Record(cut(GAME, 5), early=EarlyEnd(1)))
    expect(page.get_by_text("Red resigned.")).to_be_visible()
    expect(page.get_by_test_id("winner")).to_contain_text("Blue wins")
    expect(page.get_by_text("The game is over")).to_have_count(0)
    page.get_by_role("button", name="To the end").click()
    expect(page.get_by_text("The game is over")).to_be_visible()


def test_a_review_appears_in_another_language(page: Page) -> None:
    opened(page)
    page.unroute_all()
    look_at_errors(page)
    page.get_by_role("button", name="Show", exact=True).click()
    page.keyboard.press("h")
    with page.expect_request_finished(lambda asked: asked.url.endswith("/AnnotateGame")):
        page.locator("dialog .language select").select_option("de")
    page.keyboard.press("Escape")
    expect(page.locator(".review progress")).to_have_count(0)
    told = "\n".join(page.locator(".review").all_inner_texts())
    assert [text for text in told.splitlines() if english_in(text, "de")] == []


def test_an_error_is_tried_again(page: Page) -> None:
    """The position before the error appears without the answer; the best action is right, others are not."""
    opened(page)
    error = review().errors()[0]
    box = look_at_errors(page)
    expect(box).to_contain_text(error.label)
    assert error.best_label not in box.inner_text()
    expect(box).to_be_in_viewport(ratio=0.99)
    page.locator(".actions button", has_text=error.best_label).first.click()
    expect(box).to_contain_text("Right")
    expect(box).to_be_in_viewport(ratio=0.99)
    box.get_by_role("button", name="Show").click()
    expect(box).to_contain_text(error.best_label)


def test_the_verdict_on_a_try_does_not_appear_at_other_errors(page: Page) -> None:
    opened(page)
    second = review().errors()[1]
    box = look_at_errors(page)
    held = hold(page, "RecommendMove")
    try_another(page)
    expect(box).to_contain_text("Looking")
    page.keyboard.press("n")
    expect_ply(page, second.ply - 1)
    with page.expect_response("**/RecommendMove"):
        when_held(page, held).continue_()
    box.get_by_role("button", name="Show").click()
    expect(box).to_contain_text(second.best_label)
    expect(box.locator("p")).to_have_count(2)
    expect_ply(page, second.ply - 1)


def test_a_move_on_another_line_is_no_try(page: Page) -> None:
    opened(page)
    calls, error = calls_to(page, "RecommendMove"), review().errors()[0]
    box = look_at_errors(page)
    claim = next(ply for ply, action in enumerate(GAME.history) if action.text.startswith("claim"))
    assert claim < error.ply - 1
    for _ in range(claim, error.ply - 1):
        page.keyboard.press("ArrowLeft")
    expect_ply(page, claim)
    for at in range(claim, error.ply + 1):
        played = GAME.history[at].text
        page.locator(f".actions:not([data-fresh]) .action:not([data-action='{played}'])").first.click()
        expect_ply(page, at + 1, at + 1)
    expect(box.locator("p")).to_have_count(1)
    assert calls == []


def test_a_review_and_a_verdict_that_were_lost_are_asked_for_again(page: Page) -> None:
    studied(page, Record(GAME))
    with lost(page, "AnnotateGame"):
        page.get_by_role("button", name="Review this game").click()
        expect(page.locator(".report").get_by_role("alert")).to_contain_text("Trying again")
    expect(page.locator(".review .figures")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    box = look_at_errors(page)
    with lost(page, "RecommendMove"):
        try_another(page)
        expect(box).to_contain_text("Trying again")
    expect(box).to_contain_text(re.compile("Right|That costs"))


def test_one_seat_is_looked_at_alone(page: Page) -> None:
    """Its errors, and the luckiest and unluckiest events; `n` goes to the next error, Shift+`n` to the previous one."""
    opened(page)
    expected = review()
    own = expected.errors(1)
    page.get_by_label("Errors and luck of").select_option("1")
    button = page.get_by_role("button", name=AGAIN)
    expect(button).to_contain_text(f"({len(own)})")
    button.blur()
    page.keyboard.press("n")
    expect_ply(page, own[0].ply - 1)
    page.keyboard.press("Shift+N")
    expect_ply(page, own[-1].ply - 1)
    page.keyboard.press("h")
    expect(page.locator("dialog[open]")).to_have_count(1)
    page.keyboard.press("n")  # has no effect behind the dialog
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.keyboard.press("n")
    expect_ply(page, own[0].ply - 1)
    lucky = max((one for one in expected.valuations if one.source), key=lambda one: one.change[1])
    page.locator("summary", has_text="Details").click()
    luckiest = page.locator("details details", has_text="Luckiest events").first
    luckiest.locator("summary").click()
    expect(luckiest.locator("li").first).to_contain_text(lucky.label)
    expect(page.get_by_text("Unluckiest events")).to_be_visible()


def test_a_review_is_no_part_of_the_first_load(page: Page) -> None:
    with page.expect_response(lambda response: "/assets/screen-" in response.url):
        page.goto("/#/study/new/duel/2")
    names = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert len([name for name in names if "/screen-" in name]) == 1  # that of the study


def test_the_dismissal_that_lost_a_game_is_its_turning_point_and_stays_it(page: Page) -> None:
    """While a review is computed, nothing is named that could turn out wrong."""
    studied(page, Record(lost_by_dismissal()))
    page.evaluate(TOLD)
    page.get_by_role("button", name="Review this game").click()
    turning = page.locator(".report .notice")
    expect(turning).to_contain_text("The turning point: Move 1, Red: dismiss the Mortar mixer")
    expect(page.locator(".review .figures")).to_be_visible()
    assert page.evaluate("told") == [turning.inner_text()]


TOLD = """window.told = [];
new MutationObserver(() => {
    for (const { innerText } of document.querySelectorAll('.report .notice'))
        if (!told.includes(innerText)) told.push(innerText);
}).observe(document.body, { childList: true, subtree: true, characterData: true })"""
