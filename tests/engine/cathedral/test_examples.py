"""Worked examples, Ellen (R40), dealt decks, and the end of the game."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS, EVENTS
from tests.engine.cathedral.positions import (
    ORDINARY,
    Fields,
    NewGame,
    Story,
    bag,
    board,
    draft,
    late,
    opening,
    play_all,
    tell,
    until,
)
from tests.engine.plain import NATURE, OVER

NO_ONE_AT_THE_MILL = {"resource_cards": ["sand_2", "stone_4"]}
BOTH = ["mortar_mixer", "mason_1", "stonecutter"]


def blessed(stone: int, *craftsmen: str) -> Fields:
    return late(2, "cathedral", event="archbishops_blessing", red={"stone": stone, "craftsmen": [*craftsmen]})


EXAMPLES: dict[str, Story] = {
    "cathedral": [
        late(2, "cathedral", round_=2, red={
            "sand": 5, "stone": 3, "metal": 1, "gold": 0,
            "craftsmen": ["potter_2", "mortar_mixer", "stonecutter", "architect_2", "toolmaker_1"]}),
        "convert toolmaker_1 1; convert mortar_mixer 1; convert stonecutter 1; convert potter_2 2",
        "convert architect_2 1",
        {"red.vp": 2 + 5, "red.vp_craftsmen": 5, "red.gold": 2, "red.sand": 0, "red.stone": 1, "red.metal": 1}],
    "woodworker": [
        late(2, "cathedral", red={"wood": 10}),
        {"offered convert": {f"convert woodworker {times}" for times in (1, 2, 3, 4)}},
        "convert woodworker 4", {"offered": {"finish"}, "red.vp": 6, "red.wood": 2}],
    "goldsmith": [
        late(2, "cathedral", round_=5, red={"gold": 12, "craftsmen": ["goldsmith_5"]}), "convert goldsmith_5 4",
        {"red.vp": 6, "red.gold": 0}],
    "passing order": [
        bag(2), *(f"draw {one}; accept; wait {one}" for one in ("red", "blue", "red")),
        "draw red; accept; place red castle; draw blue; accept; place blue start; draw blue; accept",
        "place blue archbishop", {"to_act": "red"}, "place red market", {"to_act": "blue"},
        "place blue market", {"to_act": "red"}, "place red market",
        {"market": ["red", "blue", "red", ""], "step": "event", "red.gold": 20 - 4}],
    "market": [
        late(3, "market", "green market, red market", green={"gold": 7, "metal": 1}, red={"gold": 2, "stone": 1}),
        "buy wood 2; sell stone 1; sell metal 1; buy wood 2", {"stock": {"sand": 4, "wood": 0, "stone": 4}},
        "buy sand 3; leave; leave", {"step": "cathedral", "green.gold": 0, "red.gold": 0}],
    "tax": [
        board(2, "richards_gift", blue={"gold": 2, **NO_ONE_AT_THE_MILL}), "event richards_gift; roll 5",
        {"blue.gold": 0, "blue.vp": 1, "blue.vp_lost": 1}],
    "Francis": [
        board(2, "quarrel", round_=2, red={"gold": 1, "vp": 9, "advantages": ["francis"], **NO_ONE_AT_THE_MILL}),
        "event quarrel; roll 5", {"red.gold": 0, "red.vp": 7}],
    "blessing on one": [blessed(4, *BOTH[:2]), "convert mason_1 3", {"red.vp_craftsmen": 3}],
    "blessing on the first": [
        blessed(14, *BOTH), "convert stonecutter 5; convert mason_1 2", {"red.vp_craftsmen": 7, "offered": {"finish"}}],
    "blessing on the second": [
        blessed(14, *BOTH), "convert stonecutter 4; convert mason_1 3", {"red.vp_craftsmen": 7}],
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_example(model: NewGame, name: str) -> None:
    for seen, expected in tell(model, EXAMPLES[name]):
        assert seen == expected


@pytest.mark.parametrize(("seats", "costs"), [(2, [7, 6, 5, 4, 3, 2]), (3, [7, 6, 5, 4, 3, 2, 1, 0, 0])])
def test_r26_each_builder_costs_one_less(model: NewGame, seats: int, costs: list[int]) -> None:
    """The sixth of two players still costs 2, though the bag is empty."""
    game = model(bag(seats))
    seen = []
    while until(game, "builder", "waiting").position()["step"] == "builder":
        seen.append(game.position()["cost"])
        game.play(sorted(game.legal())[-1])  # wait, where it can be done
    assert seen == costs


def test_r40_ellens_owner_alone_sees_the_first_event(model: NewGame) -> None:
    fields = draft(2, 2, red={"advantages": ["ellen"]})
    rest = [card for card in fields["unseen_events"] if card not in ("cold_winter", "quarrel")]
    for deck in (["cold_winter", *rest[:4]], ["quarrel", *rest[:4]]):
        game = model({**fields, "event_deck": deck})
        assert [game.seen_by(seat)["event_deck"] for seat in (0, 1, NATURE)] == [deck[:1], [], []]


def test_r40_ellens_owner_knows_from_the_draft_to_the_event(model: NewGame) -> None:
    """Taken in round 1, she shows nothing in that round, and each later round's event once its cards lie out."""
    game = model(board(2, "kings_favour", "red kingsbridge.1", 1, ["ellen"]))
    rng, rounds = random.Random(1), set()
    while game.turn() != OVER:
        position = game.position()
        shown = position["step"] in ("draft", "draw", "redraw", "builder", "waiting", "event") and position["round"] > 1
        assert game.seen_by(0)["event_deck"] == (position["event_deck"][:1] if shown else [])
        assert game.seen_by(1)["event_deck"] == game.seen_by(NATURE)["event_deck"] == []
        rounds.add(position["round"] if shown else 0)
        game.play(rng.choice(sorted(game.legal())))
    assert rounds == {0, 2, 3, 4, 5, 6}


# Decks that are dealt, and outcomes that contradict them ----------------------------------------------------------


def test_a_card_from_deeper_in_the_deck_trades_places_with_the_top(model: NewGame) -> None:
    fields = opening(2)
    deck = fields["advantage_deck"]
    game = play_all(model(fields), f"advantage {deck[4]}")
    assert game.position()["advantage_deck"] == [*deck[1:4], deck[0], *deck[5:]]


@pytest.mark.parametrize(
    ("fields", "verb", "box"), [(opening(2), "advantage", ORDINARY), (board(2, "kings_favour"), "event", EVENTS)]
)
def test_a_removed_card_takes_the_place_of_the_top_card(
    model: NewGame, fields: Fields, verb: str, box: list[str]
) -> None:
    deck = fields[f"{verb}_deck"]
    removed = next(card for card in box if card not in deck)
    position = play_all(model(fields), f"{verb} {removed}").position()
    assert position[f"{verb}_deck"] == deck[1:]
    assert deck[0] in position[f"unseen_{verb}s"]


def test_craftsmen_trade_places_within_their_round(model: NewGame) -> None:
    fields = opening(2)
    deck = fields["craftsman_deck"]
    game = play_all(model(fields), *(f"advantage {card}" for card in fields["advantage_deck"][:2]))
    assert set(game.legal()) == {f"craftsman {card}" for card in deck[:4]}
    game.play(f"craftsman {deck[3]}")
    assert game.position()["craftsman_deck"] == [deck[1], deck[2], deck[0], *deck[4:]]
    game.play(f"craftsman {deck[1]}")
    assert game.position()["craftsman_deck"] == deck[4:]
    assert set(game.position()["supply_craftsmen"]) == {deck[0], deck[2]}


# The end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "shares", "margins"),
    [
        ([(9, 0), (8, 20), (7, 0)], [1, 0, 0], [1, -1, -2]),
        ([(8, 3), (8, 4), (7, 9)], [0, 1, 0], [0, 0, -1]),
        ([(8, 4), (8, 4), (8, 1)], [Fraction(1, 2), Fraction(1, 2), 0], [0, 0, 0]),
        ([(8, 4), (8, 4), (8, 4)], [Fraction(1, 3)] * 3, [0, 0, 0]),
    ],
)
def test_r11_most_vp_then_gold_then_a_shared_win(
    model: NewGame, results: list[tuple[int, int]], shares: list[Fraction], margins: list[int]
) -> None:
    players: Fields = {colour: {"vp": vp, "gold": gold} for colour, (vp, gold) in zip(COLOURS, results, strict=False)}
    game = until(model(late(3, "cathedral", round_=6, **players)), "over")
    assert (game.turn(), game.legal()) == (OVER, [])
    assert (game.returns(), game.margins()) == (shares, margins)
