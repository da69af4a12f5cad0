"""The path: what has been done in this browser on one page, taken along as a file, and one press from each end."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.harness import PATIENCE, begin, play_on, resign, settled, start, wait_for_change
from tests.browser.positions import nearly_won
from tests.browser.test_access import violations


def path(page: Page) -> Page:
    page.goto("/#/path")
    expect(page.get_by_role("heading", name="Your path")).to_be_visible(timeout=PATIENCE)
    return page


def keep(page: Page, **items: Any) -> None:
    for key, value in items.items():
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key.replace("_", ":"), json.dumps(value)])
    page.reload()


def next_steps(page: Page) -> Locator:
    return page.locator("main .main")


def test_the_path_has_lessons_levels_and_puzzles_by_theme_and_difficulty(page: Page) -> None:
    path(page)
    expect(next_steps(page)).to_have_text(["Next: The goal", "Next: Lines and seals"])
    for heading in ("Lessons", "A game against"):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_have_count(2)
    expect(page.get_by_role("button", name="Level 2", exact=True)).to_have_count(2)
    expect(page.locator("dt")).to_have_text(
        [
            "The draft",
            "Master builders",
            "Craftsmen at work",
            "Events and places",
            "Lines",
            "Seals",
            "Cards and building",
        ]
    )
    assert not violations(page)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_puzzles_of_a_theme_and_a_level_follow_each_other(page: Page) -> None:
    path(page)
    seals = page.locator("dl.themes > div", has_text="Seals").last
    seals.get_by_role("link").first.click()
    expect(page.get_by_label("Theme")).to_have_value("seals", timeout=PATIENCE)
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".next-step a", has_text="Next: Lines and seals")).to_be_visible(timeout=PATIENCE)
    assert not violations(page)


def test_a_kind_of_puzzles_that_is_solved_holds_up_no_step(page: Page) -> None:
    answer = page.request.post("/clerestory.v1.PuzzleService/ListPuzzles", data={"game": "duel"})
    solved = [one["number"] for one in answer.json()["puzzles"] if one["level"] == 8]
    path(page)
    keep(page, lessons={"lines": 3, "chips": 3, "sections": 3}, beaten_duel=[8], reviewed_duel=["a", "b", "c"])
    keep(page, puzzles_duel=solved, **{"puzzles-wanted": {"level": 8, "theme": ""}})
    next_steps(page).nth(1).click()
    page.wait_for_url("**/#/puzzle/duel/*")
    assert int(page.url.rpartition("/")[2]) not in solved


def test_what_has_been_done_is_marked_and_leads_on(page: Page) -> None:
    path(page)
    keep(page, lessons={"lines": 3, "chips": 1, "sections": 2}, beaten_duel=[2], reviewed_duel=["a"])
    expect(page.get_by_role("img", name="3 of 3 stars")).to_have_count(1, timeout=PATIENCE)
    expect(page.get_by_text("beaten")).to_have_count(1)
    expect(next_steps(page).nth(1)).to_have_text("Next: puzzles, until 5 are solved")
    keep(page, puzzles_duel=[1, 2, 3, 4, 5])
    expect(page.get_by_role("button", name="Next: a game, level 3")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Next: a game, level 3").click()
    assert settled(page)
    expect(page.locator(".purse-line.own")).to_be_visible()


def test_a_look_back_begins_at_the_end_of_a_game(page: Page) -> None:
    nearly_won(page)
    begin(page)
    assert settled(page)
    page.locator('.action[data-action="build III brick"]').click()
    expect(page.get_by_test_id("winner")).to_be_visible()
    path(page)
    keep(page, lessons={"lines": 3, "chips": 3, "sections": 3}, beaten_duel=[1, 2])
    page.get_by_role("link", name="Next: look back at a game of yours").click()
    expect(page.locator(".steps")).to_contain_text("1 / 1")


def test_a_look_back_at_a_game_that_was_given_up_leads_on_too(page: Page) -> None:
    start(page)
    play_on(page, lambda offered: offered[0], 1)
    resign(page)
    path(page)
    keep(page, lessons={"lines": 3, "chips": 3, "sections": 3}, beaten_duel=[1, 2])
    page.get_by_role("link", name="Next: look back at a game of yours").click()
    expect(page.locator(".review table")).to_be_visible(timeout=5 * PATIENCE)
    path(page)
    expect(next_steps(page).nth(1)).to_contain_text("Next: puzzles", timeout=PATIENCE)


def test_only_games_in_which_one_sat_are_offered_for_a_look_back(page: Page) -> None:
    start(page)
    resign(page)
    game = page.url.rpartition("/")[2]
    keys = page.evaluate("id => JSON.parse(localStorage.getItem('game:' + id))", game)
    page.evaluate("([id, keys]) => localStorage.setItem('game:' + id, keys)", [game, json.dumps(keys | {"seats": {}})])
    path(page)
    keep(page, lessons={"lines": 3, "chips": 3, "sections": 3}, beaten_duel=[1, 2])
    expect(next_steps(page).nth(1)).to_contain_text("Next: puzzles", timeout=PATIENCE)


def test_what_has_been_done_is_taken_along_as_a_file(page: Page, tmp_path: Path) -> None:
    path(page)
    keep(page, lessons={"goal": 2}, puzzles_duel=[7], beaten_cathedral=[1, 2])
    with page.expect_download() as download:
        page.get_by_role("link", name="Save what I have done as a file").click(timeout=PATIENCE)
    download.value.save_as(tmp_path / "path.json")
    page.evaluate("['lessons', 'puzzles:duel', 'beaten:cathedral'].forEach(key => localStorage.removeItem(key))")
    keep(page, lessons={"goal": 1, "gold": 3})
    page.get_by_label("Read such a file").set_input_files(tmp_path / "path.json")
    expect(page.get_by_text("Added to what you have done here.")).to_be_visible()
    expect(page.get_by_text("beaten")).to_have_count(2)
    kept = page.evaluate("['lessons', 'puzzles:duel', 'beaten:cathedral'].map(key => localStorage.getItem(key))")
    assert [json.loads(one) for one in kept] == [{"goal": 2, "gold": 3}, [7], [1, 2]]


def test_more_stars_than_there_are_and_unknown_lessons_and_levels_are_left_out(page: Page, tmp_path: Path) -> None:
    path(page)
    file = tmp_path / "path.json"
    none = {"puzzles": [], "first_tries": {}, "levels": [], "reviews": []}
    done = {"lessons": {"goal": 99, "gold": 2, "chess": 3}, "cathedral": none, "duel": none | {"levels": [2, 9, 99]}}
    file.write_text(json.dumps(done | {"format": "clerestory-path-1"}))
    page.get_by_label("Read such a file").set_input_files(file)
    expect(page.get_by_text("Added to what you have done here.")).to_be_visible()
    kept = page.evaluate("['lessons', 'beaten:duel'].map(key => localStorage.getItem(key))")
    assert [json.loads(one) for one in kept] == [{"goal": 3, "gold": 2}, [2, 9]]


WRONG: list[tuple[Any, str]] = [  # none is answered as the one before it
    ("no JSON", "this is no file that this page has saved"),
    ({"lessons": [1]}, "“lessons” in this file"),
    ({"format": "another"}, "this is no file that this page has saved"),
    ({"lessons": {"goal": "many"}}, "“lessons” in this file"),
    ({"duel": {"puzzles": {"1": True}}}, "“duel.puzzles” in this file"),
    ({"cathedral": None}, "“cathedral” in this file"),
]


def test_a_file_that_is_wrong_is_said_to_be(page: Page, tmp_path: Path) -> None:
    path(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save what I have done as a file").click()
    right = json.loads(download.value.path().read_text())
    for number, (change, says) in enumerate(WRONG):
        file = tmp_path / f"{number}.json"
        file.write_text(change if isinstance(change, str) else json.dumps(right | change))
        page.get_by_label("Read such a file").set_input_files(file)
        expect(page.get_by_role("alert")).to_contain_text(says)
        assert page.evaluate("localStorage.getItem('lessons')") is None


def test_a_level_that_was_beaten_is_kept_and_the_next_step_is_offered(page: Page) -> None:
    nearly_won(page)
    begin(page)
    assert settled(page)
    version = page.locator("[data-version]").get_attribute("data-version")
    page.locator('.action[data-action="build III brick"]').click()
    wait_for_change(page, version)
    expect(page.locator(".ending .next-step .main")).to_have_text("Next: Lines and seals", timeout=PATIENCE)
    assert page.evaluate("localStorage.getItem('beaten:duel')") == "[1]"
    page.locator(".ending .next-step").get_by_role("link", name="Your path").click()
    expect(page.get_by_role("heading", name="Your finished games")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("beaten")).to_have_count(1)
