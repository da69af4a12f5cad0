"""Sounds of the table: none until they are wanted, then one for what happens."""

from playwright.sync_api import Page

from tests.browser import harness as web

COUNT = """() => {
    window.notes = 0;
    for (const make of ["createOscillator", "createBufferSource"]) {
        const made = BaseAudioContext.prototype[make];
        BaseAudioContext.prototype[make] = function () { window.notes += 1; return made.call(this); };
    }
}"""


def act(page: Page) -> None:
    assert web.settled(page)
    version = web.version_of(page)
    page.locator(".action:not([aria-disabled='true'])").first.click()
    web.wait_for_change(page, version)


def test_sounds_are_off_until_they_are_wanted(page: Page) -> None:
    web.start(page)
    page.evaluate(COUNT)
    act(page)
    assert page.evaluate("notes") == 0
    page.keyboard.press("h")
    with page.expect_response("**/synth-*.js"):
        page.get_by_label("Sounds").check()
    page.keyboard.press("Escape")
    act(page)
    page.wait_for_function("notes > 0")
