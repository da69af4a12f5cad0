"""The board up to the castle (3.3 steps 1 to 11), with its events and advantage cards, ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS, CUBES, EVENTS, NEGATIVE_EVENTS, craftsmen_of
from tests.engine.cathedral.positions import (
    FIVE_CRAFTSMEN,
    Fields,
    NewGame,
    blue,
    board,
    offered,
    play_all,
    player,
    red,
    until,
)

# Step 1-2: the event and the archbishop ---------------------------------------------------------------------------


@pytest.mark.parametrize("event", EVENTS)
def test_r4_protection_is_asked_with_every_negative_event_and_no_positive_one(model: NewGame, event: str) -> None:
    game = play_all(model(board(2, event, "blue archbishop", round_=6)), f"event {event}")
    if event in NEGATIVE_EVENTS:
        assert (game.position()["step"], game.position()["to_act"]) == ("protection", "blue")
        assert offered(game) == {"protect", "decline"}
    else:
        assert game.position()["step"] in ("event_choice", "archbishop")


def test_r4_who_takes_protection_takes_no_cube(model: NewGame) -> None:
    game = play_all(model(board(2, "philip_vs_waleran", "blue archbishop")), "event philip_vs_waleran", "protect")
    assert [own["vp"] for own in game.position()["players"]] == [0, 2]
    assert [own["spared"] for own in game.position()["players"]] == [False, True]
    assert (game.position()["archbishop"], game.position()["protection"], blue(game)["sand"]) == ("", False, 0)


def test_r4_thomas_spares_a_holder_who_declines_and_takes_the_cube(model: NewGame) -> None:
    fields = board(2, "hamleigh_levy", "red archbishop", round_=2, red={"advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), "event hamleigh_levy", "decline")
    assert (game.position()["step"], red(game)["gold"], blue(game)["gold"]) == ("archbishop", 20, 21 - 4)
    play_all(game, "gain wood")
    assert (red(game)["wood"], game.position()["stock"]["wood"]) == (1, 3)


def test_r4_thomas_taken_at_kingsbridge_comes_too_late(model: NewGame) -> None:
    worker = {"resource_cards": ["wood_3"]}
    fields = board(2, "reduced_yield", "red kingsbridge.1", kingsbridge=["archbishop_thomas"], red=worker)
    game = play_all(model(fields), "event reduced_yield")
    assert (red(game)["advantages"], red(game)["wood"], red(game)["spared"]) == (["archbishop_thomas"], 2, False)


def test_r4_the_event_asks_in_turn_order_from_the_starting_player(model: NewGame) -> None:
    fields = board(3, "roof_collapse")
    fields["starting_player"] = "blue"
    game = play_all(model(fields), "event roof_collapse")
    for colour in ("blue", "green", "red"):
        assert (game.position()["step"], game.position()["to_act"]) == ("event_choice", colour)
        assert offered(game) == {"dismiss mortar_mixer", "dismiss woodworker", "dismiss stonecutter"}
        game.play("dismiss woodworker")
    assert all(own["craftsmen"] == ["mortar_mixer", "stonecutter"] for own in game.position()["players"])


def test_r17_the_archbishop_gives_what_the_market_has(model: NewGame) -> None:
    fields = board(2, "fleece_fair", "red archbishop")
    for kind in ("sand", "stone"):
        fields["supply"][kind] += fields["stock"][kind]
        fields["stock"][kind] = 0
    game = play_all(model(fields), "event fleece_fair")
    assert offered(game) == {"gain wood"}
    fields["supply"]["wood"] += fields["stock"]["wood"]
    fields["stock"]["wood"] = 0
    game = play_all(model(fields), "event fleece_fair")
    assert (game.position()["step"], game.position()["archbishop"]) == ("tax", "")


def test_the_levy_takes_vp_for_gold_and_only_protection_helps(model: NewGame) -> None:
    exempt = {"gold": 0, "advantages": ["tax_exemption"]}
    game = model(board(2, "hamleigh_levy", "red court", round_=2, red=exempt, blue={"gold": 3}))
    game.play("event hamleigh_levy")
    assert [(own["vp"], own["vp_lost"]) for own in game.position()["players"]] == [(0, 2), (2, 0)]
    assert red(game)["advantages"] == ["tax_exemption"]


def test_two_builders_acts_in_the_next_round_only(model: NewGame) -> None:
    game = model(board(2, "two_builders", "red archbishop"))
    play_all(game, "event two_builders", "protect")
    assert [own["limited_next"] for own in game.position()["players"]] == [False, True]
    until(game, "advantages")
    assert [own["limited"] for own in game.position()["players"]] == [False, True]
    until(game, "event")
    assert [own["aside"] for own in game.position()["players"]] == [0, 1]
    until(game, "advantages")
    assert not any(own["limited"] or own["limited_next"] or own["aside"] for own in game.position()["players"])


def test_two_builders_does_nothing_in_round_6(model: NewGame) -> None:
    game = play_all(model(board(2, "two_builders", round_=6)), "event two_builders")
    assert not any(own["limited_next"] for own in game.position()["players"])


def test_mill_fire_halves_the_mill_rounded_down(model: NewGame) -> None:
    fields = board(2, "mill_fire", "blue archbishop", red={"gold": 5, "resource_cards": ["stone_2"]}, blue={"gold": 5})
    game = play_all(model(fields), "event mill_fire", "protect")
    assert [own["gold"] for own in game.position()["players"]] == [5 + 3, 5 + 12]
    assert (red(game)["workers"], red(game)["mill"]) == (12, 0)


def test_thieves_take_a_cube_of_choice_from_those_who_have_one(model: NewGame) -> None:
    game = play_all(model(board(3, "thieves", green={"wood": 1, "metal": 2})), "event thieves")
    assert (game.position()["to_act"], offered(game)) == ("green", {"discard wood", "discard metal"})
    supply = game.position()["supply"]["metal"]
    game.play("discard metal")
    assert (game.position()["step"], game.position()["supply"]["metal"]) == ("tax", supply + 1)


def test_thieves_ask_for_the_only_cube(model: NewGame) -> None:
    game = play_all(model(board(2, "thieves", red={"sand": 1})), "event thieves")
    assert (game.position()["to_act"], offered(game)) == ("red", {"discard sand"})


@pytest.mark.parametrize("event", ["roof_collapse", "thieves"])
def test_who_is_spared_is_not_asked(model: NewGame, event: str) -> None:
    fields = board(2, event, "red archbishop", red={"sand": 1}, blue={"sand": 1})
    game = play_all(model(fields), f"event {event}", "protect")
    assert (game.position()["step"], game.position()["to_act"]) == ("event_choice", "blue")
    game.play(sorted(game.legal())[0])
    assert game.position()["step"] == "tax"
    until(game, "advantages")
    assert not any(own["spared"] for own in game.position()["players"])


def test_ore_gives_everyone_one_metal(model: NewGame) -> None:
    game = play_all(model(board(3, "ore_found")), "event ore_found")
    assert [own["metal"] for own in game.position()["players"]] == [1, 1, 1]
    assert game.position()["supply"]["metal"] == 12 - 3


def test_a_fleece_fair_gives_gold_up_to_30(model: NewGame) -> None:
    cards = {"resource_cards": ["sand_2", "stone_4"]}
    game = play_all(model(board(2, "fleece_fair", red={"gold": 29}, blue={"gold": 4, **cards})), "event fleece_fair")
    assert [own["gold"] for own in game.position()["players"]] == [30, 7]


def test_good_weather_gives_a_cube_of_choice_even_out_of_an_empty_supply(model: NewGame) -> None:
    hands: Fields = {colour: {"wood": 5} for colour in COLOURS}
    game = model(board(4, "good_weather", **hands))
    assert game.position()["supply"]["wood"] == -1
    game.play("event good_weather")
    assert offered(game) == {"gain sand", "gain wood", "gain stone"}
    game.play("gain wood")  # R7
    assert (game.position()["supply"]["wood"], red(game)["wood"]) == (-2, 6)


# Steps 4-8: Kingsbridge, Priory, production -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "gains"),
    [
        ("gold_8", {"gold": 8}),
        ("crying_madonna", {"vp": 3, "vp_cards": 3}),
        ("metal_gift", {"metal": 1}),
        ("last_metal", {"metal": 1}),
        ("last_stone_wood", {"stone": 1, "wood": 1}),
    ],
)
def test_immediate_cards_act_and_are_gone(model: NewGame, card: str, gains: dict[str, int]) -> None:
    round_ = 6 if card.startswith("last") else 1
    base = {"gold": 3, "resource_cards": ["sand_2", "stone_4"]}  # no income from the mill, no wood
    fields = board(2, "philip_vs_waleran", "red kingsbridge.1", round_, [card], red={**base, "vp": 7})
    game = play_all(model(fields), "event philip_vs_waleran")
    before = {"gold": 3, "vp": 5, "vp_cards": 0, "sand": 2, "wood": 0, "stone": 4, "metal": 0}
    assert {kind: red(game)[kind] for kind in before} == {
        kind: count + gains.get(kind, 0) for kind, count in before.items()
    }
    assert (red(game)["advantages"], red(game)["fresh"]) == ([], [])
    assert game.position()["kingsbridge_cards"] == ["", ""]  # the other card lay over an empty space


def test_two_resources_are_named_in_type_order(model: NewGame) -> None:
    fields = board(2, "fleece_fair", "blue kingsbridge.2, red kingsbridge.1", 1, ["two_resources", "gold_8"])
    game = play_all(model(fields), "event fleece_fair")
    position = game.position()
    assert (position["step"], position["to_act"], position["choices_left"], position["floor"]) == (
        "kingsbridge",
        "red",
        2,
        "sand",
    )
    assert (position["kingsbridge"], position["kingsbridge_cards"]) == (["", "blue"], ["", "gold_8"])
    assert blue(game)["gold"] == 30  # 21, the fair and the mill; the eight are still to come
    game.play("gain wood")
    assert offered(game) == {"gain wood", "gain stone"}
    assert (game.position()["choices_left"], game.position()["floor"], red(game)["wood"]) == (1, "wood", 1)
    game.play("gain stone")
    assert [red(game)[kind] for kind in CUBES] == [0, 1, 1, 0]
    assert (game.position()["step"], game.position()["floor"], game.position()["choices_left"]) == ("tax", "", 0)


def test_r5_kingsbridge_cards_are_taken_in_space_order(model: NewGame) -> None:
    spaces = "red kingsbridge.1, red kingsbridge.2"
    game = play_all(model(board(2, "fleece_fair", spaces, 1, ["prior_philip", "aliena"])), "event fleece_fair")
    assert red(game)["advantages"] == red(game)["fresh"] == ["aliena", "prior_philip"]
    until(game, "advantages")
    assert (red(game)["advantages"], red(game)["fresh"]) == (["aliena", "prior_philip"], [])


def test_prior_philip_adds_a_point_for_each_own_builder_at_the_priory(model: NewGame) -> None:
    spaces = "red priory, red priory, red kingsbridge.1"
    game = play_all(model(board(2, "fleece_fair", spaces, 1, ["prior_philip"])), "event fleece_fair")
    assert (red(game)["vp"], red(game)["vp_priory"], red(game)["vp_cards"]) == (2 + 3 + 2, 3, 2)
    assert game.position()["priory"] == ["", ""]


def test_the_priory_pays_2_and_1(model: NewGame) -> None:
    game = play_all(model(board(2, "fleece_fair", "blue priory, red priory")), "event fleece_fair")
    assert [own["vp_priory"] for own in game.position()["players"]] == [1, 2]


@pytest.mark.parametrize(("card", "kind"), [("aliena", "wood"), ("stone_patron", "stone"), ("sand_patron", "sand")])
def test_r6_r12_an_extra_cube_comes_at_once_and_without_a_resource_card(model: NewGame, card: str, kind: str) -> None:
    game = play_all(model(board(2, "fleece_fair", "red kingsbridge.1", 1, [card])), "event fleece_fair")
    assert (red(game)[kind], blue(game)[kind]) == (1, 0)


@pytest.mark.parametrize(
    ("cards", "cubes"),
    [
        (["sand_2", "wood_2", "stone_2"], [2, 2, 2]),
        (["sand_3", "wood_3"], [3, 3, 0]),
        (["sand_4", "stone_2"], [4, 0, 2]),
        (["wood_4"], [0, 4, 0]),
        (["stone_3"], [0, 0, 3]),
        (["sand_2", "stone_4"], [2, 0, 4]),
    ],
)
def test_resource_cards_yield_and_the_workers_come_home(model: NewGame, cards: list[str], cubes: list[int]) -> None:
    game = play_all(model(board(2, "fleece_fair", red={"resource_cards": cards})), "event fleece_fair")
    assert [red(game)[kind] for kind in CUBES] == [*cubes, 0]
    assert (red(game)["workers"], red(game)["resource_cards"]) == (12, [])


def test_r14_reduced_yield_takes_one_of_each_resource_card_but_no_extra_cube(model: NewGame) -> None:
    cards = {"resource_cards": ["wood_2", "wood_3"], "advantages": ["aliena"]}
    game = play_all(model(board(2, "reduced_yield", round_=2, red=cards)), "event reduced_yield")
    assert red(game)["wood"] == 1 + 2 + 1
    protected = board(2, "reduced_yield", "red archbishop", 2, red=cards)
    game = play_all(model(protected), "event reduced_yield", "protect")
    assert red(game)["wood"] == 2 + 3 + 1


def test_r7_production_owes_what_the_supply_lacks(model: NewGame) -> None:
    hands: Fields = {colour: {"wood": 5} for colour in COLOURS}
    hands["red"]["resource_cards"] = ["wood_3"]
    game = play_all(model(board(4, "fleece_fair", "", 2, **hands)), "event fleece_fair")
    assert (red(game)["wood"], game.position()["supply"]["wood"]) == (8, -1 - 3)


# Step 9-11: King's court, Shiring, castle -------------------------------------------------------------------------


def test_r8_vp_never_fall_below_0_and_only_what_is_lost_counts(model: NewGame) -> None:
    game = play_all(model(board(2, "philip_vs_waleran", red={"vp": 1}, blue={"vp": 9})), "event philip_vs_waleran")
    assert [(own["vp"], own["vp_lost"]) for own in game.position()["players"]] == [(0, 1 + 1), (7, 2)]


def test_r9_metal_is_never_owed(model: NewGame) -> None:
    hands: Fields = {colour: {"metal": 4} for colour in ("green", "yellow")}
    fields = board(4, "ore_found", "blue kingsbridge.1", 1, ["metal_gift"], blue={"metal": 3}, **hands)
    fields["starting_player"] = "yellow"
    game = play_all(model(fields), "event ore_found")
    assert [own["metal"] for own in game.position()["players"]] == [0, 3, 4, 5]
    assert game.position()["supply"]["metal"] == 0


def test_r9_the_last_metal_goes_to_the_court(model: NewGame) -> None:
    hands: Fields = {"red": {"metal": 4}, "blue": {"metal": 3}, "green": {"metal": 4}}
    game = play_all(model(board(4, "fleece_fair", "yellow court", **hands)), "event fleece_fair", "roll 2")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (0, 1)
    until(game, "advantages")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (1, 0)


def test_only_the_first_space_at_court_gives_the_metal(model: NewGame) -> None:
    game = play_all(model(board(2, "fleece_fair", "red court")), "event fleece_fair", "roll 2")
    assert (red(game)["metal"], game.position()["court_metal"]) == (1, 0)
    game = play_all(model(board(2, "fleece_fair")), "event fleece_fair", "roll 2")
    assert ([own["metal"] for own in game.position()["players"]], game.position()["court_metal"]) == ([0, 0], 1)


def test_r9_the_court_refills_only_while_there_is_metal(model: NewGame) -> None:
    hands: Fields = {colour: {"metal": 4} for colour in ("red", "blue", "green")}
    fields = board(4, "fleece_fair", "yellow court", **hands)
    game = play_all(model(fields), "event fleece_fair", "roll 2")
    assert (player(game.position(), "yellow")["metal"], game.position()["court_metal"]) == (1, 0)
    until(game, "advantages")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (0, 0)
    until(game, "event")
    play_all(game, "event ore_found")
    assert sum(own["metal"] for own in game.position()["players"]) == 13


def test_the_first_at_court_gets_the_metal_and_no_one_there_pays(model: NewGame) -> None:
    fields = board(3, "fleece_fair", "blue court, red court, green priory")
    game = play_all(model(fields), "event fleece_fair")
    gold = [own["gold"] for own in game.position()["players"]]
    game.play("roll 5")
    assert [own["gold"] for own in game.position()["players"]] == [gold[0], gold[1], gold[2] - 5]
    assert [own["metal"] for own in game.position()["players"]] == [0, 1, 0]
    assert (game.position()["court"], game.position()["die"], game.position()["court_metal"]) == ([""] * 4, 0, 0)


def test_a_tax_exemption_is_asked_after_the_roll_even_with_0_gold(model: NewGame) -> None:
    holder = {"gold": 0, "advantages": ["tax_exemption"], "resource_cards": ["sand_2", "stone_4"]}
    fields = board(2, "ore_found", round_=2, red=holder)
    game = play_all(model(fields), "event ore_found", "roll 4")
    position = game.position()
    assert (position["step"], position["to_act"], position["die"]) == ("exemption", "red", 4)
    game.play("save tax_exemption")
    assert (red(game)["vp"], red(game)["advantages"]) == (0, ["tax_exemption"])
    game = play_all(model(fields), "event ore_found", "roll 4", "use tax_exemption")
    assert (red(game)["vp"], red(game)["advantages"], game.position()["die"]) == (2, [], 0)


def test_a_tax_exemption_can_be_used_in_the_round_of_taking(model: NewGame) -> None:
    fields = board(2, "fleece_fair", "red kingsbridge.1", 1, ["tax_exemption"])
    game = play_all(model(fields), "event fleece_fair", "roll 4", "use tax_exemption")
    assert (red(game)["advantages"], red(game)["fresh"]) == ([], [])


def test_a_holder_at_court_is_not_asked_for_the_exemption(model: NewGame) -> None:
    fields = board(2, "fleece_fair", "red court", 2, red={"advantages": ["tax_exemption"]})
    game = play_all(model(fields), "event fleece_fair", "roll 4")
    assert game.position()["step"] == "market"


def test_r5_each_dismissal_at_shiring_is_settled_before_the_next_space(model: NewGame) -> None:
    fields = board(2, "fleece_fair", "red shiring.1, red shiring.2", 2, red={"craftsmen": FIVE_CRAFTSMEN})
    game = play_all(model(fields), "event fleece_fair", "roll 2")
    position = game.position()
    assert (position["step"], position["shiring"], position["shiring_cards"]) == (
        "shiring",
        ["", "red"],
        ["", "potter_2"],
    )
    assert offered(game) == {f"dismiss {card}" for card in [*FIVE_CRAFTSMEN, "architect_2"]}
    game.play("dismiss mason_1")
    assert offered(game, "dismiss") == {f"dismiss {card}" for card in [*FIVE_CRAFTSMEN[:4], "architect_2", "potter_2"]}
    game.play("dismiss potter_2")
    assert red(game)["craftsmen"] == [*FIVE_CRAFTSMEN[:4], "architect_2"]


def test_r24_a_sixth_craftsman_finds_room_in_the_round_of_taking(model: NewGame) -> None:
    fields = board(
        2, "fleece_fair", "red kingsbridge.1, red shiring.2", 2, ["sixth_craftsman"], red={"craftsmen": FIVE_CRAFTSMEN}
    )
    game = play_all(model(fields), "event fleece_fair", "roll 2")
    assert (game.position()["step"], red(game)["craftsmen"]) == ("market", [*FIVE_CRAFTSMEN, "potter_2"])


def test_untaken_craftsmen_leave_the_game(model: NewGame) -> None:
    game = play_all(model(board(2, "fleece_fair")), "event fleece_fair", "roll 2")
    assert game.position()["shiring_cards"] == ["", ""]
    assert not set(craftsmen_of(1)) & {card for own in game.position()["players"] for card in own["craftsmen"]}


def test_the_castle_lends_two_grey_workers_for_the_next_round(model: NewGame) -> None:
    game = until(play_all(model(board(2, "fleece_fair", "red castle")), "event fleece_fair"), "cathedral")
    assert (red(game)["grey"], red(game)["grey_next"], red(game)["workers"]) == (0, 2, 12)
    until(game, "draft")
    assert (red(game)["grey"], red(game)["grey_next"], red(game)["workers"]) == (2, 0, 14)
    until(game, "event")
    until(game, "cathedral")
    grey = red(game)["grey_next"]
    until(game, "draft")
    assert red(game)["workers"] == 12 + grey


def test_r24_the_black_worker_joins_in_the_next_round(model: NewGame) -> None:
    game = play_all(model(board(2, "fleece_fair", "red kingsbridge.1", 1, ["black_worker"])), "event fleece_fair")
    assert red(game)["workers"] == 12
    until(game, "draft")
    assert red(game)["workers"] == 13
    until(game, "event")
    until(game, "draft")
    assert red(game)["workers"] == 13 + red(game)["grey"]
