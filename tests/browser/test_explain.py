"""The board explains itself: everything by a key, a part of it by resting on it or by pressing it."""

import re

import pytest
from playwright.sync_api import Page, expect

from lab.gallery import EXAMPLES
from tests.browser.harness import PATIENCE, settled
from tests.browser.test_access import violations


@pytest.fixture
def table(page: Page) -> Page:
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/#/game/*")
    expect(page.locator(".board > .drawn")).to_be_visible()
    assert settled(page)
    return page


def test_the_goal_the_round_and_every_place_are_one_key_away(table: Page) -> None:
    table.keyboard.press("i")
    told = table.get_by_role("dialog", name="The board explained")
    expect(told).to_contain_text("Whoever then has the most victory points wins")
    expect(told.locator("[aria-current=step]")).to_contain_text("Take a card, or pass")
    names = told.locator("summary").all_inner_texts()
    assert len(names) > 15
    told.locator("summary", has_text="Castle").first.click()
    expect(told).to_contain_text("two grey workers for the next round")
    expect(told).to_contain_text("Rules: Step 11, the castle")
    told.locator("summary", has_text="Priory").first.click()
    expect(told).to_contain_text("earns victory points: 2 on the first space")  # in its step, not when it is placed
    assert not violations(table)
    table.keyboard.press("Escape")
    expect(told).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "place", "says"),
    [
        ("cathedral-4p-round4-exemption", "King’s court", "pays no tax. The first one also gets the metal"),
        ("duel-2p-phase1-conflict", "Section I", "A section wants three materials"),
    ],
)
def test_a_board_in_words_is_explained_too(page: Page, name: str, place: str, says: str) -> None:
    page.evaluate("text => sessionStorage.setItem('imported', text)", (EXAMPLES / f"{name}.json").read_text())
    page.evaluate("localStorage.setItem('board', 'words')")
    page.reload()
    page.goto("/#/study/file")
    expect(page.locator(".text-board")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")
    page.keyboard.press("i")
    told = page.get_by_role("dialog", name="The board explained")
    told.locator("summary", has_text=place).first.click()
    assert told.locator("summary").count() > 10
    expect(told).to_contain_text(says)
    assert not violations(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What is this?").click()
    kinds = {kind_of(part): part for part in page.evaluate(PARTS)}
    for part in kinds.values():
        page.locator(f'[data-about="{part}"]').first.dispatch_event("click")
        expect(page.locator(f'.bubble[data-explains="{part}"]'), part).to_contain_text("Rules: ")


def test_resting_on_a_card_tells_what_it_would_bring(table: Page) -> None:
    table.locator('[data-about^="draft.wood"]').first.hover()
    bubble = table.locator(".bubble")
    expect(bubble).to_contain_text("A resource card sends workers out")
    expect(bubble).to_contain_text("wood for")
    expect(bubble).to_contain_text("in the supply")
    table.mouse.move(1, 1)
    expect(bubble).to_have_count(0)


def test_pressing_explains_instead_of_playing_while_that_is_wanted(table: Page) -> None:
    version = table.locator(".table").get_attribute("data-version")
    if table.locator(".menu-button").is_visible():
        table.locator(".menu-button").click()
    table.get_by_role("button", name="What is this?").click()
    table.locator('[data-about^="draft.wood"]').first.click()
    expect(table.locator(".bubble")).to_contain_text("A resource card")
    assert table.locator(".table").get_attribute("data-version") == version
    table.keyboard.press("Escape")
    expect(table.locator(".bubble")).to_have_count(0)


# What is drawn or written on the board, or among a seat's goods, and belongs to no part that can be explained.
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
PARTS = (
    """() => [...document.querySelectorAll(':is(.board, .purse-line) [data-about]')].map((one) => one.dataset.about)"""
)
QUICK = {"cathedral-4p-round4-exemption", "duel-2p-phase1-conflict"}
POSITIONS = sorted(path.stem for path in EXAMPLES.glob("[cd]*.json"))


def kind_of(part: str) -> str:
    """What a part is, without whose or which: what is said of it may differ, but all of a kind are explained alike."""
    whole = re.sub(r"^\d\.", "", part)
    return whole if whole.startswith(("flag.", "draft.")) else whole.partition(".")[0]


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[] if one in QUICK else pytest.mark.slow) for one in POSITIONS]
)
def test_every_part_of_a_board_is_explained(page: Page, name: str) -> None:
    page.evaluate("text => sessionStorage.setItem('imported', text)", (EXAMPLES / f"{name}.json").read_text())
    page.goto("/#/study/file")
    expect(page.locator(".board > .drawn")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")
    assert page.evaluate(BARE) == []
    kinds = {kind_of(part): part for part in page.evaluate(PARTS)}
    page.get_by_role("button", name="What is this?").click()
    page.locator(".explain-mode").hover()  # else it comes up under the pointer, which then has left the part
    for part in kinds.values():
        page.locator(f'[data-about="{part}"]').first.dispatch_event("click")
        told = page.locator(f'.bubble[data-explains="{part}"]')
        expect(told, part).to_contain_text("Rules: ", timeout=PATIENCE)
