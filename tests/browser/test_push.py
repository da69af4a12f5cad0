"""Push messages of turns: the bell, the calls of the page, and the notification of the service worker."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from playwright.sync_api import Browser, Page, Request, Route, Worker, expect

from clerestory.v1.games_pb2 import AddNoticeTargetRequest, GetGameResponse, RemoveNoticeTargetRequest
from tests.browser import harness as web
from tools.lab.browser import experienced, page_server

BELL = "Tell me when it is my turn"
ENDPOINT = "https://push.example.org/send/1"
CONTACT = "mailto:ann@example.org"
# No push service can be reached: the browser has a subscription with test keys.
SUBSCRIBED = """
    globalThis.asked = [];
    PushManager.prototype.getSubscription = async () => {
        const {publicKey} = await crypto.subtle.generateKey({name: "ECDH", namedCurve: "P-256"}, true, ["deriveBits"]);
        const keys = {p256dh: await crypto.subtle.exportKey("raw", publicKey), auth: new Uint8Array(16).buffer};
        return {endpoint: localStorage.endpoint ?? "%s", getKey: name => keys[name]};
    };
    PushManager.prototype.subscribe = function (options) {
        asked.push(options);
        return this.getSubscription();
    };
"""
ALLOWED = """Object.defineProperty(Notification, "permission", {get: () => "granted"});"""
# Headless browsers show no notifications: the worker notes those that it would show, and what it opens.
NOTED = """() => {
    globalThis.shown = []; globalThis.opened = [];
    registration.showNotification = async (title, {body, tag, lang, dir}) => shown.push({title, body, tag, lang, dir});
    clients.openWindow = async url => opened.push(url);
    WindowClient.prototype.focus = async function () { opened.push(this.id ? "a tab" : ""); };
}"""
WAITED = """async () => {
    while (!shown.length) await new Promise(done => setTimeout(done, 10));
    return shown;
}"""
PRESSED = """async tag => {
    const event = Object.assign(new Event("notificationclick"), {notification: {tag, close() {}}});
    await new Promise(done => { event.waitUntil = promise => promise.then(done); dispatchEvent(event); });
    return opened;
}"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page of a server that sends push messages."""
    key: Path = tmp_path_factory.mktemp("push") / "key.pem"
    made = ec.generate_private_key(ec.SECP256R1())
    key.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with page_server("--workers", "1", "--push-key", str(key), "--push-contact", CONTACT) as (_, url):
        yield url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab of a user who allows notifications."""
    context = experienced(browser, base_url=url, reduced_motion="reduce", permissions=["notifications"])
    context.add_init_script(ALLOWED + SUBSCRIBED % ENDPOINT)
    with web.open_tab(context) as page:
        yield page


def requests_of(page: Page, kind: Any) -> list[Any]:
    """Return a list that grows with each request of a kind."""
    found: list[Any] = []
    method = kind.DESCRIPTOR.name.removesuffix("Request")

    def read(request: Request) -> None:
        if request.url.endswith(f"/{method}"):
            found.append(kind.FromString(request.post_data_buffer))

    page.on("request", read)
    return found


def deliver(page: Page, game: str) -> None:
    """Let the browser receive a push message for its service worker."""
    session = page.context.new_cdp_session(page)
    versions: list[dict[str, Any]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: versions.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    while not versions:
        page.wait_for_timeout(10)
    content = {"type": "turn.began", "data": {"game_id": game, "game": "duel", "seat": 0}}
    origin = page.evaluate("location.origin")
    registration = versions[-1]["registrationId"]
    session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": origin, "registrationId": registration, "data": json.dumps(content)},
    )


def press_bell(page: Page) -> Worker:
    """Press the bell of a game for the first time; return the service worker."""
    bell = page.get_by_label(BELL)
    expect(bell).to_be_checked(checked=False)
    with page.context.expect_event("serviceworker") as found:
        bell.click()
    expect(bell).to_be_checked()
    expect(bell).to_be_enabled()  # its calls are done
    worker: Worker = found.value
    worker.evaluate(NOTED)
    return worker


def test_the_bell_adds_the_subscription_of_the_browser_to_the_seat(page: Page) -> None:
    added, removed = requests_of(page, AddNoticeTargetRequest), requests_of(page, RemoveNoticeTargetRequest)
    game = web.new_game(page, "duel", ["me", "open"])
    press_bell(page)
    [one] = added
    assert (one.game_id, one.seat, one.url) == (game, 0, ENDPOINT)
    assert (len(one.push_keys.p256dh), len(one.push_keys.auth)) == (65, 16)
    key = web.called(page, "GameService/GetGame", game_id=game, tokens=web.tokens_of(page, game)[:1])["push_key"]
    asked = page.evaluate("asked")
    assert asked == [{"userVisibleOnly": True, "applicationServerKey": key}]
    page.reload()
    bell = page.get_by_label(BELL)
    expect(bell).to_be_checked()
    bell.click()
    expect(bell).to_be_checked(checked=False)
    expect(bell).to_be_enabled()
    assert [(one.game_id, one.seat, one.url) for one in removed] == [(game, 0, ENDPOINT)]


def test_a_new_subscription_of_the_browser_is_added_when_the_game_is_shown_again(page: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    press_bell(page)
    added = requests_of(page, AddNoticeTargetRequest)
    page.reload()
    expect(page.get_by_label(BELL)).to_be_checked()
    page.add_init_script("localStorage.endpoint = 'https://push.example.org/send/2'")  # from the next load on
    with page.expect_response("**/AddNoticeTarget"):
        page.reload()
    assert [(one.game_id, one.url) for one in added] == [(game, "https://push.example.org/send/2")]


def test_the_bell_is_off_where_the_push_service_has_dropped_the_subscription(page: Page) -> None:
    """The server then removes the target."""
    game = web.new_game(page, "duel", ["me", "open"])
    press_bell(page)
    tokens = web.tokens_of(page, game)[:1]
    web.called(page, "GameService/RemoveNoticeTarget", game_id=game, tokens=tokens, url=ENDPOINT)
    page.reload()
    bell = page.get_by_label(BELL)
    expect(bell).to_be_checked(checked=False)
    bell.click()
    expect(bell).to_be_enabled()
    page.reload()
    expect(bell).to_be_checked()


def test_the_bell_is_off_where_the_server_has_no_push_key_any_more(page: Page) -> None:
    web.new_game(page, "duel", ["me", "open"])
    press_bell(page)

    def without_key(route: Route) -> None:
        answer = route.fetch()
        found = GetGameResponse.FromString(answer.body())
        found.push_key = ""
        route.fulfill(response=answer, body=found.SerializeToString())

    page.route("**/GetGame", without_key)
    page.reload()
    expect(page.get_by_label(BELL)).to_have_count(0)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('push:'))")


def test_a_guest_who_has_sat_down_is_offered_the_bell(page: Page, browser: Browser, url: str) -> None:
    game = web.new_game(page, "cathedral", ["me", "open", "open"])
    with web.open_tab(experienced(browser, base_url=url, permissions=["notifications"])) as guest:
        guest.goto(f"/#/game/{game}")
        sit = guest.get_by_role("button", name="Sit here").first
        expect(sit).to_be_visible()
        expect(guest.get_by_label(BELL)).to_have_count(0)
        sit.click()
        expect(guest.get_by_label(BELL)).to_be_visible()


def test_a_push_message_is_shown_and_leads_to_the_game(page: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    worker = press_bell(page)
    page.goto("/#/")
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    deliver(page, game)
    expected = {"title": "Your turn", "body": "Builders Duel", "tag": game, "lang": "en", "dir": "ltr"}
    assert worker.evaluate(WAITED) == [expected]
    assert worker.evaluate(PRESSED, game) == [f"./#/game/{game}"]
    page.goto(f"/#/game/{game}")
    expect(page.get_by_label(BELL)).to_be_visible()
    assert worker.evaluate(PRESSED, game) == [f"./#/game/{game}", "a tab"]


def test_who_looks_at_the_game_gets_no_notification_and_the_worker_keeps_no_files(page: Page) -> None:
    game = web.new_game(page, "duel", ["me", "open"])
    worker = press_bell(page)
    page.bring_to_front()
    show = "id => show({game_id: id, game: 'duel'}).then(() => shown.map(({tag}) => tag))"
    assert worker.evaluate(show, game) == []
    assert worker.evaluate(show, "another") == ["another"]
    assert page.evaluate("caches.keys()") == []


def test_a_browser_that_refuses_notifications_says_so(browser: Browser, url: str) -> None:
    with web.open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page:
        page.evaluate("Notification.requestPermission = async () => 'denied'")
        added = web.calls_to(page, "AddNoticeTarget")
        web.new_game(page, "duel", ["me", "open"])
        bell = page.get_by_label(BELL)
        bell.click()
        expect(page.get_by_role("alert")).to_have_text("This browser does not allow notifications from this page.")
        expect(bell).to_be_checked(checked=False)
        assert added == []
