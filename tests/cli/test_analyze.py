"""`clerestory analyze`: tables that improve, for people and for programs; the options of a request."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clerestory import __version__
from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from tests.clients.fake import Scripted, serving

POSITIONS = Path(__file__).parents[2] / "examples" / "positions"
OPENING, POSITION = POSITIONS / "toy-2p-round1.json", POSITIONS / "cathedral-3p-round4-draft.json"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "160"})


def test_version() -> None:
    assert run("--version").output == f"clerestory {__version__}\n"


def test_json_is_a_line_for_each_table() -> None:
    servicer = Scripted(tables=3)
    with serving(servicer) as target:
        done = run(
            "analyze", OPENING, "--server", target, "--json", "--every", "50ms", "--certainty", "0.9", "--lines", 2
        )
    assert done.exit_code == 0
    tables = [json.loads(line) for line in done.output.splitlines()]
    assert [(table["sequence"], table["final"]) for table in tables] == [(1, False), (2, False), (3, True)]
    [asked] = servicer.calls
    assert (asked.update_interval.ToMilliseconds(), asked.target_certainty) == (50, 0.9)
    assert (asked.question.max_lines, asked.question.time_budget.ToSeconds()) == (2, 1)


@pytest.mark.parametrize(("word", "seat"), [("1", 1), ("onlooker", None)])
def test_the_observer_is_asked_for(word: str, seat: int | None) -> None:
    servicer = Scripted(tables=1)
    with serving(servicer) as target:
        assert run("analyze", OPENING, "--server", target, "--observer", word).exit_code == 0
    [asked] = servicer.calls
    assert asked.HasField("observer")
    assert (asked.observer.seat if asked.observer.HasField("seat") else None) == seat


def test_the_observer_is_a_seat_or_an_onlooker() -> None:
    done = run("analyze", OPENING, "--observer", "red")
    assert isinstance(done.exception, BadOption)
    assert "--observer: 'red' is neither a seat nor onlooker" in str(done.exception)


def test_an_observer_of_ever_so_many_digits_is_no_seat() -> None:
    done = run("analyze", OPENING, "--observer", "9" * 5000)
    assert isinstance(done.exception, BadOption)
    assert "--observer: is 999999999999; the seats are 0 to 1" in str(done.exception)


def test_json_of_a_real_search_ends_with_its_one_final_table(target: str) -> None:
    for time in ("300ms", "3s", "30s"):  # a busy machine may have no table before the end
        done = run("analyze", POSITION, "--server", target, "--json", "--time", time, "--every", "50ms")
        assert done.exit_code == 0
        tables = [json.loads(line) for line in done.output.splitlines()]
        if len(tables) > 1:
            break
    assert len(tables) > 1
    assert [table["final"] for table in tables] == [False] * (len(tables) - 1) + [True]
    assert all(len(table["recommendation"]["lines"]) == 5 for table in tables)


def test_people_see_the_last_table(target: str) -> None:
    done = run("analyze", OPENING, "--server", target, "--iterations", "3000", "--seed", "1")
    assert done.exit_code == 0
    assert all(
        text in done.output for text in ("play card 6", "3,000 iterations", "until the iterations were done", "seed 1")
    )


@pytest.mark.parametrize("name", ["cathedral-3p-round4-draft", "duel-2p-phase4-claim"])
def test_a_server_of_its_own_sharpens_a_table(name: str) -> None:
    done = run("analyze", OPENING.parent / f"{name}.json", "--time", "1s", "--every", "100ms", "--json")
    assert done.exit_code == 0
    tables = [json.loads(line) for line in done.output.splitlines()]
    assert [table["final"] for table in tables] == [False] * (len(tables) - 1) + [True]
    iterations = [int(table["recommendation"]["statistics"]["iterations"]) for table in tables]
    assert iterations == sorted(iterations)
    assert len(tables) > 1


def test_the_option_is_named_without_which_a_token_would_travel_in_plaintext(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open-sesame\n")
    error = run("recommend", OPENING, "--server", "far.example:1", "--token-file", token).exception
    assert isinstance(error, BadOption)
    assert str(error) == "--tls-ca: is missing: the token would travel in plaintext to far.example:1"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_question_takes_its_options_and_the_token_of_a_file(encoding: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open-sesame\r\n", encoding)
    servicer = Scripted()
    options = ["--level", 3, "--threads", 2, "--consider", "play 4", "--consider", "fold", "--avoid", "play 5"]
    with serving(servicer) as target:
        done = run("recommend", OPENING, "--server", target, "--token-file", token, *map(str, options))
    assert done.exit_code == 0
    [asked] = servicer.calls
    assert (asked.level, asked.threads, asked.consider_actions, asked.avoid_actions) == (
        3,
        2,
        ["play 4", "fold"],
        ["play 5"],
    )
    assert servicer.metadata["authorization"] == "Bearer open-sesame"


@pytest.mark.parametrize(("option", "given"), [("--every", "soon"), ("--time", "soon"), ("--tls-ca", "x")])
def test_a_wrong_option_is_named_as_it_was_typed(option: str, given: str) -> None:
    with_server = () if option == "--tls-ca" else ("--server", "localhost:1")
    error = run("analyze", OPENING, *with_server, option, given).exception
    assert isinstance(error, BadOption)
    assert str(error).startswith(f"{option}: ")
