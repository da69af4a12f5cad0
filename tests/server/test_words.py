"""Reasons in a person's words: codes with arguments that say the same as the English, and nothing twice."""

from pathlib import Path

import pytest

from clerestory.engine import GAMES, from_position
from clerestory.search.gains import Gain
from clerestory.search.reasons import in_english, stated, traded
from clerestory.server.translate_answers import read_text, write_text
from clerestory.texts import has
from clerestory.v1 import advisor_pb2 as api
from tests.server.harness import question, served

POSITIONS = sorted((Path(__file__).parents[2] / "examples" / "positions").glob("*.json"))


async def test_reasons_and_the_lead_are_codes_with_arguments() -> None:
    told = 0
    async with served() as server:
        for path in POSITIONS[::3]:
            position = from_position(path.read_text())
            answer = await server.advisor.RecommendMove(question(position, iterations=400, seed=1, seat=position.turn))
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
        (gains(vp=1.0, vp_craftsmen=1.0), "At the end of the round it has 1 point more."),
        (gains(wood=4.0, vp=-2.0), "At the end of the round it has 4 wood more, but 2 points less."),
        (gains(gold=-3.0), "But at the end of the round it has 3 gold less."),
        (gains(True, vp=1.25), "At the end of the game it has 1.2 points more."),
        (gains(True, vp=-1.0, gold=4.0), ""),
        (gains(vp_priory=2.0), ""),
        ([], ""),
    ],
)
def test_a_trade_is_told_once_and_both_ways(found: list[Gain], sentence: str) -> None:
    tuning = GAMES["cathedral"].tuning
    assert in_english(traded(stated(found, tuning.told)), "cathedral") == sentence


def test_what_is_told_are_features_with_texts_the_score_first() -> None:
    for game in GAMES.values():
        features = list(game.new(2, 1).features(0))
        told = game.tuning.told or features
        assert told[0] == features[0]
        assert set(told) <= set(features)
        assert all(has(game.name, f"amount.{feature}") for feature in told)


def test_a_text_is_read_as_it_was_written() -> None:
    message = api.Text(code="lead.ahead", arguments=[api.TextArgument(name="count", number=2.1)])
    assert read_text(message) == read_text(write_text(read_text(message), GAMES["toy"]))
    assert write_text(read_text(message), GAMES["toy"]).english == "You lead by 2.1 points."
