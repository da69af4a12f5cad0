"""The page in every language: switching at once, Hebrew from right to left, and no English left on any screen."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from clerestory.i18n import patterns
from clerestory.i18n.languages import LANGUAGES
from tests.browser import screens
from tests.browser.harness import drawn, logged, open_tab, play_on, settled, start
from tests.browser.positions import begin_at
from tests.browser.screens import SCREENS, Screen
from tests.engine.cathedral.scenes import changed, reach
from tests.languages import OTHERS, english_in
from tools.lab.browser import experienced

# The readable text of a page: visible or for screen readers, without code, keys, and user input.
READ = """() => {
    const found = [];
    const skipped = 'code, kbd, textarea, script, style, noscript, .language select';
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        if (!node.parentElement.closest(skipped)) found.push(node.data);
    for (const one of document.querySelectorAll('[title], [aria-label], [placeholder]'))
        if (!one.closest(skipped))
            for (const name of ['title', 'aria-label', 'placeholder']) found.push(one.getAttribute(name) ?? '');
    return found.map(text => text.trim()).filter(Boolean);
}"""
# Where a letter of a text begins, from left to right.
LEFT = """const left = (text, index) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    return range.getBoundingClientRect().left;
};"""
# Right-to-left changes of a game whose number is not before the counted item, or not after its own sign.
MISPLACED = f"""() => {{ {LEFT} return [...document.querySelectorAll('.changed')].flatMap(({{ firstChild: text }}) =>
    [...text.data.matchAll(/[-+]\\d\\P{{L}}*\\p{{L}}/gu)].filter(({{ 0: found, index }}) => {{
        const [sign, digit, letter] = [index, index + 1, index + found.length - 1].map(at => left(text, at));
        return !(letter < sign && sign < digit);
    }}).map(([found]) => found)); }}"""
# The letters after a name in a right-to-left text that appear before it.
ORDER = f"""(one, name) => {{ {LEFT}
    const text = one.firstChild, first = text.data.indexOf(name);
    return [...text.data].filter((letter, index) => index >= first + name.length && /\\p{{L}}/u.test(letter)
        && left(text, index) > left(text, first));
}}"""
# Selected options that are longer than their line and not wrapped.
CUT_CHOICES = """() => [...document.querySelectorAll('form select')].filter((select) => {
    const style = getComputedStyle(select);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = style.font;
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const high = select.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const { width } = pen.measureText(select.selectedOptions[0].text);
    return width > room && high < 2 * parseFloat(style.fontSize);
}).map((select) => select.selectedOptions[0].text)"""
# The elements that make a page wider than its window.
WIDER = """() => document.documentElement.scrollWidth <= innerWidth ? []
    : [...document.querySelectorAll('body *')].filter(one => !one.closest('svg, .scroll *'))
        .filter(one => one.getBoundingClientRect().right > innerWidth || one.getBoundingClientRect().left < 0)
        .map(one => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"""


# -- a page in a language ------------------------------------------------------------------------------


@pytest.fixture
def spoken(browser: Browser, url: str) -> Iterator[Callable[[str], Page]]:
    """Opens the lobby in a language of the browser, in a separate tab."""
    with ExitStack() as stack:

        def opened(language: str) -> Page:
            context = experienced(browser, base_url=url, reduced_motion="reduce", locale=language)
            page = stack.enter_context(open_tab(context))
            expect(page.locator("form")).to_be_visible()
            return page

        yield opened


def read_of(page: Page) -> list[str]:
    found: list[str] = page.evaluate(READ)
    return found


def english_on(page: Page, language: str) -> list[str]:
    """Return the English text on a page; for Hebrew, all text in Latin letters that is not a name."""
    return [text for text in read_of(page) if english_in(text, language)]


def test_a_language_is_switched_at_once_and_remembered(page: Page) -> None:
    page.evaluate("window.same = true")
    page.locator(".language select").select_option("de")
    expect(page.get_by_role("heading", name="Neue Partie")).to_be_visible()
    screens.kept(page, "duel", 2)
    expect(page.locator(".turn")).to_have_text("Du bist am Zug")
    german = page.locator(".action span").first.inner_text()
    page.keyboard.press("h")
    page.locator("dialog .language select").select_option("he")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    settled(page)
    expect(page.locator(".action span").first).not_to_have_text(german, use_inner_text=True)
    assert page.evaluate("window.same")  # the page was not reloaded
    page.reload()
    expect(page.locator("html[lang=he][dir=rtl]")).to_have_count(1)


CUT_WORDS = """width => {  // of cards: those that end on another line than they begin on, where they may not be divided
    const cards = [...document.querySelectorAll('.boxed-card .drawn')];
    for (const card of cards) { card.classList.add('cell'); card.style.width = `${width}px`; }
    const texts = cards.map(card => card.querySelector('.name').firstChild);
    return texts.flatMap(text => [...text.data.matchAll(/[^ ]+/g)].filter(([word]) => !word.includes('\u00ad'))
        .filter(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return range.getClientRects().length > 1;
        }).map(([word]) => word));
}"""
CARD = 84  # pixels: a cell of the grid in a window of 320


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browsers_language_is_spoken_and_fits_a_narrow_window(spoken: Callable[[str], Page], language: str) -> None:
    page = spoken(f"{language}-XX")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("translate", "no")
    expect(page.get_by_role("heading", name=str(patterns("page", language)["new"]))).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    screens.lobby(page)
    page.locator(".seats select").nth(1).select_option("here")
    assert page.evaluate(CUT_CHOICES) == []
    assert page.evaluate(WIDER) == []
    page.goto("/#/box/duel")
    expect(page.locator(".boxed-card").first).to_be_visible()
    assert page.evaluate(CUT_WORDS, CARD) == []
    assert page.evaluate(CUT_WORDS, CARD // 2) != [], "words that are cut would be found"
    page.goto("/#/")
    screens.duel(page)
    wider = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    assert page.locator(".chips th[scope=row]").count() == 6
    assert page.eval_on_selector_all(".chips th[scope=row]", wider) == []


# Imitates browser translators, which replace texts by their own elements.
TRANSLATE = """() => {
    const walk = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT), texts = [];
    for (let text = walk.nextNode(); text; text = walk.nextNode())
        if (!text.parentNode.closest('font, script, style')) texts.push(text);
    for (const text of texts) {
        const font = document.createElement('font');
        text.replaceWith(font);
        font.append(text.data);
    }
    return texts.length;
}"""


def test_others_may_translate_the_page_and_what_changes_goes_on_changing(spoken: Callable[[str], Page]) -> None:
    page = spoken("pl")
    expect(page.locator("html")).to_have_attribute("translate", "yes")
    start(page, game="cathedral")
    for _ in range(6):
        assert settled(page)
        assert page.evaluate(TRANSLATE) > 0
        play_on(page, 1)
    assert settled(page)
    logged(page)
    drawn(page)
    shown = read_of(page)
    page.reload()
    assert settled(page)
    logged(page)
    drawn(page)
    assert shown == read_of(page)


def test_a_board_and_time_are_mirrored(spoken: Callable[[str], Page]) -> None:
    page = spoken("he")
    screens.kept(page)
    assert page.locator(".drawn").first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert page.locator(".drawn .arrow").first.evaluate("one => getComputedStyle(one).scale") == "-1 1"
    archbishop, kingsbridge = (page.locator(f".at-{name}").bounding_box() for name in ("archbishop", "kingsbridge"))
    assert archbishop is not None
    assert kingsbridge is not None
    assert archbishop["x"] > kingsbridge["x"]
    first, last = (page.locator(".log .steps button").nth(at).bounding_box() for at in (0, 3))
    assert first is not None
    assert last is not None
    assert first["x"] > last["x"]
    logged(page)
    page.keyboard.press("ArrowRight")  # back in time
    expect(page.locator(".notice button")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".notice button")).to_have_count(0)


def test_the_reason_why_wood_cannot_be_bought_has_room_at_the_market(spoken: Callable[[str], Page]) -> None:
    page = spoken("fr")  # the longest
    begin_at(page, changed(reach("draft", round_=3), red={"craftsmen": ["stonecutter", "potter_2"]}))
    page.locator("form button[type=submit]").click()
    assert settled(page)
    drawn(page)
    expect(page.locator(".stock .lack")).to_be_visible()
    for width, height in (1366, 768), (1280, 800), (1920, 1080):
        page.set_viewport_size({"width": width, "height": height})
        market, *stock = (one.bounding_box() for one in page.locator(".at-market, .stock").all())
        assert market is not None
        bottom = market["y"] + market["height"]
        assert [one for one in stock if one is None or one["y"] + one["height"] > bottom] == [], (width, height)


def test_hebrew_has_a_number_before_what_it_counts_and_a_name_before_what_it_did(
    spoken: Callable[[str], Page],
) -> None:
    page = spoken("he")
    screens.asked(page)
    told = page.locator(".notices .notice p").nth(1)
    name = page.locator(".player-name .who").first.inner_text().split()[0]
    assert name in told.inner_text()
    assert told.evaluate(ORDER, name) == []
    screens.recorded(page)
    expect(page.locator(".changed", has_text="\u2069: ").first).to_be_attached()  # of a player other than the actor
    assert page.evaluate(MISPLACED) == []
    page.evaluate("document.documentElement.dir = 'ltr'")
    assert page.evaluate(MISPLACED) != [], "what is misplaced would be found"


@pytest.mark.slow
def test_the_chart_of_a_review_runs_as_time_does_and_a_plan_as_the_board(spoken: Callable[[str], Page]) -> None:
    page = spoken("he")
    screens.reviewed(page)
    steps, arrived = page.locator(".log .steps span"), page.locator("main[aria-busy=false]")
    page.keyboard.press("Home")
    expect(steps).to_have_text(re.compile(r"^\W*0\b"))
    expect(arrived).to_be_visible()
    begin = page.locator(".shares .here").bounding_box()
    page.keyboard.press("End")
    expect(steps).not_to_have_text(re.compile(r"^\W*0\b"))
    expect(arrived).to_be_visible()
    end = page.locator(".shares .here").bounding_box()
    assert begin is not None
    assert end is not None
    assert begin["x"] > end["x"] + 100
    page.goto("/#/")
    screens.planned(page)
    assert page.locator(".uses .arrow").first.evaluate("one => getComputedStyle(one).direction") == "rtl"


QUICK = {("he", "explained"), ("he", "duel"), ("fr", "hinted"), ("it", "owner"), ("es", "puzzle"), ("de", "ended")}
IN_LANGUAGES = [
    pytest.param(language, screen, marks=() if (language, screen.__name__) in QUICK else pytest.mark.slow)
    for language in OTHERS
    for screen in SCREENS
]


@pytest.mark.parametrize(("language", "screen"), IN_LANGUAGES, ids=lambda one: getattr(one, "__name__", one))
def test_no_english_is_left(spoken: Callable[[str], Page], language: str, screen: Screen) -> None:
    page = spoken(language)
    screen(page)
    assert english_on(page, language) == []
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        assert page.evaluate(WIDER) == [], f"at {width} px"
