"""`clerestory report`: records and reviews go in, the play of one player comes out."""

import json
from functools import partial
from pathlib import Path

import pytest

from clerestory.engine import Record
from tests.clients.cli.command import failed, run
from tests.clients.cli.test_reviewing import QUICK, written
from tests.search.review.games import cut, random_game

report = partial(run, "report", COLUMNS="100")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Two games of `duel` that are not over."""
    return written(tmp_path / "games.jsonl", *(Record(cut(random_game("duel", 2, seed), 20)) for seed in (1, 2)))


def test_records_are_reviewed_and_reported(records: Path, tmp_path: Path) -> None:
    done = report(records, "--player", "blue", *QUICK, "--html", tmp_path / "report.html")
    assert done.code == 0
    for words in ("blue in 2 games of Builders Duel", "The most costly habits", "By kind of decision", "rounds 1 to 3"):
        assert words in done.out
    assert "blue in 2 games of Builders Duel" in (tmp_path / "report.html").read_text()
    assert done.err == f"The report is in {tmp_path / 'report.html'}.\n"


def test_a_review_that_was_printed_is_not_made_again(records: Path, tmp_path: Path) -> None:
    (tmp_path / "review.json").write_text(run("annotate", records, *QUICK, "--json").out)
    afresh = report(records, "--player", "1", *QUICK, "--json").json
    stored = report(tmp_path / "review.json", "--player", "blue", "--json").json
    assert stored["games"] == afresh["games"][:1]
    assert [afresh[key] for key in ("summary", "player", "game")] == [1, "1", "duel"]
    assert sum(one["decisions"] for one in afresh["kinds"]) == afresh["overall"]["decisions"]


def test_it_is_told_in_other_languages(records: Path) -> None:
    assert "Die teuersten Gewohnheiten" in report(records, "--player", "red", *QUICK, "--language", "de").out


def test_what_is_wrong_is_named(records: Path, tmp_path: Path) -> None:
    seats = "is not a seat of {}; the seats are red, blue"
    for wrong in ("green", "2"):
        assert report(records, "--player", wrong) == failed(f"--player: {wrong!r} {seats.format(records)}")
    other = written(tmp_path / "toy.jsonl", Record(random_game("toy", 2, 1)))
    mixed = "FILE: the games must be of one kind; these are of duel and toy"
    assert report(records, other, "--player", "0") == failed(mixed)
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"annotation": 1, "game": "duel", "seats": ["red"], "accounts": [{}]}))
    damaged = f"{broken}: is not a whole review; repeat `clerestory annotate --json`"
    assert report(broken, "--player", "0") == failed(damaged)
