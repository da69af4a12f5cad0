"""`clerestory annotate`: a record goes in, a ledger comes out."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from clerestory.engine import Record
from clerestory.engine.record import EarlyEnd
from clerestory.review.plan import LEAST
from clerestory.search.errors import BadLimit
from tests.review.games import cut, random_game

QUICK = ("--iterations", "50")


@pytest.fixture
def record(tmp_path: Path) -> str:
    """Two games of `toy`, the second for three players, and one that is unfinished."""
    path = tmp_path / "games.jsonl"
    games = [random_game("toy", 2, 1), random_game("toy", 3, 2), cut(random_game("toy", 2, 3), 5)]
    path.write_text("".join(f"{line}\n" for game in games for line in Record(game).lines()))
    return str(path)


def called(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["annotate", *arguments], input=stdin, env={"COLUMNS": "100"})


def test_it_prints_a_ledger(record: str) -> None:
    done = called(record, *QUICK)
    assert done.exit_code == 0, done.output
    for word in ("share at the start", "luck: turn-up", "own errors", "gifts of others", "revaluation", "result"):
        assert word in done.output
    assert "Made by 50 iterations a search, seed 0" in done.output


def test_its_heading_names_the_game_for_people(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{line}\n" for line in Record(cut(random_game("duel", 2, 1), 5)).lines()))
    assert called(str(path), *QUICK).output.startswith("Builders Duel: ")
    assert json.loads(called(str(path), *QUICK, "--json").output)["game"] == "duel"


def test_a_page_that_cannot_be_written_is_found_before_the_review(
    record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clerestory.cli.reviewing.review_record", None)
    (tmp_path / "file").touch()
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "gone" / "x.html", "No such file or directory"),
        (tmp_path / "file" / "x.html", "No such file or directory"),
    ):
        assert str(called(record, "--html", str(path)).exception) == f"--html: {path}: {why}"


def test_any_game_of_a_file_is_reviewed_and_standard_input(record: str) -> None:
    second = json.loads(called(record, *QUICK, "--number", "2", "--json").output)
    assert second["seats"] == ["seat 0", "seat 1", "seat 2"]
    piped = called("-", *QUICK, "--number", "2", "--json", stdin=Path(record).read_text())
    assert json.loads(piped.output) == second


def test_equal_settings_print_equal_reviews(record: str) -> None:
    one, other = (called(record, *QUICK, "--seed", "5", "--json", "--threads", threads) for threads in ("1", "3"))
    assert one.output == other.output
    assert called(record, *QUICK, "--seed", "6", "--json").output != one.output


def test_a_game_that_was_broken_off_is_reviewed_as_far_as_it_came(record: str) -> None:
    done = called(record, *QUICK, "--number", "3")
    assert "not over after 5 moves" in done.output
    assert "share now" in done.output


@pytest.mark.parametrize(
    ("language", "told"), [("en", "blue wins, red resigned"), ("de", "Blau gewinnt, Rot hat aufgegeben")]
)
def test_a_game_that_was_resigned_says_so_and_who_won(language: str, told: str, tmp_path: Path) -> None:
    path, page = tmp_path / "games.jsonl", tmp_path / "report.html"
    game = Record(cut(random_game("duel", 2, 1), 5), early=EarlyEnd(1))
    path.write_text("".join(f"{line}\n" for line in game.lines()))
    done = called(str(path), *QUICK, "--language", language, "--html", str(page))
    assert done.output.splitlines()[0].endswith(f": {told}")
    assert f"{told}." in page.read_text()
    review = json.loads(called(str(path), *QUICK, "--json").output)
    assert (review["ended"], review["early"]) == ("blue wins, red resigned", True)


def test_the_ledger_of_a_resigned_game_ends_with_the_share_of_its_last_position(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(Record(cut(random_game("duel", 2, 1), 5), early=EarlyEnd(1)).lines()))
    assert "share now" in called(str(path), *QUICK).output


def test_errors_are_played_to_the_end_where_that_is_asked_for(record: str) -> None:
    done = called(record, *QUICK, "--deep", "5s")
    assert "Played to the end: " in done.output
    assert "Played to the end: " not in called(record, *QUICK).output


def test_a_seat_may_judge_all(record: str) -> None:
    assert ", by what seat 1 knows" in called(record, *QUICK, "--viewer", "1").output


def test_the_report_is_written_beside_the_table(record: str, tmp_path: Path) -> None:
    done = called(record, *QUICK, "--html", str(tmp_path / "report.html"))
    assert "own errors" in done.output
    assert "<h2>Ledger</h2>" in (tmp_path / "report.html").read_text()


def test_a_report_that_cannot_be_written_costs_no_review(record: str) -> None:
    done = called(record, *QUICK, "--html", "/dev/full")
    assert "own errors" in done.output
    assert isinstance(done.exception, OSError)
    assert done.exception.filename == "/dev/full"


def test_a_time_becomes_as_many_iterations_as_fit(record: str) -> None:
    """No time at all is enough for the least."""
    done = called(record, "--time", "1ms", "--json")
    assert json.loads(done.output)["made_by"]["iterations"] == LEAST


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (["--number", "4"], BadOption, "--number: 4 is past the end; games in the file: 3"),
        (["--time", "9s", "--iterations", "50"], BadOption, "--time: cannot be combined with --iterations"),
        (["--time", "soon"], BadOption, "--time: 'soon' is not a time"),
        (["--deep", "-5s"], BadOption, "--deep: '-5s' is not a time"),
        (["--time", f"{'9' * 400}s"], BadOption, "is not a time like 90s, above 0 and up to 24 hours"),
        (["--viewer", "2"], BadOption, "--viewer: 2 is not a seat; the seats are 0 to 1"),
        ([*QUICK, "--html", "/nowhere/x.html"], BadOption, "--html: /nowhere/x.html: No such file"),
    ],
)
def test_what_makes_no_sense_is_refused(record: str, arguments: list[str], error: type[Exception], says: str) -> None:
    done = called(record, *arguments)
    assert isinstance(done.exception, error)
    assert says in str(done.exception)


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("not a record\n")
    assert "x: line 1: is not JSON" in str(called(str(tmp_path / "x")).exception)
    assert isinstance(called(str(tmp_path / "y")).exception, BadOption)
    (tmp_path / "x").write_text("")
    assert "x: has no game" in str(called(str(tmp_path / "x")).exception)


def test_too_few_iterations_are_refused(record: str) -> None:
    assert called(record, "--iterations", "49").exit_code == 2
    assert not isinstance(called(record, "--iterations", "49").exception, BadLimit)
