"""Claims, Storming, conflicts, rounds and phases, the end, ruling by ruling, on both models."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from tests.engine.duel.oracle_cards import DECKS, LINES, PLACES
from tests.engine.duel.oracle_fields import to_fields
from tests.engine.duel.oracle_scenes import before_claims, dealt, in_turn, look, offered, play_all
from tests.engine.duel.oracle_state import Position
from tests.engine.models import Game, NewGame
from tests.engine.plain import OVER


@pytest.mark.parametrize("line", LINES)
def test_replies_to_a_claim(model: NewGame, line: str) -> None:
    game = play_all(dealt(model, before_claims(), {}), f"claim {line}")
    assert len(game.legal()) == (7 if line.startswith("diagonal") else 5)
    for reply in game.legal():
        assert len({*LINES[reply.removeprefix("claim ")]} & {*LINES[line]}) == 1


def claimed(model: NewGame, **setting: Any) -> Game:
    """Red has claimed row 1 and blue column 1: the first place is shared."""
    places = setting.pop("places", {})
    table = before_claims(coming=places.values(), **setting)
    return play_all(dealt(model, table, places), "claim row 1", "claim column 1")


class Fight(NamedTuple):
    """What is done in a conflict of red, who begins, and blue; what is then seen."""

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
    "red falls behind and stops; keeps one": Fight(
        "flip 1/4; face 1; flip 2/3; face 3; stop; keep 1/4", "1 2", ALL, "0/5 1/4", "2/3"),
    "blue behind flips until ahead": Fight(
        "flip 2/3; face 3; flip 0/5; face 0; flip 1/4; face 4; stop; keep 2/3", "1 2", ALL, "2/3", "0/5 1/4"),
    "the keeper's other seals go under the stack as flipped, red's first, D4": Fight(
        "flip 2/3; face 2; flip 1/4; face 4; flip 1/4; face 1; flip 0/5; face 5; flip 2/3; face 2; stop; keep 2/3",
        "0 1 2", "", "0/5 2/3", "2/3 1/4 0/5 1/4"),
    "only the personal seal flipped: nothing is kept, D23": Fight(
        "flip personal; face 2; flip 2/3; face 3", "1 2", ALL, "0/5 1/4", "2/3"),
    "a level sum is blue's to break, and blue cannot": Fight(
        "flip 2/3; face 2; flip personal; face 2", "0 1 2", "0/5 1/4", ALL, "2/3"),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGHTS)
def test_fight(model: NewGame, name: str) -> None:
    actions, *seen = FIGHTS[name]
    game = play_all(claimed(model), *actions.split("; "))
    assert [look(game, thing) for thing in ("red.markers", "red.seals", "blue.seals", "seen_seals")] == seen
    assert (look(game, "step"), look(game, "to_act")) == ("turn", "red")


def test_a_personal_seal_ends_the_flipping_of_its_owner_only(model: NewGame) -> None:
    game = play_all(claimed(model), "flip personal", "face 3")
    assert offered(game) == {"stop", "flip personal", "flip 0/5", "flip 1/4", "flip 2/3"}
    play_all(game, "flip 0/5", "face 0")
    assert offered(game) == {"stop", "flip personal", "flip 1/4", "flip 2/3"}
    play_all(game, "flip personal", "face 2")  # 2 to 3: blue is behind and has flipped the personal seal
    assert offered(game) == {"keep 0/5"}  # forced, and an action (D21)


def test_of_several_seals_of_a_kind_the_first_flipped_is_kept(model: NewGame) -> None:
    """D23; the first 0/5 was under the stack before."""
    game = claimed(model, blue={"seals": ["1/4", "1/4", "2/3"]})
    play_all(game, "flip 2/3", "face 3", "flip 1/4", "face 1", "flip 2/3", "face 2", "flip 1/4", "face 1")
    play_all(game, "flip 0/5", "face 5", "stop")
    assert offered(game) == {"keep 1/4", "keep 2/3"}
    play_all(game, "keep 1/4")
    assert look(game, "seen_seals") == "0/5 2/3 0/5 2/3 1/4"


STORM = {"once": ["storming_the_castle"]}


@pytest.mark.parametrize(("place", "step"), [(0, "turn"), (3, "conflict"), (6, "conflict")])
def test_storming(model: NewGame, place: int, step: str) -> None:
    """D2, D22: the opponent chooses the marker; without a shared card there is no conflict."""
    game = claimed(model, round_=2, red=STORM)
    assert (offered(game), look(game, "to_act")) == ({"play storming_the_castle", "pass"}, "red")
    game.play("play storming_the_castle")
    assert (offered(game), look(game, "to_act")) == ({"take-back 1.1", "take-back 2.1", "take-back 3.1"}, "blue")
    game.play(f"take-back {PLACES[place]}")
    assert (look(game, "step"), look(game, "to_act"), look(game, "red.once")) == (step, "red", "")
    assert place not in game.table().player("blue").markers


def test_storming_by_the_second_player_or_not_at_all(model: NewGame) -> None:
    """D39: there is one opportunity, after the second claim; `pass` keeps the card."""
    game = claimed(model, round_=2, blue=STORM)
    assert look(game, "to_act") == "blue"
    play_all(game, "pass")
    assert (look(game, "step"), look(game, "blue.once")) == ("conflict", "storming_the_castle")
    game = play_all(claimed(model, round_=2, blue=STORM), "play storming_the_castle", "take-back 1.1")
    assert (look(game, "step"), look(game, "blue.markers")) == ("turn", "0 3 6")


def test_storming_just_taken_waits_for_the_next_claims(model: NewGame) -> None:
    game = play_all(claimed(model, places={1: "storming_the_castle"}), "stop")
    assert look(game, "red.once") == "storming_the_castle"
    assert "play storming_the_castle" not in game.legal()


def test_a_place_lost_or_taken_back_carries_no_own_marker(model: NewGame) -> None:
    """D18: the Lord reaches the card lost in the conflict, and the one taken back."""
    lord = {"once": ["lord_in_court"]}
    lost = play_all(claimed(model, phase=2, round_=2, red=lord, places={0: "income_6", 1: "wood"}), "stop")
    back = claimed(model, phase=2, round_=2, red=lord, places={1: "income_6", 2: "wood"}, blue=STORM)
    play_all(back, "play storming_the_castle", "take-back 1.2", "stop")
    for game in (lost, back):
        assert {"use income_6"} <= offered(play_all(game, "play lord_in_court"))
        assert "use wood" not in offered(game)


def test_power_moves_within_a_round_but_not_its_first_player(model: NewGame) -> None:
    """D1, D31."""
    game = play_all(claimed(model, phase=2, places={1: "power", 3: "power"}), "stop")
    assert "use power" not in game.legal()  # red has it
    play_all(game, "end", "use power")
    assert (look(game, "power"), look(game, "first"), look(game, "active")) == ("blue", "red", "blue")
    play_all(game, "end")
    assert (look(game, "first"), look(game, "step")) == ("blue", "deal")
    assert look(play_all(game, *nine_deals(game)), "to_act") == "blue"


def nine_deals(game: Game) -> list[str]:
    """Cards to deal next, equal ones as often as they are there."""
    return [f"deal {card}" for card in game.table().unseen_cards.elements()][:9]


def test_of_equal_cards_the_first_in_reading_order_is_used_up(model: NewGame) -> None:
    """D19."""
    game = in_turn(model, "red", ["influence", "income_4", "influence"], red={"gold": 20})
    play_all(game, "use influence", "buy seal", "draw 1/4", "done")
    assert look(game, "red.used") == "0"
    play_all(game, "use influence", "buy seal", "draw 1/4", "done")
    assert look(game, "red.used") == "0 2"
    assert "use influence" not in game.legal()


def test_a_contested_once_card_goes_to_the_winner(model: NewGame) -> None:
    """D17."""
    game = play_all(claimed(model, places={0: "volunteer_workers", 3: "studies_in_toledo"}), "stop", "end")
    assert (look(game, "red.once"), look(game, "blue.once")) == ("", "studies_in_toledo volunteer_workers")


def test_equal_cards_are_one_outcome(model: NewGame) -> None:
    """D21: with odds by their number among the cards left."""
    odds = model(to_fields(Position())).odds()
    assert (odds["deal influence"], odds["deal jack"]) == (Fraction(2, 27), Fraction(1, 27))
    assert sum(odds.values()) == 1


def test_a_known_order_is_dealt_and_gives_way_to_what_comes_up(model: NewGame) -> None:
    """D44: a card that is not on top trades places with the top one."""
    order, later = (sorted(Counter(DECKS[deck]).elements()) for deck in "AB")
    game = model({**to_fields(Position()), "deck": [*order, *later, *order, *later]})
    play_all(game, f"deal {order[0]}", f"deal {order[-1]}")
    assert game.position()["deck"] == [*order[2:-1], order[1], *later, *order, *later]


@pytest.mark.parametrize(("phase", "kept"), [(1, "studies_in_toledo"), (2, "king_stephen"), (3, "studies_in_toledo")])
def test_once_cards_go_back_into_their_own_deck(model: NewGame, phase: int, kept: str) -> None:
    """D34: those of the deck to be shuffled, at the start of phases 3 and 4; then that deck is whole."""
    both = {"studies_in_toledo", "king_stephen"}
    held = {"once": ["studies_in_toledo"] if phase == 1 else sorted(both, reverse=True)}
    game = model(to_fields(before_claims(phase, 3, red=held)))
    play_all(game, *nine_deals(game), "claim row 1", "claim column 1", "stop", "end", "end")
    left = {card for player in game.table().players.values() for card in player.once}
    assert left & both == {kept}
    assert (look(game, "phase"), look(game, "round")) == (phase + 1, 1)
    assert game.table().unseen_cards == Counter(DECKS["AB"[phase % 2]])
    assert phase == 1 or not left & set(game.table().unseen_cards)


def test_the_card_in_use_is_named_while_its_seals_are_drawn(model: NewGame) -> None:
    fields = play_all(in_turn(model, "blue", ["jonathan"]), "use jonathan", "draw 1/4").position()
    expected = {"step": "draw", "card": "jonathan", "seals_due": 1, "left": 0, "may_end": False}
    assert {name: fields[name] for name in expected} == expected


# The end --------------------------------------------------------------------------------------------------------------

I_DONE: dict[str, Any] = {"raw": [], "placed": {"I": ["beam", "mortar", "brick"]}}
I_AND_CLOTH = {"raw": [], "placed": {**I_DONE["placed"], "II": ["cloth"]}}
FOUR_PLACED = {"raw": [], "placed": {"I": ["beam", "mortar"], "II": ["mortar", "cloth"]}}
ENDS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "more sections": (I_DONE, {**FOUR_PLACED, "gold": 20}, "red"),
    "more materials": (I_DONE, I_AND_CLOTH, "blue"),
    "materials of complete sections count": (I_AND_CLOTH, {**I_DONE, "gold": 9}, "red"),
    "more gold": ({"gold": 4}, {"gold": 3}, "red"),
    "Philip": ({"gold": 3}, {"gold": 3}, "blue"),
}


@pytest.mark.parametrize("name", ENDS)
def test_end(model: NewGame, name: str) -> None:
    red_has, blue_has, winner = ENDS[name]
    game = model(to_fields(before_claims(4, 3, red=red_has, blue=blue_has)))
    play_all(game, *nine_deals(game), "claim row 1", "claim column 1", "stop", "end", "end")
    assert game.turn() == OVER
    assert game.returns() == [Fraction(winner == "red"), Fraction(winner == "blue")]


def test_the_third_section_wins_and_margins_are_differences_of_points(model: NewGame) -> None:
    """D46: 10 for a complete section, 1 for a material placed, 1/100 for a piece of gold."""
    placed = {**I_DONE["placed"], "II": ["beam", "mortar", "cloth"], "III": ["brick", "cloth"]}
    red, blue = {"raw": [], "made": ["bell"], "placed": placed}, {"gold": 60, "placed": {"II": ["cloth"]}}
    game = play_all(in_turn(model, "red", [], red=red, blue=blue), "build III bell")
    assert (look(game, "step"), look(game, "red.gold")) == ("over", 1)
    assert game.returns() == [1, 0]
    assert game.margins() == pytest.approx([(30 + 9 + 0.01) - (1 + 0.6), (1 + 0.6) - (30 + 9 + 0.01)])
