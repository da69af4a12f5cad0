"""Access to a game in the browser: links of seats, onlookers, absent players, and secrets of one seat."""

import re
from random import Random

import pytest
from playwright.sync_api import Page, expect

from tests.browser import harness as web
from tests.browser.axe import violations
from tests.browser.positions import begin_at
from tests.engine.cathedral.scenes import reach
from tools.lab.browser import choose_game

# -- links -----------------------------------------------------------------------------------------


def test_the_link_of_a_seat_leaves_no_token_in_the_address(page: Page, other: Page) -> None:
    identifier = web.start(page)
    (token,) = web.tokens_of(page, identifier)
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(f"/#/game/{identifier}/seat/0/{token}")
    expect(other.locator(".status.mine")).to_be_visible()
    assert token not in other.url
    assert [address for address in asked if token in address.partition("#")[0]] == []


@pytest.mark.parametrize("link", ["seat/0/{cut}", "seat/1/made-up", "watch/made-up"])
def test_a_link_that_opens_nothing_takes_no_seat_away(page: Page, link: str) -> None:
    """A mail program may have cut it, and only this browser has the seat's token."""
    identifier = web.start(page)
    keys = web.keys_of(page, identifier)
    page.goto("/")
    with page.expect_response("**/GetGame"):
        page.goto(f"/#/game/{identifier}/{link.format(cut=keys['seats']['0'][:-1])}")
    expect(page.locator(".status.mine")).to_be_visible()
    again = web.keys_of(page, identifier)
    assert [again[name] for name in ("seats", "onlooker")] == [keys[name] for name in ("seats", "onlooker")]


def test_a_token_that_is_one_no_longer_shuts_nobody_out(page: Page) -> None:
    identifier = web.start(page, ("me", "here"))
    page.evaluate(
        """game => { const key = 'game:' + game, keys = JSON.parse(localStorage.getItem(key));
            keys.seats[1] = 'given-away'; localStorage.setItem(key, JSON.stringify(keys)); }""",
        identifier,
    )
    page.reload()
    expect(page.locator(".board")).to_be_visible()
    assert list(web.keys_of(page, identifier)["seats"]) == ["0"]


@pytest.mark.parametrize("for_everybody", [False, True])
def test_onlookers_see_the_game_and_can_do_nothing(page: Page, other: Page, for_everybody: bool) -> None:
    choose_game(page, "duel", ["me", "bot1"])
    if for_everybody:
        page.get_by_label("Onlookers").select_option("Everybody")
    web.begin(page)
    web.menu(page, "Share")
    link = page.get_by_label("Invite to watch").input_value()
    page.keyboard.press("Escape")
    other.goto(link)
    expect(other.locator(".board")).to_be_visible()
    expect(other.locator(".action")).to_have_count(0)
    before = web.version_of(other)
    web.play_on(page, 1)
    web.wait_for_change(other, before)
    if for_everybody:
        web.menu(other, "Share")
        expect(other.get_by_label("Invite to watch")).to_have_value(link)
    else:
        assert web.tokens_of(other, page.url.rpartition("/")[2]) == []


@pytest.mark.parametrize("button", ["Play now", "Or the card game for two"])
def test_one_who_plays_a_bot_shares_the_game_for_watching_first(page: Page, other: Page, button: str) -> None:
    page.get_by_role("button", name=button).click()
    web.settled(page)
    web.menu(page, "Share")
    links = page.locator("dialog .copy input")
    expect(links.first).to_be_visible()
    assert links.evaluate_all("all => all.filter(one => one.checkVisibility()).length") == 1, "a seat is one press away"
    link = links.first.input_value()
    assert "/watch/" in link
    page.keyboard.press("Escape")
    other.goto(link)
    expect(other.locator(".board > .drawn")).to_be_visible()
    expect(other.locator(".action")).to_have_count(0)
    before = web.version_of(other)
    web.play_on(page, 1)
    web.wait_for_change(other, before)


def test_one_sees_who_looks_elsewhere(page: Page, other: Page) -> None:
    identifier = web.new_game(page, "duel", ["me", "open"])
    other.goto(f"/#/game/{identifier}")
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".turn")).to_have_text("Red is to move")
    page.goto("/#/")
    expect(other.locator(".turn")).to_have_text("Red is to move, and is away")
    other.get_by_role("button", name="Players").click()
    expect(other.get_by_role("dialog").get_by_text("away", exact=True)).to_have_count(1)
    page.goto(f"/#/game/{identifier}")
    expect(other.locator(".turn")).to_have_text("Red is to move")


def test_calls_at_a_game_show_the_seat_and_no_others(page: Page) -> None:
    """The server uses it to distinguish people with one address."""
    shown: dict[str, str | None] = {}
    page.on("request", lambda one: shown.update({one.url.rpartition("/")[2]: one.headers.get("x-clerestory-seat")}))
    identifier = web.start(page)
    web.hinted(page, 1)
    (token,) = web.tokens_of(page, identifier)
    assert (shown["CreateGame"], shown["Analyze"]) == (None, f"{identifier} {token}")


def test_the_title_says_whose_turn_it_is(page: Page) -> None:
    identifier = web.start(page)
    expect(page).to_have_title("● Your turn – Clerestory")
    page.get_by_role("link", name="Study").click()
    expect(page).to_have_title("Clerestory")
    page.go_back()
    expect(page).to_have_title("● Your turn – Clerestory")
    page.get_by_role("link", name="Lobby").click()
    expect(page.locator(".games a", has_text="Your turn")).to_have_attribute("href", f"#/game/{identifier}")


def test_a_hidden_tab_of_a_browser_that_makes_no_notifications_shows_the_game(page: Page) -> None:
    """Chrome on Android only supports them in service workers."""
    web.start(page)
    page.add_init_script(
        """globalThis.Notification = class { static permission = "granted"; constructor() { throw new TypeError(); } };
        Object.defineProperty(document, "hidden", {get: () => true});"""
    )
    page.reload()
    expect(page.locator(".board")).to_be_visible()
    expect(page).to_have_title("● Your turn – Clerestory")


# -- continuing and resigning ----------------------------------------------------------------------


def test_bots_go_on_for_people_until_they_are_back(page: Page) -> None:
    web.start(page, ("me", "here"))
    web.menu(page, "Players")
    take_over = page.get_by_role("button", name="Let a bot take over")
    for left in (1, 0):
        take_over.first.click()
        expect(take_over).to_have_count(left)
    page.keyboard.press("Escape")
    expect(page.get_by_text("A bot plays for Red.")).to_be_visible()
    expect(page.locator(".status.mine, .action")).to_have_count(0)
    back = page.locator(".notices").get_by_role("button", name="Take my seat back")
    for left in (1, 0):
        back.first.click()
        expect(back).to_have_count(left)
    assert web.settled(page)


def test_a_bot_plays_where_nobody_has_come(page: Page) -> None:
    web.new_game(page, "duel", ["me", "open"])
    page.get_by_role("button", name="Let a bot play").click()
    assert web.settled(page)


def test_a_game_is_resigned_only_when_it_is_meant(page: Page) -> None:
    """With two players at one screen, the seat to move resigns."""
    identifier = web.start(page, ("me", "here"))
    tokens = web.tokens_of(page, identifier)[:1]
    while web.called(page, "GameService/GetGame", game_id=identifier, tokens=tokens)["game"]["turn"]["seat"] == 0:
        web.play_on(page, 1)
        web.settled(page)
    web.menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("alert")).to_contain_text("Yes, resign")
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".ending")).to_contain_text("Blue resigned.")
    expect(page.get_by_test_id("winner")).to_contain_text("Red")
    expect(page.locator(".stands p")).not_to_contain_text("Claim")  # no request, and no hints
    expect(page.locator(".player.acts")).to_have_count(0)
    expect(page.locator("#hints")).to_be_disabled()
    expect(page.locator(".hints")).to_contain_text("the study has hints")


@pytest.mark.parametrize(("game", "players", "follows"), [("duel", 2, "other player wins"), ("cathedral", 3, "A bot")])
def test_resigning_shows_its_consequences_first(page: Page, game: str, players: int, follows: str) -> None:
    web.start(page, ("me", *["bot1"] * (players - 1)), game)
    web.menu(page, "Players")
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text(follows)
    page.get_by_role("button", name="End the game for all").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("Nobody wins")


def test_a_game_for_which_nobody_comes_is_called_off(page: Page) -> None:
    web.new_game(page, "cathedral", ["me", "open"])
    page.get_by_role("button", name="End the game for all").click()
    expect(page.get_by_role("button", name="Resign")).to_have_count(0)  # nothing to resign yet
    page.get_by_role("button", name="Yes, end it").click()
    expect(page.locator(".ending")).to_contain_text("The game was abandoned.")
    expect(page.locator(".round")).to_have_text("Round 1 of 6")  # its cathedral is not finished


def test_the_cathedral_of_a_game_that_is_given_up_in_its_last_round_is_not_finished(page: Page) -> None:
    begin_at(page, reach("draft", round_=6))
    web.begin(page)
    web.resign(page)
    expect(page.locator(".round")).to_have_text("Round 6 of 6")


# -- a limit of time -------------------------------------------------------------------------------


def timed(page: Page, **limits: str) -> str:
    """Create a game with time limits, and return its address for the first seat."""
    made = web.called(
        page,
        "GameService/CreateGame",
        game="duel",
        seats=[{"kind": "SEAT_KIND_PERSON"}, {"kind": "SEAT_KIND_PERSON"}],
        options={**limits, "play_on": {"level": 1}},
    )
    return f"/#/game/{made['game']['game_id']}/seat/0/{made['seat_tokens'][0]['token']}"


def test_a_move_that_a_bot_made_when_time_was_out_is_news(page: Page) -> None:
    page.goto(timed(page, time_per_move="5s"))
    moved = page.locator(".log li", has_text="out of time: a bot moved").first
    expect(moved).to_have_class("news")  # shows returning players what was played for them


@pytest.mark.parametrize("minutes", [-30, 30])
def test_the_time_that_is_left_is_right_where_the_computers_clock_is_not(page: Page, minutes: int) -> None:
    page.evaluate("minutes => { const now = Date.now; Date.now = () => now() + 60_000 * minutes; }", minutes)
    page.goto(timed(page, time_per_move="36000s"))
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^9:5\d:"))


def test_each_player_has_a_clock_for_the_game_of_which_one_runs(page: Page) -> None:
    page.goto(timed(page, time_per_game="36000s", increment="5s"))
    clocks = page.get_by_role("timer")
    expect(clocks).to_have_count(2)
    expect(clocks.filter(has_text=re.compile(r"^[RB]9:59:\d\d$"))).to_have_count(1)
    expect(clocks.filter(has_text=re.compile(r"^[RB]10:00:00$"))).to_have_count(1)
    expect(page.get_by_label(re.compile("left for Red in the whole game"))).to_be_visible()
    assert violations(page, part=".status") == []


def test_a_game_begins_with_the_clock_that_was_chosen(page: Page) -> None:
    page.get_by_text("More options").click()
    page.get_by_label("A person's time for the whole game").select_option("10 minutes + 10 s")
    expect(page.get_by_text("has that move made by a bot")).to_be_visible()
    game = web.begin(page)
    expect(page.get_by_role("timer").first).to_be_visible()
    tokens = web.tokens_of(page, game)
    options = web.called(page, "GameService/GetGame", game_id=game, tokens=tokens)["game"]["options"]
    assert (options["time_per_game"], options["increment"]) == ("600s", "10s")


def test_the_form_says_what_a_limit_of_time_does(page: Page) -> None:
    page.get_by_text("More options").click()
    limit, says = page.get_by_label("A person's time per move"), page.get_by_text("has that move made by a bot")
    expect(limit).to_be_visible()
    expect(says).to_have_count(0)
    limit.select_option("1 minute")
    expect(says).to_be_visible()
    limit.select_option(index=0)
    tops = page.locator("form details > label").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert len(tops) > 3
    assert sorted(set(tops)) == tops, "options stand one below the other"
    page.get_by_role("button", name="Start", exact=True).click()
    web.settled(page)
    expect(page.get_by_role("timer")).to_have_count(0)


# -- a physical table ------------------------------------------------------------------------------


def test_a_private_outcome_is_entered_unseen_by_others(page: Page) -> None:
    """Ellen's owner sees the coming event: the page asks for it behind a button, and shows it to no other player."""
    choose_game(page, "cathedral", ["me", "here"])
    page.get_by_text("A real box lies on the table").click()
    identifier = web.begin(page, settle=False)
    expect(page.locator(".action").first).to_be_visible()
    seat, outcome = until_shown(page, identifier)
    colour = ("Red", "Blue")[seat]
    asks = page.get_by_role("group", name=f"What {colour} has been shown")
    expect(asks).to_be_visible()
    expect(asks).not_to_contain_text(outcome)
    asks.get_by_role("button", name=f"I am {colour}").click()
    asks.get_by_role("button", name=outcome).click()
    expect(asks).to_have_count(0)
    expect(page.locator(".event")).not_to_contain_text("foreseen")
    answer = web.called(page, "GameService/GetGame", game_id=identifier, tokens=web.tokens_of(page, identifier))
    foreseen = [len(view["position"]["cathedral"].get("event_deck", [])) for view in answer["views"]]
    assert foreseen == [0, *(int(number == seat) for number in range(2))]


def until_shown(page: Page, identifier: str) -> tuple[int, str]:
    """Play a game by calls until a seat has been shown an event; return the seat, and the possible events."""
    game, luck = {"game_id": identifier, "tokens": web.tokens_of(page, identifier)}, Random(1)
    seen = web.called(page, "GameService/GetGame", **game)
    while not any(view.get("private_outcomes") for view in seen["views"]):
        texts = [one["action"]["text"] for view in seen["views"] for one in view.get("actions", ())]
        liked = (name for name in ("ellen", "kingsbridge", "") if any(name in text for text in texts))
        name = next(liked)
        action = luck.choice([text for text in texts if name in text])
        seen = web.called(page, "GameService/PlayAction", **game, version=seen["game"].get("version", 0), action=action)
    (view,) = (view for view in seen["views"] if view.get("private_outcomes"))
    return view.get("seat", 0), view["private_outcomes"][0]["label"]
