"""Starting positions of browser games."""

import json
from collections.abc import Sequence
from itertools import product
from random import Random

from playwright.sync_api import Page, expect

from clerestory.engine import GAMES, NATURE, State, from_position
from clerestory.engine.rng import Rng
from clerestory.server.lessons import lesson
from tests.browser.harness import settled, study
from tests.engine.cathedral.scenes import changed, reach
from tools.lab.gallery import EXAMPLES


def nearly_won(page: Page, other: str = "bot1") -> None:
    """Fill in the form for a game in which both lack one material, against a bot of any level, in any language."""
    position = lesson("sections").positions["win"].to_position()
    red, blue = position["duel"]["players"]
    blue |= {field: red[field] for field in ("gold", "supply", "camp", "section_1")}
    blue |= {"section_2": ["mortar", "brick", "cloth"], "section_3": ["cloth", "bell"]}
    blue["materials"] = {**red["materials"], "beam": 1, "brick": 0}
    begin_at(page, from_position(position).determinize(Rng(1)), ["me", other])


INCOME = "use income_4"
LAST_BUILD = '.action[data-action="build III brick"]'  # wins the game of `nearly_won`


def win(page: Page) -> None:
    """Play the last action of a card game, in any language."""
    nearly_won(page)
    page.locator("form button[type=submit]").click()
    settled(page)
    page.locator(LAST_BUILD).click()
    expect(page.get_by_test_id("winner")).to_be_visible()


def mixer_or_mason(page: Page) -> None:
    """Fill in the form for a game in which red has one craftsman too many: the only mortar mixer, or a Mason."""
    held = ["mortar_mixer", "woodworker", "stonecutter", "mason_1", "mason_2"]
    state = changed(reach("draft", round_=3), red={"craftsmen": held, "gold": 25})
    state.play("hire carpenter_3")
    begin_at(page, state)


def about_to(page: Page, verb: str) -> None:
    """Fill in the form for a game in which red is the first to have actions with a verb."""
    begin_at(page, first_with(verb))


def first_with(verb: str, liked: str = "") -> State:
    """Return the first state of a game in which red has actions with a verb.

    Until then all seats take the first action, or the first one that contains a preferred word.
    """
    state, luck = GAMES["cathedral"].new(2, 1), Rng(1)
    while not (state.turn == 0 and any(action.text.startswith(verb) for action in state.legal_actions())):
        legal = state.legal_actions()
        wanted = [action for action in legal if liked and liked in action.text] or legal
        state.play(state.draw(luck) if state.turn == NATURE else wanted[0])
    return state


def last_draw(page: Page) -> None:
    """Fill in the form for a game in which red may have the last builder drawn again, which could only be the same."""
    state, luck = first_with("redraw"), Rng(1)
    while "redraw" not in [action.text for action in state.legal_actions()] or bag_of(state):
        legal = state.legal_actions()
        state.play(state.draw(luck) if state.turn == NATURE else next(one for one in legal if one.text != "redraw"))
    begin_at(page, state)


def bag_of(state: State) -> int:
    """Return the number of builders in the bag."""
    return sum(player["bag"] for player in state.to_position()["cathedral"]["players"])


def placed_free(page: Page) -> None:
    """Fill in the form for a game in which red has just used the card that places a builder free."""
    state = changed(reach("builder", round_=2, seed=19), red={"advantages": ["brother_remigius"]})
    state.play("use brother_remigius")
    begin_at(page, state)


def last_plan(page: Page) -> None:
    """Fill in the form for a game that only Green can still win, with the last plan: the bots have no goods left."""
    position = json.loads((EXAMPLES / "cathedral-3p-round6-cathedral.json").read_text())
    supply, (*others, _) = position["cathedral"]["supply"], position["cathedral"]["players"]
    for player, good in product(others, supply):
        supply[good] += player[good]
        player[good] = 0
    begin_at(page, from_position(position), ["bot1", "bot1", "me"])


def begin_at(page: Page, state: State, holders: Sequence[str] = ("me", "bot1")) -> None:
    """Fill in the form for a game from a position, with holders of all seats; by default against the weakest bot."""
    study(page, json.dumps(state.to_position()))
    on_from_here = page.locator(".menu button:not(:has(kbd))").first
    on_from_here.dispatch_event("click")  # on a phone its menu is closed
    for seat, holder in enumerate(holders):
        page.locator(".seats select").nth(seat).select_option(holder)


def with_full_hands() -> State:
    """Return a state of a card game in which red may act and both players have two or more cards in hand."""
    state, luck = GAMES["duel"].new(2, 5), Random(5)
    while state.turn != 0 or min(len(player["cards"]) for player in state.to_position()["duel"]["players"]) < 2:
        legal = [action.text for action in state.legal_actions()]
        state.play(luck.choice([text for text in legal if not text.startswith("play")] or legal))
        assert not state.over, "another seed"
    return state


def with_income() -> State:
    """Return a state of a card game in which blue has the last turn of a round, with cards that give gold."""
    state, luck = GAMES["duel"].new(2, 2), Random(2)
    while INCOME not in (legal := [action.text for action in state.legal_actions()]) or state.turn != 1:
        state.play(luck.choice(legal))
    return state


def in_a_contest(page: Page) -> str:
    """Fill in the form for a card game in which red may stop flipping seals; return the name of the card."""
    state, luck = GAMES["duel"].new(2, 3), Rng(3)
    while not (state.turn == 0 and any(action.text == "stop" for action in state.legal_actions())):
        legal = state.legal_actions()
        state.play(state.draw(luck) if state.turn == NATURE else legal[-1])
    begin_at(page, state)
    position = state.to_position()["duel"]
    (place,) = {*position["players"][0]["markers"]} & {*position["players"][1]["markers"]}
    row, column = map(int, place.split("."))
    card = position["grid"][3 * row + column - 4]
    return next(str(one["name"]) for one in GAMES["duel"].cards()["cards"] if one["id"] == card)
