"""Results files: a kill loses nothing, and only games of the same match are added."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine.core import Game
from clerestory.engine.values.value import value_of
from clerestory.engine.values.weights import write_weights
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import play_match
from clerestory.search.training.net import NetWeights, begin_weights, in_points
from tests.search.arena.matches import MATCH, cathedral, played, run


@pytest.mark.parametrize("kept", [0, 40, 300, 1500, -1])
def test_a_torn_file_gives_the_same_report(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    whole = run(MATCH, path)
    content = path.read_bytes()
    path.write_bytes(content[:kept])
    assert run(MATCH, path) == whole
    lines = path.read_bytes().splitlines(keepends=True)
    before = content[:kept].splitlines(keepends=True)
    assert lines[: max(len(before) - 1, 0)] == before[:-1]
    assert len(lines) == 1 + 15
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)


def test_finished_games_are_not_played_again_and_a_match_can_be_made_longer(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    content = path.read_bytes()
    with open_results(path, MATCH) as results:
        assert not list(play_match(MATCH, results, workers=1))
    assert path.read_bytes() == content
    longer = replace(MATCH, seed=2, deals=9)
    assert run(longer, path) == run(longer)
    assert run(MATCH, path) == run(MATCH)  # other deals in the file are ignored


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"bots": ("greedy", "random")}, "bots"),
        ({"seats": 2}, "seats"),
        ({"budget": "1s"}, "budget"),
        ({"load": cathedral}, "game"),
        ({"luck": "hand"}, "luck"),
    ],
)
def test_another_matchs_file_is_rejected(change: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(content := json.dumps(MATCH.header()) + "\n")
    with pytest.raises(BadMatch, match=rf"games\.jsonl: {named} is"), open_results(path, replace(MATCH, **change)):
        pass
    assert path.read_text() == content


@pytest.mark.parametrize(
    "change",
    [
        *({"deal": deal} for deal in ("a", -1, 0.5, True)),
        *({"seat": seat} for seat in (3, -1, None)),
        {"plies": "8"},
        *({"returns": value} for value in ("x", [1], [1, 0], [2, -1, 0], [1, 1, 0], [math.nan, 1, 0], [None] * 3)),
        *({"margins": value} for value in ([], ["1", 0, 0], [math.inf, 0, 0], [10**400, 0, 0])),
        *({name: []} for name in ("values", "moves", "seconds", "iterations", "luck")),
    ],
)
def test_a_game_with_a_wrong_value_is_rejected(change: dict[str, Any], tmp_path: Path) -> None:
    path, good = tmp_path / "games.jsonl", replace(played(4, 0, [1, 0, 0]), seconds=[0, 0, 0]).fields()
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (MATCH.header(), good, good | {"seat": 1} | change)))
    with pytest.raises(BadMatch, match=r"games\.jsonl: line 3 is not a game"), open_results(path, MATCH):
        pass


def test_games_of_another_value_behind_the_same_name_are_rejected(tmp_path: Path) -> None:
    """A path identifies nothing, and neither does the name of a bot that uses shipped data."""
    value, path, game = tmp_path / "value.net", tmp_path / "games.jsonl", cathedral()
    bots = (f"greedy:value={value}", "ismcts")
    match = replace(MATCH, load=cathedral, seats=2, bots=bots, budget="1it", luck=str(value))

    def checksum(name: str) -> str | None:
        weights = value_of(game, name).weights
        return weights and weights.checksum

    write_weights(value, random_weights(game, 1), {}, game=game)
    assert match.header()["weights"] == [checksum(str(value)), checksum("net-2"), checksum(str(value))]
    assert replace(match, bots=("random", "ismcts:value=hand"), luck="").header()["weights"] == [None, None]
    with open_results(path, match):
        pass
    write_weights(value, random_weights(game, 2), {}, game=game)
    with pytest.raises(BadMatch, match=r"games\.jsonl: weights is"), open_results(path, match):
        pass


def random_weights(game: Game, seed: int) -> NetWeights:
    return in_points(begin_weights(*map(len, game.input_names), seed))


@pytest.mark.parametrize(
    ("more", "line", "named"),
    [
        ({}, "{}", "line 2 is not a game"),
        ({}, "[1]", "line 2 is not a JSON object"),
        ({}, "{", "line 2 is not a JSON object"),
        ({"luck": "net"}, "", "luck is 'net' in the file, None"),
    ],
)
def test_a_wrong_line_is_named(more: dict[str, str], line: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{json.dumps({**MATCH.header(), **more})}\n{line}\n")
    with pytest.raises(BadMatch, match=rf"games\.jsonl: {named}"), open_results(path, MATCH):
        pass


@pytest.mark.parametrize("content", [b'{"record": 1}\n', b"letters\nwithout a last line end", b"a word"])
def test_a_file_of_something_else_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(BadMatch, match="other: "), open_results(path, MATCH):
        pass
    assert path.read_bytes() == content


def test_a_game_that_occurs_twice_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(BadMatch, match=r"games\.jsonl: a game occurs twice"), open_results(path, MATCH):
        pass


def test_two_runs_on_one_file_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with open_results(path, MATCH) as first:
        playing = play_match(MATCH, first, workers=1)
        next(playing)
        content = path.read_bytes()
        with pytest.raises(BadMatch, match=r"games\.jsonl: another run"), open_results(path, MATCH):
            pass
        assert path.read_bytes() == content
        assert len(list(playing)) == 14
    with open_results(path, MATCH) as again:
        assert len(again.games) == 15
