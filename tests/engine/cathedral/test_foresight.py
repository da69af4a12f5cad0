"""Knowledge of Ellen's owner alone (R40): views, keys, deals, positions, and events entered from outside."""

from collections.abc import Iterator
from typing import Any

import pytest

from clerestory.engine import NATURE, BadPosition, IllegalAction, Rng, State
from tests.engine.cathedral.positions import board, draft
from tests.laws import observers
from tests.shipped import CATHEDRAL

OWNER, OTHER = 0, 1


def position(event_deck: list[str] | None = None, round_: int = 2, **changes: Any) -> dict[str, Any]:
    """A draft in which red holds Ellen."""
    fields = draft(3, round_, red={"advantages": ["ellen"]})
    return envelope({**fields, "event_deck": fields["event_deck"] if event_deck is None else event_deck, **changes})


def envelope(fields: dict[str, Any]) -> dict[str, Any]:
    return {"rules_revision": 2, "catalogue": CATHEDRAL.catalogue, "cathedral": fields}


def deck_of(state: State) -> list[str]:
    deck: list[str] = state.to_position()["cathedral"]["event_deck"]
    return deck


def unseen(state: State) -> list[str]:
    events: list[str] = state.to_position()["cathedral"]["unseen_events"]
    return events


def with_each_event() -> Iterator[State]:
    """The same position with each possible event."""
    rest = draft(3, 2, red={"advantages": ["ellen"]})["unseen_events"]
    for event in rest:
        others = [card for card in rest if card != event]
        yield CATHEDRAL.from_position(position([event, *others[:4]]))


def games(count: int) -> Iterator[State]:
    """Every position of some random games in which the coming event is known to somebody."""
    for seed in range(count):
        rng = Rng(seed)
        state = CATHEDRAL.new(2 + seed % 3, rng)
        while not state.over:
            if any(deck_of(state.observe(seat)) for seat in range(state.seats)):
                yield state
            legal = state.legal_codes()
            state.play(state.draw(rng) if state.turn == NATURE else legal[rng.below(len(legal))])


def swapped(state: State) -> State:
    """The same table with another event to come."""
    fields = state.to_position()
    deck = fields["cathedral"]["event_deck"]
    other = next(card for card in fields["cathedral"]["unseen_events"] if card != deck[0])
    rest = [deck[0] if card == other else card for card in deck[1:]]
    fields["cathedral"]["event_deck"] = [other, *rest]
    return CATHEDRAL.from_position(fields)


@pytest.mark.parametrize("count", [6, pytest.param(15, marks=pytest.mark.slow)])
def test_others_see_and_hash_the_same_whatever_comes_and_the_owner_does_not(count: int) -> None:
    met = 0
    for state in games(count):
        other = swapped(state)
        for seat in observers(state):
            shown = bool(deck_of(state.observe(seat)))
            assert (state.observe(seat) == other.observe(seat)) != shown
            assert (state.key(seat) == other.key(seat)) != shown
            assert (str(state.observe(seat)) == str(other.observe(seat))) != shown
            met += shown
        assert sum(bool(deck_of(state.observe(seat))) for seat in range(state.seats)) == 1
    assert met > 100


def test_every_coming_event_is_an_information_set_of_its_own_to_the_owner() -> None:
    states = list(with_each_event())
    assert len({state.key(OWNER) for state in states}) == len(states) == 9
    for seat in (OTHER, 2, NATURE):
        assert len({state.key(seat) for state in states}) == 1


def test_a_deal_keeps_what_is_known_and_deals_the_rest_uniformly() -> None:
    view = CATHEDRAL.from_position(position(["quarrel"]))
    decks = [deck_of(view.deal(seed)) for seed in range(2000)]
    assert {deck[0] for deck in decks} == {"quarrel"}
    assert all(len(deck) == len(set(deck)) == 5 for deck in decks)
    for place in range(1, 5):
        counts = [sum(deck[place] == card for deck in decks) for card in unseen(view) if card != "quarrel"]
        assert min(counts) > 0.75 * 2000 / 8
        assert max(counts) < 1.25 * 2000 / 8
    assert deck_of(view.deal(1).observe(OWNER)) == ["quarrel"]


def test_odds_do_not_know_what_the_owner_knows() -> None:
    view = CATHEDRAL.from_position(position(["quarrel"]))
    while view.to_position()["cathedral"]["step"] != "event":
        view.play(view.draw(1) if view.turn == NATURE else view.legal_actions()[-1])
    assert set(view.odds()) == {1 / 9}
    assert len(view.legal_actions()) == 9
    assert view.draw(1).text == "event quarrel"
    view.play("event volunteers")  # whatever was said to be seen
    assert deck_of(view) == []
    assert "quarrel" in unseen(view)


@pytest.mark.parametrize(
    "fields",
    [
        {**draft(3, 2, red={"advantages": ["ellen"]}), "event_deck": ["quarrel", "volunteers"]},
        {**draft(3, 2, red={"advantages": ["aliena"]}), "event_deck": ["quarrel"]},
        {**board(3, "kings_favour", round_=2, red={"advantages": ["aliena"]}), "event_deck": ["quarrel"]},
    ],
    ids=["two cards", "nobody holds Ellen", "nor at the event"],
)
def test_a_coming_event_that_no_seat_can_know_is_a_fault(fields: dict[str, Any]) -> None:
    with pytest.raises(BadPosition, match=r"deck|coming event"):
        CATHEDRAL.from_position(envelope(fields))


def test_a_coming_event_is_known_neither_too_early_nor_too_late() -> None:
    state = CATHEDRAL.from_position(envelope(board(2, "kings_favour", "", 2, red={"advantages": ["ellen"]})))
    rng = Rng(1)
    while state.to_position()["cathedral"]["round"] < 4:
        state.play(state.draw(rng) if state.turn == NATURE else state.legal_actions()[-1])
        fields = state.to_position()["cathedral"]
        alone = envelope({**fields, "event_deck": fields["event_deck"][:1]})
        if deck_of(state.observe(OWNER)):
            assert CATHEDRAL.from_position(alone)
        else:
            with pytest.raises(BadPosition, match="the coming event alone is known only while"):
                CATHEDRAL.from_position(alone)


def test_a_card_that_has_been_turned_up_cannot_come() -> None:
    given = position(["quarrel"])
    given["cathedral"]["unseen_events"].remove("quarrel")
    with pytest.raises(BadPosition):
        CATHEDRAL.from_position(given)


def test_in_the_last_round_the_coming_event_is_the_whole_deck() -> None:
    state = CATHEDRAL.from_position(position(round_=6))
    assert len(deck_of(state)) == 1
    assert deck_of(state.observe(OWNER)) == deck_of(state)
    assert deck_of(state.observe(OTHER)) == []
    nobody = CATHEDRAL.new(2, 1)
    while not deck_of(nobody) or nobody.to_position()["cathedral"]["round"] < 6:
        nobody.play(nobody.draw(1) if nobody.turn == NATURE else nobody.legal_actions()[-1])
    assert len(deck_of(nobody)) == 1
    assert CATHEDRAL.from_position(nobody.to_json()) == nobody


def test_the_owner_says_what_was_shown() -> None:
    public = CATHEDRAL.from_position(position([]))
    assert {action.text for action in public.private_outcomes(OWNER)} == {f"event {card}" for card in unseen(public)}
    assert public.private_outcomes(OTHER) == public.private_outcomes(NATURE) == ()
    public.set_private_outcome(OWNER, "event quarrel")
    assert deck_of(public) == ["quarrel"]
    assert public.private_outcomes(OWNER) == ()
    assert deck_of(public.observe(OTHER)) == []
    with pytest.raises(IllegalAction, match="event volunteers: not what red can have been shown; nothing can"):
        public.set_private_outcome(OWNER, "event volunteers")


def test_nobody_else_can_say_it() -> None:
    public = CATHEDRAL.from_position(position([]))
    with pytest.raises(IllegalAction, match="not what blue"):
        public.set_private_outcome(OTHER, "event quarrel")
    with pytest.raises(IllegalAction, match="not what an onlooker"):
        public.set_private_outcome(NATURE, "event quarrel")
    with pytest.raises(IllegalAction, match="pass: not what red"):
        public.set_private_outcome(OWNER, "pass")
    assert deck_of(public) == []


def test_what_was_said_is_no_part_of_the_history() -> None:
    public = CATHEDRAL.from_position(position([]))
    public.play("pass")
    public.set_private_outcome(OWNER, "event quarrel")
    assert [action.text for action in public.history] == ["pass"]
    public.undo()
    assert deck_of(public) == []


def test_the_guide_does_not_read_it() -> None:
    states = list(with_each_event())
    assert len({state.value() for state in states}) == 1
    assert len({tuple(state.weights()) for state in states}) == 1
