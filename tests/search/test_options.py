"""Options of a search as texts, and the table of the docs that lists them."""

from pathlib import Path
from typing import Any

import pytest

from clerestory.search.errors import BadLimit
from clerestory.search.options import LEARNING, read_options, write_options
from tools.declared import search_table

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("horizon=0,reward=win,exploration=0.5", {"horizon": 0, "reward": "win", "exploration": 0.5}),
        ("exploration=1,reward=0.2,value=2", {"exploration": 1.0, "reward": 0.2, "value": "2"}),
        ("scale=9,growth=low", {"scale": 9.0, "growth": "low"}),  # which the search refuses
    ],
)
def test_a_text_is_read_as_the_options_are_declared(text: str, options: dict[str, Any]) -> None:
    assert read_options(text) == options


def test_written_options_are_read_again() -> None:
    assert read_options(write_options(LEARNING)) == LEARNING


@pytest.mark.parametrize(
    ("text", "named"), [("depth=2", "depth: is not an option"), ("reward", "reward: needs a value")]
)
def test_what_is_no_option_is_refused(text: str, named: str) -> None:
    with pytest.raises(BadLimit, match=named):
        read_options(text)


def test_the_table_of_the_docs_is_what_is_declared() -> None:
    assert search_table() in PAGE.read_text(encoding="utf-8"), "run `make reference`"
