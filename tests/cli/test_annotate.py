"""`clerestory annotate`: a record goes in, a ledger comes out."""

from functools import partial
from pathlib import Path

import pytest

from clerestory.engine import Record
from clerestory.engine.record import EarlyEnd
from clerestory.review.plan import LEAST
from tests.cli.command import failed, run
from tests.review.games import cut, random_game

annotate = partial(run, "annotate", COLUMNS="100")
QUICK = ("--iterations", "50")


@pytest.fixture
def record(tmp_path: Path) -> str:
    """Two games of `toy`, the second for three players, and one that is unfinished."""
    path = tmp_path / "games.jsonl"
    games = [random_game("toy", 2, 1), random_game("toy", 3, 2), cut(random_game("toy", 2, 3), 5)]
    path.write_text("".join(f"{line}\n" for game in games for line in Record(game).lines()))
    return path


def test_it_prints_a_ledger(record: str) -> None:
    done = annotate(record, *QUICK)
    assert done.code == 0
    for word in ("share at the start", "luck: turn-up", "own errors", "gifts of others", "revaluation", "result"):
        assert word in done.out
    assert "Made by 50 iterations a search, seed 0" in done.out


def test_its_heading_names_the_game_for_people(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{line}\n" for line in Record(cut(random_game("duel", 2, 1), 5)).lines()))
    assert annotate(path, *QUICK).out.startswith("Builders Duel: ")
    assert annotate(path, *QUICK, "--json").json["game"] == "duel"


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
        assert annotate(record, "--html", path) == failed(f"--html: {path}: {why}")


def test_any_game_of_a_file_is_reviewed_and_standard_input(record: str) -> None:
    second = annotate(record, *QUICK, "--number", "2", "--json").json
    assert second["seats"] == ["seat 0", "seat 1", "seat 2"]
    piped = annotate("-", *QUICK, "--number", "2", "--json", typed=Path(record).read_text())
    assert piped.json == second


def test_equal_settings_print_equal_reviews(record: str) -> None:
    one, other = (annotate(record, *QUICK, "--seed", "5", "--json", "--threads", threads) for threads in ("1", "3"))
    assert one.out == other.out
    assert annotate(record, *QUICK, "--seed", "6", "--json").out != one.out


def test_a_game_that_was_broken_off_is_reviewed_as_far_as_it_came(record: str) -> None:
    done = annotate(record, *QUICK, "--number", "3")
    assert "not over after 5 moves" in done.out
    assert "share now" in done.out


@pytest.mark.parametrize(
    ("language", "told"), [("en", "blue wins, red resigned"), ("de", "Blau gewinnt, Rot hat aufgegeben")]
)
def test_a_game_that_was_resigned_says_so_and_who_won(language: str, told: str, tmp_path: Path) -> None:
    path, page = tmp_path / "games.jsonl", tmp_path / "report.html"
    game = Record(cut(random_game("duel", 2, 1), 5), early=EarlyEnd(1))
    path.write_text("".join(f"{line}\n" for line in game.lines()))
    done = annotate(path, *QUICK, "--language", language, "--html", page)
    assert done.out.splitlines()[0].endswith(f": {told}")
    assert f"{told}." in page.read_text()
    review = annotate(path, *QUICK, "--json").json
    assert (review["ended"], review["early"]) == ("blue wins, red resigned", True)
    assert "share now" in annotate(path, *QUICK).out  # the ledger ends with the last position


def test_errors_are_played_to_the_end_where_that_is_asked_for(record: str) -> None:
    done = annotate(record, *QUICK, "--deep", "50ms")
    assert "Played to the end: " in done.out
    assert "Played to the end: " not in annotate(record, *QUICK).out


def test_a_seat_may_judge_all(record: str) -> None:
    assert ", by what seat 1 knows" in annotate(record, *QUICK, "--viewer", "1").out


def test_the_report_is_written_beside_the_table(record: str, tmp_path: Path) -> None:
    done = annotate(record, *QUICK, "--html", str(tmp_path / "report.html"))
    assert "own errors" in done.out
    assert "<h2>Ledger</h2>" in (tmp_path / "report.html").read_text()


def test_a_report_that_cannot_be_written_costs_no_review(record: str) -> None:
    done = annotate(record, *QUICK, "--html", "/dev/full")
    assert "own errors" in done.out
    assert (done.code, done.err) == (1, "clerestory: /dev/full: No space left on device\n")


def test_a_time_becomes_as_many_iterations_as_fit(record: str) -> None:
    """No time at all is enough for the least."""
    done = annotate(record, "--time", "1ms", "--json")
    assert done.json["made_by"]["iterations"] == LEAST


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--number", "4"], "--number: 4 is past the end; games in the file: 3"),
        (["--time", "9s", "--iterations", "50"], "--time: cannot be combined with --iterations"),
        (["--time", "soon"], "--time: 'soon' is not a time"),
        (["--deep", "-5s"], "--deep: '-5s' is not a time"),
        (["--time", f"{'9' * 400}s"], "is not a time like 90s, above 0 and up to 24 hours"),
        (["--viewer", "2"], "--viewer: 2 is not a seat; the seats are 0 to 1"),
        ([*QUICK, "--html", "/nowhere/x.html"], "--html: /nowhere/x.html: No such file"),
        (["--iterations", "49"], "--iterations"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_options_are_refused(record: str, arguments: list[str], says: str) -> None:
    done = annotate(record, *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(("text", "says"), [("not a record\n", "line 1: is not JSON"), ("", "has no game")])
def test_a_file_that_is_no_record_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    done = annotate(path)
    assert done.code == 2
    assert done.err.startswith(f"clerestory: {path}: {says}")
