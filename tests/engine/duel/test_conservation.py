"""Nothing is made and nothing is lost: chips, seals, gold, cards, under any sequence of moves."""

from collections import Counter

from hypothesis import settings
from hypothesis.stateful import invariant

from clerestory.engine.duel.catalogue import DuelCatalogue
from tests.engine.conservation import Conservation
from tests.engine.duel.scenes import CHIPS, MATERIALS

CATALOGUE = DuelCatalogue.load()
DECKS = [Counter({name: getattr(card, deck) for name, card in CATALOGUE.cards.items()}) for deck in ("a", "b")]
ONCE = {name for name, card in CATALOGUE.cards.items() if card.frame == "once"}


class DuelConservation(Conservation):
    name = "duel"

    @invariant()
    def gold(self) -> None:
        held = [player["gold"] for player in self.fields["players"]]
        assert min(held) >= 0
        assert sum(held) <= 74

    @invariant()
    def chips(self) -> None:
        for player in self.fields["players"]:
            placed = Counter(material for section in (1, 2, 3) for material in player[f"section_{section}"])
            for chip, material, most in zip(CHIPS, MATERIALS, (2, 2, 2, 4, 1), strict=True):
                camp = player["camp"][chip] + player["materials"][material]
                assert player["supply"][chip] + camp + placed[material] == most

    @invariant()
    def seals(self) -> None:
        fields = self.fields
        found = Counter(fields["unseen_seals"]) + Counter(fields["stack"])
        for player in fields["players"]:
            found += Counter(player["seals"]) + Counter(player["flipped"])
        assert found == Counter({"0/5": 2, "1/4": 4, "2/3": 4})
        assert fields["unseen_seals"].count("0/5") == 0

    @invariant()
    def cards(self) -> None:
        """Undealt cards and those on the table belong to the phase's deck; a 1x card is in one place."""
        fields = self.fields
        deck = DECKS[(fields["phase"] - 1) % 2]
        table = Counter(fields["undealt"]) + Counter(filter(None, fields["grid"]))
        assert table <= deck
        held = Counter(card for player in fields["players"] for card in player["cards"])
        assert set(held) <= ONCE
        assert max((held + Counter(card for card in table.elements() if card in ONCE)).values(), default=1) == 1
        if fields["deck"]:
            assert Counter(fields["deck"][: len(fields["undealt"])]) == Counter(fields["undealt"])

    @invariant()
    def sections(self) -> None:
        """A complete building ends the game, and nothing else does before the last round is over."""
        fields = self.fields
        complete = [
            all(len(player[f"section_{section}"]) == 3 for section in (1, 2, 3)) for player in fields["players"]
        ]
        last = (fields["phase"], fields["round"]) == (4, 3)
        assert self.state.over or not any(complete)
        assert not self.state.over or any(complete) or last


DuelConservation.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestConservation = DuelConservation.TestCase
