"""The round start, the draft and the master builders (3, 3.1, 3.2), ruling by ruling."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.engine.cathedral.oracle_cards import RESOURCE_CARDS
from tests.engine.cathedral.positions import (
    FIVE_CRAFTSMEN,
    NewGame,
    bag,
    draft,
    late,
    offered,
    opening,
    play_all,
    player,
    red,
    until,
)

# The round start (3) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_r23_seat_0_starts_and_gold_follows_the_turn_order(model: NewGame, seats: int) -> None:
    position = model(opening(seats)).position()
    assert position["starting_player"] == "red"
    assert [own["gold"] for own in position["players"]] == [20, 21, 22, 23][:seats]
    assert position["supply"] == {"sand": 19, "wood": 19, "stone": 19, "metal": 12}


def test_r15_what_is_drawn_and_rolled_is_uniform(model: NewGame) -> None:
    game = until(model(opening(2)), "resources")
    assert len(game.odds()) == 36
    assert set(game.odds().values()) == {Fraction(1, 36)}
    game = model(bag(2))
    play_all(game, "draw red", "accept", "wait red")
    assert game.odds() == {"draw red": Fraction(2, 5), "draw blue": Fraction(3, 5)}
    until(game, "tax")
    assert game.odds() == {f"roll {face}": Fraction(count, 6) for face, count in ((2, 1), (3, 2), (4, 2), (5, 1))}


def test_the_board_is_empty_at_the_opening(model: NewGame) -> None:
    position = model(opening(2)).position()
    assert {field: position[field] for field in ("cost", "stall", "die", "blessing_used", "court_metal")} == {
        "cost": 7,
        "stall": 0,
        "die": 0,
        "blessing_used": False,
        "court_metal": 1,
    }
    assert (position["court"], position["market"], position["priory"]) == ([""] * 4, [""] * 4, [""] * 2)
    assert position["stock"] == {"sand": 4, "wood": 4, "stone": 4}
    assert not any(own["spared"] or own["passed"] or own["limited"] for own in position["players"])


def test_the_two_cards_left_out_are_not_in_the_supply(model: NewGame) -> None:
    game = play_all(until(model(opening(2)), "resources"), "leave-out sand_4 stone_2")
    supply = ["sand_2", "sand_3", "wood_2", "wood_3", "wood_4", "stone_3", "stone_4"]
    assert (game.position()["step"], game.position()["supply_resources"]) == ("draft", supply)


@pytest.mark.parametrize(
    ("round_", "costs"),
    [
        (1, {"toolmaker_1": 2, "master_woodworker_1": 3, "mortar_mixer_1": 4, "mason_1": 5}),
        (2, {"carpenter_2": 3, "mason_2": 4, "potter_2": 5, "architect_2": 6}),
        (3, {"mason_3": 4, "carpenter_3": 5, "sculptor_3": 6, "potter_3": 7}),
        (4, {"mason_4": 5, "carpenter_4": 6, "sculptor_4": 7, "glassblower_4": 8}),
        (5, {"carpenter_5": 6, "goldsmith_5": 7, "sculptor_5": 8, "glassblower_5": 9}),
        (6, {"goldsmith_6": 7, "sculptor_6": 8, "organ_builder_6": 9, "bell_maker_6": 10}),
    ],
)
def test_the_cost_of_each_craftsman(model: NewGame, round_: int, costs: dict[str, int]) -> None:
    for card, cost in costs.items():
        fields = draft(2, round_, red={"gold": cost}, blue={"gold": cost - 1})
        fields["shiring_cards"] = [other for other in costs if other != card][:2]
        fields["supply_craftsmen"] = [other for other in costs if other not in fields["shiring_cards"]]
        game = model(fields)
        assert f"hire {card}" in offered(game)
        game.play("pass")
        assert f"hire {card}" not in offered(game)


def test_the_last_round_cards_come_in_round_6(model: NewGame) -> None:
    game = until(model(late(2, "cathedral", round_=5)), "advantages")
    assert game.odds() == {"advantage completion": Fraction(1, 2), "advantage celebrations": Fraction(1, 2)}
    game = until(model(opening(2)), "advantages")
    assert len(game.odds()) == 14


# The draft (3.1) --------------------------------------------------------------------------------------------------


def test_a_resource_card_needs_its_workers_free(model: NewGame) -> None:
    game = model(draft(2))
    play_all(game, "take wood_4", "pass")  # 9 of the 12
    assert offered(game, "take") == {"take sand_2", "take wood_2"}
    game.play("take sand_2")
    assert (red(game)["workers"], red(game)["resource_cards"]) == (1, ["sand_2", "wood_4"])


@pytest.mark.parametrize(
    ("card", "grey", "before"),
    [
        ("sand_2", 0, ["stone_4"]),
        ("sand_3", 2, ["stone_4"]),
        ("sand_4", 0, ["stone_2"]),
        ("wood_2", 0, ["wood_4"]),
        ("wood_3", 0, ["sand_2", "sand_3"]),
        ("wood_4", 2, ["stone_2"]),
        ("stone_2", 0, ["sand_4"]),
        ("stone_3", 0, ["sand_3"]),
        ("stone_4", 0, ["sand_2"]),
    ],
)
def test_exactly_the_workers_needed_are_enough(model: NewGame, card: str, grey: int, before: list[str]) -> None:
    fields = draft(2, 2, red={"grey": grey})
    left_out = [other for other in RESOURCE_CARDS if other not in (card, *before)][-2:]
    fields["supply_resources"] = [other for other in RESOURCE_CARDS if other not in left_out]
    game = play_all(model(fields), f"take {before[0]}", "pass", *(f"take {other}" for other in before[1:]))
    free = red(game)["workers"]
    assert free == RESOURCE_CARDS[card].workers
    left = [other for other in game.position()["supply_resources"] if RESOURCE_CARDS[other].workers <= free]
    assert offered(game, "take") == {f"take {other}" for other in left} >= {f"take {card}"}
    game.play(f"take {card}")
    assert red(game)["workers"] == 0


def test_a_craftsman_costs_gold(model: NewGame) -> None:
    game = model(draft(2, red={"gold": 4}))
    assert game.position()["supply_craftsmen"] == ["mortar_mixer_1", "mason_1"]
    assert offered(game, "hire") == {"hire mortar_mixer_1"}
    game.play("hire mortar_mixer_1")
    assert (red(game)["gold"], red(game)["craftsmen"]) == (0, [*FIVE_CRAFTSMEN[:3], "mortar_mixer_1"])


def test_a_jack_forces_one_of_the_six_out(model: NewGame) -> None:
    game = model(draft(2, round_=2, red={"craftsmen": FIVE_CRAFTSMEN}))
    game.play("hire potter_2")
    assert game.position()["to_act"] == "red"
    six = [*FIVE_CRAFTSMEN, "potter_2"]
    assert offered(game) == {f"dismiss {card}" for card in six}
    game.play("dismiss potter_2")
    assert (red(game)["craftsmen"], game.position()["to_act"]) == (FIVE_CRAFTSMEN, "blue")


def test_r24_with_jack_a_seventh_is_one_too_many(model: NewGame) -> None:
    six = {"craftsmen": [*FIVE_CRAFTSMEN, "architect_2"], "advantages": ["jack"]}
    game = model(draft(2, round_=3, red=six))
    game.play("hire sculptor_3")
    assert len(offered(game, "dismiss")) == 7


def test_a_pass_is_final_and_the_last_player_goes_on(model: NewGame) -> None:
    game = model(draft(3))
    play_all(game, "pass", "take sand_2", "pass")
    for text in ("take sand_3", "hire mortar_mixer_1", "pass"):
        assert (game.position()["step"], game.position()["to_act"]) == ("draft", "blue")
        game.play(text)
    position = game.position()
    assert (position["step"], position["supply_resources"], position["supply_craftsmen"]) == ("draw", [], [])
    assert [own["mill"] for own in position["players"]] == [12, 6, 12]
    assert not any(own["passed"] or own["workers"] for own in position["players"])


def test_the_draft_ends_with_the_last_card(model: NewGame) -> None:
    fields = draft(4)
    fields["supply_craftsmen"] = []
    game = play_all(model(fields), "take sand_2", "take stone_3", "take wood_3", "take wood_4")
    play_all(game, "take sand_3", "pass", "take stone_2", "pass")
    assert game.position()["supply_resources"] == ["wood_2"]
    assert play_all(game, "take wood_2").position()["step"] == "draw"


def test_r25_a_forced_pass_is_a_decision(model: NewGame) -> None:
    game = model(draft(2, red={"gold": 0}))
    play_all(game, "take wood_4", "hire mason_1", "take sand_2", "hire mortar_mixer_1")
    assert (game.position()["to_act"], offered(game)) == ("red", {"pass"})


# Master builders (3.2) --------------------------------------------------------------------------------------------


def test_r1_a_waiting_builder_must_be_placed(model: NewGame) -> None:
    game = until(model(bag(4)), "waiting")
    colour = game.position()["waiting"][0]
    assert game.position()["to_act"] == colour
    assert {text.split()[0] for text in game.legal()} == {"place"}
    gold = player(game.position(), colour)["gold"]
    game.play(f"place {colour} start")
    assert player(game.position(), colour)["gold"] == gold


def test_r2_the_third_of_a_limited_colour_is_set_aside(model: NewGame) -> None:
    game = model(bag(2, round_=2, red={"limited": True}))
    play_all(game, "draw red", "accept", "wait red", "draw red", "accept", "wait red", "draw red")
    position = game.position()
    assert (position["step"], position["cost"], position["drawn"]) == ("draw", 5, "")
    assert (red(game)["aside"], red(game)["bag"]) == (1, 0)
    play_all(game, "draw blue", "redraw")  # still there: none was offered on the third red
    assert game.position()["cost"] == 5


def test_r2_a_set_aside_builder_may_be_the_last(model: NewGame) -> None:
    game = model(bag(2, round_=2, red={"limited": True}))
    for colour in ("red", "red", "blue", "blue", "blue"):
        play_all(game, f"draw {colour}", "accept", f"wait {colour}")
    assert game.odds() == {"draw red": 1}
    game.play("draw red")
    assert (game.position()["step"], game.position()["cost"]) == ("waiting", 0)


def test_r3_a_returned_builder_was_not_drawn(model: NewGame) -> None:
    game = model(bag(2, round_=2, red={"limited": True}))
    play_all(game, "draw red", "accept", "wait red", "draw red")
    assert (game.position()["step"], game.position()["to_act"]) == ("redraw", "red")
    game.play("redraw")
    assert (game.position()["cost"], red(game)["bag"], game.position()["redraw_used"]) == (6, 2, True)
    game.play("draw red")  # no longer asked; and it is the second, not the third
    assert (game.position()["step"], red(game)["aside"]) == ("builder", 0)


def test_r3_the_redraw_is_open_to_the_last_builder_and_to_the_only_colour(model: NewGame) -> None:
    game = model(bag(3))
    for colour in ("red", "red", "red", "blue", "blue", "blue", "green", "green"):
        play_all(game, f"draw {colour}", "accept")
        game.play(f"wait {colour}" if game.position()["cost"] else f"place {colour} castle")
    play_all(game, "draw green", "redraw")
    assert (game.position()["cost"], game.legal()) == (0, ["draw green"])
    game.play("draw green")
    assert game.position()["step"] == "builder"


def test_the_starting_player_decides_on_the_redraw_of_any_builder(model: NewGame) -> None:
    game = play_all(model(bag(2)), "draw blue")
    assert (game.position()["to_act"], offered(game)) == ("red", {"redraw", "accept"})
    game.play("accept")
    assert (game.position()["to_act"], game.position()["redraw_used"]) == ("blue", False)


def test_a_builder_that_cannot_be_paid_for_waits(model: NewGame) -> None:
    game = play_all(model(bag(2, red={"gold": 6})), "draw red", "accept")
    assert offered(game) == {"wait red"}


def test_exactly_the_marked_cost_is_enough_for_any_free_space(model: NewGame) -> None:
    game = play_all(model(bag(2, red={"gold": 7})), "draw red", "accept")
    numbered = {f"{location}.{number}" for location in ("kingsbridge", "shiring") for number in (1, 2)}
    spaces = {*numbered, "archbishop", "priory", "court", "castle", "market", "start"}
    assert offered(game, "place") == {f"place red {space}" for space in spaces}
    play_all(game, "place red shiring.2", "draw blue", "accept")
    assert offered(game, "place") == {f"place blue {space}" for space in spaces - {"shiring.2"}}
    assert red(game)["gold"] == 0


def test_a_builder_for_0_must_be_placed(model: NewGame) -> None:
    game = model(bag(3))
    for colour in ("red", "red", "red", "blue", "blue", "blue", "green"):
        play_all(game, f"draw {colour}", "accept", f"wait {colour}")
    play_all(game, "draw green", "accept")
    assert game.position()["cost"] == 0
    assert {text.split()[0] for text in game.legal()} == {"place"}


def test_r16_three_locations_fill_from_their_lowest_space(model: NewGame) -> None:
    game = model(bag(2, red={"gold": 30}))
    for count, location in enumerate(("priory", "court", "market")):
        play_all(game, "draw red", "accept")
        assert "place red kingsbridge.2" in offered(game)
        game.play(f"place red {location}")
        assert game.position()["cost"] == 6 - count
    position = game.position()
    assert (position["priory"], position["court"][:2], position["market"][:2]) == (
        ["red", ""],
        ["red", ""],
        ["red", ""],
    )
    play_all(game, "draw blue", "accept", "place blue priory")
    assert game.position()["priory"] == ["red", "blue"]
    play_all(game, "draw blue", "accept")
    assert "place blue priory" not in offered(game)


def test_remigius_places_for_0_and_the_marker_drops(model: NewGame) -> None:
    game = model(bag(2, round_=2, red={"gold": 0, "advantages": ["brother_remigius"]}))
    play_all(game, "draw red", "accept")
    assert offered(game) == {"wait red", "use brother_remigius"}
    game.play("use brother_remigius")
    assert game.position()["free_placement"]
    assert {text.split()[0] for text in game.legal()} == {"place"}
    game.play("place red castle")
    position = game.position()
    assert (position["cost"], position["free_placement"], red(game)["advantages"]) == (6, False, [])
    assert red(game)["gold"] == 0


def test_remigius_is_not_for_builders_that_wait_or_cost_nothing(model: NewGame) -> None:
    game = model(bag(3, round_=2, green={"advantages": ["brother_remigius"]}))
    for colour in ("red", "red", "red", "blue", "blue", "blue", "green"):
        play_all(game, f"draw {colour}", "accept", f"wait {colour}")
    for _ in range(2):
        play_all(game, "draw green", "accept")
        assert {text.split()[0] for text in game.legal()} == {"place"}
        game.play(sorted(game.legal())[0])
    until(game, "waiting")
    while game.position()["to_act"] != "green":
        game.play(sorted(game.legal())[0])
    assert {text.split()[0] for text in game.legal()} == {"place"}
