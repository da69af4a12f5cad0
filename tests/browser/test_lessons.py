"""Lessons on the page, played with only the knowledge that the page gives."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLate

from clerestory.i18n import patterns
from clerestory.server.lessons import Course, Lesson
from tests.browser.axe import violations
from tests.browser.harness import hold, processed, version_of, wait_for_change, when_held
from tests.server.lessons.pupil import ALL, answers

PANEL = ".lesson"
GO_ON = ".lesson:has(p:not(.muted)) button.main"  # steps without text continue automatically
LIT = "[data-lit]"
WORDS_IN_TWO_MINUTES = 400
MOST_SCENES = 80


def opened(page: Page, lesson: str) -> Page:
    page.goto(f"/#/learn/{lesson}")
    expect(page.locator(PANEL)).to_be_visible()
    return page


def is_over(page: Page) -> bool:
    return page.locator(f"{PANEL} .stars").count() > 0


def next_thing(page: Page) -> str:
    """Wait for something to read or do, and return the text of the lesson."""
    ready = page.locator(f"{GO_ON}, {PANEL} .stars, .table:has({PANEL} .task):not(:has([data-fresh])) .action")
    expect(ready.first).to_be_visible()
    expect(page.locator(".middle[aria-busy='true']")).to_have_count(0)
    return page.locator(PANEL).inner_text()


def read_on(page: Page) -> None:
    next_thing(page)
    while page.locator(GO_ON).count():
        page.locator(GO_ON).click()
        next_thing(page)


def press_what_is_lit(page: Page, tries: int) -> None:
    """Press one of the highlighted parts, another one at every try, and the last of its choices."""
    lit = page.locator(f"{LIT}[data-place]")
    expect(lit.first).to_be_visible()
    lit.nth(tries % lit.count()).click()
    if page.locator(".choices button").count():
        page.locator(".choices button").last.click()


def test_a_stranger_finishes_the_first_lesson_in_two_minutes_of_reading(page: Page) -> None:
    page.get_by_role("link", name="Learn", exact=True).click()
    page.get_by_role("link", name="Next: The goal").click()
    expect(page.locator(PANEL)).to_be_visible()
    words, tries, shown, begun = 0, 0, list[float](), False
    for _ in range(MOST_SCENES):
        words += len(next_thing(page).split())
        if is_over(page):
            break
        if page.locator(GO_ON).count():
            if not begun:
                shown.append(page.locator(f"{PANEL} progress").evaluate("bar => bar.value"))
            page.locator(GO_ON).click()
        else:
            begun = True
            press_what_is_lit(page, tries)
            tries += 1
    assert is_over(page)
    assert words <= WORDS_IN_TWO_MINUTES
    assert shown[0] == 0
    assert len(shown) > 2
    assert shown == sorted({*shown}), "the bar grows with what is read"
    page.get_by_role("link", name="Next lesson").click()
    expect(page.get_by_role("heading", name="Workers")).to_be_visible()
    page.goto("/#/path")
    expect(page.get_by_role("img", name="3 of 3 stars")).to_have_count(1)
    assert violations(page) == []


def test_a_lesson_is_played_by_keys_and_begun_again(page: Page) -> None:
    opened(page, "goal")
    expect(page.locator(GO_ON)).to_be_focused()
    page.keyboard.press("Enter")
    next_thing(page)
    while page.locator(GO_ON).count():
        page.keyboard.press("n")
        next_thing(page)
    expect(page.locator(".unseen[aria-live]").first).to_contain_text("Choose his line")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator(PANEL)).to_contain_text("The sand is gone")
    assert violations(page) == []
    page.keyboard.press("r")
    expect(page.locator(PANEL)).to_contain_text("You all build one cathedral")


def test_a_lesson_goes_on_in_another_language(page: Page) -> None:
    german = patterns("lessons", "de")
    opened(page, "goal")
    for _ in ("points", "goods"):
        page.locator(GO_ON).click()
        next_thing(page)
    speak(page, "de")
    expect(page.locator(f"{PANEL} p")).to_have_text(str(german["goal.goods"]))
    speak(page, "en")
    read_on(page)
    press_what_is_lit(page, 0)
    read_on(page)
    speak(page, "de")
    expect(page.locator(f"{PANEL} .task")).to_contain_text(str(german["goal.stone"]).partition(":")[0])


def speak(page: Page, language: str) -> None:
    page.keyboard.press("h")
    page.locator("dialog .language select").select_option(language)
    page.keyboard.press("Escape")
    expect(page.locator(f"html[lang={language}]")).to_have_count(1)


def test_of_two_restarts_only_the_latest_counts(page: Page) -> None:
    opened(page, "goal")
    held = hold(page, "FollowLesson", times=1)
    page.keyboard.press("r")
    first = when_held(page, held)
    version = version_of(page)
    page.keyboard.press("r")
    wait_for_change(page, version)
    page.locator(GO_ON).click()
    expect(page.locator(PANEL)).not_to_contain_text("You all build one cathedral")
    next_thing(page)
    version = version_of(page)
    with page.expect_event("requestfinished", lambda request: request == first.request):
        first.continue_()
    processed(page)
    expect(page.locator("[data-version]")).to_have_attribute("data-version", version)


def test_a_game_that_a_lesson_has_played_to_its_end_is_reviewed_at_once(page: Page) -> None:
    (sections,) = (one for one in ALL if one.name == "sections")
    play_in_sight(page, sections)
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".review")).to_be_visible()


def test_a_mistake_is_answered(page: Page) -> None:
    opened(page, "goal")
    read_on(page)
    for button in (
        '.action[data-action="convert mortar_mixer 1"]',
        GO_ON,
        '.action[data-action="convert stonecutter 1"]',
    ):
        next_thing(page)
        page.locator(button).click()
    expect(page.locator(f"{PANEL}.wrong")).to_contain_text("Try again")
    expect(page.locator(".action")).to_have_count(4)


# A highlighted part is in the window, and nothing covers its centre.
IN_SIGHT = """() => [...document.querySelectorAll('[data-lit]')].some((part) => {
  const box = part.getBoundingClientRect();
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const found = document.elementFromPoint(x, y);
  return found && (part.contains(found) || found.contains(part));
})"""
SIZES = {"wide": (1366, 768), "phone": (390, 844)}
# Parts that are not highlighted anywhere or cannot be scrolled into view, each as a name and whether it must be
# highlighted.
HIDDEN = """wanted => {
 const { scrollX, scrollY } = window;
 const hidden = wanted.filter(([name, lit]) => {
  const parts = document.querySelectorAll(`[data-about="${name}"]${lit ? '[data-lit]' : ''}`);
  return ![...parts].some((part) => {
    part.scrollIntoView({ block: 'center', inline: 'center' });
    const box = part.getBoundingClientRect();
    const found = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return box.width > 0 && found && (part.contains(found) || found.contains(part));
  });
 });
 scrollTo(scrollX, scrollY);
 return hidden;
}"""


def lights(lesson: Lesson) -> Iterator[list[tuple[str, bool]]]:
    """Yield, for each moment of a lesson played without mistakes, the visible parts, and whether each is highlighted.

    Parts highlighted in answers to mistakes must be visible where their task begins, because they return to it.
    """
    course, left, begun = Course(lesson), answers(lesson), None
    while True:
        yield from ([(name, True) for name in scene.words.light] for scene in course.scenes if scene.words)
        step = course.step
        if step is None or step.task is None:
            return
        wrong = [(name, False) for answer in step.task.wrong for name in answer.words.light]
        yield [] if step is begun else [*((name, True) for name in step.words.light), *wrong]
        begun = step
        course.attempt(0, left.pop(0))


def play_in_sight(page: Page, lesson: Lesson) -> list[str]:
    """Play a lesson according to its answers; return texts during which a highlighted part was not visible."""
    left, wanted, dark = answers(lesson), lights(lesson), list[str]()
    opened(page, lesson.name)
    for _ in range(500):
        told = next_thing(page)
        if is_over(page):
            return [*dark, *(f"never told: {names}" for names in wanted)]
        version = version_of(page)
        try:
            page.wait_for_function(IN_SIGHT)
        except TooLate:
            dark.append(told)
        dark += [f"{name}: {told}" for name, _ in page.evaluate(HIDDEN, next(wanted))]
        if page.locator(GO_ON).count():
            page.locator(GO_ON).click()
        else:
            page.locator(f'.action[data-action="{left.pop(0)}"]').first.click()
            wait_for_change(page, version)
    raise AssertionError("the lesson has no end")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "lesson",
    [pytest.param(one, marks=[] if one.name == "gold" else pytest.mark.slow) for one in ALL],
    ids=lambda lesson: lesson.name,
)
def test_whatever_a_lesson_lights_is_to_be_seen(page: Page, lesson: Lesson, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    assert play_in_sight(page, lesson) == []
