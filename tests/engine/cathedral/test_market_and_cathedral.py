"""The market, the cathedral and the end of a round (3.3 steps 12 to 14), ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS
from tests.engine.cathedral.positions import Fields, NewGame, blue, late, offered, play_all, player, red, until

# Step 12: market --------------------------------------------------------------------------------------------------


def test_any_number_that_is_there_and_can_be_paid_for(model: NewGame) -> None:
    game = model(late(2, "market", "red market", red={"gold": 7, "metal": 2}))
    buys = {"buy sand 1", "buy sand 2", "buy sand 3", "buy wood 1", "buy wood 2", "buy stone 1"}
    assert offered(game) == {*buys, "sell metal 1", "sell metal 2", "leave"}
    game.play("sell metal 2")
    assert (red(game)["gold"], red(game)["metal"]) == (17, 0)
    assert offered(game, "buy") == {f"buy {kind} {n}" for kind in ("sand", "wood", "stone") for n in (1, 2, 3, 4)}


@pytest.mark.parametrize(("kind", "price"), [("sand", 2), ("wood", 3), ("stone", 4), ("metal", 5)])
def test_the_selling_prices(model: NewGame, kind: str, price: int) -> None:
    game = play_all(model(late(2, "market", "red market", red={"gold": 0, kind: 2})), f"sell {kind} 2")
    assert (red(game)["gold"], red(game)[kind]) == (2 * price, 0)


def test_sold_cubes_go_to_the_supply_and_gold_stops_at_30(model: NewGame) -> None:
    game = play_all(model(late(2, "market", "red market", red={"gold": 28, "wood": 3})), "sell wood 3")
    assert (red(game)["gold"], game.position()["stock"]["wood"], game.position()["supply"]["wood"]) == (30, 4, 19)


def test_town_wall_act_twice_a_lap_and_each_leaves_alone(model: NewGame) -> None:
    game = model(late(2, "market", "red market, blue market, red market"))
    stalls = []
    for text in ("buy sand 1", "buy sand 1", "leave", "buy wood 1", "leave"):
        stalls.append((game.position()["stall"], game.position()["to_act"]))
        game.play(text)
    assert stalls == [(1, "red"), (2, "blue"), (3, "red"), (1, "red"), (2, "blue")]
    assert (game.position()["stall"], game.position()["market"]) == (1, ["red", "", "", ""])
    game.play("leave")
    assert (game.position()["step"], game.position()["stall"]) == ("cathedral", 0)


def test_r18_what_was_bought_is_not_sold_by_any_builder(model: NewGame) -> None:
    game = model(late(2, "market", "red market, red market", red={"sand": 2, "wood": 1}))
    game.play("buy sand 1")
    assert game.position()["stall"] == 2
    assert offered(game, "sell") == {"sell wood 1"}
    game.play("sell wood 1")  # and then bought, which is allowed
    assert "buy wood 1" in offered(game)
    game.play("buy wood 2")
    assert (red(game)["bought"], offered(game, "sell")) == (["sand", "wood"], set())


def test_r18_the_next_round_forgets_what_was_bought(model: NewGame) -> None:
    game = play_all(model(late(2, "market", "red market")), "buy sand 1")
    assert until(game, "advantages").position()["players"][0]["bought"] == []


def test_r19_either_woodworker_opens_the_wood_trade_and_the_stonecutter_that_of_stone(model: NewGame) -> None:
    own = {"wood": 1, "stone": 1, "craftsmen": ["mortar_mixer", "mason_1"]}
    game = model(late(2, "market", "red market, blue market", red=own, blue={"wood": 1, "stone": 1}))
    assert {text.rsplit(" ", 1)[0] for text in game.legal()} == {"buy sand", "buy stone", "sell wood", "leave"}
    game.play("leave")
    assert {"buy wood 1", "sell stone 1", "sell wood 1"} <= offered(game)
    own = {"stone": 1, "craftsmen": ["mortar_mixer", "master_woodworker_1"]}
    game = model(late(2, "market", "red market", red=own))
    assert "buy wood 4" in offered(game)
    assert "sell stone 1" not in offered(game)


# Step 13: cathedral -----------------------------------------------------------------------------------------------


def test_r20_all_conversions_are_optional_and_finish_is_always_a_decision(model: NewGame) -> None:
    game = model(late(3, "cathedral", red={"sand": 3}))
    assert offered(game) == {"convert mortar_mixer 1", "finish"}
    for colour in ("red", "blue", "green"):
        assert (game.position()["step"], game.position()["to_act"]) == ("cathedral", colour)
        game.play("finish")
    assert (game.position()["step"], red(game)["vp"]) == ("advantages", 2)


def test_a_mason_needs_a_mortar_mixer_either_one(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"stone": 1, "craftsmen": ["woodworker", "mason_1"]}))
    assert offered(game) == {"finish"}
    game = model(late(2, "cathedral", red={"stone": 1, "craftsmen": ["mortar_mixer", "mason_1"]}))
    assert offered(game) == {"convert mason_1 1", "finish"}
    game = model(late(2, "cathedral", red={"stone": 1, "craftsmen": ["mortar_mixer_1", "mason_1"]}))
    assert offered(game) == {"convert mason_1 1", "finish"}


def test_a_tool_maker_needs_metal_and_keeps_it(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"gold": 29, "craftsmen": ["toolmaker_1"]}))
    assert offered(game) == {"finish"}
    game = model(late(2, "cathedral", red={"gold": 29, "metal": 2, "craftsmen": ["toolmaker_1"]}))
    assert offered(game) == {"convert toolmaker_1 1", "finish"}
    game.play("convert toolmaker_1 1")
    assert (red(game)["gold"], red(game)["metal"], offered(game)) == (30, 2, {"finish"})


@pytest.mark.parametrize(
    ("card", "round_", "hand", "times", "spends", "points"),
    [
        ("mortar_mixer_1", 1, {"sand": 8}, 3, {"sand": 2}, 1),
        ("mason_1", 1, {"stone": 5}, 2, {"stone": 1}, 1),
        ("carpenter_2", 2, {"wood": 5}, 2, {"wood": 1}, 1),
        ("mason_2", 2, {"stone": 5}, 3, {"stone": 1}, 1),
        ("potter_2", 2, {"sand": 5}, 2, {"sand": 1}, 1),
        ("architect_2", 2, {}, 1, {}, 1),
        ("mason_3", 3, {"stone": 5}, 4, {"stone": 1}, 1),
        ("carpenter_3", 3, {"wood": 5}, 3, {"wood": 1}, 1),
        ("sculptor_3", 3, {"stone": 5}, 1, {"stone": 1}, 2),
        ("potter_3", 3, {"sand": 5}, 3, {"sand": 1}, 1),
        ("mason_4", 4, {"stone": 6}, 5, {"stone": 1}, 1),
        ("carpenter_4", 4, {"wood": 5}, 4, {"wood": 1}, 1),
        ("sculptor_4", 4, {"stone": 5}, 2, {"stone": 1}, 2),
        ("glassblower_4", 4, {"metal": 3, "sand": 4}, 1, {"metal": 1, "sand": 1}, 3),
        ("carpenter_5", 5, {"wood": 6}, 5, {"wood": 1}, 1),
        ("goldsmith_5", 5, {"gold": 30}, 6, {"gold": 3}, 1),
        ("sculptor_5", 5, {"stone": 5}, 3, {"stone": 1}, 2),
        ("glassblower_5", 5, {"metal": 3, "sand": 4}, 2, {"metal": 1, "sand": 1}, 3),
        ("goldsmith_6", 6, {"gold": 30}, 8, {"gold": 3}, 1),
        ("sculptor_6", 6, {"stone": 5}, 4, {"stone": 1}, 2),
        ("organ_builder_6", 6, {"metal": 3, "wood": 3}, 1, {"metal": 1, "wood": 1}, 6),
        ("bell_maker_6", 6, {"metal": 4}, 2, {"metal": 1}, 4),
        ("woodworker", 1, {"wood": 10}, 4, {"wood": 2}, 1),
        ("stonecutter", 1, {"stone": 10}, 4, {"stone": 2}, 1),
        ("mortar_mixer", 1, {"sand": 12}, 3, {"sand": 3}, 1),
    ],
)
def test_ratio_and_capacity(
    model: NewGame, card: str, round_: int, hand: Fields, times: int, spends: dict[str, int], points: int
) -> None:
    helper = ["mortar_mixer"] if card.startswith("mason") else []
    own = {"gold": 0, **hand, "craftsmen": [card, *helper]}
    game = model(late(2, "cathedral", round_=round_, red=own))
    uses = {text for text in offered(game, "convert") if card in text}
    assert uses == {f"convert {card} {n + 1}" for n in range(times)}
    game.play(f"convert {card} {times}")
    assert red(game)["vp_craftsmen"] == times * points
    assert {kind: count - red(game)[kind] for kind, count in hand.items()} == {
        kind: times * amount for kind, amount in spends.items()
    }


def test_the_master_woodworker_makes_4_gold_of_a_wood_twice(model: NewGame) -> None:
    own = {"gold": 0, "wood": 3, "craftsmen": ["master_woodworker_1"]}
    game = model(late(2, "cathedral", red=own))
    assert offered(game, "convert") == {"convert master_woodworker_1 1", "convert master_woodworker_1 2"}
    game.play("convert master_woodworker_1 2")
    assert (red(game)["gold"], red(game)["wood"], red(game)["vp"]) == (8, 1, 2)


def test_r21_gold_making_and_gold_spending_keep_their_free_order(model: NewGame) -> None:
    cards = ["master_woodworker_1", "goldsmith_5", "potter_2"]
    game = model(late(2, "cathedral", round_=5, red={"gold": 29, "wood": 2, "sand": 1, "craftsmen": cards}))
    game.play("convert master_woodworker_1 1")
    assert red(game)["gold"] == 30  # each step applies the cap
    assert not any("master_woodworker" in text for text in game.legal())  # twice running is one step
    play_all(game, "convert goldsmith_5 2", "convert master_woodworker_1 1")
    assert red(game)["gold"] == 28
    assert game.position()["used"] == [
        {"craftsman": "master_woodworker_1", "times": 2},
        {"craftsman": "goldsmith_5", "times": 2},
    ]
    assert offered(game) == {*(f"convert goldsmith_5 {n}" for n in range(1, 5)), "convert potter_2 1", "finish"}


def test_r21_the_others_follow_once_each_in_catalogue_order(model: NewGame) -> None:
    cards = ["stonecutter", "carpenter_2", "sculptor_4", "goldsmith_5"]
    game = model(late(2, "cathedral", round_=5, red={"gold": 3, "wood": 2, "stone": 3, "craftsmen": cards}))
    play_all(game, "convert goldsmith_5 1", "convert carpenter_2 1")
    assert (game.position()["last_used"], len(game.position()["used"])) == ("carpenter_2", 1)
    assert offered(game) == {"convert sculptor_4 1", "convert sculptor_4 2", "finish"}
    game.play("finish")
    assert (game.position()["last_used"], game.position()["used"]) == ("", [])


# The archbishop's blessing (6, R42) -------------------------------------------------------------------------------


def blessed(**red: Fields) -> Fields:
    return {**late(2, "cathedral", round_=5, event="archbishops_blessing", red=red)}


def test_r42_one_craftsman_can_be_used_once_more(model: NewGame) -> None:
    cards = ["mortar_mixer", "mason_1", "stonecutter"]
    game = model(blessed(stone=14, craftsmen=cards))
    uses = {f"convert mason_1 {n}" for n in range(1, 4)} | {f"convert stonecutter {n}" for n in range(1, 6)}
    assert offered(game, "convert") == uses
    game.play("convert stonecutter 5")
    assert game.position()["blessing_used"]
    assert offered(game) == {"convert mason_1 1", "convert mason_1 2", "finish"}
    game.play("finish")
    assert not game.position()["blessing_used"]


def test_r42_a_use_within_capacity_leaves_the_blessing(model: NewGame) -> None:
    game = play_all(
        model(blessed(stone=14, craftsmen=["stonecutter", "mortar_mixer", "mason_1"])), "convert stonecutter 4"
    )
    assert not game.position()["blessing_used"]
    assert "convert mason_1 3" in offered(game)


def test_r42_free_craftsmen_keep_their_free_order_under_the_blessing(model: NewGame) -> None:
    """Two steps with others in between may exceed one capacity together, but only by one."""
    cards = ["master_woodworker_1", "goldsmith_5"]
    game = model(blessed(gold=0, wood=5, craftsmen=cards))
    play_all(game, "convert master_woodworker_1 2", "convert goldsmith_5 1", "convert master_woodworker_1 1")
    assert game.position()["blessing_used"]
    assert game.position()["used"][0] == {"craftsman": "master_woodworker_1", "times": 3}
    play_all(game, "convert goldsmith_5 3")
    assert offered(game) == {"finish"}


@pytest.mark.parametrize(
    ("card", "hand", "times"),
    [
        ("toolmaker_1", {"metal": 3}, 1),
        ("architect_2", {}, 1),
        ("organ_builder_6", {"metal": 3, "wood": 3}, 1),
        ("bell_maker_6", {"metal": 4}, 2),
        ("goldsmith_6", {"gold": 30}, 9),
    ],
)
def test_r42_whom_the_blessing_leaves_out(model: NewGame, card: str, hand: Fields, times: int) -> None:
    own = {"gold": 0, **hand, "craftsmen": [card]}
    game = model(late(2, "cathedral", round_=6, event="archbishops_blessing", red=own))
    assert offered(game, "convert") == {f"convert {card} {n + 1}" for n in range(times)}


def test_r42_every_player_is_blessed(model: NewGame) -> None:
    fields = late(2, "cathedral", event="archbishops_blessing", red={"wood": 10}, blue={"wood": 10})
    game = play_all(model(fields), "convert woodworker 5", "finish")
    assert "convert woodworker 5" in offered(game)


def test_r42_without_the_event_nobody_is(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"wood": 10}))
    assert "convert woodworker 5" not in offered(game)


# The keep limit ---------------------------------------------------------------------------------------------------


def test_r10_each_player_discards_before_the_next_converts(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"sand": 2, "wood": 3, "metal": 2}, blue={"sand": 3}))
    game.play("finish")
    position = game.position()
    assert (position["step"], position["to_act"], position["floor"]) == ("keep", "red", "sand")
    assert offered(game) == {"discard sand", "discard wood", "discard metal"}
    game.play("discard wood")
    assert (game.position()["floor"], offered(game)) == ("wood", {"discard wood", "discard metal"})
    game.play("discard metal")
    assert (game.position()["step"], game.position()["to_act"], game.position()["floor"]) == ("cathedral", "blue", "")
    assert game.position()["supply"]["metal"] == 12 - 1


def test_the_sixth_cube_goes_and_five_are_kept(model: NewGame) -> None:
    game = play_all(model(late(2, "cathedral", red={"sand": 5, "metal": 1}, blue={"stone": 5})), "finish")
    assert offered(game) == {"discard sand", "discard metal"}
    play_all(game, "discard metal", "finish")
    assert (game.position()["step"], blue(game)["stone"]) == ("advantages", 5)


def test_no_discard_may_leave_too_few_cubes_after_it(model: NewGame) -> None:
    game = play_all(model(late(2, "cathedral", red={"sand": 1, "wood": 5, "metal": 1})), "finish")
    assert offered(game) == {"discard sand", "discard wood"}


def test_r10_round_6_has_no_keep_limit_and_the_last_player_converts(model: NewGame) -> None:
    game = model(late(2, "cathedral", round_=6, red={"sand": 9}, blue={"sand": 3}))
    play_all(game, "finish", "convert mortar_mixer 1", "finish")
    assert (game.position()["step"], red(game)["sand"], blue(game)["vp"]) == ("over", 9, 3)


# Step 14 and the end of the round ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("spaces", "follows"), [("red start", "red"), ("green start", "green"), ("", "blue")])
def test_the_next_starting_player(model: NewGame, spaces: str, follows: str) -> None:
    game = until(model(late(3, "cathedral", spaces)), "advantages")
    assert (game.position()["starting_player"], game.position()["start"]) == (follows, "")


def test_the_starting_player_stays_it_until_step_14(model: NewGame) -> None:
    game = play_all(model(late(3, "cathedral", "green start")), "finish", "finish")
    assert (game.position()["starting_player"], game.position()["to_act"]) == ("red", "green")


@pytest.mark.parametrize(("stock", "refilled"), [(0, 3), (1, 3), (2, 3), (3, 3), (4, 4)])
def test_r7_the_refill_takes_only_what_is_above_zero(model: NewGame, stock: int, refilled: int) -> None:
    hands: Fields = {colour: {"wood": 5, "craftsmen": ["mortar_mixer"]} for colour in COLOURS}
    fields = late(4, "cathedral", **hands)
    fields["stock"]["wood"] = stock
    fields["supply"]["wood"] = 23 - 20 - stock  # one is owed when the stock is full
    position = until(model(fields), "advantages").position()
    assert (position["stock"]["wood"], position["supply"]["wood"]) == (refilled, 3 - refilled)


def test_the_refill_stops_at_4(model: NewGame) -> None:
    game = play_all(model(late(2, "market", "red market", red={"gold": 9})), "buy sand 3")
    position = until(game, "advantages").position()
    assert position["stock"] == {"sand": 4, "wood": 4, "stone": 4}


def test_a_new_round_begins_as_the_first_did(model: NewGame) -> None:
    position = until(model(late(3, "cathedral")), "advantages").position()
    assert (position["round"], position["cost"], position["event"], position["redraw_used"]) == (2, 7, "", False)
    assert [own["bag"] for own in position["players"]] == [3, 3, 3]


def test_r22_round_6_is_played_to_its_end_and_leftovers_count_nothing(model: NewGame) -> None:
    rich = {"gold": 20, "sand": 9, "metal": 3, "advantages": ["tax_exemption"]}
    game = model(late(2, "cathedral", "blue start", 6, red=rich, blue={"gold": 20, "vp": 3}))
    play_all(game, "finish", "finish")
    position = game.position()
    assert (position["step"], position["to_act"], position["round"]) == ("over", "", 6)
    assert (position["starting_player"], position["event"], position["cost"]) == ("blue", "kings_favour", 0)
    assert player(position, "red")["bag"] == 0
    assert game.returns() == [0, 1]
