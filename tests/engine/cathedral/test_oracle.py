"""Whole games, the specification's worked examples (9), dealt decks, and the end of the game."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests.engine.cathedral.oracle import Oracle
from tests.engine.cathedral.oracle_cards import (
    ADVANTAGES,
    COLOURS,
    CRAFTSMEN,
    CUBES,
    CUBES_IN_BOX,
    EVENTS,
    RESOURCE_CARDS,
)
from tests.engine.cathedral.positions import (
    ORDINARY,
    Fields,
    Game,
    NewGame,
    bag,
    board,
    dealt,
    draft,
    late,
    offered,
    opening,
    play_all,
    player,
    until,
)
from tests.engine.plain import NATURE, OVER

# Whole games ------------------------------------------------------------------------------------------------------

PHASE_2 = ("draw", "redraw", "builder", "waiting")
BEFORE_BOARD = ("advantages", "craftsmen", "resources", "draft", *PHASE_2, "event")


def random_ply(game: Game, rng: random.Random) -> None:
    if game.turn() == NATURE:
        odds = game.odds()
        game.play(rng.choices(list(odds), [float(share) for share in odds.values()])[0])
    else:
        game.play(rng.choice(sorted(game.legal())))


def builders_seen(position: Fields, colour: str) -> int:
    own = player(position, colour)
    spaces = [position["drawn"], position["archbishop"], position["castle"], position["start"], *position["waiting"]]
    for location in ("kingsbridge", "priory", "shiring", "court"):
        spaces += position[location]
    spaces += position["market"]
    return int(own["bag"] + own["aside"] + spaces.count(colour))


def check_counts(position: Fields) -> None:
    """Cubes, VP, gold, workers and builders of a position are all accounted for."""
    for kind, in_box in CUBES_IN_BOX.items():
        shown = position["court_metal"] if kind == "metal" else position["stock"][kind]
        assert position["supply"][kind] + shown + sum(own[kind] for own in position["players"]) == in_box
    assert position["supply"]["metal"] >= 0
    for colour, own in zip(COLOURS, position["players"], strict=False):
        assert own["vp"] == 2 + own["vp_priory"] + own["vp_craftsmen"] + own["vp_cards"] - own["vp_lost"] >= 0
        assert 0 <= own["gold"] <= 30
        assert min(own[kind] for kind in CUBES) >= 0
        working = sum(RESOURCE_CARDS[card].workers for card in own["resource_cards"])
        black = "otto" in own["advantages"] and "otto" not in own["fresh"]
        assert own["workers"] + own["mill"] + working == 12 + own["grey"] + black
        seen = builders_seen(position, colour)
        assert seen == 3 if position["step"] in BEFORE_BOARD else seen <= 3
    assert sum(own["grey"] + own["grey_next"] for own in position["players"]) <= 4


def check_cards(position: Fields) -> None:
    """No card is in two places, and lists stand in catalogue order."""
    craftsmen = [*position["shiring_cards"], *position["supply_craftsmen"], *position["craftsman_deck"]]
    advantages = [*position["kingsbridge_cards"], *position["unseen_advantages"]]
    for own in position["players"]:
        craftsmen += own["craftsmen"]
        advantages += own["advantages"]
        assert own["craftsmen"] == sorted(own["craftsmen"], key=list(CRAFTSMEN).index)
        assert own["advantages"] == sorted(own["advantages"], key=ADVANTAGES.index)
        assert set(own["fresh"]) <= set(own["advantages"])
    for cards, shared in ((craftsmen, {"mortar_mixer", "woodworker", "stonecutter", ""}), (advantages, {""})):
        assert max(count for card, count in Counter(cards).items() if card not in shared) == 1
    for deck, unseen in (("advantage_deck", "unseen_advantages"), ("event_deck", "unseen_events")):
        assert set(position[deck]) <= set(position[unseen])
    assert position["round"] == 6 or len(position["unseen_events"]) - len(position["event_deck"]) == 4


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_random_game_loses_nothing(model: NewGame, seats: int, seed: int) -> None:
    rng = random.Random(seed)
    game = model(opening(seats, seed))
    while game.turn() != OVER:
        random_ply(game, rng)
        check_counts(game.position())
        check_cards(game.position())
    assert game.position()["round"] == 6
    assert sum(game.returns()) == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_position_is_the_whole_game(model: NewGame, seats: int) -> None:
    """Written out as JSON and read again at every ply, a game goes on in the same way."""
    game, rng, twin_rng = model(opening(seats)), random.Random(1), random.Random(1)
    while game.turn() != OVER:
        twin = model(json.loads(json.dumps(game.position())))
        assert (twin.turn(), twin.legal()) == (game.turn(), game.legal())
        random_ply(game, rng)
        random_ply(twin, twin_rng)
        assert twin.position() == game.position()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_odds_are_those_of_the_legal_outcomes(model: NewGame, seats: int) -> None:
    game, rng = model(opening(seats)), random.Random(2)
    seen = set()
    while game.turn() != OVER:
        if game.turn() == NATURE:
            seen.add(game.position()["step"])
            assert sum(game.odds().values()) == 1
            assert list(game.odds()) == game.legal()
        random_ply(game, rng)
    assert seen == {"advantages", "craftsmen", "resources", "draw", "event", "tax"}


def test_a_copy_goes_its_own_way() -> None:
    game = Oracle.new(2, dealt(0))
    before = game.position()
    other = game.copy()
    other.play(other.legal()[0])
    assert game.position() == before != other.position()


def test_an_illegal_action_is_refused() -> None:
    game = Oracle.new(2, dealt(0))
    with pytest.raises(ValueError, match="'pass' is not legal at step 'advantages' of 'nature'"):
        game.play("pass")


# Worked examples (9) ----------------------------------------------------------------------------------------------


def test_example_1_cathedral(model: NewGame) -> None:
    craftsmen = ["potter_2", "mortar_mixer", "stonecutter", "architect_2", "toolmaker_1"]
    red = {"sand": 5, "stone": 3, "metal": 1, "gold": 0, "craftsmen": craftsmen}
    game = model(late(2, "cathedral", round_=2, red=red))
    for use in ("toolmaker_1 1", "mortar_mixer 1", "stonecutter 1", "potter_2 2", "architect_2 1"):
        game.play(f"convert {use}")
    own = player(game.position(), "red")
    assert (own["vp"], own["vp_craftsmen"], own["gold"]) == (2 + 5, 5, 2)
    assert [own[kind] for kind in CUBES] == [0, 0, 1, 1]


def test_example_2_woodworker(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"wood": 10}))
    assert offered(game, "convert") == {f"convert woodworker {times}" for times in (1, 2, 3, 4)}
    game.play("convert woodworker 4")
    assert offered(game) == {"finish"}
    assert (player(game.position(), "red")["vp"], player(game.position(), "red")["wood"]) == (6, 2)


def test_example_3_goldsmith(model: NewGame) -> None:
    game = model(late(2, "cathedral", round_=5, red={"gold": 12, "craftsmen": ["goldsmith_5"]}))
    game.play("convert goldsmith_5 4")
    assert (player(game.position(), "red")["vp"], player(game.position(), "red")["gold"]) == (6, 0)


@pytest.mark.parametrize(("seats", "costs"), [(2, [7, 6, 5, 4, 3, 2]), (3, [7, 6, 5, 4, 3, 2, 1, 0, 0])])
def test_example_4_cost(model: NewGame, seats: int, costs: list[int]) -> None:
    game = model(bag(seats))
    seen = []
    while game.position()["step"] != "waiting":
        until(game, "builder", "waiting")
        if game.position()["step"] == "builder":
            seen.append(game.position()["cost"])
            game.play(sorted(game.legal())[-1])  # wait, where it can be done
    assert seen == costs


def test_example_5_passing_order(model: NewGame) -> None:
    game = model(bag(2))
    for colour in ("red", "blue", "red"):
        play_all(game, f"draw {colour}", "accept", f"wait {colour}")
    for colour, space in (("red", "castle"), ("blue", "start"), ("blue", "archbishop")):
        play_all(game, f"draw {colour}", "accept", f"place {colour} {space}")
    for colour in ("red", "blue", "red"):
        assert game.position()["to_act"] == colour
        game.play(f"place {colour} market")
    assert game.position()["market"] == ["red", "blue", "red", ""]
    assert (game.position()["step"], player(game.position(), "red")["gold"]) == ("event", 20 - 4)


def test_example_6_market(model: NewGame) -> None:
    green, red = {"gold": 7, "metal": 1}, {"gold": 2, "stone": 1}
    game = model(late(3, "market", "green market, red market", green=green, red=red))
    play_all(game, "buy wood 2", "sell stone 1", "sell metal 1", "buy wood 2")
    assert game.position()["stock"] == {"sand": 4, "wood": 0, "stone": 4}
    play_all(game, "buy sand 3", "leave", "leave")
    assert game.position()["step"] == "cathedral"
    assert [player(game.position(), colour)["gold"] for colour in ("green", "red")] == [0, 0]


def test_example_7_tax(model: NewGame) -> None:
    blue = {"gold": 2, "resource_cards": ["sand_2", "stone_4"]}  # nobody at the mill
    game = play_all(model(board(2, "richards_gift", blue=blue)), "event richards_gift", "roll 5")
    own = player(game.position(), "blue")
    assert (own["gold"], own["vp"], own["vp_lost"]) == (0, 1, 1)


def test_example_8_francis(model: NewGame) -> None:
    own = {"gold": 1, "advantages": ["francis"], "resource_cards": ["sand_2", "stone_4"]}  # nobody at the mill
    game = play_all(model(board(2, "quarrel", round_=2, red={**own, "vp": 9})), "event quarrel", "roll 5")
    red = player(game.position(), "red")
    assert (red["gold"], red["vp"]) == (0, 7)


def test_example_9_blessing(model: NewGame) -> None:
    def points(stone: int, craftsmen: list[str], *texts: str) -> int:
        red = {"stone": stone, "craftsmen": craftsmen}
        game = model(late(2, "cathedral", event="archbishops_blessing", red=red))
        return int(player(play_all(game, *texts).position(), "red")["vp_craftsmen"])

    assert points(4, ["mortar_mixer", "mason_1"], "convert mason_1 3") == 3
    both = ["mortar_mixer", "mason_1", "stonecutter"]
    assert points(14, both, "convert stonecutter 5", "convert mason_1 2") == 7
    assert points(14, both, "convert stonecutter 4", "convert mason_1 3") == 7
    with pytest.raises(ValueError, match="not legal"):
        points(14, both, "convert stonecutter 5", "convert mason_1 3")


def test_example_10_ellen(model: NewGame) -> None:
    fields = draft(2, 2, red={"advantages": ["ellen"]})
    winter, quarrel = ({**fields, "event_deck": deck} for deck in with_event_on_top(fields, "cold_winter", "quarrel"))
    views = [[model(deck).seen_by(seat) for seat in (0, 1, NATURE)] for deck in (winter, quarrel)]
    assert [view["event_deck"] for view in views[0]] == [["cold_winter"], [], []]
    assert views[0][0] != views[1][0]
    assert views[0][1:] == views[1][1:]


# Ellen (5, R40) ---------------------------------------------------------------------------------------------------


def with_event_on_top(fields: Fields, *events: str) -> list[list[str]]:
    """Decks that differ in the coming event alone."""
    rest = [card for card in fields["unseen_events"] if card not in events]
    return [[event, *rest[: len(fields["event_deck"]) - 1]] for event in events]


def test_r40_ellens_owner_knows_from_the_draft_to_the_event(model: NewGame) -> None:
    """Taken in round 1, she shows nothing in that round, and each later round's event once its cards lie out."""
    fields = board(2, "kings_favour", "red kingsbridge.1", 1, ["ellen"])
    game, rng, known = model(fields), random.Random(1), []
    while game.turn() != OVER:
        position, seen = game.position(), game.seen_by(0)
        step = position["step"]
        aware = position["round"] > 1 and step in ("draft", *PHASE_2, "event")
        assert seen["event_deck"] == (position["event_deck"][:1] if aware else [])
        assert game.seen_by(1)["event_deck"] == game.seen_by(NATURE)["event_deck"] == []
        known.append((position["round"], aware))
        random_ply(game, rng)
    assert {round_ for round_, aware in known if aware} == {2, 3, 4, 5, 6}


def test_r40_the_coming_event_stands_whatever_was_said_to_be_seen(model: NewGame) -> None:
    fields = board(2, "kings_favour", "", 2, red={"advantages": ["ellen"]})
    fields.update(event_deck=["kings_favour"], advantage_deck=[], craftsman_deck=[])
    game = play_all(model(fields), "event volunteers")
    assert (game.position()["event"], game.position()["event_deck"]) == ("volunteers", [])
    assert "kings_favour" in game.position()["unseen_events"]
    assert model(fields).odds() == model({**fields, "event_deck": []}).odds()


# Decks that are dealt, and outcomes that contradict them ----------------------------------------------------------


def test_a_card_from_deeper_in_the_deck_trades_places_with_the_top(model: NewGame) -> None:
    fields = opening(2)
    deck = fields["advantage_deck"]
    game = play_all(model(fields), f"advantage {deck[4]}")
    assert game.position()["advantage_deck"] == [*deck[1:4], deck[0], *deck[5:]]


def test_a_removed_card_takes_the_place_of_the_top_card(model: NewGame) -> None:
    fields = opening(2)
    deck = fields["advantage_deck"]
    removed = next(card for card in ORDINARY if card not in deck)
    game = play_all(model(fields), f"advantage {removed}")
    assert game.position()["advantage_deck"] == deck[1:]
    assert deck[0] in game.position()["unseen_advantages"]


def test_a_removed_event_takes_the_place_of_the_top_event(model: NewGame) -> None:
    fields = board(2, "kings_favour")
    removed = next(card for card in EVENTS if card not in fields["event_deck"])
    game = play_all(model(fields), f"event {removed}")
    assert game.position()["event_deck"] == fields["event_deck"][1:]


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


def test_unknown_decks_change_nothing_but_themselves(model: NewGame) -> None:
    known = opening(3)
    unknown = {**known, "advantage_deck": [], "event_deck": [], "craftsman_deck": []}
    game, other, rng, other_rng = model(known), model(unknown), random.Random(3), random.Random(3)
    while game.turn() != OVER:
        assert game.legal() == other.legal()
        random_ply(game, rng)
        random_ply(other, other_rng)
    assert {**game.position(), **{deck: [] for deck in unknown if deck.endswith("_deck")}} == other.position()


# The end (4) ------------------------------------------------------------------------------------------------------


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
    assert game.returns() == shares
    assert game.margins() == margins
