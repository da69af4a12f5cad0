"""`clerestory bench manners`: each character is recognized by its actions, in a few games of a fixed seed."""

import json
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from clerestory.cli.main import bench
from clerestory.engine.games import GAMES
from clerestory.engine.tuning import CHARACTERS

BOTH = ("cathedral", "duel")
FEW = ("--iterations", "20", "--seed", "7")
CLEAR = ("mabel", "linnet")  # whose habits show in a second
# Games for those whose habits are rare, or differ little from those of plain players.
FAINT = {"perkin": 96, "mabel": 64, "ubald": 48, "corwin": 48, "theda": 48, "ottilie": 48}


def measured(*options: str) -> Result:
    return CliRunner().invoke(bench, ["manners", *options, "--workers", "1"])


@pytest.mark.parametrize("game", BOTH)
def test_every_character_has_a_manner_in_both_games(game: str) -> None:
    assert list(GAMES[game].tuning.manners) == list(CHARACTERS)


@pytest.mark.parametrize(
    "character", [pytest.param(name, marks=() if name in CLEAR else pytest.mark.slow) for name in CHARACTERS]
)
@pytest.mark.parametrize("game", BOTH)
def test_a_character_is_known_by_what_it_does(game: str, character: str) -> None:
    games = FAINT.get(character, 16)
    answer: dict[str, Any] = json.loads(
        measured(character, "--game", game, "--games", str(games), *FEW, "--json").output
    )
    [row] = answer["characters"]
    assert (row["character"], row["level"], row["games"]) == (character, CHARACTERS[character], games)
    assert row["own"] > row["plain"] if row["often"] else row["own"] < row["plain"]


@pytest.mark.parametrize("options", [["bolingbroke"], ["mabel", "--game", "toy"]])
def test_nobody_else_is_measured(options: list[str]) -> None:
    assert "has no manner" in str(measured(*options).exception)
