"""The rules of toy, one by one, on positions set by hand."""

import copy
from typing import Any

import pytest

from clerestory.engine import BadPosition, State
from clerestory.engine.toy.rules import TOY

#   prize 3, round one; seat 0 holds 2 and 4, seat 1 holds 1 and 5; next in the deck is 6
ROUND_ONE: dict[str, Any] = {
    "round": 1, "step": "play", "moved": 0, "prize": 3, "feast": False, "seen": [3], "deck": [6],
    "players": [{"points": 0, "played": 0, "hand": [2, 4]}, {"points": 0, "played": 0, "hand": [1, 5]}],
}  # fmt: skip


def position(**changes: Any) -> State:
    return TOY.from_position({"rules_revision": 1, "toy": copy.deepcopy(ROUND_ONE) | changes})


def played(state: State, *texts: str) -> dict[str, Any]:
    for text in texts:
        state.play(text)
    fields: dict[str, Any] = state.to_position()["toy"]
    return fields


def legal(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def test_a_seat_plays_a_card_that_its_hand_holds_or_may_hold_or_folds() -> None:
    assert legal(position()) == ["play 2", "play 4", "fold"]
    assert legal(position().observe(1)) == ["play 2", "play 4", "play 6", "fold"]


@pytest.mark.parametrize(
    ("feast", "plays", "points"),
    [
        (False, ("play 4", "play 5"), [0, 3]),  # the highest card takes the prize
        (True, ("play 4", "fold"), [6, 0]),  # a feast doubles it
        (False, ("fold", "fold"), [0, 0]),  # the prize is lost if all fold
    ],
)
def test_who_takes_the_prize(feast: bool, plays: tuple[str, ...], points: list[int]) -> None:
    assert [player["points"] for player in played(position(feast=feast), *plays)["players"]] == points


def test_seat_one_begins_round_two_after_which_equal_points_share_the_win() -> None:
    state = position()
    played(state, "play 4", "play 5", "turn-up 6", "fair")
    assert state.turn == 1
    fields = played(state, "play 1", "play 2")
    assert (fields["round"], fields["step"], state.over) == (3, "over", True)
    assert (state.win_shares(), state.margins()) == ((1.0, 0.0), (3.0, -3.0))
    state = position()
    played(state, "fold", "fold", "turn-up 6", "fair", "fold", "fold")
    assert (state.win_shares(), state.margins()) == ((0.5, 0.5), (0.0, 0.0))


@pytest.mark.parametrize(
    ("outcome", "deck", "hands"),
    [
        ("turn-up 6", [], [[2], [1]]),  # the dealt top
        ("turn-up 2", [], [[6], [1]]),  # the truth wins: 6 must have been in the hand
        ("turn-up 1", [], [[2], [6]]),
    ],
)
def test_an_outcome_that_contradicts_the_deal_changes_the_deal(
    outcome: str, deck: list[int], hands: list[list[int]]
) -> None:
    fields = played(position(), "play 4", "play 5", outcome)
    assert (fields["deck"], [player["hand"] for player in fields["players"]]) == (deck, hands)


def test_an_outcome_deeper_in_the_deck_trades_places() -> None:
    assert played(position(step="turn-up", prize=0, seen=[], deck=[3, 6]), "turn-up 6")["deck"] == [3]


def test_weather_odds() -> None:
    state = position(step="turn-up", prize=0, seen=[], deck=[3, 6])
    state.play("turn-up 3")
    assert state.odds() == [0.75, 0.25]


def test_guide_counts_points_and_shares_the_rest() -> None:
    """Prize 3 is at stake, and one more card, 3.5 on average and 1.25 times that with the weather."""
    assert position().value() == pytest.approx([(3 + 3.5 * 1.25) / 2] * 2)
    assert position().features(0) == {"points": 0, "cards": 2}
    assert position().weights() == [1 + 1 * 3, 1 + 3 * 3, 1]


FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"seen": [3, 4]}, "toy.players[0].hand", "card 4 is also in toy.seen"),
    ({"deck": [7]}, "toy.deck", "card 7 is not in the game with 2 seats"),
    ({"deck": [6, 6]}, "toy.deck", "card 6 is also in toy.deck"),
    ({"deck": []}, "toy.deck", "holds 0 cards, not 1"),
    ({"seen": [0, 3]}, "toy.seen", "0 is not a card"),
    ({"step": "over"}, "toy.step", "'over' does not go with round 1"),
    ({"round": 4}, "toy.round", "must be at most 3"),
    ({"prize": 2}, "toy.prize", "2 is not the card turned up"),
    ({"step": "weather", "feast": True}, "toy.feast", "known only"),
    ({"moved": 2}, "toy.moved", "2 seats cannot have acted"),
    ({"luck": 1}, "toy.luck", "is not a field here"),
]


@pytest.mark.parametrize(("changes", "field", "description"), FAULTS)
def test_a_position_with_faults_is_rejected(changes: dict[str, Any], field: str, description: str) -> None:
    with pytest.raises(BadPosition) as caught:
        position(**changes)
    assert [v for v in caught.value.violations if v.field == field and description in v.description], caught.value


def test_all_faults_are_listed_and_a_card_played_out_of_turn_is_one() -> None:
    with pytest.raises(BadPosition) as caught:
        position(moved=2, prize=2, deck=[])
    assert {violation.field for violation in caught.value.violations} >= {"toy.moved", "toy.prize", "toy.deck", "toy"}
    players = [{"points": 0, "played": 0, "hand": [2, 4]}, {"points": 0, "played": 5, "hand": [1]}]
    with pytest.raises(BadPosition, match=r"players\[1\].played: 5 cannot have been played"):
        position(seen=[3, 5], players=players)


#   the change in memory: its byte, the new value; the invariant that it breaks
CHANGES: list[tuple[int, int, int]] = [
    (0, 5, 1),  # seats
    (1, 4, 2),  # round
    (2, 4, 2),  # step
    (5, 2, 2),  # feast
    (8, 2, 2),  # a card of the deck that has been turned up
    (10, 1, 2),  # padding
    (16 + 2, 3, 2),  # cards in hand
    (16 + 2, 1, 2),  # fewer than are known
    (9, 4, 4),  # the deck: a card that seat 0 holds
    (4, 2, 5),  # prize
    (3, 2, 5),  # seats that have acted
    (16 + 3, 3, 6),  # the card played
]


@pytest.mark.parametrize(("byte", "value", "invariant"), CHANGES)
def test_memory_is_checked_as_positions_are(byte: int, value: int, invariant: int) -> None:
    memory = bytearray(position().to_bytes())
    assert TOY.check_bytes(bytes(memory)) == 0
    memory[byte] = value
    assert TOY.check_bytes(bytes(memory)) == invariant
    assert len(TOY.invariants) == 7
