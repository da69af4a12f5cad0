"""The boards: each action is at its place or only in the list; the drawing can be clicked and read."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from clerestory.engine import State, read_records
from clerestory.engine.shared.colours import COLOURS
from tests.browser.axe import violations_by_day_and_night
from tests.browser.harness import errors_of
from tools.lab import gallery
from tools.lab.gallery import show

RECORDS = sorted((gallery.ROOT / "examples" / "records").glob("[cd]*.jsonl"))
RARE = dict(gallery.rare())
POSITIONS = dict(gallery.examples()) | RARE
COVERED = """() => {
    const marks = [...document.querySelectorAll('.hint, .handle .arrow')]
        .map(one => ({place: one.closest('[data-about]').dataset.about, box: one.getBoundingClientRect()}));
    const meet = (one, other) => one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom;
    const on = (one, other) => one.place !== other.place && meet(one.box, other.box);
    return marks.map(one => [one, ...marks.filter(other => on(one, other))].map(({place}) => place))
        .filter(places => places.length > 1);
}"""
FONT_SIZES = """[...document.querySelectorAll('.drawn *')]
    .filter(one => [...one.childNodes].some(text => text.nodeType === 3 && text.data.trim()))
    .map(one => parseFloat(getComputedStyle(one).fontSize) * (one.ownerSVGElement ? one.getScreenCTM().a : 1))"""
DRAWN = """async exhibits => {
    await ready;
    const all = [];
    for (const exhibit of JSON.parse(exhibits)) {
        show(exhibit);
        await new Promise(resolve => setTimeout(resolve));
        all.push([...document.querySelectorAll('[data-place]')].map(one => one.dataset.place));
    }
    return all;
}"""


@pytest.fixture(scope="module")
def gallery_tab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, list[str]]:
    folder = tmp_path_factory.mktemp("gallery")
    gallery.bundle(folder)
    page = browser.new_context(reduced_motion="reduce").new_page()
    errors = errors_of(page)
    page.goto((folder / "gallery.html").as_uri())
    return page, errors


@pytest.fixture
def boards(gallery_tab: tuple[Page, list[str]]) -> Iterator[Page]:
    """The gallery in its initial state, in English; any error on it fails the test."""
    page, errors = gallery_tab
    errors.clear()
    page.set_viewport_size({"width": 1280, "height": 900})
    speak(page, "en")
    yield page
    assert errors == []


def speak(boards: Page, language: str) -> None:
    boards.evaluate("language => localStorage.setItem('language', language)", language)
    boards.reload()


def plies(path: Path) -> Iterator[State]:
    """Yield the positions of a recorded game, the last one first, in the view of the seat to act."""
    (record,) = read_records(path.read_text().splitlines())
    state = record.state.copy(history=True)
    while state.history:
        state.undo()
        yield state.observe(max(state.turn, 0))


def positions() -> Iterator[State]:
    yield from POSITIONS.values()
    for path in RECORDS:
        yield from plies(path)


def situations() -> Iterator[State]:
    """Yield positions that together have every kind of action at every step where it occurs."""
    seen: set[tuple[str, ...]] = set()
    for state in positions():
        step = json.loads(state.to_json())[state.game.name]["step"]
        kinds = {(state.game.name, step, action.text.split()[0]) for action in state.legal_actions()}
        if not kinds <= seen:
            seen |= kinds
            yield state


def where(form: str) -> tuple[State, str]:
    """Return a position in which an action of this form is legal, and the action."""
    found = ((state, action.text) for state in positions() for action in state.legal_actions())
    return next((state, text) for state, text in found if re.fullmatch(form, text))


def places_of(page: Page, exhibits: list[gallery.Exhibit]) -> list[list[str | None]]:
    asked = [{key: exhibit[key] for key in ("position", "actions")} for exhibit in exhibits]
    found: list[list[str | None]] = page.evaluate("asked => JSON.parse(asked).map(placesOf)", json.dumps(asked))
    return found


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)], ids=["some plies", "every ply"])
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_an_action_has_a_place_or_is_of_a_kind_that_has_none(boards: Page, path: Path, step: int) -> None:
    without = set(boards.evaluate("game => placeless[game]", path.stem.split("-")[0]))
    states = islice(plies(path), 0, None, step)
    while batch := [gallery.plain(state) for state in islice(states, 100)]:
        for exhibit, places in zip(batch, places_of(boards, batch), strict=True):
            for action, place in zip(exhibit["actions"], places, strict=True):
                assert (place is None) == (action["kind"] in without), (exhibit["position"], action)


def test_every_place_is_drawn(boards: Page) -> None:
    exhibits = [gallery.plain(state) for state in situations()]
    all_drawn = boards.evaluate(DRAWN, json.dumps(exhibits))
    for exhibit, places, drawn in zip(exhibits, places_of(boards, exhibits), all_drawn, strict=True):
        assert sorted(drawn) == sorted({place for place in places if place}), exhibit["position"]


def test_a_place_with_one_action_is_pressed_at_once(boards: Page) -> None:
    state, text = where("take sand_.")
    show(boards, gallery.plain(state))
    boards.locator(f'[data-place="draft.{text.split()[1]}"]').click()
    assert boards.evaluate("chosen") == [text]


def test_a_place_with_several_actions_asks_which_until_escape(boards: Page) -> None:
    exhibit = gallery.plain(where("buy stone 4")[0])
    show(boards, exhibit)
    stone, choices = (
        boards.locator('[data-place="stock.stone"]'),
        boards.get_by_role("group", name="Choices of this place"),
    )
    stone.click()
    expect(choices.get_by_role("button")).to_have_text([f"buy {count} stone" for count in range(1, 5)])
    boards.keyboard.press("Escape")
    expect(choices).to_have_count(0)
    assert boards.evaluate("chosen") == []
    stone.click()
    choices.get_by_text("buy 3 stone").click()
    assert boards.evaluate("chosen") == ["buy stone 3"]
    expect(choices).to_have_count(0)
    stone.click()
    expect(choices).to_be_visible()
    show(boards, {**exhibit, "actions": []})
    expect(choices).to_have_count(0)
    show(boards, exhibit)
    expect(stone).to_be_enabled()
    expect(choices, "they do not open by themselves").to_have_count(0)


def test_a_place_and_its_action_point_at_each_other_and_bear_hints(boards: Page) -> None:
    state, text = where("claim row 2")
    show(boards, gallery.plain(state))
    order = boards.eval_on_selector_all("button", "all => all.map(one => one.tabIndex)")
    assert order == [-1] * len(order) != [], "places are out of the order of the tab key"
    boards.evaluate("text => pointAt(text)", text)
    expect(boards.locator(".is-pointed")).to_have_attribute("data-place", "line.row 2")
    expect(boards.locator(".in-line")).to_have_count(3)
    boards.locator('[data-place="line.diagonal up"]').hover()
    expect(boards.locator(".is-pointed")).to_have_attribute("data-place", "line.diagonal up")
    show(boards, gallery.plain(state) | {"marks": [{"action": text, "rank": 1, "best": True, "share": 0.614}]})
    best = boards.locator(".is-best")
    expect(best).to_have_attribute("data-place", "line.row 2")
    expect(best.locator(".hint")).to_have_text("161%")
    show(boards, gallery.plain(state) | {"marks": [{"action": text}]})
    expect(boards.locator(".is-hint")).to_have_count(1)
    expect(boards.locator(".hint, .is-best")).to_have_count(0)


def test_no_mark_covers_another(boards: Page) -> None:
    for width in (320, 1280):
        boards.set_viewport_size({"width": width, "height": 800})
        for name, position in POSITIONS.items():
            texts = [action.text for action in position.legal_actions()]
            marks = [{"action": text, "rank": min(rank, 9), "share": 1} for rank, text in enumerate(texts, 1)]
            show(boards, gallery.plain(position) | {"marks": marks})
            assert boards.evaluate(COVERED) == [], (name, width)


def test_what_has_changed_is_shown(boards: Page) -> None:
    state, text = where("place .* castle")
    then = state.copy()
    then.play(text)
    paid = gallery.plain(state)["position"]["cathedral"]["cost"]
    show(boards, gallery.plain(then) | {"previous": gallery.plain(state)["position"]})
    expect(boards.locator(".at-castle .space.fresh")).to_have_count(1)
    expect(boards.locator(".purse .by")).to_have_text([f"−{paid}"] if paid else [])
    show(boards, gallery.plain(then))
    expect(boards.locator(".fresh, .by")).to_have_count(0)


def foreseen() -> tuple[State, str]:
    """Return a position whose seat to act knows the coming event, and the name of that event."""
    state = RARE["cathedral-foreseen"]
    (event,) = json.loads(state.to_json())["cathedral"]["event_deck"]
    return state, next(card["name"] for card in state.game.cards()["event_cards"] if card["id"] == event)


def seen_by(state: State, seat: int) -> dict[str, object]:
    """Return the fields of an exhibit as another seat sees it."""
    return {"position": json.loads(state.observe(seat).to_json()), "viewer": seat}


def test_a_foreseen_event_is_drawn_only_for_its_seat(boards: Page) -> None:
    state, name = foreseen()
    show(boards, gallery.plain(state))
    expect(boards.locator(".event")).to_contain_text("foreseen")
    expect(boards.locator(".event .name")).to_have_text(name)
    for other in {*range(state.seats), -1} - {state.turn}:
        show(boards, gallery.plain(state) | seen_by(state, other))
        expect(boards.locator(".event")).to_contain_text("Event to come")
        expect(boards.locator(".drawn")).not_to_contain_text("foreseen")


def test_the_blessing_and_the_uses_that_are_left_are_shown_while_converting(boards: Page) -> None:
    exhibit = gallery.plain(RARE["cathedral-blessed"])
    show(boards, exhibit)
    told = boards.locator(".blessing")
    expect(told).to_have_text("blessing used")
    expect(boards.locator(".player.acts .blessing svg")).to_have_count(1)
    exhibit["position"]["cathedral"]["blessing_used"] = False
    show(boards, exhibit)
    expect(told).to_have_text("blessing: one craftsman once more")
    exhibit["position"]["cathedral"]["step"] = "draft"
    show(boards, exhibit)
    expect(told).to_have_count(0)
    exhibit = gallery.plain(RARE["cathedral-blessed"])
    position = exhibit["position"]["cathedral"]
    player = next(one for seat, one in enumerate(position["players"]) if COLOURS[seat] == position["to_act"])
    player["craftsmen"] = ["master_woodworker_1"]
    for times, left in ((1, "×1/2"), (2, "×0/2"), (3, "×0/2")):
        position["used"] = [{"craftsman": "master_woodworker_1", "times": times}]
        show(boards, exhibit)
        expect(boards.locator(".player.acts .crew .times")).to_have_text(left)


def row(page: Page, name: str) -> Locator:
    """Return the text under a heading of the board's text version."""
    heading = page.locator("dt, th[scope=row]").filter(has_text=re.compile(f"^{re.escape(name)}$"))
    return heading.locator("xpath=..")


def test_words_show_what_a_seat_foresees_and_who_is_marked(boards: Page) -> None:
    state, name = foreseen()
    exhibit = gallery.plain(state) | {"words": True}
    exhibit["position"]["cathedral"]["players"][1] |= {"limited": True, "aside": 1, "grey_next": 2}
    show(boards, exhibit)
    for heading, told in (
        ("Event to come", f"{name} (foreseen"),
        ("State", "to act"),
        ("State", "2 builders this round"),
        ("Workers", "+2 next"),
        ("Builders in the bag", "1 aside"),
        ("King’s court", "1 metal"),
    ):
        expect(row(boards, heading)).to_contain_text(told)
    show(boards, exhibit | seen_by(state, min({*range(state.seats)} - {state.turn})))
    expect(row(boards, "Event to come")).to_have_count(0)


#   an example, fields of its game or its first player, a heading of the board's text version, the text under it
WORDS: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "cathedral-4p-round5-draft",
        {"red": {"craftsmen": ["toolmaker_1"]}},
        "Craftsmen",
        "Tool maker (2 gold, once, only while holding 1 metal)",
    ),
    ("cathedral-3p-round6-cathedral", {"round": 5}, "Step", "(then the next round)"),
    ("cathedral-3p-round6-cathedral", {"round": 6}, "Step", "(then the end)"),
    ("duel-2p-phase2-turn", {"round": 1, "turn_of": "red"}, "Step", "(then the other turn)"),
    ("duel-2p-phase2-turn", {"round": 3, "turn_of": "blue"}, "Step", "(then the next round)"),
    ("duel-2p-phase2-turn", {"round": 3, "turn_of": "blue", "phase": 4}, "Step", "(then the end)"),
    (
        "duel-2p-phase2-turn",
        {"first_player": "red", "turn_of": "red", "built": True},
        "State",
        "has built, power, first player",
    ),
]


def test_words_show_the_next_step_the_first_player_and_what_a_craftsman_needs(boards: Page) -> None:
    for name, fields, heading, told in WORDS:
        exhibit = gallery.plain(POSITIONS[name]) | {"words": True}
        position = exhibit["position"][name.partition("-")[0]]
        position["players"][0] |= fields.get("red", {})
        position |= {field: value for field, value in fields.items() if field != "red"}
        show(boards, exhibit)
        expect(row(boards, heading), f"{name} {fields}").to_contain_text(told)


def test_words_show_the_tax_as_the_board_does_and_what_the_bank_has(boards: Page) -> None:
    for name, told in (("round5-draft", "not rolled"), ("round4-exemption", "4"), ("round6-market", "paid")):
        exhibit = gallery.plain(POSITIONS[f"cathedral-4p-{name}"])
        show(boards, exhibit | {"words": True})
        expect(row(boards, "Tax").locator("dd")).to_have_text(told)
        show(boards, exhibit)
        expect(boards.locator('[data-place="die"] .unseen, [data-about="die"] .unseen').last).to_have_text(told)
    exhibit = gallery.plain(POSITIONS["duel-2p-phase2-turn"]) | {"words": True}
    gold = 74 - sum(player["gold"] for player in exhibit["position"]["duel"]["players"])
    show(boards, exhibit)
    expect(row(boards, "Bank")).to_contain_text(str(gold))


def test_words_have_no_row_that_says_nothing(boards: Page) -> None:
    for name, position in POSITIONS.items():
        show(boards, gallery.plain(position) | {"words": True})
        said = boards.locator(".text-board dd").all_inner_texts()
        assert said, name
        assert [one for one in said if not one.strip()] == [], name


# -- conditions and warnings -----------------------------------------------------------------------


def test_a_craftsman_who_needs_another_one_is_grey_without_him(boards: Page) -> None:
    exhibit = gallery.plain(POSITIONS["cathedral-4p-round5-draft"])
    red = exhibit["position"]["cathedral"]["players"][0]
    for craftsmen, lacks in ((["mason_1"], 1), (["mason_1", "mortar_mixer"], 0), (["mason_1", "mortar_mixer_1"], 0)):
        red["craftsmen"] = craftsmen
        show(boards, exhibit)
        crew = boards.locator(".player.of-red .crew")
        expect(crew.locator(".barred")).to_have_count(lacks)
        expect(crew.locator(".held .portrait")).to_have_count(1)
        either = "Mortar mixer or Master mortar mixer"
        expect(crew).to_contain_text(f"only together with {either}")
        expect(crew.locator(".lack")).to_have_text([f"does not work without {either}"] * lacks)
    red["craftsmen"] = ["mason_1"]
    show(boards, exhibit | {"words": True})
    expect(row(boards, "Craftsmen")).to_contain_text("does not work without Mortar mixer")


def test_wood_is_barred_at_the_market_without_a_woodworker(boards: Page) -> None:
    exhibit = gallery.plain(POSITIONS["cathedral-4p-round6-market"])
    own = exhibit["position"]["cathedral"]["players"][exhibit["viewer"]]
    for craftsmen, barred in ((["stonecutter"], ["buy wood: only with Woodworker"]), (["master_woodworker_1"], [])):
        own["craftsmen"] = craftsmen
        show(boards, exhibit)
        expect(boards.locator(".stock .lack")).to_have_text(barred)


def test_a_place_asks_before_what_its_action_gives_up(boards: Page) -> None:
    exhibit = gallery.plain(POSITIONS["cathedral-4p-round5-draft"])
    own = exhibit["position"]["cathedral"]["players"][exhibit["viewer"]]
    own["craftsmen"] = ["mortar_mixer", "mason_1", "mason_2", "woodworker", "stonecutter", "potter_2"]
    exhibit["actions"] = [
        {"action": {"text": f"dismiss {one}", "label": f"dismiss {one}"}, "kind": "dismiss", "arguments": [one]}
        for one in own["craftsmen"]
    ]
    show(boards, exhibit)
    mixer, potter = (boards.locator(f"[data-place$='craftsman.{one}']") for one in ("mortar_mixer", "potter_2"))
    mixer.click()
    assert boards.evaluate("chosen") == []
    choices = boards.locator(".choices button")
    expect(choices).to_have_text(["dismiss mortar_mixerafter this, no more use of: Mason"])
    choices.click()
    potter.click()
    assert boards.evaluate("chosen") == ["dismiss mortar_mixer", "dismiss potter_2"]


def test_cards_of_the_other_colour_are_marked_and_named_with_a_claim(boards: Page) -> None:
    exhibit = gallery.plain(where("claim row 2")[0])
    exhibit["position"]["duel"]["grid"][3:6] = ["jack", "regan_hamleigh", "aliena"]
    foreign = {0: ["jack", "aliena"], 1: ["regan_hamleigh"]}[exhibit["viewer"]]
    show(boards, exhibit)
    for place, card in zip(("2.1", "2.2", "2.3"), ("jack", "regan_hamleigh", "aliena"), strict=True):
        barred = boards.locator(f"[data-about='grid.{place}'].barred")
        expect(barred).to_have_count(int(card in foreign))
    expect(boards.locator(".cell .lack").first).to_contain_text("works for")
    boards.locator('[data-place="line.row 2"]').click()
    expect(boards.locator(".choices")).to_contain_text("no use to you: ")
    assert boards.evaluate("chosen") == []


def test_cards_that_the_catalogue_does_not_know_are_drawn(boards: Page) -> None:
    for state in POSITIONS.values():
        show(boards, gallery.plain(state) | {"catalogue": {"entries": []}})
        expect(boards.locator(".player")).to_have_count(state.seats)


def test_points_have_a_sign_unless_they_are_none(boards: Page) -> None:
    assert boards.evaluate("[1.26, -3, 0.04, -0.04, 0, -0].map(text.points)") == [
        "+1.3",
        "\N{MINUS SIGN}3.0",
        *["0.0"] * 4,
    ]


def test_a_board_fits_its_screen_and_can_be_read(boards: Page) -> None:
    for width in (320, 768, 1280, 1920):
        boards.set_viewport_size({"width": width, "height": 800})
        for name, position in POSITIONS.items():
            show(boards, gallery.hinted(position))
            assert gallery.overflow(boards) <= 0, (name, width)
            if width == 320:
                assert min(boards.evaluate(FONT_SIZES)) >= 11, name


def test_workers_stay_in_place_beside_a_long_name(boards: Page) -> None:
    outside = """all => all.filter(one => one.getBoundingClientRect().right
        > one.closest('.sites').getBoundingClientRect().right).map(one => one.textContent)"""
    speak(boards, "de")
    boards.set_viewport_size({"width": 768, "height": 800})
    for name in ("cathedral-2p-round3-waiting", "cathedral-4p-round3-protection"):
        show(boards, gallery.plain(POSITIONS[name]))
        expect(boards.locator(".at-work .things").first).to_be_visible()
        assert boards.eval_on_selector_all(".at-work .things", outside) == [], name


def test_a_board_is_accessible_by_day_and_night(boards: Page) -> None:
    for position in list(POSITIONS.values())[::4]:
        boards.emulate_media(color_scheme="light")
        show(boards, gallery.hinted(position))
        assert violations_by_day_and_night(boards, ".board") == []


def test_places_have_frames_where_colours_are_the_readers_own(boards: Page) -> None:
    """Shadows are not drawn there, and a place that cannot be chosen must still be visible."""
    boards.emulate_media(forced_colors="active")
    show(boards, gallery.hinted(next(state for state in POSITIONS.values() if state.game.name == "cathedral")))
    framed = """all => all.map(one => getComputedStyle(one))
        .map(one => one.borderTopStyle === 'solid' || one.outlineStyle === 'solid')"""
    found = boards.eval_on_selector_all(".space", framed)
    boards.emulate_media(forced_colors="none")
    assert found == [True] * len(found) != []
