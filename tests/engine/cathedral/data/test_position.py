"""Positions are validated strictly, with messages for all errors, and printed as a table."""

import json
from bisect import bisect
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import NATURE, BadPosition, BadRecord, Record, Rng, State, read_records
from tests.engine.cathedral.positions import board
from tests.engine.cathedral.scenes import CUBES, changed, fields, reach, read
from tests.engine.faulty import faults_of_position, matching
from tests.laws import next_action, walk
from tests.shipped import CATHEDRAL

faults = partial(faults_of_position, CATHEDRAL, CATHEDRAL.new(2, 1).to_position())
EXAMPLES = Path(__file__).parents[4] / "examples" / "positions"
SOUND: dict[str, Any] = json.loads((EXAMPLES / "cathedral-4p-round6-market.json").read_text())

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"round": 7}, "round", "must be at most 6"),
    ({"round": "1"}, "round", "must be a whole number"),
    ({"step": "tea"}, "step", "'tea'"),
    ({"starting_player": "pink"}, "starting_player", "'pink'"),
    ({"starting_player": "green"}, "starting_player", "no player 'green' in this game; the players are red, blue"),
    ({"waiting": ["red", "yellow"]}, "waiting", "no player 'yellow'"),
    ({"court": ["red"]}, "court", "at least 4 entries"),
    ({"court": ["", "", "", "green"]}, "court", "no player 'green'"),
    ({"event": "flood"}, "event", "'flood' is not a card of this list"),
    ({"supply_craftsmen": ["potter_2", "potter_2"]}, "supply_craftsmen", "'potter_2' is listed 2 times"),
    ({"used": [{"craftsman": "goldsmith_5", "times": 11}]}, "used[0].times", "must be at most 10"),
    ({"luck": 1}, "luck", "is not a field here"),
    ({"players": []}, "players", "at least 2 entries"),
    ({"stock": {"sand": 4, "wood": 4}}, "stock.stone", "is missing"),
    ({"red": {"craftsmen": ["potter"]}}, "players[0].craftsmen", "'potter' is not a card of this list"),
    ({"red": {"bought": ["metal"]}}, "players[0].bought[0]", "'metal'"),
    ({"red": {"bought": ["sand", "sand"]}}, "players[0].bought", "'sand' is listed 2 times"),
    ({"red": {"passed": 1}}, "players[0].passed", "true or false"),
]


@pytest.mark.parametrize(("changes", "field", "description"), FAULTS)
def test_a_fault_names_its_field(changes: dict[str, Any], field: str, description: str) -> None:
    found = faults(changes)
    assert matching(found, f"cathedral.{field}", description), found


# -- totals -----------------------------------------------------------------------------------------

TABLE = SOUND["cathedral"]
RED, BLUE, GREEN, YELLOW = TABLE["players"]
EVENT, HIDDEN = TABLE["event"], TABLE["unseen_advantages"][0]
TWICE = next(card for card in BLUE["craftsmen"] if card[-1].isdigit() and card not in RED["craftsmen"])


def supply(**changes: int) -> dict[str, Any]:
    return {"supply": TABLE["supply"] | changes}


#   fields changed, and the errors: their fields and descriptions
SUMS: list[tuple[dict[str, Any], dict[str, str]]] = [
    (supply(wood=TABLE["supply"]["wood"] + 1), {"supply.wood": "players, market and supply hold 24; there are 23"}),
    (supply(metal=TABLE["supply"]["metal"] - 2), {"supply.metal": "players, court and supply hold 11; there are 13"}),
    ({"red": {"craftsmen": [*RED["craftsmen"], TWICE]}},
     {"players[1].craftsmen": f"{TWICE!r} is also in players[0].craftsmen"}),
    ({"green": {"advantages": [*GREEN["advantages"], HIDDEN]}},
     {"players[2].advantages": f"{HIDDEN!r} is also in unseen_advantages"}),
    ({"unseen_events": [EVENT, *TABLE["unseen_events"]]}, {"unseen_events": f"{EVENT!r} is the event of this round"}),
    ({"yellow": {"vp": YELLOW["vp"] + 1, "gold": 31}},
     {"players[3].vp": f"is {YELLOW['vp'] + 1}; 2 plus what was won less what was lost is {YELLOW['vp']}",
      "players[3].gold": "is 31; nobody has more than 30"}),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), SUMS, ids=[" ".join(expected) for _, expected in SUMS])
def test_what_does_not_add_up_is_named(changes: dict[str, Any], expected: dict[str, str]) -> None:
    found = faults_of_position(CATHEDRAL, SOUND, changes)
    assert dict(found) == {f"cathedral.{field}": description for field, description in expected.items()}


def test_all_faults_come_at_once_a_builder_too_many_among_them() -> None:
    own = {"red": {"vp": 500}, "blue": {"bag": 3}, "green": {"gold": 40}}
    found = dict(faults_of_position(CATHEDRAL, SOUND, {**supply(sand=0, stone=0), "start": "blue", **own}))
    named = ["supply.sand", "supply.stone", "players[0].vp", "players[1]", "players[2].gold"]
    assert list(found) == [f"cathedral.{field}" for field in named]
    assert "builders of blue" in found["cathedral.players[1]"]


# -- other invariants ------------------------------------------------------------------------------


def test_positions_and_records_of_older_rules_are_rejected() -> None:
    record = list(Record(CATHEDRAL.new(2, 1), 1).lines())
    head = json.loads(record[0])
    head["position"]["rules_revision"] = 1
    says = "rules_revision: is 1; these rules are revision 2"
    with pytest.raises(BadPosition, match=says):
        CATHEDRAL.from_position(head["position"])
    with pytest.raises(BadRecord, match=says):
        list(read_records([json.dumps(head), *record[1:]]))


OPENING = CATHEDRAL.new(2, 1).to_position()["cathedral"]
UNSEEN = [card for card in OPENING["unseen_advantages"] if card != "aliena"]

#   invariant, the field at fault, fields of the opening, fields of red
UNSOUND: list[tuple[int, str, dict[str, Any], dict[str, Any]]] = [
    (7, "drawn", {"drawn": "red"}, {"bag": 2}),
    (8, "waiting", {"waiting": ["red"]}, {"bag": 2}),
    (9, "players", {}, {"bag": 2}),
    (11, "cost", {"cost": 6}, {}),
    (12, "players", {}, {"workers": 13}),
    (13, "players", {}, {"grey": 2, "workers": 14}),
    (14, "", {"supply_resources": ["sand_2"]}, {}),
    (15, "", {"supply_craftsmen": ["toolmaker_1"]}, {}),
    (17, "", {"kingsbridge_cards": ["", "aliena"], "unseen_advantages": UNSEEN}, {}),
    (18, "", {}, {"fresh": ["aliena"]}),
    (19, "round", {"unseen_events": ["quarrel"]}, {}),
    (20, "event", {}, {"limited": True}),
    (21, "", {"stall": 1}, {}),
    (21, "", {"die": 1}, {}),
    (22, "used", {"last_used": "woodworker"}, {}),
    (23, "to_act", {"to_act": "red"}, {}),
    (22, "used", {"blessing_used": True}, {}),
    (25, "", {"advantage_deck": ["aliena"]}, {}),
    (25, "", {"event_deck": ["quarrel", "volunteers"]}, {}),
    (26, "event_deck", {"event_deck": ["quarrel"]}, {}),
    (28, "players", {}, {"vp": 3, "vp_priory": 1}),
    (28, "players", {}, {"vp": 3, "vp_craftsmen": 1}),
    (28, "players", {}, {"vp": 3, "vp_cards": 1}),
    (28, "players", {}, {"vp": 1, "vp_lost": 1}),
]


@pytest.mark.parametrize(("invariant", "blamed", "changes", "red"), UNSOUND)
def test_an_unsound_position_says_which_rule_it_breaks(
    invariant: int, blamed: str, changes: dict[str, Any], red: dict[str, Any]
) -> None:
    """Errors in totals are found earlier, with their fields."""
    [(field, description)] = faults({**changes, "red": red})
    assert field == f"cathedral.{blamed}".rstrip(".")
    assert description == f"breaks rule {invariant} of every position: {CATHEDRAL.invariants[invariant]}"


MANY = ["mortar_mixer", "woodworker", "stonecutter", "mason_1", "mortar_mixer_1", "potter_2"]

#   invariant, the field at fault, step, round, fields changed there, fields of red
LATER: dict[str, tuple[int, str, str, int, dict[str, Any], dict[str, Any]]] = {
    "limited by an event that could still come up": (20, ".event", "advantages", 2, {}, {"limited": True}),
    "free by a card that is still to come": (7, ".drawn", "builder", 2, {"free_placement": True}, {}),
    "a builder on a space that is resolved": (10, "", "cathedral", 1, {"market": ["red", "", "", ""]}, {}),
    "too many craftsmen": (16, ".players", "cathedral", 3, {}, {"craftsmen": MANY, "advantages": []}),
    "too many cubes kept": (24, ".players", "cathedral", 3, {"starting_player": "red", "to_act": "blue"}, {"sand": 6}),
}


@pytest.mark.parametrize("name", LATER)
def test_later_steps_have_their_invariants(name: str) -> None:
    invariant, blamed, step, round_, changes, red = LATER[name]
    state = reach(step, round_=round_, seed=2 if round_ == 3 else 1)
    with pytest.raises(BadPosition, match=rf"^cathedral{blamed}: breaks rule {invariant} ".replace(".", r"\.")):
        changed(state, changes, red=red)


@pytest.mark.parametrize("location", ["priory", "court", "market"])
def test_no_builder_stands_behind_a_free_space(location: str) -> None:
    others = "red archbishop, red castle, red start, blue kingsbridge.1, blue shiring.1"
    table = board(2, "quarrel", f"{others}, blue {location}")
    assert read(table).check() == 0
    with pytest.raises(BadPosition, match=r"^cathedral: breaks rule 10"):
        read({**table, location: table[location][::-1]})


def after_event(event: str, step: str, **reached: int) -> State:
    """Return a position in which an event has come up, and all seats have continued to a step."""
    state = reach("event", **reached)
    state.play(f"event {event}")
    while fields(state)["step"] != step:
        state.play(state.draw(1) if state.turn == NATURE else state.legal_actions()[-1])
    return state


def test_who_is_limited_is_everybody_who_was_not_spared() -> None:
    state = after_event("town_wall", "draft", seats=3)
    assert changed(state, green={"limited": False}).check() == 0
    with pytest.raises(BadPosition, match=r"^cathedral\.event: breaks rule 20"):
        changed(state, blue={"limited": False}, green={"limited": False})


NO_CUBES = dict.fromkeys(CUBES, 0)


@pytest.mark.parametrize(
    ("craftsmen", "last_used", "too", "sound"),
    [
        (["woodworker", "architect_2"], "architect_2", {}, True),
        (["architect_2"], "architect_2", {}, False),
        (["woodworker", "toolmaker_1"], "toolmaker_1", {"used": [{"craftsman": "toolmaker_1", "times": 1}]}, False),
        (["stonecutter", "mason_1"], "mason_1", {}, False),
    ],
)
def test_only_who_can_have_been_blessed_has_used_the_blessing(
    craftsmen: list[str], last_used: str, too: Any, sound: bool
) -> None:
    """The architect and the tool maker never are, and no mason is used without a mortar mixer."""
    state = after_event("archbishops_blessing", "cathedral", round_=3)
    own = {"to_act": "red", "starting_player": "red", "last_used": last_used, "blessing_used": True, **too}
    with nullcontext() if sound else pytest.raises(BadPosition, match=r"^cathedral\.used: breaks rule 22"):
        changed(state, own, red={**NO_CUBES, "craftsmen": craftsmen})


@pytest.mark.parametrize("sand", [6, 33])
def test_too_many_cubes_before_production(sand: int) -> None:
    """These and the coming cubes would exceed what can be sold at once."""
    state = reach("archbishop", round_=2)
    owner = fields(state)["to_act"]
    assert changed(state, **{owner: {**NO_CUBES, "sand": 5}}).check() == 0
    with pytest.raises(BadPosition, match=r"^cathedral\.players: breaks rule 27"):
        changed(state, **{owner: {**NO_CUBES, "sand": sand}})


def test_an_event_gives_metal_beyond_the_five_cubes_kept() -> None:
    red, blue = ({**NO_CUBES, **held} for held in ({"sand": 5}, {"metal": 1, "stone": 4}))
    state = changed(reach("event", round_=2), red=red, blue=blue)
    state.play("event richards_gift")
    assert fields(state)["step"] == "archbishop"
    assert [fields(state)["players"][seat]["metal"] for seat in (0, 1)] == [1, 2]
    assert CATHEDRAL.from_position(state.to_position()).check() == 0
    for more in ({"sand": 6, "metal": 0}, {"metal": 2}):
        with pytest.raises(BadPosition, match=r"^cathedral\.players: breaks rule 27"):
            changed(state, red=more)


def test_the_last_two_advantages_lie_below_all_others_in_the_last_round_too() -> None:
    state = reach("advantages", round_=6).observe(NATURE)
    unseen = fields(state)["unseen_advantages"]
    assert changed(state, {"unseen_advantages": unseen}).legal_codes()
    somewhere = {*unseen, *(card for player in fields(state)["players"] for card in player["advantages"])}
    gone = next(card for card in OPENING["unseen_advantages"] if card not in somewhere)
    others = {*unseen, gone} - {"celebrations"}
    cards = [card for card in OPENING["unseen_advantages"] if card in others]
    with pytest.raises(BadPosition, match=r"^cathedral\.round: breaks rule 19"):
        changed(state, {"unseen_advantages": cards})


RESOURCE_CARDS = {row["id"]: row for row in CATHEDRAL.cards()["resource_cards"]}


def hoard(state: State, seat: int, cube: str, count: int) -> dict[str, Any]:
    """Return the position with `count` more cubes in a hand, and its workers on free resource cards of that type."""
    position = state.to_position()
    player = position["cathedral"]["players"][seat]
    player[cube] += count
    position["cathedral"]["supply"][cube] -= count
    taken = [card for one in position["cathedral"]["players"] for card in one["resource_cards"]]
    for card, row in reversed(RESOURCE_CARDS.items()):
        if row["type"] == cube and row["workers"] <= player["mill"] and card not in taken and len(taken) < 7:
            player["mill"] -= row["workers"]
            taken.append(card)
            player["resource_cards"] = [one for one in RESOURCE_CARDS if one in (*player["resource_cards"], card)]
    return position


def is_refused(position: dict[str, Any]) -> bool:
    try:
        CATHEDRAL.from_position(position)
    except BadPosition:
        return True
    return False


def most_accepted(more: Callable[[int], dict[str, Any]], counts: range) -> int:
    """Return the largest count whose position passes all checks."""
    return counts[bisect(counts, False, key=lambda count: is_refused(more(count))) - 1]


def played_on(position: dict[str, Any], seed: int, plies: int) -> State:
    """Return the state some random plies later; every position in between passes all checks."""
    rng, state = Rng(seed), CATHEDRAL.from_position(position)
    for _ in range(plies):
        if state.over:
            break
        state.play(next_action(state, rng))
        assert state.check() == 0
    return state


def test_the_metal_of_the_court_has_room_in_the_list_of_sales() -> None:
    state = reach("tax", round_=2)
    assert fields(state)["court"][0] == "blue"
    more = partial(hoard, changed(state, blue={"sand": 40, "wood": 40}), 1, "stone")
    most = most_accepted(more, range(41))
    assert most > 20
    played_on(more(most), 1, 1)


def richer(state: State, seat: int, source: str, count: int) -> dict[str, Any]:
    """Return the position with `count` more VP from a source, or lost, in a player's account."""
    position = state.to_position()
    player = position["cathedral"]["players"][seat]
    player["vp"] += (count - player[source]) * (-1 if source == "vp_lost" else 1)
    player[source] = count
    return position


SOURCES = ("vp_priory", "vp_craftsmen", "vp_cards", "vp_lost")
#   seats, seed, the quantity that is increased, its kinds, the smallest and the largest tried count
MORE = [(2, 3, hoard, CUBES, 0, 41), (4, 4, hoard, CUBES, 0, 41), (3, 3, richer, SOURCES, None, 6001)]


@pytest.mark.parametrize(("seats", "seed", "more", "kinds", "least", "end"), MORE)
def test_as_much_as_passes_can_be_played_on_with(
    seats: int, seed: int, more: Callable[..., Any], kinds: tuple[str, ...], least: int | None, end: int
) -> None:
    """At every step; the following positions pass as well."""
    counts = set[int]()
    steps = {fields(state)["step"]: state.copy() for state in walk(CATHEDRAL, seats, seed)}
    for state, kind in product(steps.values(), kinds):
        seat = max(state.turn, 0)
        low = fields(state)["players"][seat][kind] if least is None else least
        of_kind = partial(more, state, seat, kind)
        counts.add(most := most_accepted(of_kind, range(low, end)))
        played_on(of_kind(most), seats, 60)
    assert len(counts) > 3
    assert max(counts) < 600


def test_a_position_prints_as_a_table() -> None:
    lines = str(reach("draft")).splitlines()
    assert lines[0] == "round 1, draft, red to act; starting player red, cost 7"
    assert any(line.startswith("supply: ") for line in lines)
    assert [line.split() for line in lines if line.startswith(("points", "gold"))] == [
        ["points", "2", "2"],
        ["gold", "20", "21"],
    ]
    assert "builders in bag  3    3" in lines
    assert lines[-1] == "blue: craftsmen mortar_mixer, woodworker, stonecutter"
