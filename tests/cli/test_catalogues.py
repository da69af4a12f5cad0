"""`--catalogue`: other card data, of either game or of both, wherever games are played."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from clerestory.engine.duel.catalogue import DuelCatalogue

#   what is replaced in the shipped text
OTHERS = {
    "cathedral": (CathedralCatalogue.shipped, 'name = "Cold winter"', 'name = "Winter"'),
    "duel": (DuelCatalogue.shipped, 'kind = "income", gold = 4', 'kind = "income", gold = 9'),
}


TITLES = {"cathedral": "The Pillars of the Earth", "duel": "Builders Duel"}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clerestory", *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def others(tmp_path: Path) -> dict[str, Path]:
    """A changed catalogue of each game, by name."""
    for game, (shipped, before, after) in OTHERS.items():
        text = shipped.read_text()
        assert before in text
        (tmp_path / f"{game}.toml").write_text(text.replace(before, after, 1))
    return {game: tmp_path / f"{game}.toml" for game in OTHERS}


def cards(game: str, *catalogues: Path) -> str:
    done = run(*(word for path in catalogues for word in ("--catalogue", path)), "rules", "--game", game, "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("game", OTHERS)
def test_a_file_names_the_game_it_is_of(game: str, others: dict[str, Path]) -> None:
    shipped, other = cards(game), cards(game, others[game])
    assert other != shipped
    assert cards(game, *others.values()) == other
    (stranger,) = (path for name, path in others.items() if name != game)
    assert cards(game, stranger) == shipped


def test_games_of_the_arena_and_of_a_server_are_of_it(others: dict[str, Path], tmp_path: Path) -> None:
    position, out = tmp_path / "position.json", tmp_path / "games.jsonl"
    catalogue = ("--catalogue", others["duel"])
    assert run(*catalogue, "new", "--game", "duel", "--seats", 2, "--out", position).returncode == 0
    mark = json.loads(position.read_text())["catalogue"]
    assert mark == DuelCatalogue.load(others["duel"]).content_hash() != DuelCatalogue.load().content_hash()
    match = ("arena", "greedy", "random", "--game", "duel", "--games", 2, "--workers", 2, "--out", out)
    assert run(*catalogue, *match).returncode == 0
    assert mark in out.read_text().splitlines()[0]
    answer = run(*catalogue, "recommend", position, "--iterations", 50, "--json")
    assert json.loads(answer.stdout)["catalogue"] == mark
    assert "catalogue" in run("recommend", position, "--iterations", 50).stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 1", "catalogue.game: is missing"),
        ('game = "toy"', "catalogue.game: 'toy' is not one of"),
        ("game = [", "catalogue: is not TOML"),
        ('game = "duel"\nversion = 2', "catalogue.version"),
    ],
)
def test_a_faulty_file_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(text)
    done = run("--catalogue", path, "rules")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"clerestory: {path}: {says}")
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there() -> None:
    done = run("--catalogue", "nowhere.toml", "rules")
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)


# -- what differs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", OTHERS)
def test_the_catalogue_in_use_does_not_differ_from_itself(game: str) -> None:
    done = run("rules", "--check", OTHERS[game][0])
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{TITLES[game]}: no card differs\n", "")


@pytest.mark.parametrize("game", OTHERS)
def test_what_differs_in_another_catalogue_is_told_value_by_value(game: str, others: dict[str, Path]) -> None:
    done = run("rules", "--check", others[game], "--json")
    (difference,) = json.loads(done.stdout)["differences"]
    before, after = (tomllib.loads("value = {" + text + "}")["value"] for text in OTHERS[game][1:])
    assert done.returncode == 1
    if difference["field"] == "name":
        assert (difference["in_use"], difference["in_file"]) == (before["name"], after["name"])
    else:
        assert before.items() <= difference["in_use"].items()
        assert after.items() <= difference["in_file"].items()
    assert re.match(
        rf"{difference['card']} \(.*\)  {difference['field']}: ", run("rules", "--check", others[game]).stdout
    )


def test_cards_of_another_game_than_the_one_named_are_not_compared(others: dict[str, Path]) -> None:
    done = run("rules", "--game", "cathedral", "--check", others["duel"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "clerestory: --game: 'cathedral', but this is a game of duel\n"
    assert run("rules", "--game", "duel", "--check", others["duel"]).returncode == 1


def test_a_file_that_is_no_catalogue_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text('game = "chess"')
    for path in (tmp_path / "cards.toml", tmp_path / "none.toml"):
        done = run("rules", "--check", path)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert done.stderr.count(str(path)) == 1


def test_a_catalogue_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text(CathedralCatalogue.shipped.read_text(), "utf-8-sig")
    assert run("rules", "--check", tmp_path / "cards.toml").returncode == 0


def test_corrected_cards_keep_the_learned_value_and_that_is_said(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    text = CathedralCatalogue.shipped.read_text()
    assert "capacity = 4" in text
    other.write_text(text.replace("capacity = 4", "capacity = 3", 1))
    done = run("--catalogue", other, "rules", "--game", "cathedral", "--json")
    assert (json.loads(done.stdout)["value"], done.stderr) == ("net", "")
    said = run("--catalogue", other, "rules", "--game", "cathedral").stdout.splitlines()[1]
    assert re.match(r"value: net \(.*; these cards are 0\.[1-9]% away from those of the learned value", said)


def test_cards_that_have_little_in_common_are_valued_by_hand_and_that_is_said(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    text = CathedralCatalogue.shipped.read_text()
    other.write_text(re.sub(r"^(capacity|workers) = \d+", r"\1 = 9", text, flags=re.MULTILINE))
    done = run("--catalogue", other, "rules", "--game", "cathedral", "--json")
    assert json.loads(done.stdout)["value"] == "hand"
    assert re.fullmatch(
        r"cathedral: the search uses the hand-made value: these cards are [\d.]+% away from those of the learned "
        r"value, which holds up to 20%\n",
        done.stderr,
    )
    assert json.loads(run("rules", "--game", "cathedral", "--json").stdout)["value"] == "net"
    assert run("--catalogue", other, "rules", "--game", "cathedral").stdout.splitlines()[1].startswith("value: hand (")
