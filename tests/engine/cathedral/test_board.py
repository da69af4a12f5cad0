"""The event and the archbishop (3.3 steps 1 and 2), ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle_cards import CUBES, EVENTS, NEGATIVE_EVENTS, POSITIVE_EVENTS
from tests.engine.cathedral.positions import Fields, NewGame, blue, board, offered, play_all, red, until

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
    game = play_all(model(board(2, "quarrel", "blue archbishop")), "event quarrel", "protect")
    assert [own["vp"] for own in game.position()["players"]] == [0, 2]
    assert [own["spared"] for own in game.position()["players"]] == [False, True]
    assert (game.position()["archbishop"], game.position()["protection"], blue(game)["sand"]) == ("", False, 0)


def test_r4_thomas_spares_a_holder_who_declines_and_takes_the_cube(model: NewGame) -> None:
    fields = board(2, "town_wall", "red archbishop", round_=6, red={"advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), "event town_wall", "decline")
    assert (game.position()["step"], game.position()["to_act"]) == ("thomas", "red")
    assert offered(game) == {"use archbishop_thomas", "save archbishop_thomas"}
    game.play("use archbishop_thomas")
    assert (game.position()["step"], red(game)["advantages"], red(game)["spared"]) == ("archbishop", [], True)
    play_all(game, "gain wood")
    assert (red(game)["wood"], game.position()["stock"]["wood"]) == (1, 3)


def test_r4_thomas_is_asked_after_the_seat_and_spares_its_holder_alone(model: NewGame) -> None:
    fields = board(3, "hamleigh_levy", "red archbishop", round_=2, green={"advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), "event hamleigh_levy", "protect")
    assert (game.position()["step"], game.position()["to_act"], game.position()["protection"]) == (
        "thomas",
        "green",
        True,
    )
    game.play("use archbishop_thomas")
    assert [own["gold"] for own in game.position()["players"]] == [30, 21 - 4 + 12, 30]
    assert [own["spared"] for own in game.position()["players"]] == [True, False, True]


def test_r4_thomas_saved_spares_nobody_and_is_asked_again(model: NewGame) -> None:
    fields = board(2, "quarrel", round_=2, red={"vp": 9, "advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), "event quarrel", "save archbishop_thomas")
    assert (red(game)["vp"], red(game)["advantages"], red(game)["spared"]) == (7, ["archbishop_thomas"], False)
    until(game, "event")
    negative = next(text for text in game.legal() if text.split()[1] in NEGATIVE_EVENTS)
    game.play(negative)
    assert until(game, "thomas", "tax").position()["step"] == "thomas"


def test_r4_a_holder_of_thomas_whom_the_seat_protects_is_not_asked(model: NewGame) -> None:
    fields = board(2, "quarrel", "red archbishop", round_=2, red={"advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), "event quarrel", "protect")
    assert (game.position()["step"], red(game)["advantages"]) == ("tax", ["archbishop_thomas"])


@pytest.mark.parametrize("event", POSITIVE_EVENTS)
def test_r4_thomas_is_not_offered_with_a_positive_event(model: NewGame, event: str) -> None:
    fields = board(2, event, round_=2, red={"advantages": ["archbishop_thomas"]})
    game = play_all(model(fields), f"event {event}")
    assert (game.position()["step"], red(game)["spared"]) == ("tax", False)


def test_r4_thomas_taken_at_kingsbridge_comes_too_late(model: NewGame) -> None:
    worker = {"resource_cards": ["wood_3"]}
    fields = board(2, "cold_winter", "red kingsbridge.1", kingsbridge=["archbishop_thomas"], red=worker)
    game = play_all(model(fields), "event cold_winter")
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
    fields = board(2, "kings_favour", "red archbishop")
    for kind in ("sand", "stone"):
        fields["supply"][kind] += fields["stock"][kind]
        fields["stock"][kind] = 0
    game = play_all(model(fields), "event kings_favour")
    assert offered(game) == {"gain wood"}
    fields["supply"]["wood"] += fields["stock"]["wood"]
    fields["stock"]["wood"] = 0
    game = play_all(model(fields), "event kings_favour")
    assert (game.position()["step"], game.position()["archbishop"]) == ("tax", "")


def test_the_levy_takes_vp_for_gold_and_only_protection_helps(model: NewGame) -> None:
    exempt = {"gold": 0, "advantages": ["tax_exemption"]}
    game = model(board(2, "hamleigh_levy", "red court", round_=2, red=exempt, blue={"gold": 3}))
    game.play("event hamleigh_levy")
    assert [(own["vp"], own["vp_lost"]) for own in game.position()["players"]] == [(0, 2), (2, 0)]
    assert red(game)["advantages"] == ["tax_exemption"]


def test_town_wall_acts_in_the_next_round_only(model: NewGame) -> None:
    game = model(board(2, "town_wall", "red archbishop"))
    play_all(game, "event town_wall", "protect")
    assert [own["limited_next"] for own in game.position()["players"]] == [False, True]
    until(game, "advantages")
    assert [own["limited"] for own in game.position()["players"]] == [False, True]
    until(game, "event")
    assert [own["aside"] for own in game.position()["players"]] == [0, 1]
    until(game, "advantages")
    assert not any(own["limited"] or own["limited_next"] or own["aside"] for own in game.position()["players"])


def test_town_wall_does_nothing_in_round_6(model: NewGame) -> None:
    game = play_all(model(board(2, "town_wall", round_=6)), "event town_wall")
    assert not any(own["limited_next"] for own in game.position()["players"])


def test_who_is_spared_is_not_asked(model: NewGame) -> None:
    game = play_all(model(board(2, "roof_collapse", "red archbishop")), "event roof_collapse", "protect")
    assert (game.position()["step"], game.position()["to_act"]) == ("event_choice", "blue")
    game.play(sorted(game.legal())[0])
    assert game.position()["step"] == "tax"
    until(game, "advantages")
    assert not any(own["spared"] for own in game.position()["players"])


def test_who_has_no_craftsman_is_not_asked_for_one(model: NewGame) -> None:
    game = play_all(model(board(2, "roof_collapse", red={"craftsmen": []})), "event roof_collapse")
    assert (game.position()["step"], game.position()["to_act"]) == ("event_choice", "blue")


def test_richards_gift_gives_everyone_one_metal(model: NewGame) -> None:
    game = play_all(model(board(3, "richards_gift")), "event richards_gift")
    assert [own["metal"] for own in game.position()["players"]] == [1, 1, 1]
    assert game.position()["supply"]["metal"] == 12 - 3


def test_the_kings_favour_gives_gold_up_to_30(model: NewGame) -> None:
    cards = {"resource_cards": ["sand_2", "stone_4"]}
    game = play_all(model(board(2, "kings_favour", red={"gold": 29}, blue={"gold": 4, **cards})), "event kings_favour")
    assert [own["gold"] for own in game.position()["players"]] == [30, 9]


@pytest.mark.parametrize(("card", "busy", "gold"), [("sand_4", 7, 5), ("wood_4", 9, 3), ("stone_4", 10, 2)])
def test_r41_philips_wool_pays_for_the_mill_five_at_most_and_step_3_pays_again(
    model: NewGame, card: str, busy: int, gold: int
) -> None:
    fields = board(2, "philips_wool", red={"gold": 0, "resource_cards": [card]}, blue={"gold": 28})
    game = play_all(model(fields), "event philips_wool")
    assert [own["gold"] for own in game.position()["players"]] == [gold + 12 - busy, 30]


def test_r41_philip_counts_grey_and_black_workers_too(model: NewGame) -> None:
    own = {"gold": 0, "resource_cards": ["stone_4"], "grey": 2, "advantages": ["otto"]}
    game = play_all(model(board(2, "philips_wool", round_=2, red=own)), "event philips_wool")
    assert red(game)["gold"] == 2 * (12 + 2 + 1 - 10)


def test_volunteers_bring_one_cube_more_of_each_resource_card_only(model: NewGame) -> None:
    red_cards = {"resource_cards": ["wood_2", "wood_3"], "advantages": ["aliena"]}
    fields = board(2, "volunteers", round_=3, red=red_cards, blue={"advantages": ["tom_builder"]})
    game = play_all(model(fields), "event volunteers")
    assert [red(game)[kind] for kind in CUBES] == [0, 3 + 4 + 1, 0, 0]
    assert [blue(game)[kind] for kind in CUBES] == [0, 0, 1, 0]


def test_the_gift_goes_round_from_the_starting_player_while_it_lasts(model: NewGame) -> None:
    hands: Fields = {"red": {"metal": 5}, "blue": {"metal": 5}}
    fields = board(4, "richards_gift", **hands)
    fields["starting_player"] = "green"
    game = play_all(model(fields), "event richards_gift")
    assert [own["metal"] for own in game.position()["players"]] == [5, 5, 1, 1]
