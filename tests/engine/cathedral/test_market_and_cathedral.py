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


def test_two_builders_act_twice_a_lap_and_each_leaves_alone(model: NewGame) -> None:
    game = model(late(2, "market", "red market, blue market, red market"))
    stalls = []
    for text in ("buy sand 1", "buy sand 1", "leave", "buy wood 1", "leave"):
        stalls.append((game.position()["stall"], game.position()["to_act"]))
        game.play(text)
    assert stalls == [(1, "red"), (2, "blue"), (3, "red"), (1, "red"), (2, "blue")]
    assert (game.position()["stall"], game.position()["market"]) == (1, ["red", "", "", "", ""])
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


def test_r19_only_the_starting_cards_open_the_wood_and_stone_trade(model: NewGame) -> None:
    cards = ["mortar_mixer", "master_woodworker_1", "mason_1"]
    own = {"wood": 1, "stone": 1, "craftsmen": cards}
    game = model(late(2, "market", "red market, blue market", red=own, blue={"wood": 1, "stone": 1}))
    assert {text.rsplit(" ", 1)[0] for text in game.legal()} == {"buy sand", "buy stone", "sell wood", "leave"}
    game.play("leave")
    assert {"buy wood 1", "sell stone 1", "sell wood 1"} <= offered(game)


def test_r13_maud_is_asked_every_round_and_opens_a_fifth_stall(model: NewGame) -> None:
    fields = late(2, "market", "red market", 2, blue={"advantages": ["empress_maud"], "gold": 30})
    fields.update(step="maud", to_act="blue", stall=0)
    game = model(fields)
    assert offered(game) == {"use empress_maud", "save empress_maud"}
    game.play("use empress_maud")
    position = game.position()
    assert (position["market"], position["stall"], blue(game)["advantages"]) == (["red", "", "", "", "blue"], 1, [])
    game.play("buy sand 4")
    assert (game.position()["stall"], game.position()["to_act"]) == (5, "blue")
    assert "buy sand 15" in offered(game)
    game.play("buy sand 12")
    assert (game.position()["supply"]["sand"], game.position()["stock"]["sand"]) == (19 - 12, 0)
    play_all(game, "leave", "leave")
    assert (game.position()["step"], game.position()["market"]) == ("cathedral", [""] * 5)


def test_r13_maud_saved_is_asked_again(model: NewGame) -> None:
    fields = late(2, "market", "", 2, red={"advantages": ["empress_maud"]})
    fields.update(step="maud", to_act="red", stall=0)
    game = play_all(model(fields), "save empress_maud")
    assert (game.position()["step"], game.position()["market"][4]) == ("cathedral", "")
    until(game, "event")
    assert until(game, "maud", "cathedral").position()["step"] == "maud"


def test_r7_buying_never_takes_the_supply_below_zero(model: NewGame) -> None:
    hands: Fields = {colour: {"wood": 5} for colour in ("green", "yellow")}
    fields = late(4, "market", "", 2, red={"advantages": ["empress_maud"], "wood": 5}, blue={"wood": 3}, **hands)
    fields.update(step="maud", to_act="red", stall=0)
    game = play_all(model(fields), "use empress_maud")
    assert offered(game, "buy") & {f"buy wood {n}" for n in range(1, 9)} == {"buy wood 1"}
    game.play("buy wood 1")
    assert (game.position()["supply"]["wood"], "buy wood 1" in offered(game)) == (0, False)


# Step 13: cathedral -----------------------------------------------------------------------------------------------


def test_r20_all_conversions_are_optional_and_finish_is_always_a_decision(model: NewGame) -> None:
    game = model(late(3, "cathedral", red={"sand": 3}))
    assert offered(game) == {"convert mortar_mixer 1", "finish"}
    for colour in ("red", "blue", "green"):
        assert (game.position()["step"], game.position()["to_act"]) == ("cathedral", colour)
        game.play("finish")
    assert (game.position()["step"], red(game)["vp"]) == ("advantages", 2)


def test_a_mason_needs_a_mortar_mixer(model: NewGame) -> None:
    game = model(late(2, "cathedral", red={"stone": 1, "craftsmen": ["woodworker", "mason_1"]}))
    assert offered(game) == {"finish"}
    game = model(late(2, "cathedral", red={"stone": 1, "craftsmen": ["mortar_mixer", "mason_1"]}))
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
        ("carpenter_1", 1, {"wood": 5}, 2, {"wood": 1}, 1),
        ("carpenter_2", 2, {"wood": 5}, 3, {"wood": 1}, 1),
        ("carpenter_3", 3, {"wood": 5}, 4, {"wood": 1}, 1),
        ("carpenter_5", 5, {"wood": 5}, 2, {"wood": 1}, 2),
        ("mason_1", 1, {"stone": 5}, 2, {"stone": 1}, 1),
        ("mason_2", 2, {"stone": 5}, 3, {"stone": 1}, 1),
        ("mason_3", 3, {"stone": 5}, 4, {"stone": 1}, 1),
        ("mason_4", 4, {"stone": 6}, 5, {"stone": 1}, 1),
        ("potter_2", 2, {"sand": 5}, 2, {"sand": 1}, 1),
        ("potter_3", 3, {"sand": 5}, 3, {"sand": 1}, 1),
        ("potter_4", 4, {"sand": 5}, 4, {"sand": 1}, 1),
        ("potter_5", 5, {"sand": 6}, 5, {"sand": 1}, 1),
        ("sculptor_3", 3, {"stone": 5}, 1, {"stone": 1}, 2),
        ("sculptor_4", 4, {"stone": 5}, 2, {"stone": 1}, 2),
        ("sculptor_5", 5, {"stone": 5}, 3, {"stone": 1}, 2),
        ("architect_2", 2, {}, 1, {}, 1),
        ("goldsmith_4", 4, {"gold": 30}, 4, {"gold": 3}, 1),
        ("goldsmith_6", 6, {"gold": 30}, 6, {"gold": 3}, 1),
        ("glassblower_5", 5, {"metal": 3, "sand": 4}, 2, {"metal": 1, "sand": 1}, 4),
        ("glassblower_6", 6, {"metal": 4, "sand": 4}, 3, {"metal": 1, "sand": 1}, 4),
        ("bell_maker_6", 6, {"metal": 4}, 3, {"metal": 1}, 5),
        ("organ_builder_6", 6, {"metal": 3, "wood": 3}, 2, {"metal": 1, "wood": 1}, 6),
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
    cards = ["master_woodworker_1", "goldsmith_4", "potter_2"]
    game = model(late(2, "cathedral", round_=4, red={"gold": 29, "wood": 2, "sand": 1, "craftsmen": cards}))
    game.play("convert master_woodworker_1 1")
    assert red(game)["gold"] == 30  # each step applies the cap
    assert not any("master_woodworker" in text for text in game.legal())  # twice running is one step
    play_all(game, "convert goldsmith_4 2", "convert master_woodworker_1 1")
    assert red(game)["gold"] == 28
    assert game.position()["used"] == [
        {"craftsman": "master_woodworker_1", "times": 2},
        {"craftsman": "goldsmith_4", "times": 2},
    ]
    assert offered(game) == {"convert goldsmith_4 1", "convert goldsmith_4 2", "convert potter_2 1", "finish"}


def test_r21_the_others_follow_once_each_in_catalogue_order(model: NewGame) -> None:
    cards = ["stonecutter", "carpenter_2", "sculptor_4", "goldsmith_4"]
    game = model(late(2, "cathedral", round_=4, red={"gold": 3, "wood": 2, "stone": 3, "craftsmen": cards}))
    play_all(game, "convert goldsmith_4 1", "convert carpenter_2 1")
    assert (game.position()["last_used"], len(game.position()["used"])) == ("carpenter_2", 1)
    assert offered(game) == {"convert sculptor_4 1", "convert sculptor_4 2", "finish"}
    game.play("finish")
    assert (game.position()["last_used"], game.position()["used"]) == ("", [])


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
    assert (position["starting_player"], position["event"], position["cost"]) == ("blue", "fleece_fair", 0)
    assert player(position, "red")["bag"] == 0
    assert game.returns() == [0, 1]
