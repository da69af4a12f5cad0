"""The board explains itself: everything with a key, a single part by hovering over it or pressing it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.harness import drawn, menu, settled, study, version_of
from tools.lab.gallery import EXAMPLES

WOOD = '[data-about^="draft.wood"]'
# Visible content of the board, or among a seat's goods, that does not belong to an explainable part.
BARE = """() => [...document.querySelectorAll('.board, .purse-line')].flatMap((root) => {
  const found = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const part = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const says = part === node ? node instanceof SVGSVGElement : node.data.trim();
    if (says && part.getBoundingClientRect().width && !part.closest('[data-about], .unseen'))
      found.push(`${node.data ?? 'a picture'} in ${part.parentElement.className}`);
  }
  return found;
})"""
PARTS = "() => [...document.querySelectorAll(':is(.board, .purse-line) [data-about]')].map(one => one.dataset.about)"
IN_WORDS = {
    "cathedral-4p-round4-exemption": ("King’s court", "pays no tax. The first one also gets the metal"),
    "duel-2p-phase1-conflict": ("Section I", "A section wants three materials"),
}
POSITIONS = [
    pytest.param(path.stem, marks=[] if path.stem in IN_WORDS else pytest.mark.slow)
    for path in sorted(EXAMPLES.glob("[cd]*.json"))
]


@pytest.fixture
def table(page: Page) -> Page:
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/#/game/*")
    drawn(page)
    assert settled(page)
    return page


def test_the_goal_every_place_and_a_card_are_explained_on_request(
    table: Page,
) -> None:
    table.keyboard.press("i")
    told = table.get_by_role("dialog", name="The board explained")
    expect(told).to_contain_text("Whoever then has the most victory points wins")
    expect(told.locator("[aria-current=step]")).to_contain_text("Take a card, or pass")
    assert told.locator("summary").count() > 15
    told.locator("summary", has_text="Castle").first.click()
    expect(told).to_contain_text("two grey workers for the next round")
    expect(told).to_contain_text("Rules: Step 11, the castle")
    told.locator("summary", has_text="Priory").first.click()
    expect(told).to_contain_text("earns victory points: 2 on the first space")  # in its step, not when it is placed
    assert violations(table) == []
    table.keyboard.press("Escape")
    expect(told).to_have_count(0)
    bubble, version = table.locator(".bubble"), version_of(table)
    table.locator(WOOD).first.hover()
    for words in ("A resource card sends workers out", "wood for", "in the supply"):
        expect(bubble).to_contain_text(words)
    table.mouse.move(1, 1)
    expect(bubble).to_have_count(0)
    menu(table, "What is this?")
    table.locator(WOOD).first.click()
    expect(bubble).to_contain_text("A resource card")
    table.keyboard.press("Escape")
    expect(bubble).to_have_count(0)
    assert version_of(table) == version, "a press has played"


def test_nothing_is_explained_that_only_came_under_a_resting_pointer(page: Page) -> None:
    page.clock.install()
    page.mouse.move(300, 300)
    page.keyboard.press("Escape")
    page.locator("form button[type=submit]").dispatch_event("click")
    settled(page)
    drawn(page)
    page.clock.run_for(1500)
    expect(page.locator(".bubble")).to_have_count(0)
    page.mouse.move(302, 300)
    page.mouse.move(304, 300)
    expect(page.locator(".bubble")).to_have_count(1)


def kind_of(part: str) -> str:
    """Return the kind of a part, without its owner or item: parts of a kind have the same explanation."""
    whole = re.sub(r"^\d\.", "", part)
    return whole if whole.startswith(("flag.", "draft.")) else whole.partition(".")[0]


def shown(page: Page, name: str) -> None:
    study(page, (EXAMPLES / f"{name}.json").read_text())
    expect(page.locator(".table")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")


def each_kind_is_explained(page: Page) -> None:
    menu(page, "What is this?")
    page.locator(".explain-mode").hover()  # otherwise it appears under the pointer, which then has left the part
    for part in {kind_of(part): part for part in page.evaluate(PARTS)}.values():
        page.locator(f'[data-about="{part}"]').first.dispatch_event("click")
        expect(page.locator(f'.bubble[data-explains="{part}"]'), part).to_contain_text("Rules: ")


@pytest.mark.parametrize("name", POSITIONS)
def test_every_part_of_a_board_is_explained(page: Page, name: str) -> None:
    shown(page, name)
    drawn(page)
    assert page.evaluate(BARE) == []
    each_kind_is_explained(page)


@pytest.mark.parametrize("name", IN_WORDS)
def test_a_board_in_words_is_explained_too(page: Page, name: str) -> None:
    place, says = IN_WORDS[name]
    page.evaluate("localStorage.setItem('board', 'words')")
    page.reload()
    shown(page, name)
    expect(page.locator(".text-board")).to_be_visible()
    page.keyboard.press("i")
    told = page.get_by_role("dialog", name="The board explained")
    told.locator("summary", has_text=place).first.click()
    assert told.locator("summary").count() > 10
    expect(told).to_contain_text(says)
    assert violations(page) == []
    page.keyboard.press("Escape")
    each_kind_is_explained(page)
