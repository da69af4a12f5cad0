"""What a person sees when something goes wrong, and that nothing is lost."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lab.browser import experienced, page_of, page_server
from lab.load.server import free_port
from tests.browser.harness import (
    PATIENCE,
    Calls,
    begin,
    held_back,
    hide,
    lost,
    new_game,
    play_on,
    played_through,
    record_of,
    settled,
    start,
    wait_for_change,
    when_held,
)
from tests.browser.positions import about_to, nearly_won


@contextmanager
def tab(browser: Browser, url: str) -> Iterator[Page]:
    context = experienced(browser, base_url=url, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


def test_a_server_that_is_killed_in_a_stream_and_in_a_move(browser: Browser, tmp_path: Path) -> None:
    options = ("--workers", "1", "--store", str(tmp_path / "games"), "--web", f"127.0.0.1:{free_port()}")
    with page_server(*options) as (first, url), tab(browser, url) as page:
        identifier = new_game(page, "duel", ["me", "bot1"])
        settled(page)
        moves = page.locator(".log ol li")
        before = moves.count()
        killed(first)
        expect(page.get_by_role("alert").first).to_contain_text("Trying again", timeout=PATIENCE)
        page.locator(".action").first.click()  # a move that nobody takes, yet
        with page_server(*options):
            expect(moves).not_to_have_count(before, timeout=PATIENCE)
            expect(page.get_by_role("alert")).to_have_count(0, timeout=PATIENCE)
            settled(page)
            record = record_of(page, identifier)
            played = [line for line in record.splitlines() if '"red"' in line or '"by": "red"' in line]
            assert played_through(record)
            assert len([line for line in played if '"by": "red"' in line]) == 1


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_what_is_first_opened_while_the_server_is_away(browser: Browser, tmp_path: Path) -> None:
    """Screens, whose files browsers remember as lost, and a game that is begun."""
    options = ("--workers", "1", "--store", str(tmp_path / "games"), "--web", f"127.0.0.1:{free_port()}")
    with page_server(*options) as (first, url), tab(browser, url) as page:
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        expect(page.locator(".opponents p").first).not_to_be_empty()
        killed(first)
        page.goto("/#/path")
        expect(page.get_by_role("alert")).to_contain_text("Trying again")
        page.goto("/#/")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator("form").get_by_role("alert")).to_contain_text("Trying again")
        with page_server(*options):
            page.wait_for_url("**/#/game/*")
            assert settled(page)
            expect(page.get_by_role("alert")).to_have_count(0)
            page.goto("/#/path")
            expect(page.locator(".lessons").nth(1)).to_be_visible()
        assert errors == []


def test_a_page_that_is_older_than_its_server_is_loaded_anew_but_once(page: Page) -> None:
    """A newer server has its files under other names."""
    gone = re.compile(r"/assets/screen-\w+\.js")
    loads: list[str] = []
    page.on("load", lambda _: loads.append(page.url))
    page.route(gone, lambda route: route.fulfill(status=404))
    page.goto("/#/path")
    expect(page.get_by_role("alert")).to_contain_text("reload the page")
    page.wait_for_load_state()  # the alert may come first
    assert len(loads) == 1
    page.unroute(gone)
    page.reload()
    expect(page.locator(".lessons").nth(1)).to_be_visible()


def test_what_was_wrong_with_a_game_is_said_no_longer_while_it_is_begun_anew(page: Page) -> None:
    refused = json.dumps({"code": "invalid_argument", "message": "not like this"})
    refusal = {"status": 400, "content_type": "application/json", "body": refused}
    page.route("**/CreateGame", lambda route: route.fulfill(**refusal), times=1)
    start_it, said = page.get_by_role("button", name="Start", exact=True), page.get_by_role("alert")
    start_it.press("Enter")
    expect(said).to_have_text("Not like this")
    expect(start_it).to_be_focused()
    held: list[Route] = []
    page.route("**/CreateGame", lambda route: held.append(route))
    start_it.press("Enter")
    expect(said).to_have_count(0)
    when_held(page, held).continue_()
    assert settled(page)


def test_a_look_back_while_the_server_is_away(browser: Browser, tmp_path: Path) -> None:
    options = ("--workers", "1", "--store", str(tmp_path / "games"), "--web", f"127.0.0.1:{free_port()}")
    with page_server(*options) as (first, url), tab(browser, url) as page:
        new_game(page, "duel", ["me", "bot1"])
        play_on(page, lambda offered: offered[0], 1)
        settled(page)
        killed(first)
        expect(page.get_by_role("alert").first).to_contain_text("Trying again")
        with page.expect_request("**/GetGame"):
            page.keyboard.press("ArrowLeft")
        with page_server(*options):
            expect(page.get_by_role("alert")).to_have_count(0)
            expect(page.get_by_text("You are looking at an earlier moment")).to_be_visible()
            page.keyboard.press("End")
            settled(page)


def test_what_a_screen_asks_first_is_asked_again(page: Page) -> None:
    for screen, call, there in (
        ("learn/goal", "FollowLesson", ".lesson"),
        ("puzzle/duel/1", "GetPuzzle", ".puzzle"),
        ("puzzle/duel/1", "ListActions", ".puzzle"),
        ("box/duel", "DescribeCatalogue", ".send"),
    ):
        page.goto("/#/")
        expect(page.locator(there)).to_have_count(0)  # else the screen may stay, and ask nothing
        with lost(page, f"**/{call}"):
            page.goto(f"/#/{screen}")
            expect(page.get_by_role("alert")).to_contain_text("Trying again")
        expect(page.locator(there)).to_be_visible()


BUSY = json.dumps({"code": "resource_exhausted", "message": "busy"})


def test_a_busy_server_is_asked_again_for_the_cards_also_at_the_end_of_a_game(page: Page) -> None:
    nearly_won(page)
    begin(page)
    settled(page)
    page.locator('.action[data-action="build III brick"]').click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    refuse = {"status": 429, "content_type": "application/json", "body": BUSY}
    page.route("**/DescribeCatalogue", lambda route: route.fulfill(**refuse), times=2)
    with page.expect_response(lambda answer: answer.status == 429):
        page.reload()
    expect(page.locator(".bonus").first).to_be_visible()


def test_a_board_is_drawn_once_its_cards_are_known(page: Page) -> None:
    """So that nothing grows under the pointer when their names come."""
    with held_back(page, "**/DescribeCatalogue") as held:
        with page.expect_event("requestfinished", lambda one: re.search(r"/cathedral-\w+\.js$", one.url)):
            start(page, game="cathedral")
        when_held(page, held)
        assert page.locator(".drawn").count() == 0
        expect(page.locator(".action").first).to_be_visible()
    expect(page.locator(".drawn")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")


def test_a_busy_server_is_told_once_that_the_draws_of_a_round_stand(page: Page) -> None:
    about_to(page, "redraw")
    begin(page)
    assert settled(page)
    refused: list[Route] = []

    def refuse(route: Route) -> None:
        refused.append(route)
        route.fulfill(status=429, content_type="application/json", body=BUSY)

    page.route("**/PlayAction", refuse)
    page.get_by_label("Keep the draws for the rest of this round").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Keep the draws for the rest of this round")).not_to_be_checked()
    assert len(refused) == 1


@contextmanager
def door(target: str, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield the process of a door, and the address of its page."""
    command = [sys.executable, "-m", "clerestory", "web", "--server", target, "--listen", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, page_of(process)
        finally:
            process.terminate()


def test_a_door_that_is_restarted(browser: Browser, target: str) -> None:
    port = free_port()
    with door(target, port) as (first, url), tab(browser, url) as page:
        new_game(page, "duel", ["me", "bot1"])
        settled(page)
        killed(first)
        expect(page.get_by_role("alert").first).to_be_visible(timeout=PATIENCE)
        with door(target, port):
            expect(page.get_by_role("alert")).to_have_count(0, timeout=PATIENCE)
            assert play_on(page, lambda offered: offered[0], 1) == 1


INTERNAL = b'{"error": {"code": "internal", "message": "Received RST_STREAM with error code 2"}}'


@pytest.mark.parametrize("body", [b"\0\0\0\0\x09cut", b"\x02" + len(INTERNAL).to_bytes(4, "big") + INTERNAL])
def test_a_stream_that_a_proxy_resets(page: Page, body: bytes) -> None:
    new_game(page, "duel", ["me", "bot1"])
    settled(page)

    def reset(route: Route) -> None:
        route.fulfill(content_type="application/connect+proto", body=body)

    with lost(page, "**/WatchGame", reset, times=2) as resets:
        page.evaluate("dispatchEvent(new Event('online'))")  # watches anew
        expect(page.get_by_role("alert").first).to_contain_text("Trying again", timeout=PATIENCE)
        while len(resets) < 2:
            page.wait_for_timeout(10)
    expect(page.get_by_role("alert")).to_have_count(0, timeout=PATIENCE)
    assert play_on(page, lambda offered: offered[0], 1) == 1


def test_a_server_of_which_nothing_is_heard_is_told_as_one_that_is_away(page: Page) -> None:
    page.clock.install()
    with held_back(page, "**/WatchGame") as held:
        start(page)
        when_held(page, held)
        page.clock.fast_forward(41_000)
        expect(page.get_by_role("alert")).to_have_text("No sign of the server for 40 s. Trying again…")


def test_a_lobby_that_is_not_answered_asks_once_and_then_again(page: Page) -> None:
    page.clock.install()
    with held_back(page, "**/ListGames") as held:
        page.reload()
        when_held(page, held)
        page.clock.run_for(9000)
        page.evaluate("fetch('/icon.svg')")  # by now another call would have been heard of
        assert len(held) == 1
        page.clock.run_for(12_000)
        expect(page.get_by_role("alert")).to_contain_text("Trying again")
        while len(held) == 1:
            page.clock.run_for(1000)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_move_that_is_not_answered_is_sent_again(page: Page) -> None:
    page.clock.install()
    start(page)
    version = page.locator("[data-version]").get_attribute("data-version")
    with lost(page, "**/PlayAction", lambda _: None) as gone:
        page.locator(".action").first.click()
        when_held(page, gone)
        page.clock.run_for(21_000)
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached. Trying again")
    page.clock.run_for(1000)
    wait_for_change(page, version)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_start_that_is_not_answered_is_sent_again(page: Page) -> None:
    page.clock.install()
    with lost(page, "**/CreateGame", lambda _: None) as gone:
        page.get_by_role("button", name="Start", exact=True).click()
        when_held(page, gone)
        page.clock.run_for(21_000)
        expect(page.get_by_role("alert")).to_contain_text("Trying again")
    page.wait_for_url("**/#/game/*")


def test_a_game_that_is_first_told_by_its_stream_can_be_looked_back_on_and_keeps_its_actions(page: Page) -> None:
    start(page)
    steps, last = page.locator(".steps"), page.locator(".log ol li").count()
    with held_back(page, "**/GetGame") as held:
        page.reload()
        when_held(page, held)
        page.evaluate("dispatchEvent(new Event('online'))")
        play_on(page, lambda offered: offered[0], 1)
        settled(page)
        expect(page.get_by_role("button", name="Take back")).to_have_count(0)  # nobody knows how far
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    page.keyboard.press("u")
    expect(steps).to_contain_text(f"{last} / {last}")


def test_a_slow_network(page: Page) -> None:
    network = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 400, "downloadThroughput": 40_000, "uploadThroughput": 20_000}
    network.send("Network.emulateNetworkConditions", slow)
    new_game(page, "duel", ["me", "bot1"])
    settled(page)
    before = page.locator("[data-version]").get_attribute("data-version")
    held: list[Route] = []
    page.route("**/PlayAction", lambda route: held.append(route), times=1)
    action = page.locator(".action").first
    action.click()
    expect(action).to_have_attribute("aria-disabled", "true")  # at once, before any answer
    assert page.locator("[data-version]").get_attribute("data-version") == before
    when_held(page, held).continue_()
    expect(page.locator("[data-version]")).not_to_have_attribute("data-version", str(before), timeout=PATIENCE)
    assert play_on(page, lambda offered: offered[0], 2) == 2


def test_a_hidden_tab_shows_no_trouble_once_a_lost_call_is_answered(page: Page) -> None:
    start(page)
    page.route("**/GetGame", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible()
    hide(page)
    page.unroute("**/GetGame")
    expect(page.locator(".board")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_wrong_token_of_a_seat(page: Page) -> None:
    identifier = new_game(page, "duel", ["me", "bot1"])
    settled(page)
    page.evaluate("localStorage.clear()")
    with page.expect_response(re.compile("GetGame")):
        page.goto(f"/#/game/{identifier}/seat/0/{'x' * 43}")
        page.reload()
    expect(page.get_by_role("alert")).to_contain_text("You may not do this in this game", timeout=PATIENCE)
    expect(page.get_by_role("link", name="To the lobby")).to_be_visible()


def test_a_game_that_there_is_not(page: Page) -> None:
    page.goto("/#/game/AAAAAAAAAAAAAAAAAAAAAA")
    expect(page.get_by_role("alert")).to_contain_text("There is no such game on this server", timeout=PATIENCE)
    page.get_by_role("link", name="To the lobby").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_a_server_that_asks_for_a_token(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("open-sesame-and-close")
    with page_server("--workers", "1", "--token-file", str(tmp_path / "tokens")) as (_, url), tab(browser, url) as page:
        asks = page.get_by_role("heading", name="This server requires a token")
        expect(asks).to_be_visible(timeout=PATIENCE)
        page.get_by_label("Token, from whoever runs the server").fill("of-somebody-else")
        page.get_by_role("button", name="Go on").click()
        expect(asks).to_be_visible(timeout=PATIENCE)
        page.get_by_label("Token, from whoever runs the server").fill("open-sesame-and-close")
        page.get_by_role("button", name="Go on").click()
        new_game(page, "duel", ["me", "bot1"])
        assert settled(page)
        assert page.evaluate("Object.values(localStorage).join()").count("open-sesame") == 0


def test_a_refusal_of_an_older_token_asks_for_none(page: Page) -> None:
    held: list[Route] = []
    refused = json.dumps({"code": "unauthenticated", "message": "a token"})
    refusal = {"status": 401, "content_type": "application/json", "body": refused}

    def meet(route: Route) -> None:
        if "authorization" in route.request.headers:
            route.continue_()
        elif route.request.url.endswith("/ListGames") and not held:
            held.append(route)
        else:
            route.fulfill(**refusal)

    page.goto("/icon.svg")  # the lobby calls from time to time
    page.route("**/*Service/*", meet)
    page.goto("/")
    asks = page.get_by_role("heading", name="This server requires a token")
    expect(asks).to_be_visible()
    page.get_by_label("Token, from whoever runs the server").fill("open-sesame-and-close")
    page.get_by_role("button", name="Go on").click()
    expect(asks).to_have_count(0)
    late = when_held(page, held)
    with page.expect_event("requestfinished", lambda request: request == late.request):
        late.fulfill(**refusal)
    page.evaluate("fetch('/icon.svg')")  # by now the page has read the refusal
    expect(asks).to_have_count(0)


def test_two_tabs_show_the_same(page: Page) -> None:
    identifier = new_game(page, "duel", ["me", "bot1"])
    settled(page)
    other = page.context.new_page()
    other.goto(f"/#/game/{identifier}")
    settled(other)
    play_on(page, lambda offered: offered[0], 1)
    settled(page)
    version = page.locator("[data-version]").get_attribute("data-version")
    expect(other.locator("[data-version]")).to_have_attribute("data-version", str(version), timeout=PATIENCE)


def test_a_hidden_tab_asks_no_more_for_a_game_that_is_over(page: Page) -> None:
    nearly_won(page)
    begin(page)
    settled(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "GetGame" in request.url else None)
    page.clock.install()
    with page.expect_request("**/GetGame"):
        hide(page)
        page.clock.run_for(4000)
    hide(page, False)
    settled(page)
    page.locator('.action[data-action="build III brick"]').click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    hide(page)
    asked.clear()
    page.clock.run_for(4000)
    page.evaluate("fetch('/icon.svg')")  # by now a call would have been heard of
    assert asked == []


def test_two_people_with_one_seat(page: Page, browser: Browser, url: str) -> None:
    """The first move counts, once; the later person gets a message."""
    identifier = new_game(page, "duel", ["me", "bot1"])
    settled(page)
    token = Calls(page).keys(identifier)["seats"]["0"]
    with tab(browser, url) as other:
        other.goto(f"/#/game/{identifier}/seat/0/{token}")
        settled(other)
        other.route("**/WatchGame", lambda route: route.abort())  # so that it does not hear of the other's move
        other.evaluate("dispatchEvent(new Event('online'))")
        play_on(page, lambda offered: offered[0], 1)
        other.locator(".action").last.click()
        expect(other.get_by_text("The game has moved on in the meantime")).to_be_visible(timeout=PATIENCE)
    record = record_of(page, identifier)
    assert len([line for line in record.splitlines() if '"by": "red"' in line]) == 1


def test_a_page_without_tls_on_another_machine(page: Page) -> None:
    """Browsers restrict some functions to pages with TLS or from localhost; a home network has neither."""
    page.add_init_script("Object.defineProperty(crypto, 'randomUUID', {value: undefined})")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.reload()
    new_game(page, "duel", ["me", "bot1"])
    assert settled(page)
    page.get_by_role("button", name="Share").click()
    link = page.locator(".copy input").first.input_value()
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.locator("dialog").evaluate("dialog => dialog.append(document.createElement('textarea'))")
    page.locator("dialog textarea").focus()
    page.keyboard.press("Control+V")
    expect(page.locator("dialog textarea")).to_have_value(link)


def test_what_the_browser_does_not_copy_is_selected(page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.add_init_script("document.execCommand = () => false")
    page.reload()
    start(page)
    page.get_by_role("button", name="Share").click()
    link = page.locator(".copy input").first.input_value()
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator(".copy input").first).to_be_focused()
    assert page.evaluate("getSelection().toString()") == link
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
