"""Conversions are planned in any order, what an action changed is said, and nothing that has one answer is asked."""

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.harness import (
    PATIENCE,
    begin,
    held_back,
    hinted,
    menu,
    new_game,
    play_on,
    record_of,
    settled,
    start,
    when_held,
)
from tests.browser.positions import about_to, begin_at, first_with, last_plan, mixer_or_mason
from tests.engine.cathedral.scenes import changed

JSON = "application/json"
GOODS = ("stone", "wood")
MORE = ".planning button[aria-label^='One more']"


def until(page: Page, wanted: str, choose: Callable[[list[str]], str] = lambda offered: offered[0]) -> None:
    """Play until something is to be seen."""
    while settled(page) and not page.locator(wanted).count():
        play_on(page, choose, 1)
    expect(page.locator(wanted).first).to_be_visible()


def give_up(page: Page) -> None:
    """End a game at once."""
    settled(page)
    menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_role("button", name="Check this game")).to_be_visible(timeout=PATIENCE)


def useful(page: Page) -> str:
    """Plan the first craftsman that can work, once, and return his name."""
    more = page.locator(f"{MORE}:not([aria-disabled='true'])").first
    name = str(more.get_attribute("aria-label")).removeprefix("One more: ")
    more.click()
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text("1")
    return name


def test_a_plan_says_what_it_brings_survives_a_closed_tab_and_is_played_as_a_whole(page: Page) -> None:
    about_to(page, "convert")
    identifier = begin(page)
    settled(page)
    name = useful(page)
    expect(page.locator(".planned")).to_contain_text(name.split(",")[0])
    expect(page.locator(".means")).to_contain_text("Left:")
    expect(page.locator(".purse-line.own .by").first, "what it takes and brings is told at the goods").to_be_visible()
    page.reload()
    settled(page)
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text("1", timeout=PATIENCE)
    moves = page.locator(".log ol li").count()
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".log ol")).to_contain_text("once", timeout=PATIENCE)
    expect(page.locator(".log ol li").nth(moves + 1)).to_be_attached()
    settled(page)
    assert "convert" in record_of(page, identifier)


def test_who_dismisses_the_only_mortar_mixer_is_told_before_and_after_that_masons_need_one(page: Page) -> None:
    mixer_or_mason(page)
    begin(page)
    settled(page)
    mixer = page.locator(".action[data-action^='dismiss mortar_mixer']")
    expect(mixer).to_contain_text("no more use of: Mason")
    expect(page.locator(".action[data-action^='dismiss mason'] .idle")).to_have_count(0)
    play_on(page, lambda offered: next(one for one in offered if one.startswith("dismiss mortar_mixer")), 1)
    until(page, ".planning", keeping_masons)
    reason = re.compile("Mason.* cannot be used without Mortar mixer")
    expect(page.locator(".planning .idle").first).to_contain_text(reason)


def keeping_masons(offered: list[str]) -> str:
    """Choose to end one's turn, or what dismisses no Mason."""
    return next((one for one in offered if one == "pass"), next(one for one in offered if "mason" not in one))


def test_a_plan_is_played_as_it_was_last_set_however_slow_the_service_is(page: Page) -> None:
    about_to(page, "convert")
    identifier = begin(page)
    settled(page)

    with held_back(page, "**/PlanConversions") as held:
        page.locator(f"{MORE}:not([aria-disabled='true'])").first.click()
        when_held(page, held)
        page.get_by_role("button", name="Finish").click()
    expect(page.locator(".log ol")).to_contain_text("once", timeout=PATIENCE)
    assert "convert" in record_of(page, identifier)


def test_each_press_counts_however_slow_the_service_is(page: Page) -> None:
    about_to(page, "convert")
    begin(page)
    settled(page)
    with held_back(page, "**/PlanConversions") as held:
        for _ in range(2):
            page.locator(MORE).first.click()
        when_held(page, held)
        expect(page.locator(".planning output").first).to_have_text("2")


def test_a_plan_is_made_where_more_is_known_than_a_seat_can_know(page: Page) -> None:
    about_to(page, "convert")
    page.goto("/#/study/file")
    useful(page)
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".log ol")).to_contain_text("once")


def test_a_plan_whose_call_is_lost_is_asked_for_again(page: Page) -> None:
    about_to(page, "convert")
    begin(page)
    settled(page)
    expect(page.locator(".planning .stepper").first).to_be_visible()
    lost: list[Route] = []

    def lose(route: Route) -> None:
        lost.append(route)
        route.abort()

    page.route("**/PlanConversions", lose, times=1)
    useful(page)
    assert len(lost) == 1
    expect(page.locator(".planning")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".planned")).not_to_be_empty()


def test_a_kept_plan_of_what_cannot_be_used_here_holds_nobody_up(page: Page) -> None:
    about_to(page, "convert")
    begin(page)
    settled(page)
    name = useful(page)
    page.evaluate(
        """for (const key of Object.keys(localStorage))
            if (key.startsWith("plan:")) localStorage.setItem(key, '{"goldsmith_6": 1}')"""
    )
    page.reload()
    settled(page)
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text("0")
    expect(page.locator(".planned .trouble")).to_have_count(0)
    moves = page.locator(".log ol li")
    before = moves.count()
    page.get_by_role("button", name="Finish").click()
    expect(moves.nth(before)).to_be_attached()


def test_a_plan_in_the_hints_has_each_number_once(page: Page) -> None:
    about_to(page, "convert")
    begin(page)
    hinted(page, 1)
    for plan in page.locator(".lines th[scope=row]").all_inner_texts():
        assert not re.search(r"(\d+) +\1\b", plan), plan


def test_a_plan_in_the_study_of_a_game_is_none_in_that_of_another(page: Page) -> None:
    games = [convertible(page) for _ in range(2)]
    page.goto(f"/#/study/game/{games[0]}")
    name = useful(page)
    page.goto(f"/#/study/game/{games[1]}")
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text("0")
    page.goto(f"/#/study/game/{games[0]}")
    expect(page.get_by_role("group", name=name, exact=True).locator("output")).to_have_text("1")


def convertible(page: Page) -> str:
    """Begin a game where craftsmen can work; return its identifier."""
    about_to(page, "convert")
    return begin(page)


def test_where_there_is_no_plan_the_order_of_the_craftsmen_is_told(page: Page) -> None:
    about_to(page, "convert")
    refusal = json.dumps({"code": "invalid_argument", "message": "no such plan"})
    page.route("**/PlanConversions", lambda asked: asked.fulfill(status=400, content_type=JSON, body=refusal))
    begin(page)
    settled(page)
    expect(page.get_by_role("alert")).to_have_text(re.compile("No such plan .*those before it can work no more"))
    expect(page.locator(".action[data-action^='convert']").first).to_be_visible()


def test_in_the_market_only_the_number_is_a_stepper(page: Page) -> None:
    about_to(page, "buy", liked="market")
    begin(page)
    settled(page)
    trade = page.locator(".numbered").first
    label = trade.locator(".action").inner_text()
    trade.get_by_role("button", name=re.compile("^One more")).click()
    expect(trade.locator(".action")).not_to_have_text(label)


def test_in_the_market_the_stepper_shows_what_its_button_plays(page: Page) -> None:
    """Also once less can be paid than was chosen."""
    state = changed(first_with("buy", liked="market"), red={"gold": 10})
    for action in ("sell sand 1", "leave", "sell sand 1", "leave"):
        state.play(action)  # blue has left, so that red goes on alone
    begin_at(page, state)
    begin(page)
    settled(page)
    stone, wood = (page.locator(".numbered", has=page.locator(f"[data-action^='buy {good}']")) for good in GOODS)
    more = stone.get_by_role("button", name=re.compile("^One more"))
    while more.get_attribute("aria-disabled") != "true":
        more.click()
    before = stone.locator(".action").get_attribute("data-action")
    wood.locator(".action").click()
    expect(stone.locator(".action")).not_to_have_attribute("data-action", str(before))
    expect(stone.locator("output")).to_have_text(str(stone.locator(".action").get_attribute("data-action")).split()[-1])


def test_the_draws_of_a_round_can_be_let_stand_at_once(page: Page) -> None:
    about_to(page, "redraw")
    begin(page)
    settled(page)
    page.get_by_label("Keep the draws for the rest of this round").click()  # it goes away with its draw
    kept = page.locator(".log ol li", has_text="let the draw stand")
    expect(kept.first).to_be_attached(timeout=PATIENCE)
    while settled(page) and "Round 1 " in page.locator(".stands p").inner_text():
        expect(page.locator(".action[data-action='accept']")).to_have_count(0, timeout=PATIENCE)  # the page answers
        play_on(page, lambda offered: offered[0], 1)
    expect(page.locator(".log ol")).not_to_contain_text("draw again")


def test_the_log_says_what_changed_and_marks_what_had_one_answer(page: Page) -> None:
    about_to(page, "redraw")
    begin(page)
    until(page, ".planning")
    expect(page.locator(".log .changed").first).to_be_attached()
    expect(page.locator(".log ol")).to_contain_text("production")
    until(page, ".log ol li:has-text('(the only move)')")


def test_at_the_end_of_a_board_game_all_that_can_follow_is_in_sight(page: Page) -> None:
    """Also on a small laptop, however many cards have brought points."""
    page.set_viewport_size({"width": 1366, "height": 768})
    last_plan(page)
    begin(page)
    assert settled(page)
    expect(page.locator(".status")).to_contain_text("(then the end)")
    page.locator(".planning .action").click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.get_by_test_id("winner")).to_be_visible()
    expect(page.locator(".scores tbody tr").nth(5)).to_be_attached()
    for name in ("Check this game", "Rematch", "Your three moments"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_where_there_is_no_cryptography_the_check_says_so(page: Page) -> None:
    """A browser has none on plain http from another machine."""
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})")
    page.reload()
    start(page)
    give_up(page)
    page.get_by_role("button", name="Check this game").click()
    expect(page.get_by_text("it has no cryptography on plain http")).to_be_visible()


def test_a_game_whose_seal_does_not_fit_is_told(page: Page) -> None:
    identifier = new_game(page, "duel", ["me", "bot1"])
    settled(page)
    page.evaluate(
        """game => { const key = 'game:' + game, keys = JSON.parse(localStorage.getItem(key));
            localStorage.setItem(key, JSON.stringify({...keys, commitment: 'another'})); }""",
        identifier,
    )
    page.reload()
    give_up(page)
    page.get_by_role("button", name="Check this game").click()
    expect(page.get_by_text("not the one that this browser saw at the beginning")).to_be_visible()
