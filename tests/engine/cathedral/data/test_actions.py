"""The code space: every action has a text and a label, and texts are unique."""

import pytest

from clerestory.engine import BadText
from tests.shipped import CATHEDRAL

#   text, label
EXAMPLES = [
    ("advantage aliena", "Aliena is turned up at Kingsbridge"),
    ("craftsman toolmaker_1", "Tool maker of round 1 is turned up at Shiring"),
    ("leave-out sand_2 stone_4", "left out: Gravel pit, 2 sand; Quarry, 4 stone"),
    ("draw red", "a red builder is drawn"),
    ("event cold_winter", "the event: Cold winter"),
    ("roll 5", "the tax is 5"),
    ("take wood_3", "send workers: Forest, 3 wood"),
    ("hire organ_builder_6", "hire the Organ builder of round 6"),
    ("pass", "pass: no more cards this round"),
    ("dismiss stonecutter", "dismiss the Stonecutter"),
    ("redraw", "return the builder to the bag and draw again"),
    ("accept", "let the draw stand"),
    ("place yellow shiring.2", "place a yellow builder: Shiring, second craftsman"),
    ("wait green", "pass: the green builder waits"),
    ("use brother_remigius", "use Brother Remigius: this builder is placed free"),
    ("use archbishop_thomas", "use Archbishop Thomas: be spared by the event"),
    ("save tax_exemption", "keep Tax exemption for later"),
    ("protect", "take the archbishop's protection"),
    ("decline", "take no protection"),
    ("gain sand", "gain 1 sand"),
    ("discard metal", "discard 1 metal"),
    ("buy stone 4", "buy 4 stone"),
    ("sell metal 13", "sell 13 metal"),
    ("leave", "leave the market"),
    ("convert goldsmith_6 9", "use the Goldsmith of round 6, 9 times"),
    ("finish", "finish converting"),
]


@pytest.mark.parametrize(("text", "label"), EXAMPLES)
def test_an_action_has_its_text_and_label(text: str, label: str) -> None:
    action = CATHEDRAL.parse_action(text)
    assert (action.text, action.label) == (text, label)


def test_the_number_of_actions() -> None:
    assert CATHEDRAL.num_actions == 632


NONE = [
    "", "take", "take potter_2", "hire mortar_mixer", "place red market.1", "place pink market", "roll 6",
    "gain metal", "buy metal 1", "buy sand 0", "buy sand 5", "sell metal 14", "convert potter_5 11",
    "save brother_remigius", "Pass",
]  # fmt: skip


@pytest.mark.parametrize("text", NONE)
def test_other_texts_are_rejected(text: str) -> None:
    with pytest.raises(BadText):
        CATHEDRAL.parse_action(text)
