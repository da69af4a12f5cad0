"""Nothing is made and nothing is lost: cubes, cards, builders, workers, gold and VP, under any sequence of moves."""

from collections import Counter

from hypothesis import settings
from hypothesis.stateful import invariant

from tests.engine.cathedral.oracle_cards import ADVANTAGES, COLOURS, CRAFTSMEN, CUBES_IN_BOX, EVENTS, RESOURCE_CARDS
from tests.engine.conservation import Conservation

STEPS_OF_THE_ROUND_START = ("advantages", "craftsmen", "resources")


class CathedralConservation(Conservation):
    name = "cathedral"

    @invariant()
    def cubes(self) -> None:
        fields = self.fields
        for kind, number in CUBES_IN_BOX.items():
            held = sum(player[kind] for player in fields["players"])
            elsewhere = fields["court_metal"] if kind == "metal" else fields["stock"][kind]
            assert held + elsewhere + fields["supply"][kind] == number
            assert min(player[kind] for player in fields["players"]) >= 0

    @invariant()
    def every_card_is_in_one_place_at_most(self) -> None:
        fields = self.fields
        players = fields["players"]
        advantages = Counter(fields["unseen_advantages"]) + Counter(filter(None, fields["kingsbridge_cards"]))
        craftsmen = Counter(fields["supply_craftsmen"]) + Counter(filter(None, fields["shiring_cards"]))
        resources = Counter(fields["supply_resources"])
        for player in players:
            advantages += Counter(player["advantages"])
            resources += Counter(player["resource_cards"])
            craftsmen += Counter(card for card in player["craftsmen"] if CRAFTSMEN[card].round)
            assert len(set(player["craftsmen"])) == len(player["craftsmen"])
        for cards, box in ((advantages, ADVANTAGES), (craftsmen, CRAFTSMEN), (resources, RESOURCE_CARDS)):
            assert set(cards) <= set(box)
            assert max(cards.values(), default=1) == 1
        assert set(fields["unseen_events"]) | ({fields["event"]} - {""}) <= set(EVENTS)
        assert fields["event"] not in fields["unseen_events"]
        assert set(fields["advantage_deck"]) <= set(fields["unseen_advantages"])
        assert set(fields["event_deck"]) <= set(fields["unseen_events"])

    @invariant()
    def builders(self) -> None:
        fields = self.fields
        spaces = [fields["archbishop"], fields["castle"], fields["start"], fields["drawn"], *fields["waiting"]]
        for name in ("kingsbridge", "priory", "shiring", "court"):
            spaces += fields[name]
        spaces += fields["market"]
        for colour, player in zip(COLOURS, fields["players"], strict=False):
            assert spaces.count(colour) + player["bag"] + player["aside"] <= 3
            if fields["step"] in STEPS_OF_THE_ROUND_START:
                assert player["bag"] == 3

    @invariant()
    def workers(self) -> None:
        for player in self.fields["players"]:
            away = sum(RESOURCE_CARDS[card].workers for card in player["resource_cards"])
            black = "otto" in player["advantages"] and "otto" not in player["fresh"]
            assert player["workers"] + player["mill"] + away == 12 + black + player["grey"]

    @invariant()
    def gold_and_points(self) -> None:
        for player in self.fields["players"]:
            assert 0 <= player["gold"] <= 30
            earned = player["vp_priory"] + player["vp_craftsmen"] + player["vp_cards"]
            assert player["vp"] == 2 + earned - player["vp_lost"] >= 0


CathedralConservation.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestConservation = CathedralConservation.TestCase
