"""Conversions are planned in any order, changes are described, and questions with a single answer are skipped."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import harness as web
from tests.browser.positions import (
    INCOME,
    about_to,
    begin_at,
    first_with,
    last_draw,
    last_plan,
    mixer_or_mason,
    with_income,
)
from tests.engine.cathedral.scenes import changed

MORE = ".planning button[aria-label^='One more']"
USEFUL = f"{MORE}:not([aria-disabled='true'])"
PLANNED = ".planning button[aria-label^='One less']:not([aria-disabled='true'])"


@pytest.fixture
def planning(page: Page) -> Page:
    about_to(page, "convert")
    web.begin(page)
    return page


def until(page: Page, wanted: str, choose: Callable[[list[str]], str] = web.first) -> None:
    """Play until something is visible."""
    while web.settled(page):
        for _ in range(3 * page.locator(".planning").count()):  # a plan, the best one, and why some cannot work
            web.processed(page)
        if page.locator(wanted).count():
            break
        web.play_on(page, 1, choose)
    expect(page.locator(wanted).first).to_be_visible()


def cleared(page: Page) -> None:
    """Plan nothing in place of the best plan, which is filled in."""
    web.drawn(page)
    expect(page.locator(".planning[aria-busy='false']")).to_be_visible()
    while page.locator(PLANNED).count():
        page.locator(PLANNED).first.click()


def useful(page: Page) -> str:
    """Plan one use of the first craftsman that can work and of no other, and return his name."""
    cleared(page)
    more = page.locator(USEFUL).first
    name = str(more.get_attribute("aria-label")).removeprefix("One more: ")
    more.click()
    expect_uses(page, name, 1)
    return name


def expect_uses(page: Page, name: str, uses: int) -> None:
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text(str(uses))


def finish(page: Page) -> None:
    page.locator(".planning .action.main").click()


def test_a_plan_says_what_it_brings_survives_a_closed_tab_and_is_played_as_a_whole(planning: Page) -> None:
    expect(planning.locator(".planning .stepper").first).to_be_visible()
    with web.lost(planning, "PlanConversions") as gone:  # the page repeats the call
        name = useful(planning)
        web.when_held(planning, gone)
    expect(planning.locator(".planning")).to_have_attribute("aria-busy", "false")
    expect(planning.get_by_role("alert")).to_have_count(0)
    expect(planning.locator(".planned")).to_contain_text(name.split(",")[0])
    expect(planning.locator(".means")).to_contain_text("Left:")
    expect(planning.locator(".purse-line.own .by").first, "what it changes is told at the goods").to_be_visible()
    web.hinted(planning, 1)  # reloads the page
    plans = planning.locator(".lines th[scope=row]").all_inner_texts()
    assert [plan for plan in plans if re.search(r"(\d+) +\1\b", plan)] == [], "each number once"
    expect_uses(planning, name, 1)
    moves = planning.locator(".log ol li").count()
    finish(planning)
    expect(planning.locator(".log ol")).to_contain_text("once")
    expect(planning.locator(".log ol li").nth(moves + 1)).to_be_attached()
    web.settled(planning)
    assert "convert" in web.record_of(planning, planning.url.rpartition("/")[2])


def test_dismissing_the_only_mortar_mixer_warns_about_the_masons(page: Page) -> None:
    mixer_or_mason(page)
    web.begin(page)
    mixer = page.locator(".action[data-action^='dismiss mortar_mixer']")
    expect(mixer).to_contain_text("no more use of: Mason")
    expect(page.locator(".action[data-action^='dismiss mason'] .idle")).to_have_count(0)
    web.play_on(page, 1, lambda offered: next(one for one in offered if one.startswith("dismiss mortar_mixer")))
    until(page, ".planning .idle", keeping_masons)
    reason = re.compile("Mason.* cannot be used without Mortar mixer")
    expect(page.locator(".planning .idle").first).to_contain_text(reason)


def keeping_masons(offered: list[str]) -> str:
    """Choose an action that ends the turn, or that does not dismiss a Mason."""
    return next((one for one in offered if one == "pass"), next(one for one in offered if "mason" not in one))


def test_each_press_counts_and_the_last_plan_is_played_however_slow_the_service_is(planning: Page) -> None:
    cleared(planning)
    name = str(planning.locator(USEFUL).first.get_attribute("aria-label"))
    more = planning.get_by_label(name, exact=True)
    with web.held_back(planning, "PlanConversions") as held:
        for _ in range(2):
            more.click()
        web.when_held(planning, held)
        expect_uses(planning, name.removeprefix("One more: "), 2)
        finish(planning)
    expect(planning.locator(".log ol")).to_contain_text("twice")
    assert "convert" in web.record_of(planning, planning.url.rpartition("/")[2])


def test_a_plan_is_made_where_more_is_known_than_a_seat_can_know(page: Page) -> None:
    about_to(page, "convert")
    page.goto("/#/study/file")
    useful(page)
    finish(page)
    expect(page.locator(".log ol")).to_contain_text("once")


def test_a_stored_plan_that_cannot_be_used_here_is_ignored(planning: Page) -> None:
    name = useful(planning)
    planning.evaluate(
        """for (const key of Object.keys(localStorage))
            if (key.startsWith("plan:")) localStorage.setItem(key, '{"goldsmith_6": 1}')"""
    )
    planning.reload()
    web.settled(planning)
    expect_uses(planning, name, 0)
    expect(planning.locator(".planned .trouble")).to_have_count(0)
    moves = planning.locator(".log ol li")
    before = moves.count()
    finish(planning)
    expect(moves.nth(before)).to_be_attached()


def test_a_plan_in_the_study_of_a_game_does_not_appear_in_another(page: Page) -> None:
    games = []
    for _ in range(2):
        about_to(page, "convert")
        games.append(web.begin(page, settle=False))
    page.goto(f"/#/study/game/{games[0]}")
    cleared(page)
    page.goto(f"/#/study/game/{games[1]}")
    expect(page.locator(PLANNED).first).to_be_visible()
    page.goto(f"/#/study/game/{games[0]}")
    expect(page.locator(".planning output").first).to_have_text("0")
    expect(page.locator(PLANNED)).to_have_count(0)


def test_without_a_plan_the_order_of_the_craftsmen_is_shown(page: Page) -> None:
    about_to(page, "convert")
    web.refuse(page, "PlanConversions", 400, "invalid_argument", "no such plan")
    web.begin(page)
    expect(page.get_by_role("alert")).to_have_text(re.compile("No such plan .*those before it can work no more"))
    expect(page.locator(".action[data-action^='convert']").first).to_be_visible()


def test_in_the_market_the_stepper_shows_what_its_button_plays(page: Page) -> None:
    """Also after less can be paid than was chosen."""
    state = changed(first_with("buy", liked="market"), red={"gold": 10})
    for action in ("sell sand 1", "leave", "sell sand 1", "leave"):
        state.play(action)  # blue has left, so red continues alone
    begin_at(page, state)
    web.begin(page)
    stone, wood = (
        page.locator(".numbered", has=page.locator(f"[data-action^='buy {good}']")) for good in ("stone", "wood")
    )
    action, more = stone.locator(".action"), stone.get_by_role("button", name=re.compile("^One more"))
    label = action.inner_text()
    more.click()
    expect(action).not_to_have_text(label)
    while more.get_attribute("aria-disabled") != "true":
        more.click()
    before = str(action.get_attribute("data-action"))
    wood.locator(".action").click()
    expect(action).not_to_have_attribute("data-action", before)
    expect(stone.locator("output")).to_have_text(str(action.get_attribute("data-action")).split()[-1])


def test_the_draws_of_a_round_can_be_let_stand_at_once(page: Page) -> None:
    about_to(page, "redraw")
    web.begin(page)
    page.get_by_label("Keep the draws for the rest of this round").click()  # it disappears with its draw
    log = page.locator(".log ol")
    expect(log.locator("li", has_text="let the draw stand").first).to_be_attached()
    while web.settled(page) and "Round 1 " in page.locator(".stands p").inner_text():
        expect(page.locator(".action[data-action='accept']")).to_have_count(0)  # the page answers
        web.play_on(page, 1)
    expect(log).not_to_contain_text("draw again")
    expect(log.locator(".changed").first).to_be_attached()
    until(page, ".log ol li:has-text('(the only move)')")
    expect(log).to_contain_text("production")


def test_a_draw_that_could_only_be_the_same_is_not_asked_about(page: Page) -> None:
    last_draw(page)
    before = web.begin(page, settle=False)
    expect(page.locator(".log ol li", has_text="let the draw stand").last).to_be_attached()
    assert '"accept"' in web.record_of(page, before)


def test_the_best_plan_is_filled_in_and_finishing_says_what_it_leaves(page: Page) -> None:
    last_plan(page)
    web.begin(page)
    finish = page.locator(".planning .action.main")
    expect(page.locator(".planned")).to_contain_text("point")
    expect(finish).to_have_text("Finish")
    less = page.locator(".planning button[aria-label^='One less']:not([aria-disabled='true'])").first
    less.click()
    expect(finish).to_contain_text(re.compile(r"Finish.*unused, worth \d+ point"))
    page.reload()
    expect(finish, "what a person has chosen is kept").to_contain_text("unused")


@pytest.mark.parametrize("holders", [["me", "bot1"], ["bot1", "me"]])  # the last plan of the round is a bot's, or mine
def test_a_card_closes_a_round_over_its_last_position_until_a_key_is_pressed(page: Page, holders: list[str]) -> None:
    page.add_init_script("localStorage['round-card'] = '600000'")
    page.reload()
    begin_at(page, first_with("convert"), holders)
    web.begin(page)
    expect(page.locator(".planned")).to_contain_text("point")
    planned = points_of(page)
    finish(page)
    card = page.locator(".round-end")
    expect(page.locator(".status")).to_contain_text("Round 1 of 6")
    page.wait_for_function(f"({POINTS})(document.querySelector('.own .thing')) === '{planned}'")
    expect(page.locator(".actions .action")).to_have_count(0)
    expect(card).to_contain_text("Round 1 of 6")
    assert card.evaluate("one => one.scrollHeight <= one.clientHeight"), "a part of it is cut"
    expect(card.locator(".gained")).to_have_count(2)
    expect(card).to_contain_text(re.compile(r"\+\d\spoints? \(.+\)"))
    page.keyboard.press("x")
    expect(card).to_have_count(0)
    assert web.settled(page)
    expect(page.locator(".status")).to_contain_text("Round 2 of 6")


def test_a_card_closes_a_round_of_the_card_game_with_what_came_by_itself(page: Page) -> None:
    """Gold of one's own cards was decided on; the next round is not told before the card is closed."""
    page.add_init_script("localStorage['round-card'] = '600000'")
    page.reload()
    begin_at(page, with_income(), ["bot1", "me"])
    web.begin(page)
    for action in (INCOME, "build I brick"):
        version = web.version_of(page)
        assert web.press(page, version, action)
        web.wait_for_change(page, version)
    card = page.locator(".round-end")  # after the last action, which is played by itself as the only one
    expect(card.locator(".unseen", has_text="points")).to_have_count(2)
    assert card.locator("ol").all_inner_texts() == ["", "+1\u00a0point (material placed)"]
    log = page.locator(".log li")
    expect(log.last).to_contain_text("end")
    expect(page.locator(".latest")).to_contain_text("end")
    told = log.count()
    page.keyboard.press("x")
    expect(log.nth(told)).to_be_attached()


POINTS = "one => [...one.childNodes].find(node => node.nodeType === Node.TEXT_NODE).data"


def points_of(page: Page) -> str:
    """Return the points beside the actions, which a plan has added to."""
    points: str = page.locator(".own .thing").first.evaluate(POINTS)
    return points


def test_a_craftsman_who_can_work_takes_no_more_room_than_others(planning: Page) -> None:
    planning.set_viewport_size({"width": 1366, "height": 768})
    web.drawn(planning)
    crew = planning.locator(".of-red .crew")
    expect(crew.locator(".can").first).to_be_visible()
    heights = crew.locator("li").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert crew.locator("li:not(:has(.can))").count() > 0
    assert max(heights) - min(heights) <= 1


def test_at_the_end_of_a_board_game_all_that_can_follow_is_in_sight(page: Page) -> None:
    """Also on a small laptop, with any number of cards that gave points."""
    page.set_viewport_size({"width": 1366, "height": 768})
    last_plan(page)
    web.begin(page)
    expect(page.locator(".status")).to_contain_text("(then the end)")
    page.locator(".planning .action").click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(".scores tbody tr").nth(5)).to_be_attached()
    for name in ("Check the luck", "Rematch"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_a_check_says_where_there_is_no_cryptography_and_where_the_seal_does_not_fit(page: Page) -> None:
    identifier = web.start(page)
    page.evaluate(
        """game => { const key = 'game:' + game, keys = JSON.parse(localStorage.getItem(key));
            localStorage.setItem(key, JSON.stringify({...keys, commitment: 'another'})); }""",
        identifier,
    )
    page.reload()
    web.settled(page)
    web.resign(page)
    check = page.get_by_role("button", name="Check the luck")
    check.click()
    expect(page.get_by_text("not the one that this browser saw at the beginning")).to_be_visible()
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})")
    page.reload()  # without TLS, a browser on another machine has none
    check.click()
    expect(page.get_by_text("it has no cryptography on plain http")).to_be_visible()
