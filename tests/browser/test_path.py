"""The path: progress in this browser on one page, exportable as a file, with direct links to each end."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.harness import called, play_on, resign, settled, start, store
from tests.browser.positions import win

LESSONS_DONE = {"lessons": {"lines": 3, "chips": 3, "sections": 3}}
LEVELS_DONE = LESSONS_DONE | {"beaten:duel": [1, 2]}


def path(page: Page, done: dict[str, Any] | None = None) -> Page:
    """Open the path of a user with this progress, as stored in the browser."""
    if done:
        store(page, done)
    page.goto("/#/path")
    expect(page.get_by_role("heading", name="Your path")).to_be_visible()
    return page


def next_steps(page: Page) -> Locator:
    return page.locator("main .main")


def test_the_path_has_lessons_levels_and_puzzles_by_theme_and_difficulty(page: Page) -> None:
    path(page)
    expect(next_steps(page)).to_have_text(["Next: The goal", "Next: Lines and seals"])
    for heading in ("Lessons", "A game against"):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_have_count(2)
    expect(page.get_by_role("button", name="Level 2", exact=True)).to_have_count(2)
    cathedral = ["The draft", "Master builders", "Craftsmen at work", "Events and places"]
    expect(page.locator("dt")).to_have_text([*cathedral, "Lines", "Seals", "Cards and building"])
    expect(page.locator(".findings table:visible")).to_have_count(0)
    for question in page.locator(".findings summary").all():
        question.click()
    expect(page.locator(".findings table:visible tr")).to_have_count(3 * 8)
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.locator("dl.themes > div", has_text="Seals").last.get_by_role("link").first.click()
    expect(page.get_by_label("Theme")).to_have_value("seals")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".next-step a", has_text="Next: Lines and seals")).to_be_visible()
    assert violations(page) == []


def test_a_kind_of_puzzles_that_is_solved_holds_up_no_step(page: Page) -> None:
    puzzles = called(page, "PuzzleService/ListPuzzles", game="duel")["puzzles"]
    solved = [one["number"] for one in puzzles if one["level"] == 8]
    wanted = {"puzzles-wanted": {"level": 8, "theme": ""}, "puzzles:duel": solved}
    path(page, LESSONS_DONE | wanted | {"beaten:duel": [8], "reviewed:duel": ["a", "b", "c"]})
    next_steps(page).nth(1).click()
    page.wait_for_url("**/#/puzzle/duel/*")
    assert int(page.url.rpartition("/")[2]) not in solved


def test_finished_steps_are_marked_and_lead_on(page: Page) -> None:
    done = {"lessons": {"lines": 3, "chips": 1, "sections": 2}, "beaten:duel": [2], "reviewed:duel": ["a"]}
    path(page, done)
    expect(page.get_by_role("img", name="3 of 3 stars")).to_have_count(1)
    expect(page.get_by_text("beaten")).to_have_count(1)
    expect(next_steps(page).nth(1)).to_have_text("Next: puzzles, until 5 are solved")
    store(page, {"puzzles:duel": [1, 2, 3, 4, 5]})
    page.get_by_role("button", name="Next: a game, level 3").click()
    assert settled(page)
    expect(page.locator(".purse-line.own")).to_be_visible()


def test_a_beaten_level_leads_on_and_a_look_back_begins_at_the_end_of_a_game(page: Page) -> None:
    win(page)
    expect(page.locator(".ending .next-step .main")).to_have_text("Next: Lines and seals")
    assert page.evaluate("localStorage.getItem('beaten:duel')") == "[1]"
    page.locator(".ending .next-step").get_by_role("link", name="Your path").click()
    expect(page.get_by_role("heading", name="Your finished games")).to_be_visible()
    expect(page.get_by_text("beaten")).to_have_count(1)
    path(page, LEVELS_DONE)
    page.get_by_role("link", name="Next: look back at a game of yours").click()
    expect(page.locator(".steps")).to_contain_text("1 / 1")


def test_a_look_back_at_a_game_that_was_given_up_leads_on_too(page: Page) -> None:
    start(page)
    play_on(page, 1)
    settled(page)
    resign(page)
    path(page, LEVELS_DONE)
    page.get_by_role("link", name="Next: look back at a game of yours").click()
    expect(page.locator(".review .figures")).to_be_visible()
    path(page)
    expect(next_steps(page).nth(1)).to_contain_text("Next: puzzles")


def test_only_games_in_which_one_sat_are_offered_for_a_look_back(page: Page) -> None:
    game = start(page)
    resign(page)
    keys = page.evaluate("id => JSON.parse(localStorage.getItem('game:' + id))", game)
    path(page, LEVELS_DONE | {f"game:{game}": keys | {"seats": {}}})
    expect(next_steps(page).nth(1)).to_contain_text("Next: puzzles")


def test_progress_is_exported_as_a_file(page: Page, tmp_path: Path) -> None:
    played = [{"id": "a", "time": 1, "share": 1, "level": 3}, {"id": "b", "time": 2, "share": 0, "level": 4}]
    texts = {"id": "a.3.0", "played": "pass", "best": "claim 1.1"}
    mistakes = [{"position": {"duel": {}}, "seat": 0, "loss": 0.1} | texts]
    done = {"puzzles:duel": [7], "beaten:cathedral": [1, 2], "played:cathedral": played, "mistakes:duel": mistakes}
    path(page, {"lessons": {"goal": 2}} | done)
    expect(page.get_by_text("Won: 1 of 2. Your level in the latest games: 3.5.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save what I have done as a file").click()
    download.value.save_as(tmp_path / "path.json")
    page.evaluate("keys => keys.forEach(key => localStorage.removeItem(key))", list(done))
    store(page, {"lessons": {"goal": 1, "gold": 3}})
    page.get_by_label("Read a saved file").set_input_files(tmp_path / "path.json")
    expect(page.get_by_text("Added to what you have done here.")).to_be_visible()
    expect(page.get_by_text("beaten")).to_have_count(2)
    expect(page.locator(".levels circle")).to_have_count(2)
    found = kept(page, "lessons", *done)
    assert found == [{"goal": 2, "gold": 3}, *done.values()]


def test_the_reviews_of_many_games_make_a_report(page: Page) -> None:
    group = {"part": 1, "kind": "lines", "decisions": 10, "loss": "400000", "points": 2}
    error = {"played": "claim", "best": "claim", "errors": 1, "loss": "300000"}
    figures = {"groups": [group], "patterns": [error], "level": 3}
    path(page, {"figures:duel": [{"id": str(number), "figures": figures} for number in range(3)]})
    expect(page.get_by_text("From the reviews of 3 games.")).to_be_visible()
    expect(page.locator(".habits li")).to_have_text(
        re.compile("but not the best choice: 3 times, 30.0% of a win per game")
    )
    rows = page.locator(".path table.figures:visible tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("Rounds 1 to 3")
    expect(rows.nth(2)).to_contain_text("Lines")
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert violations(page) == []


NOTHING: dict[str, Any] = {"puzzles": [], "first_tries": {}, "levels": [], "reviews": []}  # as older files have it


def test_more_stars_than_there_are_and_unknown_lessons_and_levels_are_left_out(page: Page, tmp_path: Path) -> None:
    path(page)
    file = tmp_path / "path.json"
    levels = {"levels": [2, 9, 99]}
    done = {"lessons": {"goal": 99, "gold": 2, "chess": 3}, "cathedral": NOTHING, "duel": NOTHING | levels}
    file.write_text(json.dumps(done | {"format": "clerestory-path-1"}))
    page.get_by_label("Read a saved file").set_input_files(file)
    expect(page.get_by_text("Added to what you have done here.")).to_be_visible()
    assert kept(page, "lessons", "beaten:duel") == [{"goal": 3, "gold": 2}, [2, 9]]


def kept(page: Page, *names: str) -> list[Any]:
    return [json.loads(page.evaluate("name => localStorage.getItem(name)", name)) for name in names]


WRONG: list[tuple[Any, str]] = [  # each has a different answer from the previous one
    ("no JSON", "this file was not saved by this page"),
    ({"lessons": [1]}, "“lessons” in this file"),
    ({"format": "another"}, "this file was not saved by this page"),
    ({"lessons": {"goal": "many"}}, "“lessons” in this file"),
    ({"duel": {"puzzles": {"1": True}}}, "“duel.puzzles” in this file"),
    ({"cathedral": None}, "“cathedral” in this file"),
    ({"lessons": {}, "cathedral": {**NOTHING, "games": [{"id": "a"}]}}, "“cathedral.games” in this file"),
    ({"lessons": {}, "duel": {**NOTHING, "mistakes": [{"id": "a"}]}}, "“duel.mistakes” in this file"),
]


def test_a_wrong_file_is_rejected(page: Page, tmp_path: Path) -> None:
    path(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save what I have done as a file").click()
    right = json.loads(download.value.path().read_text())
    for number, (change, says) in enumerate(WRONG):
        file = tmp_path / f"{number}.json"
        file.write_text(change if isinstance(change, str) else json.dumps(right | change))
        page.get_by_label("Read a saved file").set_input_files(file)
        expect(page.get_by_role("alert")).to_contain_text(says)
        assert page.evaluate("localStorage.getItem('lessons')") is None
