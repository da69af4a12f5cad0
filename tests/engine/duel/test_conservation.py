"""Nothing is made and nothing is lost in random games: chips, seals, gold and cards."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from clerestory.engine import Rng, State
from tests.engine.duel.oracle_cards import CHIPS, DECK_OF_PHASE, DECKS, GOLD_IN_BOX, MADE_FROM, ONCE, SEALS_IN_BOX
from tests.engine.duel.scenes import builder, drawn, fields, informed
from tests.shipped import DUEL

Fields = dict[str, Any]


def check_gold(table: Fields) -> None:
    held = [player["gold"] for player in table["players"]]
    assert min(held) >= 0
    assert sum(held) <= GOLD_IN_BOX


def check_chips(table: Fields) -> None:
    for player in table["players"]:
        placed = [material for section in (1, 2, 3) for material in player[f"section_{section}"]]
        for raw, made in MADE_FROM.items():
            parts = player["supply"][raw], player["camp"][raw], player["materials"][made], placed.count(made)
            assert sum(parts) == CHIPS[raw]
            assert min(parts) >= 0


def check_seals(table: Fields) -> None:
    found = Counter([*table["unseen_seals"], *table["stack"]])
    for player in table["players"]:
        found += Counter([*player["seals"], *player["flipped"]])
    assert found == Counter(SEALS_IN_BOX)
    assert table["unseen_seals"].count("0/5") == 0


def check_cards(table: Fields) -> None:
    """Undealt cards and those on the table belong to the phase's deck; a 1x card is in one place."""
    dealt = Counter([*table["undealt"], *filter(None, table["grid"])])
    assert dealt <= Counter(DECKS[DECK_OF_PHASE[table["phase"]]])
    held = Counter(card for player in table["players"] for card in player["cards"])
    assert set(held) <= set(ONCE)
    assert max((held + Counter(card for card in dealt.elements() if card in ONCE)).values(), default=1) == 1
    if table["deck"]:
        assert Counter(table["deck"][: len(table["undealt"])]) == Counter(table["undealt"])


def check_end(table: Fields) -> None:
    """A complete building ends the game, and nothing else does before the last round is over."""
    complete = any(all(len(player[f"section_{section}"]) == 3 for section in (1, 2, 3)) for player in table["players"])
    last = (table["phase"], table["round"]) == (4, 3)
    assert table["step"] == "over" or not complete
    assert table["step"] != "over" or complete or last


@pytest.mark.parametrize("weigh", [builder, informed])
def test_nothing_is_lost(weigh: Callable[[State], list[float]]) -> None:
    for seed in range(8):
        rng = Rng(seed)
        state = DUEL.new(2, rng)
        while not state.over:
            state.play(drawn(state, rng, weigh))
            for check in (check_gold, check_chips, check_seals, check_cards, check_end):
                check(fields(state))
