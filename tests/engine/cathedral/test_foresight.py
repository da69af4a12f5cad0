"""Private knowledge of Ellen's owner (R40): views, keys, deals, positions, and events entered from outside."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from clerestory.engine import NATURE, BadPosition, IllegalAction, Rng, State
from tests.engine.cathedral.oracle_cards import EVENTS
from tests.engine.cathedral.positions import board, draft
from tests.engine.cathedral.scenes import deck_of, fields, read, swapped
from tests.laws import assert_fits, next_action, observers, walk
from tests.shipped import CATHEDRAL

OWNER, OTHER = 0, 1
ELLEN = {"advantages": ["ellen"]}
NO_QUARREL = [card for card in EVENTS if card != "quarrel"]


def position(event_deck: list[str] | None = None, round_: int = 2) -> State:
    table = draft(3, round_, red=ELLEN)
    return read(table if event_deck is None else {**table, "event_deck": event_deck})


def unseen(state: State) -> list[str]:
    events: list[str] = fields(state)["unseen_events"]
    return events


def with_each_event() -> Iterator[State]:
    rest = draft(3, 2, red=ELLEN)["unseen_events"]
    for event in rest:
        yield position([event, *[card for card in rest if card != event][:4]])


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 15), marks=pytest.mark.slow)], ids=["few", "many"])
def test_only_the_owner_sees_and_hashes_another_event_otherwise(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        for state in walk(CATHEDRAL, 2 + seed % 3, seed):
            shown = [seat for seat in observers(state) if deck_of(state.observe(seat))]
            if not shown:
                continue
            [owner], other = shown, swapped(state)
            for seat in observers(state):
                view, changed = state.observe(seat), other.observe(seat)
                assert (view == changed) == (seat != owner)
                assert (state.key(seat) == other.key(seat)) == (seat != owner)
                assert (str(view) == str(changed)) == (seat != owner)
            compared += 1
    assert compared > 100


def test_every_coming_event_is_an_information_set_of_its_own_to_the_owner_and_the_guide_reads_none() -> None:
    states = list(with_each_event())
    assert len({state.key(OWNER) for state in states}) == len(states) == 9
    for seat in (OTHER, 2, NATURE):
        assert len({state.key(seat) for state in states}) == 1
    assert len({state.value() for state in states}) == 1
    assert len({tuple(state.weights()) for state in states}) == 1


def test_a_deal_keeps_what_is_known_and_deals_the_rest_uniformly() -> None:
    view = position(["quarrel"])
    decks = [deck_of(view.determinize(seed)) for seed in range(2000)]
    assert {deck[0] for deck in decks} == {"quarrel"}
    assert {(len(deck), len(set(deck))) for deck in decks} == {(5, 5)}
    rest = [card for card in unseen(view) if card != "quarrel"]
    for place in range(1, 5):
        assert_fits(Counter(deck[place] for deck in decks), dict.fromkeys(rest, 1 / len(rest)))
    assert deck_of(view.determinize(1).observe(OWNER)) == ["quarrel"]


def test_odds_do_not_know_what_the_owner_knows() -> None:
    view = position(["quarrel"])
    while fields(view)["step"] != "event":
        view.play(view.draw(1) if view.turn == NATURE else view.legal_actions()[-1])
    assert view.odds() == [1 / 9] * 9
    assert view.draw(1).text == "event quarrel"
    view.play("event volunteers")  # whatever was entered before
    assert deck_of(view) == []
    assert "quarrel" in unseen(view)


@pytest.mark.parametrize(
    "table",
    [
        {**draft(3, 2, red=ELLEN), "event_deck": ["quarrel", "volunteers"]},
        {**draft(3, 2, red={"advantages": ["aliena"]}), "event_deck": ["quarrel"]},
        {**board(3, "kings_favour", round_=2, red={"advantages": ["aliena"]}), "event_deck": ["quarrel"]},
        {**draft(3, 2, red=ELLEN), "event_deck": ["quarrel"], "unseen_events": NO_QUARREL},
    ],
    ids=["two cards", "nobody holds Ellen", "nor at the event", "a card that has been turned up"],
)
def test_a_coming_event_that_no_seat_can_know_is_a_fault(table: dict[str, Any]) -> None:
    with pytest.raises(BadPosition, match=r"deck|coming event"):
        read(table)


def test_a_coming_event_is_known_neither_too_early_nor_too_late() -> None:
    state, rng = read(board(2, "kings_favour", "", 2, red=ELLEN)), Rng(1)
    while fields(state)["round"] < 4:
        state.play(state.draw(rng) if state.turn == NATURE else state.legal_actions()[-1])
        alone = {**fields(state), "event_deck": deck_of(state)[:1]}
        if deck_of(state.observe(OWNER)):
            assert read(alone)
        else:
            with pytest.raises(BadPosition, match="the coming event alone is known only while"):
                read(alone)


def test_in_the_last_round_the_coming_event_is_the_whole_deck() -> None:
    state = position(round_=6)
    assert len(deck_of(state)) == 1
    assert deck_of(state.observe(OWNER)) == deck_of(state)
    assert deck_of(state.observe(OTHER)) == []
    nobody, rng = CATHEDRAL.new(2, 1), Rng(1)
    while not deck_of(nobody) or fields(nobody)["round"] < 6:
        nobody.play(next_action(nobody, rng))
    assert len(deck_of(nobody)) == 1
    assert CATHEDRAL.from_position(nobody.to_json()) == nobody


def test_the_owner_alone_says_what_was_shown_which_is_no_part_of_the_history() -> None:
    public = position([])
    assert {action.text for action in public.private_outcomes(OWNER)} == {f"event {card}" for card in unseen(public)}
    assert public.private_outcomes(OTHER) == public.private_outcomes(NATURE) == ()
    for seat, text, why in (
        (OTHER, "event quarrel", "not what blue"),
        (NATURE, "event quarrel", "not what an onlooker"),
        (OWNER, "pass", "pass: not what red"),
    ):
        with pytest.raises(IllegalAction, match=why):
            public.set_private_outcome(seat, text)
    assert deck_of(public) == []
    public.set_private_outcome(OWNER, "event quarrel")
    assert deck_of(public) == ["quarrel"]
    assert public.private_outcomes(OWNER) == ()
    assert deck_of(public.observe(OTHER)) == []
    with pytest.raises(IllegalAction, match="event volunteers: not what red can have been shown; nothing can"):
        public.set_private_outcome(OWNER, "event volunteers")
    public = position([])
    public.play("pass")
    public.set_private_outcome(OWNER, "event quarrel")
    assert [action.text for action in public.history] == ["pass"]
    public.undo()
    assert deck_of(public) == []


def test_r40_ellens_owner_knows_from_the_draft_to_the_event() -> None:
    """Taken in round 1, she shows nothing in that round, and each later round's event once its cards are turned up."""
    state, rng, rounds = read(board(2, "kings_favour", "red kingsbridge.1", 1, ["ellen"])), Rng(1), set()
    while not state.over:
        table = fields(state)
        shown = table["step"] in ("draft", "draw", "redraw", "builder", "waiting", "event") and table["round"] > 1
        assert deck_of(state.observe(OWNER)) == (table["event_deck"][:1] if shown else [])
        assert deck_of(state.observe(OTHER)) == deck_of(state.observe(NATURE)) == []
        rounds.add(table["round"] if shown else 0)
        state.play(next_action(state, rng))
    assert rounds == {0, 2, 3, 4, 5, 6}
