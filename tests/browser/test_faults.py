"""The page shows faults to the user, and loses nothing."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from loadtest.server import free_port
from tests.browser import harness as web
from tests.browser.positions import LAST_BUILD, about_to, nearly_won, win
from tools.lab.browser import experienced, page_server

AGAIN = "Trying again"
BUSY = (429, "resource_exhausted", "busy")
INTERNAL = b'{"error": {"code": "internal", "message": "Received RST_STREAM with error code 2"}}'

# -- killed servers ------------------------------------------------------------------------------------


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, ...]:
    """Return options of a server that keeps its games and its address across restarts."""
    return ("--workers", "1", "--store", str(tmp_path / "games"), "--web", f"127.0.0.1:{free_port()}")


@contextmanager
def tab(browser: Browser, url: str) -> Iterator[Page]:
    with web.open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        yield page


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_server_that_is_killed_in_a_stream_and_in_a_move(browser: Browser, options: tuple[str, ...]) -> None:
    with page_server(*options) as (first, url), tab(browser, url) as page:
        identifier = web.start(page)
        moves = page.locator(".log ol li")
        before = moves.count()
        kill(first)
        expect(page.get_by_role("alert").first).to_contain_text(AGAIN)
        page.locator(".action").first.click()  # a move that no server accepts yet
        with page_server(*options):
            expect(moves).not_to_have_count(before)
            expect(page.get_by_role("alert")).to_have_count(0)
            web.settled(page)
            record = web.record_of(page, identifier)
            assert web.played_through(record)
            assert record.count('"by": "red"') == 1


def test_calls_that_begin_while_the_server_is_away_are_answered_once_it_is_back(
    browser: Browser, options: tuple[str, ...]
) -> None:
    """An earlier moment of a game, a screen whose files browsers remember as missing, and a new game."""
    with page_server(*options) as (first, url), tab(browser, url) as page:
        expect(page.locator(".opponents p").first).not_to_be_empty()
        web.start(page)
        web.play_on(page, 1)
        web.settled(page)
        kill(first)
        alert = page.get_by_role("alert")
        expect(alert.first).to_contain_text(AGAIN)
        with page.expect_request("**/GetGame"):
            page.keyboard.press("ArrowLeft")
        with page_server(*options) as (second, _):
            expect(page.get_by_text("You are looking at an earlier moment")).to_be_visible()
            expect(alert).to_have_count(0)
            page.keyboard.press("End")
            web.settled(page)
            page.goto("/#/")
            expect(page.locator(".opponents p").first).not_to_be_empty()
            kill(second)
            page.goto("/#/path")
            expect(alert).to_contain_text(AGAIN)
            page.goto("/#/")
            page.get_by_role("button", name="Start", exact=True).click()
            expect(page.locator("form").get_by_role("alert")).to_contain_text(AGAIN)
            with page_server(*options):
                page.wait_for_url("**/#/game/*")
                assert web.settled(page)
                expect(alert).to_have_count(0)
                page.goto("/#/path")
                expect(page.locator(".lessons").nth(1)).to_be_visible()


def test_a_server_that_asks_for_a_token(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("open-sesame-and-close")
    with page_server("--workers", "1", "--token-file", str(tmp_path / "tokens")) as (_, url), tab(browser, url) as page:
        for token in ("of-somebody-else", "open-sesame-and-close"):
            expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
            page.get_by_label("Token, from whoever runs the server").fill(token)
            page.get_by_role("button", name="Go on").click()
        web.start(page)
        assert "open-sesame" not in page.evaluate("Object.values(localStorage).join()")


# -- calls that are lost, rejected or unanswered --------------------------------------------------------


def test_a_page_that_is_older_than_its_server_reloads_once(page: Page) -> None:
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


def test_an_error_of_a_start_is_cleared_while_the_game_is_started_again(page: Page) -> None:
    web.refuse(page, "CreateGame", 400, "invalid_argument", "not like this", times=1)
    start_it, said = page.get_by_role("button", name="Start", exact=True), page.get_by_role("alert")
    start_it.press("Enter")
    expect(said).to_have_text("Not like this")
    expect(start_it).to_be_focused()
    with web.held_back(page, "CreateGame") as held:
        start_it.press("Enter")
        web.when_held(page, held)
        expect(said).to_have_count(0)
    assert web.settled(page)


def test_the_first_calls_of_a_screen_are_repeated(page: Page) -> None:
    for screen, method, there in (
        ("learn/goal", "FollowLesson", ".lesson"),
        ("puzzle/duel/1", "GetPuzzle", ".puzzle"),
        ("puzzle/duel/1", "ListActions", ".puzzle"),
        ("box/duel", "DescribeCatalogue", ".send"),
    ):
        page.goto("/#/")
        expect(page.locator(there)).to_have_count(0)  # otherwise the screen may stay, and request nothing
        with web.lost(page, method):
            page.goto(f"/#/{screen}")
            expect(page.get_by_role("alert")).to_contain_text(AGAIN)
        expect(page.locator(there)).to_be_visible()


def test_a_busy_server_is_asked_again_for_the_cards_also_at_the_end_of_a_game(page: Page) -> None:
    win(page)
    web.refuse(page, "DescribeCatalogue", *BUSY, times=2)
    with page.expect_response(lambda answer: answer.status == 429):
        page.reload()
    expect(page.locator(".bonus").first).to_be_visible()


def test_a_board_is_drawn_once_its_cards_are_known(page: Page) -> None:
    """Otherwise the board would grow under the pointer when the names arrive."""
    with web.held_back(page, "DescribeCatalogue") as held:
        with page.expect_event("requestfinished", lambda one: re.search(r"/cathedral-\w+\.js$", one.url)):
            web.start(page, game="cathedral")
        web.when_held(page, held)
        assert page.locator(".drawn").count() == 0
        expect(page.locator(".action").first).to_be_visible()
    expect(page.locator(".drawn")).to_be_visible()
    expect(page.locator(".board")).not_to_contain_text("…")


def test_keeping_the_draws_of_a_round_is_sent_once_to_a_busy_server(page: Page) -> None:
    about_to(page, "redraw")
    web.begin(page)
    refused = web.refuse(page, "PlayAction", *BUSY)
    page.get_by_label("Keep the draws for the rest of this round").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Keep the draws for the rest of this round")).not_to_be_checked()
    assert len(refused) == 1


@pytest.mark.parametrize("body", [b"\0\0\0\0\x09cut", b"\x02" + len(INTERNAL).to_bytes(4, "big") + INTERNAL])
def test_a_stream_that_a_proxy_resets(page: Page, body: bytes) -> None:
    web.start(page)

    def reset(route: Route) -> None:
        route.fulfill(content_type="application/connect+proto", body=body)

    with web.lost(page, "WatchGame", reset, times=2) as resets:
        page.evaluate("dispatchEvent(new Event('online'))")  # restarts the stream
        expect(page.get_by_role("alert").first).to_contain_text(AGAIN)
        while len(resets) < 2:
            page.wait_for_timeout(10)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert web.play_on(page, 1) == 1


def test_a_server_that_sends_nothing_for_40_seconds_counts_as_away(page: Page) -> None:
    page.clock.install()
    with web.held_back(page, "WatchGame") as held:
        web.start(page)
        web.when_held(page, held)
        page.clock.fast_forward(41_000)
        expect(page.get_by_role("alert")).to_have_text("No sign of the server for 40 s. Trying again…")


def test_a_lobby_that_is_not_answered_asks_once_and_then_again(page: Page) -> None:
    page.clock.install()
    with web.held_back(page, "ListGames") as held:
        page.reload()
        web.when_held(page, held)
        page.clock.run_for(9000)
        web.processed(page)
        assert len(held) == 1
        page.clock.run_for(12_000)
        expect(page.get_by_role("alert")).to_contain_text(AGAIN)
        while len(held) == 1:
            page.clock.run_for(1000)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_start_and_a_move_that_are_not_answered_are_sent_again(page: Page) -> None:
    page.clock.install()
    alert = page.get_by_role("alert")
    with web.lost(page, "CreateGame", lambda _: None) as gone:
        page.get_by_role("button", name="Start", exact=True).click()
        web.when_held(page, gone)
        page.clock.run_for(21_000)
        expect(alert).to_contain_text(AGAIN)
    page.wait_for_url("**/#/game/*")
    web.settled(page)
    version = web.version_of(page)
    with web.lost(page, "PlayAction", lambda _: None) as gone:
        page.locator(".action").first.click()
        web.when_held(page, gone)
        page.clock.run_for(21_000)
        expect(alert).to_contain_text("cannot be reached. Trying again")
    page.clock.run_for(1000)
    web.wait_for_change(page, version)
    expect(alert).to_have_count(0)


def test_a_game_that_arrives_first_by_its_stream_has_a_history_and_keeps_its_actions(page: Page) -> None:
    web.start(page)
    last = page.locator(".log ol li").count()
    back = page.get_by_role("button", name="Take back")
    with web.held_back(page, "GetGame") as held:
        page.reload()
        web.when_held(page, held)
        page.evaluate("dispatchEvent(new Event('online'))")
        web.play_on(page, 1)
        web.settled(page)
        expect(back).to_have_count(0)  # its extent is unknown
    expect(back).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".steps")).to_contain_text(f"{last} / {last}")


def test_a_rejection_of_an_older_token_asks_for_none(page: Page) -> None:
    held: list[Route] = []
    refusal = {"status": 401, "content_type": "application/json", "body": '{"code": "unauthenticated"}'}

    def meet(route: Route) -> None:
        if "authorization" in route.request.headers:
            route.continue_()
        elif route.request.url.endswith("/ListGames") and not held:
            held.append(route)
        else:
            route.fulfill(**refusal)

    page.goto("/icon.svg")  # the lobby makes calls from time to time
    page.route("**/*Service/*", meet)
    page.goto("/")
    asks = page.get_by_role("heading", name="This server requires a token")
    expect(asks).to_be_visible()
    page.get_by_label("Token, from whoever runs the server").fill("open-sesame-and-close")
    page.get_by_role("button", name="Go on").click()
    expect(asks).to_have_count(0)
    late = web.when_held(page, held)
    with page.expect_event("requestfinished", lambda request: request == late.request):
        late.fulfill(**refusal)
    web.processed(page)
    expect(asks).to_have_count(0)


# -- tabs and seats ------------------------------------------------------------------------------------


def test_a_hidden_tab_shows_no_trouble_once_a_lost_call_is_answered(page: Page) -> None:
    web.start(page)
    page.route("**/GetGame", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible()
    web.hide(page)
    page.unroute("**/GetGame")
    expect(page.locator(".board")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_hidden_tab_asks_no_more_for_a_game_that_is_over(page: Page) -> None:
    nearly_won(page)
    web.begin(page)
    calls = web.calls_to(page, "GetGame")
    page.clock.install()
    with page.expect_request("**/GetGame"):
        web.hide(page)
        page.clock.run_for(4000)
    web.hide(page, False)
    web.settled(page)
    page.locator(LAST_BUILD).click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    web.hide(page)
    calls.clear()
    page.clock.run_for(4000)
    web.processed(page)
    assert calls == []


def test_a_wrong_seat_token_and_an_unknown_game_lead_to_the_lobby(page: Page) -> None:
    identifier = web.start(page)
    page.evaluate("localStorage.clear()")
    with page.expect_response("**/GetGame"):
        page.goto(f"/#/game/{identifier}/seat/0/{'x' * 43}")
        page.reload()
    expect(page.get_by_role("alert")).to_contain_text("You may not do this in this game")
    expect(page.get_by_role("link", name="To the lobby")).to_be_visible()
    page.goto("/#/game/AAAAAAAAAAAAAAAAAAAAAA")
    expect(page.get_by_role("alert")).to_contain_text("There is no such game on this server")
    page.get_by_role("link", name="To the lobby").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_of_two_moves_for_one_seat_the_later_one_is_rejected(page: Page, other: Page) -> None:
    identifier = web.start(page)
    token = web.keys_of(page, identifier)["seats"]["0"]
    other.goto(f"/#/game/{identifier}/seat/0/{token}")
    web.settled(other)
    other.route("**/WatchGame", lambda route: route.abort())  # hides the other player's move
    other.evaluate("dispatchEvent(new Event('online'))")
    web.play_on(page, 1)
    other.locator(".action").last.click()
    expect(other.get_by_text("The game has moved on in the meantime")).to_be_visible()
    assert web.record_of(page, identifier).count('"by": "red"') == 1


def test_a_page_without_tls_on_another_machine_plays_and_copies(page: Page) -> None:
    """Browsers restrict some functions to pages with TLS or from localhost; a home network has neither."""
    page.add_init_script("Object.defineProperty(crypto, 'randomUUID', {value: undefined})")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.reload()
    web.start(page)
    page.get_by_role("button", name="Share").click()
    field, copy = page.locator(".copy input").first, page.get_by_role("button", name="Copy").first
    link = field.input_value()
    page.evaluate("document.execCommand = () => false")
    copy.click()
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == link, "what the browser does not copy is selected"
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
    page.evaluate("delete document.execCommand")
    copy.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.locator("dialog").evaluate("dialog => dialog.append(document.createElement('textarea'))")
    page.locator("dialog textarea").focus()
    page.keyboard.press("Control+V")
    expect(page.locator("dialog textarea")).to_have_value(link)
