"""Options of a search: their ranges and their text form."""

import math
from typing import Any

import pytest

from clerestory.engine.toy.rules import TOY
from clerestory.search.errors import BadLimit
from clerestory.search.options import LEARNING, read_options, write_options
from tests.search.positions import decisions, search


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("horizon=0,reward=win,exploration=0.5", {"horizon": 0, "reward": "win", "exploration": 0.5}),
        ("exploration=1,reward=0.2,value=2", {"exploration": 1.0, "reward": 0.2, "value": "2"}),
        ("scale=9,growth=low", {"scale": 9.0, "growth": "low"}),  # which the search rejects
    ],
)
def test_a_text_is_read_as_the_options_are_declared(text: str, options: dict[str, Any]) -> None:
    assert read_options(text) == options


def test_written_options_are_read_again() -> None:
    assert read_options(write_options(LEARNING)) == LEARNING


@pytest.mark.parametrize(
    ("text", "named"), [("depth=2", "depth: is not an option"), ("reward", "reward: needs a value")]
)
def test_a_text_with_an_unknown_option_is_rejected(text: str, named: str) -> None:
    with pytest.raises(BadLimit, match=named):
        read_options(text)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("seed", [-1, 1 << 64, "1", True]),
        ("exploration", [-0.1, math.nan, "much"]),
        ("growth", [-0.1, math.inf]),
        ("max_bytes", [1000, 1e6, True]),
        ("max_visits", [0, 2.5, True]),
        ("reward", ["loss", ["win"]]),
        ("playout", ["perfect"]),
        ("horizon", [-1, 2.5]),
        ("temperature", [0, math.inf]),
        ("scale", [0, "narrow"]),
        ("settled", [-0.1, 2, "surely"]),
        ("prior_floor", [-0.1, 1.1]),
        ("priors", ["visits"]),
        ("choice", ["luck"]),
        ("deviations", [-1]),
        ("sharpness", [0, "sharp"]),
        ("allocation", ["fair"]),
    ],
)
def test_options_out_of_range_are_rejected(option: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(BadLimit) as caught:
            search(decisions(TOY, 3, 1)[0], 1, **{option: value})
        assert caught.value.field == option
