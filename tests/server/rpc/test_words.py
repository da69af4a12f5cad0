"""Reasons in a person's words: codes with arguments that say the same as the English, and nothing twice."""

from pathlib import Path

import pytest

from clerestory.engine import GAMES, from_position
from clerestory.i18n import has
from clerestory.i18n.sentences import QuotedAction, QuotedItem, format_text, text
from clerestory.search.gains import Gain
from clerestory.search.lines import Line
from clerestory.search.reasons import in_english, named, sentences, stated, traded
from clerestory.server.rpc.translate import read_text, write_text
from clerestory.server.rpc.translate_advisor import write_plan
from clerestory.v1 import advisor_pb2 as api
from tests.server.rpc.harness import Served, question

BEGUN = GAMES["cathedral"].new(2, 1)
POSITIONS = sorted((Path(__file__).parents[3] / "examples" / "positions").glob("*.json"))


async def test_reasons_and_the_lead_are_codes_with_arguments(server: Served) -> None:
    told = 0
    for path in POSITIONS[::5]:
        position = from_position(path.read_text())
        answer = await server.advisor.RecommendMove(question(position, iterations=200, seed=1, seat=position.turn))
        assert answer.reason == " ".join(one.english for one in answer.reasons)
        for one in [*answer.reasons, answer.lead]:
            assert has("service", one.code) or has(position.game.name, one.code)
            assert write_text(read_text(one), position.game) == one
        told += len(answer.reasons)
        points = round(answer.lines[0].margin, 1)
        sign = "ahead" if points > 0 else "behind" if points < 0 else "even"
        assert answer.lead.code == f"lead.{sign}"
    assert told > 0


def gains(at_game_end: bool = False, **means: float) -> list[Gain]:
    return [Gain(feature, at_game_end, mean, 0.01, 50) for feature, mean in means.items()]


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (gains(vp=1.0, vp_craftsmen=1.0), "1 point more at the end of the round."),
        (gains(sand=4.0), "4 sand more at the end of the round."),
        (gains(metal=1.0, gold=-3.4), "1 metal more, but 3 gold less at the end of the round."),
        (
            gains(wood=4.2, vp=-2.0),
            "4 wood more, 2 points less at the end of the round; but the Woodworker needs wood.",
        ),
        (gains(stone=1.0, vp=2.4, gold=-8.0), "2.4 points and 1 stone more, but 8 gold less at the end of the round."),
        (gains(gold=-3.0), "3 gold less at the end of the round, which pays off later."),
        (gains(gold=0.4, wood=-0.3), ""),
        (gains(True, vp=1.25), "1.2 points more at the end of the game."),
        (gains(True, vp=-1.0, gold=4.0), ""),
        (gains(True, stone=3.0), ""),
        (gains(vp_priory=2.0), ""),
        ([], ""),
    ],
)
def test_a_trade_is_told_once_and_both_ways(found: list[Gain], sentence: str) -> None:
    """Whole things and tenths of points, and who needs what is gained; nothing of goods that are left at the end."""
    view = BEGUN.observe(0)
    assert in_english(traded(stated(found, view.game.tuning.explained), view, 0), "cathedral") == sentence


def test_goods_of_the_last_round_are_worth_nothing() -> None:
    found = [*gains(wood=3.0, vp=-1.0), *gains(True, wood=3.0, vp=-1.0)]
    assert stated(found, BEGUN.game.tuning.explained) == []


def test_points_that_are_said_already_are_not_said_again() -> None:
    told = BEGUN.game.tuning.explained
    assert stated(gains(vp=2.0), told, scored=True) == []
    assert [one.feature for one in stated(gains(vp=2.0, gold=-3.0), told, scored=True)] == ["gold", "vp"]


def test_a_plan_is_named_as_a_whole() -> None:
    """Where conversions are advised, the sentence names the uses of all craftsmen, not only of the first."""
    variation = ("convert mortar_mixer 1", "convert woodworker 2", "finish", "discard wood")
    names = [in_english((named(line(one), BEGUN.game),), "cathedral") for one in (variation, variation[3:])]
    assert names == ["Mortar mixer 1 and Woodworker 2", "discard 1 wood"]
    assert named(line(("finish", "discard wood")), BEGUN.game) == QuotedAction("finish", "label")


def test_two_cards_of_one_name_are_told_apart_by_their_rounds() -> None:
    two = line(("convert carpenter_2 1", "convert carpenter_3 2", "finish"))
    one = line(("convert carpenter_3 2", "finish"))
    names = [
        in_english((named(*pair, other.principal_variation),), "cathedral")
        for *pair, other in ((two, BEGUN.game, one), (one, BEGUN.game, two), (one, BEGUN.game, one))
    ]
    assert names == ["Carpenter (round 2) 1 and Carpenter (round 3) 2", "Carpenter (round 3) 2", "Carpenter 2"]


def line(variation: tuple[str, ...]) -> Line:
    return Line(variation[0], "label", 9, 9, (), (), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, variation)


def test_a_plan_that_is_better_in_another_order_only_has_no_reason() -> None:
    one = line(("convert mortar_mixer 1", "convert woodworker 2"))
    other = line(("convert woodworker 2", "convert mortar_mixer 1", "finish"))
    assert sentences(one, other, gains(vp=1.0), BEGUN, 0) == ()
    assert sentences(one, line(other.principal_variation[:1]), gains(vp=1.0), BEGUN, 0)


def test_what_is_told_are_features_with_texts_the_score_first() -> None:
    for game in GAMES.values():
        features = list(game.new(2, 1).features(0))
        told = game.tuning.explained or features
        assert told[0] == features[0]
        assert set(told) <= set(features)
        assert all(has(game.name, f"amount.{feature}") for feature in told)


def test_the_parts_of_a_plan_say_once_how_often_and_what_is_discarded() -> None:
    game = GAMES["cathedral"]
    assert [use.label for use in write_plan(game, {"mason_1": 2, "mortar_mixer": 1})] == ["Mason 2", "Mortar mixer 1"]
    assert [use.label for use in write_plan(game, {"sand": 5, "wood": 1})] == ["discard 5 sand", "discard 1 wood"]
    rounds = ["Mason (round 1) 2", "Mason (round 2) 1"]
    assert [use.label for use in write_plan(game, {"mason_1": 2, "mason_2": 1})] == rounds


def test_a_text_is_read_as_it_was_written() -> None:
    use = text("plan.use", name=QuotedItem("carpenter_2", "Carpenter"), count=4.0)
    assert read_text(write_text(use, GAMES["cathedral"])) == use
    assert [format_text(use, "cathedral", language) for language in ("en", "de")] == ["Carpenter 4", "Zimmermann 4"]
    message = api.Text(code="lead.ahead", arguments=[api.TextArgument(name="count", number=2.1)])
    assert read_text(message) == read_text(write_text(read_text(message), GAMES["toy"]))
    assert write_text(read_text(message), GAMES["toy"]).english == "Expected at the end: 2.1 points ahead."
