"""Studies: stepping through records and positions, trying other moves, and playing on."""

import json
from math import floor
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from clerestory.engine import Record, read_records
from tests.browser import harness as web
from tests.browser.positions import about_to

RECORDS = Path(__file__).parents[2] / "examples" / "records"
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("cathedral-2p", "cathedral-4p")]


def imported(page: Page, name: str) -> Record:
    path = RECORDS / f"{name}.jsonl"
    page.get_by_text("Import a record or a position").click()
    page.locator("input[type=file]").set_input_files(path)
    (record,) = read_records(path.read_text().splitlines())
    expect_ply(page, f"0 / {len(record.state.history)}")
    return record


def expect_ply(page: Page, text: str) -> None:
    expect(page.locator(".steps")).to_contain_text(text)


@pytest.mark.parametrize("name", ["cathedral-3p", "duel-2p", *SLOW])
def test_any_record_can_be_gone_through(page: Page, name: str) -> None:
    state = imported(page, name).state
    page.keyboard.press("End")
    expect(page.get_by_test_id("winner")).to_be_visible()
    scores = [float(cell) for cell in page.locator(".scores tbody tr").first.locator("td").all_inner_texts()]
    assert scores == [floor(score) for score in state.final_scores()], "what decides between equal ones is beside them"
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f'.action[data-action="{state.history[-1].text}"]')).to_have_count(1)


def test_a_study_strays_and_comes_back_and_is_played_on_from_where_one_likes(page: Page) -> None:
    record = imported(page, "duel-2p")
    for ply in range(1, 10):  # the cards are dealt, then a seat is to move
        page.keyboard.press("ArrowRight")
        expect_ply(page, f"{ply} / ")
    expect(page.get_by_text("(you)")).to_have_count(0)
    page.get_by_label("Hints ?").select_option("move")
    expect(page.locator(".action.best")).to_have_count(1)
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.locator(".action").last.click()
    page.get_by_role("button", name="Back to the record").click()
    expect(page.get_by_role("button", name="Back to the record")).to_have_count(0)
    page.locator(".log li button").nth(59).click()
    expect(page.locator(".table")).to_have_attribute("data-version", "60")
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator(".new .notice")).to_contain_text("Builders Duel, 2 players: it goes on after 60 moves.")
    page.get_by_label("Blue", exact=True).select_option("bot1")
    identifier = web.begin(page)
    played = [json.loads(line).get("action") for line in web.record_of(page, identifier).splitlines()]
    assert played[1:61] == [action.text for action in record.state.history[:60]]
    page.get_by_role("link", name="Lobby").click()
    expect(page.locator(".new .notice")).to_have_count(0)  # the next one has a new deal


def test_a_hosted_game_can_be_studied_and_come_back_to(page: Page) -> None:
    identifier = web.start(page)
    web.play_on(page, 1)
    web.settled(page)
    page.goto(f"/#/study/game/{identifier}/abc")
    expect_ply(page, "0 / ")  # an address without a ply opens the beginning
    page.keyboard.press("ArrowRight")
    expect_ply(page, "1 / ")
    last = page.locator(".steps").inner_text().partition("/")[2].split()[0]
    page.keyboard.press("End")
    expect(page.locator(".table")).to_have_attribute("data-version", last)
    turns: list[str] = []
    while (turn := page.locator(".turn").inner_text()) != "Perkin is to move":
        turns.append(turn)
        at = int(web.version_of(page))
        assert at > 0, turns
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".table")).to_have_attribute("data-version", str(at - 1))
    expect(page.locator(".player-name", has_text="(you)")).to_have_attribute("title", "Red")
    page.get_by_role("link", name="To the game").click()
    assert web.settled(page)


def test_the_first_position_of_a_study_that_does_not_come_leads_back(page: Page) -> None:
    page.route("**/ApplyActions", lambda route: route.abort())
    page.goto("/#/study/new/duel/2")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="To the lobby").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_the_first_position_of_a_study_and_the_one_for_hints_are_asked_for_again(page: Page) -> None:
    page.evaluate("localStorage.setItem('hints', 'move')")
    for method in ("ApplyActions", "ListActions", "ObservePosition"):
        web.meet_first(page, method, Route.abort, times=1)
    imported(page, "duel-2p")
    page.locator(".log li button").nth(8).click()  # the cards are dealt
    expect(page.locator(".action.best")).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_chance_is_drawn_once_however_often_it_is_pressed_and_can_be_played_on_from(page: Page) -> None:
    page.goto("/#/study/new/cathedral/2")
    draw = page.get_by_role("button", name="Draw", exact=True)
    expect(draw).to_be_visible()
    calls = web.calls_to(page, "ApplyActions")
    held = web.hold(page, "ApplyActions", times=1)
    draw.click(click_count=2)
    expect(draw).to_have_attribute("aria-disabled", "true")
    web.when_held(page, held).continue_()
    expect(draw).to_have_count(0)
    assert len(calls) == 2, "what is drawn, and the position after it"
    page.get_by_role("button", name="Play on from here").click()
    page.get_by_role("button", name="Start a new deal instead").click()
    expect(page.get_by_label("Builders Duel")).to_be_visible()


def test_a_plan_of_which_an_action_fails_goes_no_further(page: Page) -> None:
    about_to(page, "convert")
    page.goto("/#/study/file")
    expect(page.locator(".planned p").first).to_be_visible()  # the best plan
    web.meet_first(page, "ApplyActions", Route.abort, times=1)
    page.locator(".planning .action.main").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.wait_for_load_state("networkidle")
    web.processed(page)
    expect(page.get_by_role("alert")).to_be_visible()
    expect_ply(page, "0 / 0")


NEITHER = [
    ('{"a": 1}', "neither a record nor a position"),
    ("{", "Line 1 is not JSON"),
    ("[1]\n[2]", "neither a record nor a position"),
    ("5", "neither a record nor a position"),
    ('"x"', "neither a record nor a position"),
    ("null", "neither a record nor a position"),
]


def test_a_file_that_is_not_a_record_is_rejected(page: Page, tmp_path: Path) -> None:
    page.get_by_text("Import a record or a position").click()
    for number, (text, says) in enumerate(NEITHER):
        for name, content, answer in (("empty", "", "The file is empty"), (str(number), text, says)):
            (tmp_path / name).write_text(content)
            page.locator("input[type=file]").set_input_files(tmp_path / name)
            expect(page.get_by_role("alert")).to_contain_text(answer)
