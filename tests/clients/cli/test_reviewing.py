"""`clerestory annotate`: a record goes in, a ledger comes out."""

import re
from functools import partial
from pathlib import Path

import pytest

from clerestory.cli.screen import ProgressLines
from clerestory.engine import Record
from clerestory.engine.record import EarlyEnd
from clerestory.search.review.plan import LEAST
from clerestory.search.review.rollouts import estimate
from tests.clients.cli.command import failed, run
from tests.search.review.games import cut, random_game

QUICK = ("--iterations", "50")
annotate = partial(run, "annotate", COLUMNS="100")


def written(path: Path, *records: Record) -> Path:
    path.write_text("".join(f"{line}\n" for record in records for line in record.lines()))
    return path


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Two games of `toy`, the second for three players, and one that is unfinished."""
    games = random_game("toy", 2, 1), random_game("toy", 3, 2), cut(random_game("toy", 2, 3), 5)
    return written(tmp_path / "games.jsonl", *map(Record, games))


def test_a_ledger_is_printed_and_written_into_a_report(record: Path, tmp_path: Path) -> None:
    done = annotate(record, *QUICK, "--html", tmp_path / "report.html")
    assert done.code == 0
    for word in ("share at the start", "luck: turn-up", "own errors", "gifts of others", "revaluation", "result"):
        assert word in done.out
    assert "Made by 50 iterations a search, seed 0" in done.out
    assert "Played to the end: " not in done.out
    assert "<h2>Ledger</h2>" in (tmp_path / "report.html").read_text()
    assert done.err.splitlines() == [
        "Only the first of 3 games in the file is reviewed; --number N chooses another.",
        f"The report is in {tmp_path / 'report.html'}.",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--number", "3"], ["not over after 5 moves", "share now"]),
        (["--viewer", "1"], [", by what seat 1 knows"]),
        (["--deep", "600s"], ["Played to the end: "]),
    ],
    ids=str,
)
def test_options_change_it(record: Path, options: list[str], words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def rolled_out(*_: object) -> object:
        return estimate([(0.5, 0.0)] * 8)

    monkeypatch.setattr("clerestory.server.analysis.reviewer.Reviewer.rolled_out", rolled_out)
    done = annotate(record, *QUICK, *options)
    assert [word for word in words if word not in done.out] == []


def test_the_heading_names_the_game_for_people(tmp_path: Path) -> None:
    path = written(tmp_path / "games.jsonl", Record(cut(random_game("duel", 2, 1), 5)))
    assert annotate(path, *QUICK).out.startswith("Builders Duel: ")
    assert annotate(path, *QUICK, "--json").json["game"] == "duel"


def test_any_game_of_a_file_is_reviewed_and_standard_input(record: Path) -> None:
    second = annotate(record, *QUICK, "--number", "2", "--json").json
    assert annotate(record, *QUICK, "--number", "1", "--json").err == ""
    assert second["seats"] == ["seat 0", "seat 1", "seat 2"]
    assert annotate("-", *QUICK, "--number", "2", "--json", typed=record.read_text()).json == second


def test_equal_settings_print_equal_reviews_and_a_time_becomes_iterations(record: Path) -> None:
    one, other = (annotate(record, *QUICK, "--seed", "5", "--json", "--threads", threads) for threads in ("1", "3"))
    assert one == other != annotate(record, *QUICK, "--seed", "6", "--json")
    # No time at all is enough for the least.
    assert annotate(record, "--time", "1ms", "--json").json["made_by"]["iterations"] == LEAST


@pytest.mark.parametrize(
    ("language", "told"), [("en", "blue wins, red resigned"), ("de", "Blau gewinnt, Rot hat aufgegeben")]
)
def test_the_review_of_a_resigned_game_names_the_winner(language: str, told: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    path = written(tmp_path / "games.jsonl", Record(cut(random_game("duel", 2, 1), 5), early=EarlyEnd(1)))
    done = annotate(path, *QUICK, "--language", language, "--html", page)
    assert done.out.splitlines()[0].endswith(f": {told}")
    assert f"{told}." in page.read_text()
    review = annotate(path, *QUICK, "--json").json
    assert (review["ended"], review["early"]) == ("blue wins, red resigned", True)
    assert "share now" in annotate(path, *QUICK).out  # the ledger ends with the last position


def test_a_bad_page_is_found_before_the_review(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.cli.reviewing.review_record", None)
    (tmp_path / "file").touch()
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "gone" / "x.html", "No such file or directory"),
        (tmp_path / "file" / "x.html", "No such file or directory"),
    ):
        assert annotate(record, "--html", path) == failed(f"--html: {path}: {why}")


def test_a_report_that_cannot_be_written_costs_no_review(record: Path) -> None:
    done = annotate(record, *QUICK, "--number", "1", "--html", "/dev/full")
    assert "own errors" in done.out
    assert (done.code, done.err) == (1, "clerestory: /dev/full: No space left on device\n")


def test_a_review_says_which_game_of_a_file_it_is_and_how_far_it_has_come(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgressLines, "first", 0.0)
    done = annotate(record, *QUICK, "--number", "2")
    assert ", game 2 of 3: " in done.out.splitlines()[0]
    assert re.fullmatch(r"reviewing: (\d+) / \1", done.err.splitlines()[-1])
