"""The code space: every action has a text and a label, and texts are unique."""

import pytest

from clerestory.engine import BadText
from clerestory.engine.duel.data.actions import sets_of_materials
from tests.shipped import DUEL

#   text, label
EXAMPLES = [
    ("face 5", "the seal shows 5"),
    ("draw 1/4", "the seal drawn is 1/4"),
    ("claim row 2", "claim the second row"),
    ("claim diagonal up", "claim the diagonal from the lower left"),
    ("take-back 2.3", "take back the marker: row 2, column 3"),
    ("flip 0/5", "flip a seal: 0/5"),
    ("flip personal", "flip a seal: the personal one, 2/3"),
    ("stop", "stop flipping: the card is lost"),
    ("keep 2/3", "keep a seal: 2/3"),
    ("pass", "keep the card for later"),
    ("build III brick cloth bell", "build in section III: brick, cloth, bell"),
    ("build I cloth cloth cloth", "build in section I: cloth, cloth, cloth"),
    ("end", "end the turn"),
    ("done", "no more of this"),
    ("buy seal", "buy the top seal"),
    ("convert wool 4", "convert 4 wool"),
    ("convert ore 1", "convert 1 ore"),
    ("buy ore", "buy 1 ore"),
    ("sell wool 4", "sell 4 wool"),
    ("take wool", "take 1 wool"),
    ("pay 0/5 sand", "pay a seal 0/5 for 1 sand"),
    ("place II cloth 1/4", "place in section II: cloth, for a seal 1/4"),
    ("return III bell", "return from section III: bell"),
    ("deal income_4", "the next card: Income of 4 gold"),
    ("use tom_builder", "use Tom Builder"),
    ("play king_stephen", "play Audience with King Stephen"),
]


@pytest.mark.parametrize(("text", "label"), EXAMPLES)
def test_an_action_has_its_text_and_label(text: str, label: str) -> None:
    action = DUEL.parse_action(text)
    assert (action.text, action.label) == (text, label)


def test_the_number_of_actions() -> None:
    assert DUEL.num_actions == 263 + 2 * 35


def test_lots_are_what_there_are_chips_for() -> None:
    lots = sets_of_materials()
    assert len(set(lots)) == len(lots) == 46
    assert ("bell", "bell") not in lots
    assert ("beam", "beam", "beam") not in lots
    assert ("cloth", "cloth", "cloth") in lots


NONE = [
    "", "face 6", "draw personal", "claim row 4", "claim diagonal", "take-back 1.4", "flip 3/2", "keep personal",
    "build I", "build I bell bell", "build I mortar beam", "build IV beam", "convert wood 3", "convert ore 2",
    "sell wool 5", "sell wood 1", "take ore", "pay 2/3 ore", "place I bell 0/5", "play income_4", "use king_stephen",
    "End",
]  # fmt: skip


@pytest.mark.parametrize("text", NONE)
def test_other_texts_are_rejected(text: str) -> None:
    with pytest.raises(BadText):
        DUEL.parse_action(text)
