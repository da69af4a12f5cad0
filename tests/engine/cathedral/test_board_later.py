"""The board from Kingsbridge to the castle (3.3 steps 4 to 11), ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import COLOURS, CUBES, LAST_ROUND, craftsmen_of
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

# Steps 4-8: Kingsbridge, Priory, production -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "gains"),
    [
        ("wool_fair", {"gold": 8}),
        ("crying_madonna", {"vp": 3, "vp_cards": 3}),
        ("toledo", {"metal": 2}),
        ("celebrations", {"metal": 1}),
        ("completion", {"stone": 1, "wood": 1}),
    ],
)
def test_immediate_cards_act_and_are_gone(model: NewGame, card: str, gains: dict[str, int]) -> None:
    round_ = 6 if card in LAST_ROUND else 2
    base = {"gold": 3, "resource_cards": ["sand_2", "stone_4"]}  # no income from the mill, no wood
    fields = board(2, "quarrel", "red kingsbridge.1", round_, [card], red={**base, "vp": 7})
    game = play_all(model(fields), "event quarrel")
    before = {"gold": 3, "vp": 5, "vp_cards": 0, "sand": 2, "wood": 0, "stone": 4, "metal": 0}
    assert {kind: red(game)[kind] for kind in before} == {
        kind: count + gains.get(kind, 0) for kind, count in before.items()
    }
    assert (red(game)["advantages"], red(game)["fresh"]) == ([], [])
    assert game.position()["kingsbridge_cards"] == ["", ""]  # the other card lay over an empty space


def test_r5_kingsbridge_cards_are_taken_in_space_order(model: NewGame) -> None:
    spaces = "red kingsbridge.1, red kingsbridge.2"
    game = play_all(model(board(2, "kings_favour", spaces, 1, ["prior_philip", "aliena"])), "event kings_favour")
    assert red(game)["advantages"] == red(game)["fresh"] == ["aliena", "prior_philip"]
    until(game, "advantages")
    assert (red(game)["advantages"], red(game)["fresh"]) == (["aliena", "prior_philip"], [])


def test_prior_philip_adds_a_point_for_each_own_builder_at_the_priory(model: NewGame) -> None:
    spaces = "red priory, red priory, red kingsbridge.1"
    game = play_all(model(board(2, "kings_favour", spaces, 1, ["prior_philip"])), "event kings_favour")
    assert (red(game)["vp"], red(game)["vp_priory"], red(game)["vp_cards"]) == (2 + 3 + 2, 3, 2)
    assert game.position()["priory"] == ["", ""]


def test_the_priory_pays_2_and_1(model: NewGame) -> None:
    game = play_all(model(board(2, "kings_favour", "blue priory, red priory")), "event kings_favour")
    assert [own["vp_priory"] for own in game.position()["players"]] == [1, 2]


@pytest.mark.parametrize(("card", "kind"), [("aliena", "wood"), ("tom_builder", "stone"), ("richard", "sand")])
def test_r6_r12_an_extra_cube_comes_at_once_and_without_a_resource_card(model: NewGame, card: str, kind: str) -> None:
    game = play_all(model(board(2, "kings_favour", "red kingsbridge.1", 1, [card])), "event kings_favour")
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
    game = play_all(model(board(2, "kings_favour", red={"resource_cards": cards})), "event kings_favour")
    assert [red(game)[kind] for kind in CUBES] == [*cubes, 0]
    assert (red(game)["workers"], red(game)["resource_cards"]) == (12, [])


def test_r14_cold_winter_takes_one_of_each_resource_card_but_no_extra_cube(model: NewGame) -> None:
    cards = {"resource_cards": ["wood_2", "wood_3"], "advantages": ["aliena"]}
    game = play_all(model(board(2, "cold_winter", round_=2, red=cards)), "event cold_winter")
    assert red(game)["wood"] == 1 + 2 + 1
    protected = board(2, "cold_winter", "red archbishop", 2, red=cards)
    game = play_all(model(protected), "event cold_winter", "protect")
    assert red(game)["wood"] == 2 + 3 + 1


def test_r7_production_owes_what_the_supply_lacks(model: NewGame) -> None:
    hands: Fields = {colour: {"wood": 5} for colour in COLOURS}
    hands["red"]["resource_cards"] = ["wood_3"]
    game = play_all(model(board(4, "kings_favour", "", 2, **hands)), "event kings_favour")
    assert (red(game)["wood"], game.position()["supply"]["wood"]) == (8, -1 - 3)


# Step 9-11: King's court, Shiring, castle -------------------------------------------------------------------------


def test_r8_vp_never_fall_below_0_and_only_what_is_lost_counts(model: NewGame) -> None:
    game = play_all(model(board(2, "quarrel", round_=2, red={"vp": 1}, blue={"vp": 9})), "event quarrel")
    assert [(own["vp"], own["vp_lost"]) for own in game.position()["players"]] == [(0, 1 + 1), (7, 2)]


def test_r9_metal_is_never_owed(model: NewGame) -> None:
    hands: Fields = {colour: {"metal": 4} for colour in ("green", "yellow")}
    fields = board(4, "richards_gift", "blue kingsbridge.1", 1, ["toledo"], blue={"metal": 3}, **hands)
    fields["starting_player"] = "yellow"
    game = play_all(model(fields), "event richards_gift")
    assert [own["metal"] for own in game.position()["players"]] == [0, 3, 4, 5]
    assert game.position()["supply"]["metal"] == 0


def test_r9_toledo_gives_two_metal_or_as_many_as_there_are(model: NewGame) -> None:
    hands: Fields = {colour: {"metal": 4} for colour in ("green", "yellow")}
    fields = board(4, "kings_favour", "blue kingsbridge.1", 1, ["toledo"], blue={"metal": 3}, **hands)
    game = play_all(model(fields), "event kings_favour")
    assert (blue(game)["metal"], game.position()["supply"]["metal"]) == (4, 0)


def test_r9_the_last_metal_goes_to_the_court(model: NewGame) -> None:
    hands: Fields = {"red": {"metal": 4}, "blue": {"metal": 3}, "green": {"metal": 4}}
    game = play_all(model(board(4, "kings_favour", "yellow court", **hands)), "event kings_favour", "roll 2")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (0, 1)
    until(game, "advantages")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (1, 0)


def test_only_the_first_space_at_court_gives_the_metal(model: NewGame) -> None:
    game = play_all(model(board(2, "kings_favour", "red court")), "event kings_favour", "roll 2")
    assert (red(game)["metal"], game.position()["court_metal"]) == (1, 0)
    game = play_all(model(board(2, "kings_favour")), "event kings_favour", "roll 2")
    assert ([own["metal"] for own in game.position()["players"]], game.position()["court_metal"]) == ([0, 0], 1)


def test_r9_the_court_refills_only_while_there_is_metal(model: NewGame) -> None:
    hands: Fields = {colour: {"metal": 4} for colour in ("red", "blue", "green")}
    fields = board(4, "kings_favour", "yellow court", **hands)
    game = play_all(model(fields), "event kings_favour", "roll 2")
    assert (player(game.position(), "yellow")["metal"], game.position()["court_metal"]) == (1, 0)
    until(game, "advantages")
    assert (game.position()["court_metal"], game.position()["supply"]["metal"]) == (0, 0)
    until(game, "event")
    play_all(game, "event richards_gift")
    assert sum(own["metal"] for own in game.position()["players"]) == 13


def test_the_first_at_court_gets_the_metal_and_no_one_there_pays(model: NewGame) -> None:
    fields = board(3, "kings_favour", "blue court, red court, green priory")
    game = play_all(model(fields), "event kings_favour")
    gold = [own["gold"] for own in game.position()["players"]]
    game.play("roll 5")
    assert [own["gold"] for own in game.position()["players"]] == [gold[0], gold[1], gold[2] - 5]
    assert [own["metal"] for own in game.position()["players"]] == [0, 1, 0]
    assert (game.position()["court"], game.position()["die"], game.position()["court_metal"]) == ([""] * 4, 0, 0)


def test_a_tax_exemption_is_asked_after_the_roll_even_with_0_gold(model: NewGame) -> None:
    holder = {"gold": 0, "advantages": ["tax_exemption"], "resource_cards": ["sand_2", "stone_4"]}
    fields = board(2, "richards_gift", round_=2, red=holder)
    game = play_all(model(fields), "event richards_gift", "roll 4")
    position = game.position()
    assert (position["step"], position["to_act"], position["die"]) == ("exemption", "red", 4)
    game.play("save tax_exemption")
    assert (red(game)["vp"], red(game)["advantages"]) == (0, ["tax_exemption"])
    game = play_all(model(fields), "event richards_gift", "roll 4", "use tax_exemption")
    assert (red(game)["vp"], red(game)["advantages"], game.position()["die"]) == (2, [], 0)


def test_a_tax_exemption_can_be_used_in_the_round_of_taking(model: NewGame) -> None:
    fields = board(2, "kings_favour", "red kingsbridge.1", 1, ["tax_exemption"])
    game = play_all(model(fields), "event kings_favour", "roll 4", "use tax_exemption")
    assert (red(game)["advantages"], red(game)["fresh"]) == ([], [])


@pytest.mark.parametrize("pips", [2, 3, 4, 5])
def test_r39_francis_pays_2_whatever_the_die_shows(model: NewGame, pips: int) -> None:
    idle = {"gold": 10, "resource_cards": ["sand_2", "stone_4"]}
    fields = board(2, "quarrel", round_=2, red={**idle, "advantages": ["francis"]}, blue={"gold": 10})
    game = play_all(model(fields), "event quarrel", f"roll {pips}")
    assert [own["gold"] for own in game.position()["players"]] == [10 - 2, 10 + 12 - pips]


def test_r39_francis_changes_neither_the_levy_nor_who_is_asked_for_the_exemption(model: NewGame) -> None:
    own = {"gold": 10, "resource_cards": ["sand_2", "stone_4"], "advantages": ["francis", "tax_exemption"]}
    game = play_all(model(board(2, "hamleigh_levy", round_=2, red=own)), "event hamleigh_levy", "roll 5")
    assert (game.position()["step"], game.position()["to_act"], red(game)["gold"]) == ("exemption", "red", 10 - 4)
    game.play("use tax_exemption")
    assert red(game)["gold"] == 6


def test_r39_francis_at_court_pays_nothing(model: NewGame) -> None:
    own = {"gold": 10, "resource_cards": ["sand_2", "stone_4"], "advantages": ["francis"]}
    game = play_all(model(board(2, "quarrel", "red court", 2, red=own)), "event quarrel", "roll 5")
    assert red(game)["gold"] == 10


def test_a_holder_at_court_is_not_asked_for_the_exemption(model: NewGame) -> None:
    fields = board(2, "kings_favour", "red court", 2, red={"advantages": ["tax_exemption"]})
    game = play_all(model(fields), "event kings_favour", "roll 4")
    assert game.position()["step"] == "market"


def test_r5_each_dismissal_at_shiring_is_settled_before_the_next_space(model: NewGame) -> None:
    fields = board(2, "kings_favour", "red shiring.1, red shiring.2", 2, red={"craftsmen": FIVE_CRAFTSMEN})
    game = play_all(model(fields), "event kings_favour", "roll 2")
    position = game.position()
    assert (position["step"], position["shiring"], position["shiring_cards"]) == (
        "shiring",
        ["", "red"],
        ["", "mason_2"],
    )
    assert offered(game) == {f"dismiss {card}" for card in [*FIVE_CRAFTSMEN, "carpenter_2"]}
    game.play("dismiss mason_1")
    assert offered(game, "dismiss") == {f"dismiss {card}" for card in [*FIVE_CRAFTSMEN[:4], "carpenter_2", "mason_2"]}
    game.play("dismiss mason_2")
    assert red(game)["craftsmen"] == [*FIVE_CRAFTSMEN[:4], "carpenter_2"]


def test_r24_jack_finds_room_in_the_round_of_taking(model: NewGame) -> None:
    fields = board(
        2, "kings_favour", "red kingsbridge.1, red shiring.2", 2, ["jack"], red={"craftsmen": FIVE_CRAFTSMEN}
    )
    game = play_all(model(fields), "event kings_favour", "roll 2")
    assert (game.position()["step"], red(game)["craftsmen"]) == ("market", [*FIVE_CRAFTSMEN, "mason_2"])


def test_untaken_craftsmen_leave_the_game(model: NewGame) -> None:
    game = play_all(model(board(2, "kings_favour")), "event kings_favour", "roll 2")
    assert game.position()["shiring_cards"] == ["", ""]
    assert not set(craftsmen_of(1)) & {card for own in game.position()["players"] for card in own["craftsmen"]}


def test_the_castle_lends_two_grey_workers_for_the_next_round(model: NewGame) -> None:
    game = until(play_all(model(board(2, "kings_favour", "red castle")), "event kings_favour"), "cathedral")
    assert (red(game)["grey"], red(game)["grey_next"], red(game)["workers"]) == (0, 2, 12)
    until(game, "draft")
    assert (red(game)["grey"], red(game)["grey_next"], red(game)["workers"]) == (2, 0, 14)
    until(game, "event")
    until(game, "cathedral")
    grey = red(game)["grey_next"]
    until(game, "draft")
    assert red(game)["workers"] == 12 + grey


def test_r24_the_black_worker_joins_in_the_next_round(model: NewGame) -> None:
    game = play_all(model(board(2, "kings_favour", "red kingsbridge.1", 1, ["otto"])), "event kings_favour")
    assert red(game)["workers"] == 12
    until(game, "draft")
    assert red(game)["workers"] == 13
    until(game, "event")
    until(game, "draft")
    assert red(game)["workers"] == 13 + red(game)["grey"]
