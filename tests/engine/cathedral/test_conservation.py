"""Nothing is made and nothing is lost: cubes, cards, builders, workers, gold and VP, under any sequence of moves."""

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clerestory.engine import GAMES, State
from tests.engine.cathedral.oracle_cards import ADVANTAGES, COLOURS, CRAFTSMEN, CUBES_IN_BOX, EVENTS, RESOURCE_CARDS

STEPS_OF_THE_ROUND_START = ("advantages", "craftsmen", "resources")


class Conservation(RuleBasedStateMachine):
    """Plays any legal action, Nature's included, and takes some back."""

    state: State

    @initialize(seats=st.sampled_from(list(GAMES["cathedral"].seats)), seed=st.integers(0, 2**64 - 1))
    def set_up(self, seats: int, seed: int) -> None:
        self.state = GAMES["cathedral"].new(seats, seed)

    @rule(choices=st.lists(st.integers(0, 10_000), min_size=1, max_size=40))
    def play(self, choices: list[int]) -> None:
        for choice in choices:
            if not self.state.over:
                legal = self.state.legal_codes()
                self.state.play(legal[choice % len(legal)])

    @precondition(lambda self: self.state.history)
    @rule(count=st.integers(1, 5))
    def take_back(self, count: int) -> None:
        for _ in range(min(count, len(self.state.history))):
            self.state.undo()

    @property
    def fields(self) -> dict[str, Any]:
        inner: dict[str, Any] = self.state.to_position()["cathedral"]
        return inner

    @invariant()
    def core_finds_nothing_wrong(self) -> None:
        assert self.state.check() == 0

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


Conservation.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestConservation = Conservation.TestCase
