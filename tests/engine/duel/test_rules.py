"""The rules, ruling by ruling; everything else is covered by the comparison with the reference model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_cards import DECKS
from tests.engine.duel.oracle_fields import to_fields
from tests.engine.duel.oracle_scenes import Core, before_claims, dealt, in_turn, look, play_all
from tests.engine.duel.oracle_state import Position
from tests.engine.models import OVER


def assert_tells(game: Core, parts: Iterable[str | dict[str, Any]]) -> None:
    """Play a story of actions and expected values."""
    for part in parts:
        if isinstance(part, str):
            play_all(game, *part.split("; "))
        else:
            assert {thing: look(game, thing) for thing in part} == part


def claimed(**setting: Any) -> Core:
    """Return a position in which red has claimed row 1 and blue column 1: the first place is shared."""
    places = setting.pop("places", {})
    table = before_claims(coming=places.values(), **setting)
    return play_all(dealt(table, places), "claim row 1", "claim column 1")


class Fight(NamedTuple):
    """The actions of a conflict that red begins, and the expected values."""

    actions: str
    red_markers: str
    red_seals: str
    blue_seals: str
    seen_seals: str = ""


ALL = "0/5 1/4 2/3"
FIGHTS = {
    "conceded at once, D3, D23": Fight("stop", "1 2", ALL, ALL),
    "equal sums are the first player's": Fight("flip personal; face 2; flip personal; face 2", "0 1 2", ALL, ALL),
    "who has flipped all is not asked, D47": Fight(
        "flip personal; face 2; flip 1/4; face 4", "1 2", ALL, "0/5 2/3", "1/4"),
    "blue stops without having flipped, D23": Fight("flip 0/5; face 0; stop", "0 1 2", "1/4 2/3", ALL, "0/5"),
    "the keeper's other seals go under the stack as flipped, red's first, D4": Fight(
        "flip 2/3; face 2; flip 1/4; face 4; flip 1/4; face 1; flip 0/5; face 5; flip 2/3; face 2; stop; keep 2/3",
        "0 1 2", "", "0/5 2/3", "2/3 1/4 0/5 1/4"),
    "only the personal seal flipped: nothing is kept, D23": Fight(
        "flip personal; face 2; flip 2/3; face 3", "1 2", ALL, "0/5 1/4", "2/3"),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGHTS)
def test_fight(name: str) -> None:
    actions, *seen = FIGHTS[name]
    game = play_all(claimed(), *actions.split("; "))
    assert [look(game, thing) for thing in ("red.markers", "red.seals", "blue.seals", "seen_seals")] == seen
    assert (look(game, "step"), look(game, "to_act")) == ("turn", "red")


STORM = {"once": ["storming_the_castle"]}


STORMED = {"round_": 2, "blue": STORM}
TAKE_BACKS = "take-back 1.1; take-back 2.1; take-back 3.1"
#   possessions of red and blue after their claims, then actions, and expected values
CLAIMED: dict[str, tuple[dict[str, Any], *tuple[str | dict[str, Any], ...]]] = {
    "D2, D22: the opponent chooses the marker; without a shared card there is no conflict": (
        {"round_": 2, "red": STORM}, {"offered": "pass; play storming_the_castle", "to_act": "red"},
        "play storming_the_castle", {"offered": TAKE_BACKS, "to_act": "blue"},
        "take-back 1.1", {"step": "turn", "to_act": "red", "red.once": "", "blue.markers": "3 6"}),
    "D2: another marker leaves the conflict": (
        {"round_": 2, "red": STORM}, "play storming_the_castle; take-back 2.1",
        {"step": "conflict", "to_act": "red", "blue.markers": "0 6"}),
    "D39: there is one opportunity, and `pass` keeps the card": (
        STORMED, {"to_act": "blue"}, "pass", {"step": "conflict", "blue.once": "storming_the_castle"}),
    "D39: the second player storms": (
        STORMED, "play storming_the_castle; take-back 1.1", {"step": "turn", "blue.markers": "0 3 6"}),
    "D21: a personal seal ends the flipping of its owner only": (
        {}, "flip personal; face 3", {"offered": "flip 0/5; flip 1/4; flip 2/3; flip personal; stop"},
        "flip 0/5; face 0", {"offered": "flip 1/4; flip 2/3; flip personal; stop"},
        "flip personal; face 2", {"offered": "keep 0/5"}),  # 2 to 3: blue is behind; forced, and an action
    "D23: of several seals of a kind the first flipped is kept": (
        {"blue": {"seals": ["1/4", "1/4", "2/3"]}},  # the first 0/5 was under the stack before
        "flip 2/3; face 3; flip 1/4; face 1; flip 2/3; face 2; flip 1/4; face 1; flip 0/5; face 5; stop",
        {"offered": "keep 1/4; keep 2/3"}, "keep 1/4", {"seen_seals": "0/5 2/3 0/5 2/3 1/4"}),
    "D17: a contested 1x card goes to the winner": (
        {"places": {0: "volunteer_workers", 3: "studies_in_toledo"}}, "stop; end",
        {"red.once": "", "blue.once": "studies_in_toledo volunteer_workers"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMED)
def test_story_after_the_claims(name: str) -> None:
    setting, *parts = CLAIMED[name]
    assert_tells(claimed(**setting), parts)


def test_a_place_lost_or_taken_back_carries_no_own_marker() -> None:
    """D18: the Lord reaches the card lost in the conflict, and the one taken back."""
    lord = {"once": ["lord_in_court"]}
    lost = play_all(claimed(phase=2, round_=2, red=lord, places={0: "income_6", 1: "wood"}), "stop")
    back = claimed(phase=2, round_=2, red=lord, places={1: "income_6", 2: "wood"}, blue=STORM)
    play_all(back, "play storming_the_castle", "take-back 1.2", "stop")
    for game in (lost, back):
        assert {"use income_6"} <= play_all(game, "play lord_in_court").offered()
        assert "use wood" not in game.offered()


def test_power_moves_within_a_round_but_not_its_first_player() -> None:
    """D1, D31."""
    game = play_all(claimed(phase=2, places={1: "power", 3: "power"}), "stop")
    assert "use power" not in game.legal()  # red has it
    play_all(game, "end", "use power")
    assert (look(game, "power"), look(game, "first"), look(game, "active")) == ("blue", "red", "blue")
    play_all(game, "end")
    assert (look(game, "first"), look(game, "step")) == ("blue", "deal")
    assert look(play_all(game, *nine_deals(game)), "to_act") == "blue"


def nine_deals(game: Core) -> list[str]:
    """Return the cards to deal next, with repeats."""
    return [f"deal {card}" for card in game.table().unseen_cards.elements()][:9]


def test_of_equal_cards_the_first_in_reading_order_is_used_up() -> None:
    """D19."""
    game = in_turn("red", ["influence", "income_4", "influence"], red={"gold": 20})
    play_all(game, "use influence", "buy seal", "draw 1/4", "done")
    assert look(game, "red.used") == "0"
    play_all(game, "use influence", "buy seal", "draw 1/4", "done")
    assert look(game, "red.used") == "0 2"
    assert "use influence" not in game.legal()


def test_equal_cards_are_one_outcome() -> None:
    """D21: with odds by their number among the remaining cards."""
    odds = Core.from_position(to_fields(Position())).odds()
    assert (odds["deal influence"], odds["deal jack"]) == (Fraction(2, 27), Fraction(1, 27))
    assert sum(odds.values()) == 1


def test_a_known_order_is_dealt_and_gives_way_to_what_comes_up() -> None:
    """D44: a card that is not on top trades places with the top one."""
    order, later = (sorted(Counter(DECKS[deck]).elements()) for deck in "AB")
    game = Core.from_position({**to_fields(Position()), "deck": [*order, *later, *order, *later]})
    play_all(game, f"deal {order[0]}", f"deal {order[-1]}")
    assert game.position()["deck"] == [*order[2:-1], order[1], *later, *order, *later]


@pytest.mark.parametrize(("phase", "kept"), [(1, "studies_in_toledo"), (2, "king_stephen"), (3, "studies_in_toledo")])
def test_once_cards_go_back_into_their_own_deck(phase: int, kept: str) -> None:
    """D34: those of the deck to be shuffled, at the start of phases 3 and 4; then that deck is complete."""
    both = {"studies_in_toledo", "king_stephen"}
    held = {"once": ["studies_in_toledo"] if phase == 1 else sorted(both, reverse=True)}
    game = Core.from_position(to_fields(before_claims(phase, 3, red=held)))
    play_all(game, *nine_deals(game), "claim row 1", "claim column 1", "stop", "end", "end")
    left = {card for player in game.table().players.values() for card in player.once}
    assert left & both == {kept}
    assert (look(game, "phase"), look(game, "round")) == (phase + 1, 1)
    assert game.table().unseen_cards == Counter(DECKS["AB"[phase % 2]])
    assert phase == 1 or not left & set(game.table().unseen_cards)


# The end --------------------------------------------------------------------------------------------------------------

ONE_DONE: dict[str, Any] = {"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}}
I_AND_CLOTH = {"raw": [], "placed": {**ONE_DONE["placed"], "II": ["cloth"]}}
FOUR_PLACED = {"raw": [], "placed": {"I": ["beam", "mortar"], "II": ["mortar", "cloth"]}}
ENDS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "more sections": (ONE_DONE, {**FOUR_PLACED, "gold": 20}, "red"),
    "more materials": (ONE_DONE, I_AND_CLOTH, "blue"),
    "materials of complete sections count": (I_AND_CLOTH, {**ONE_DONE, "gold": 9}, "red"),
    "more gold": ({"gold": 4}, {"gold": 3}, "red"),
    "Philip": ({"gold": 3}, {"gold": 3}, "blue"),
}


@pytest.mark.parametrize("name", ENDS)
def test_end(name: str) -> None:
    red_has, blue_has, winner = ENDS[name]
    game = Core.from_position(to_fields(before_claims(4, 3, red=red_has, blue=blue_has)))
    play_all(game, *nine_deals(game), "claim row 1", "claim column 1", "stop", "end", "end")
    assert game.turn() == OVER
    assert game.returns() == [Fraction(winner == "red"), Fraction(winner == "blue")]


def test_the_third_section_wins_and_margins_are_differences_of_points() -> None:
    """D46: 10 for a complete section, 1 for a material placed, 1/100 for a piece of gold."""
    placed = {**ONE_DONE["placed"], "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
    red, blue = {"raw": [], "made": ["bell"], "placed": placed}, {"gold": 60, "placed": {"II": ["cloth"]}}
    game = play_all(in_turn("red", [], red=red, blue=blue), "build III bell")
    assert (look(game, "step"), look(game, "red.gold")) == ("over", 1)
    assert game.returns() == [1, 0]
    assert game.margins() == pytest.approx([(30 + 9 + 0.01) - (1 + 0.6), (1 + 0.6) - (30 + 9 + 0.01)])


# A turn, card by card -----------------------------------------------------------------------------------------------


class Story(NamedTuple):
    """A player's turn: `setting` goes to `in_turn`; `parts` are actions and expected values."""

    setting: dict[str, Any]
    parts: tuple[str | dict[str, Any], ...]


def red(own: str, *parts: str | dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "red", "own": own.split(), **setting}, parts)


def blue(own: str, *parts: str | dict[str, Any], **setting: Any) -> Story:
    return Story({"colour": "blue", "own": own.split(), **setting}, parts)


ALL_WOOL = {"raw": ["wool"] * 4}
READY_I = {"gold": 20, "raw": [], "made": ["beam", "mortar", "brick"]}
I_DONE = {"I": ["beam", "mortar", "brick"]}
ALL_BUT_CLOTH = {**I_DONE, "II": ["beam", "mortar"], "III": ["brick", "cloth", "bell"]}
ONE_SHORT = {**I_DONE, "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
REST = ["0/5", "0/5", "1/4", "1/4", "2/3", "2/3"]

STORIES = {
    "income: the bank is nearly empty, D15": red(
        "income_5", "use income_5", {"red.gold": 43, "bank": 0}, red={"gold": 40}, blue={"gold": 31}),
    "craftsman: ends by itself without gold, D21": red(
        "weaver", "use weaver; convert wool 1", {"red.gold": 1, "step": "turn"}, red={**ALL_WOOL, "gold": 3}),
    "influence: one at least, and each is seen before the next is decided, D16, D25": red(
        "influence", "use influence", {"offered": "buy seal"}, "buy seal; draw 2/3", {"offered": "buy seal; done"},
        "buy seal; draw 1/4; done",
        {"red.gold": 3, "red.seals": "0/5 1/4 1/4 2/3 2/3", "unseen_seals": "1/4 2/3"}, red={"gold": 7}),
    "market: chips and wool in any order, the limit on purchases, D27": red(
        "market_2", "use market_2; sell wool 1; buy sand; sell wool 1; sell wool 1; buy stone; sell wool 1",
        {"red.gold": 9, "red.raw": "sand stone", "red.supply": "ore sand stone wood wood wool wool wool wool",
         "step": "turn"}, red={**ALL_WOOL, "gold": 3}),
    "Aliena: up to four wool for 7 each, the number named at once, D35, D36": blue(
        "aliena", "use aliena", {"offered": "sell wool 1; sell wool 2; sell wool 3; sell wool 4"}, "sell wool 4",
        {"blue.gold": 31, "blue.raw": "", "step": "turn"}, blue=ALL_WOOL),
    "Jack: two of one kind, D26": blue(
        "jack", "use jack; take wool; take wool", {"blue.raw": "sand stone wood wool wool"}),
    "Jack: all there is, D26": blue(
        "jack", "use jack; take sand", {"blue.raw": "ore sand", "blue.supply": "", "step": "turn"},
        blue={"raw": ["ore"], "made": ["beam", "beam", "mortar", "brick", "brick", "cloth", "cloth", "cloth", "cloth"]},
    ),
    "Walter: one unseen seal, then one that was seen, D21, D25": red(
        "walter", "use walter; draw 2/3", {"red.seals": "0/5 2/3", "stack": 1, "seen_seals": "2/3"}, red={"seals": []},
        blue={"seals": ["0/5", "1/4", "1/4", "1/4", "1/4", "2/3", "2/3"]}),
    "Remigius: used up as soon as it is named; the own use of a card pointed at stays, D7, D18, D40": red(
        "income_6 brother_remigius", "use brother_remigius", {"step": "copy", "red.used": "1"},
        "use income_6; use income_6", {"red.gold": 15}),
    "William: the opponent chooses in the player's turn, which goes on, D30, D42": red(
        "william_hamleigh", "use william_hamleigh", {"offered": "return II cloth", "to_act": "blue", "step": "william"},
        "return II cloth", {"blue.placed": {"I": ["beam", "mortar", "brick"], "II": [], "III": []},
                            "blue.supply": "ore wool wool wool wool", "to_act": "red", "step": "turn"}, phase=2,
        blue={"raw": ["sand", "stone", "wood"], "placed": {"I": ["beam", "mortar", "brick"], "II": ["cloth"]}}),
    "Alfred: any number bought, turned, in the camp, D10, D28": red(
        "alfred_builder", "use alfred_builder; buy wool; buy wool", {"offered": "buy wool; done"}, "done",
        {"red.gold": 5, "red.made": "cloth cloth", "red.raw": "sand stone wood"}, phase=2, red={"gold": 15}),
    "Tom: placed for 2 gold and a seal; the turn's building stays open, D29": blue(
        "tom_builder", "use tom_builder; place II mortar 0/5; build I beam",
        {"blue.gold": 6, "blue.seals": "1/4 2/3", "seen_seals": "0/5", "blue.placed": {"I": ["beam"], "II": ["mortar"],
         "III": []}}, phase=2, blue={"gold": 10, "made": ["beam"]}),
    "Ellen: a place in a line without any marker, D6, D18": blue(
        "ellen", "use ellen; use income_4", {"blue.gold": 7}, phase=2, free=["ore", "sand", "wool", "income_4"]),
    "Toledo: 1 gold for three, D5": red(
        "", "play studies_in_toledo; build I beam mortar brick; draw 1/4; draw 2/3",
        {"red.gold": 19, "red.once": "", "red.sections": 1}, round_=2, red={**READY_I, "once": ["studies_in_toledo"]}),
    "Madonna: once more, D9, D18": red(
        "income_6", "play return_of_the_madonna; use income_6; use income_6", {"red.gold": 15}, round_=2,
        red={"once": ["return_of_the_madonna"]}),
    "Maud: pair by pair, D24, D30": red(
        "", "play empress_maud; pay 2/3 wool; pay 0/5 wool; done",
        {"red.raw": "sand stone wood wool wool", "red.seals": "1/4", "seen_seals": "2/3 0/5"}, phase=2, round_=2,
        red={"once": ["empress_maud"]}),
    "Lord: a chain of three, D8, D18": red(
        "", "play lord_in_court; use brother_remigius; use income_6", {"red.gold": 9, "red.once": ""}, phase=3,
        free=["brother_remigius"], theirs=["income_6"], red={"once": ["lord_in_court"]}),
    "Stephen: up to the opponent's gold, D12": red(
        "", "play king_stephen", {"red.gold": 11, "blue.gold": 11}, phase=2, round_=2,
        red={"gold": 4, "once": ["king_stephen"]}, blue={"gold": 11}),
    "a 1x card is still played after building, D20": red(
        "", "build I beam; play volunteer_workers; take wool; take wool", {"red.raw": "wool wool", "step": "turn"},
        round_=2, red={**READY_I, "once": ["volunteer_workers"]}),
    "1x cards under markers go in front at once, D17": red(
        "bishop_henry power", {"red.once": "bishop_henry", "step": "turn"}, phase=2),
    "three materials for 12, and bonus I: the top two seals before the turn goes on, D43": red(
        "", "build I beam mortar brick", {"offered": "draw 1/4; draw 2/3", "step": "draw", "to_act": "nature"},
        "draw 1/4; draw 1/4", {"red.gold": 8, "red.made": "", "red.seals": "0/5 1/4 1/4 1/4 2/3"}, red=READY_I),
    "no bonus for the second to complete, D43": red(
        "", "build I beam mortar brick", {"red.seals": "0/5 1/4 2/3", "step": "turn"}, red=READY_I,
        blue={"raw": [], "placed": I_DONE}),
    "bonus III: two chips, free, D13, D32": red(
        "", "build III bell; convert wood 1; convert wood 1",
        {"red.gold": 1, "red.made": "beam beam", "red.raw": "sand wool", "step": "turn"},
        red={"made": ["bell"], "raw": ["wood", "wood", "sand", "wool"], "placed": {"III": ["brick", "cloth"]}}),
    "the third section ends the game before its bonus, D33": red(
        "", "build III bell", {"step": "over", "red.gold": 1, "red.sections": 3},
        red={"raw": [], "made": ["bell"], "placed": ONE_SHORT}),
    "the end clears the table and keeps what a round begins with, D45": red(
        "income_5", "use income_5; build II cloth",
        {"grid": "", "red.markers": "", "blue.markers": "", "red.used": "", "active": "", "to_act": "", "built": False,
         "power": "red", "first": "red", "phase": 2, "round": 2}, phase=2, round_=2,
        red={"raw": [], "made": ["cloth"], "placed": ALL_BUT_CLOTH}),
    # Legal actions
    "no seals from an empty stack, D15, D16": red(
        "influence walter", {"offered": "end"}, red={"seals": ["1/4", "1/4", "2/3", "2/3"]}, blue={"seals": REST}),
    "a market sells no wool and no ore, D14": red(
        "market_2", "use market_2", {"offered": "buy sand; buy stone; buy wood; sell wool 1"},
        red={"gold": 6, "raw": ["wool"]}),
    "Remigius: no 1x card, no blue one, not himself, D18": red(
        "brother_remigius", "use brother_remigius", {"offered": "use ore; use sand; use walter"},
        free=["volunteer_workers", "jack", "ore", "sand"], theirs=["power", "walter"]),
    "Lord: no place under an own marker, D18": red(
        "ore", "play lord_in_court", {"offered": "use sand; use wood"}, phase=2, round_=2,
        free=["tom_builder", "bishop_henry", "empress_maud", "sand"], theirs=["wood", "power"],
        red={"once": ["lord_in_court"]}),
    "Toledo only before building, D16": red(
        "", "build I beam", {"offered": "end"}, round_=2, red={"made": ["beam"], "once": ["studies_in_toledo"]}),
    "no cards after building, D20": red("ore", "build I beam", {"offered": "end"}, red={"made": ["beam"]}),
    "no 1x card inside a use in which it makes no difference, D48": red(
        "influence", "use influence; buy seal; draw 1/4", {"offered": "buy seal; done"}, round_=2,
        red={"gold": 9, "once": ["volunteer_workers", "studies_in_toledo"]}),
    "William: the opponent's choice, D11": red(
        "william_hamleigh", "use william_hamleigh", {"offered": "return II cloth; return III beam; return III bell"},
        phase=2, blue={"raw": ["sand", "stone"], "placed": {"II": ["cloth"], "III": ["bell", "beam"]}}),
    "building: sets of what is missing, held and paid, D32": red(
        "", {"offered": "build I mortar; build II cloth; build II mortar; build II mortar cloth; build III cloth; end"},
        red={"gold": 11, "raw": [], "made": ["mortar", "cloth"], "placed": {"I": ["beam"]}}),
    # Cards in rare cases
    "Stephen pays for another seal in the same use, D48": blue(
        "influence", "use influence; buy seal; draw 1/4; buy seal; draw 1/4; buy seal; draw 2/3",
        {"step": "turn", "blue.gold": 0, "offered": "end; play king_stephen"},
        "play king_stephen", {"blue.gold": 7, "offered": "buy seal; end"},
        "buy seal; draw 2/3", {"blue.gold": 5, "step": "turn", "offered": "end", "open": ""},
        phase=2, round_=2, blue={"gold": 6, "raw": [], "once": ["king_stephen"]}, red={"gold": 7}),
    "Volunteers bring wool back to a market: 18 gold for four wool, D48": red(
        "market_2", "use market_2", {"offered": "sell wool 1"}, "sell wool 1; sell wool 1",
        {"offered": "buy sand; buy stone; buy wood; done; play volunteer_workers; sell wool 1"},
        "play volunteer_workers; take wool; take wool; sell wool 1; sell wool 1; sell wool 1; sell wool 1",
        {"red.gold": 18, "red.supply": "ore sand sand stone stone wood wood wool wool wool wool"},
        round_=2, red={**ALL_WOOL, "gold": 0, "once": ["volunteer_workers"]}),
    "a use inside a use is left before the one around it, D48": red(
        "market_3", "use market_3; sell wool 1; play lord_in_court; use influence; buy seal; draw 1/4",
        {"step": "turn", "red.gold": 1, "offered": "done; end; play empress_maud"},
        "done", {"offered": "end; play empress_maud; sell wool 1"}, "sell wool 1", {"step": "market", "red.gold": 4},
        phase=2, round_=2, free=["influence"],
        red={"gold": 0, "raw": ["wool"] * 2, "seals": [], "once": ["lord_in_court", "empress_maud"]}),
    "another use ends an open one, D48": red(
        "carpenter ore", "use carpenter; convert wood 1; use ore; play king_stephen",
        {"offered": "build I beam; build II beam; end"},
        phase=2, round_=2, red={"gold": 2, "raw": ["wood"] * 2, "once": ["king_stephen"]}),
    "D37: wool can be sold to an empty bank": red(
        "market_2", {"offered": "end; use market_2"}, red={"gold": 0, "raw": ["wool"]}, blue={"gold": 74}),
    "D38: a sale is paid as one, with what there is": blue(
        "aliena", "use aliena; sell wool 4", {"offered": "end", "blue.gold": 9, "bank": 0, "blue.raw": ""},
        red={"gold": 65}, blue={**ALL_WOOL, "gold": 1}),
    "D41: the Lord gives his use after building as well": red(
        "", "build I beam; play lord_in_court; use income_5", {"offered": "end", "red.gold": 5}, phase=3,
        free=["income_5"], red={"gold": 2, "raw": [], "made": ["beam"], "once": ["lord_in_court"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_story(name: str) -> None:
    setting, parts = STORIES[name]
    assert_tells(in_turn(**setting), parts)
