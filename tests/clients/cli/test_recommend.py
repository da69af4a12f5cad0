"""`clerestory recommend` and `analyze`: tables for people and for programs, and the options of a question."""

import re
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from clerestory.cli.answers import remarks
from clerestory.cli.local_advisor import LocalAdvisor, capacity_of
from clerestory.cli.servers import PRIVATE
from clerestory.engine import from_position
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import MAX_ITERATIONS
from clerestory.search.options import shipped
from clerestory.search.root import observe
from clerestory.server.analysis.capacity import TOGETHER
from clerestory.server.analysis.machine import LEAST
from clerestory.server.analysis.memory import Memory
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2 import RecommendMoveResponse
from tests.clients.cli.command import POSITIONS, TOY_OPENING, failed, run
from tests.clients.python.fake import Scripted, serving

UNDECIDED = POSITIONS / "cathedral-4p-round2-builder.json"

EXAMPLE = POSITIONS / "cathedral-3p-round4-draft.json"
OF_BOTH = pytest.mark.parametrize(
    "example", [EXAMPLE, POSITIONS / "duel-2p-phase4-turn.json"], ids=["cathedral", "duel"]
)


hint = partial(run, "hint")


def answer(*words: object) -> Any:
    done = run("recommend", *words, "--iterations", 300, "--seed", 4, "--json")
    assert (done.code, done.err) == (0, "")
    return done.json | {"statistics": done.json["statistics"] | {"elapsed": "0s", "waited": "0s"}}


@pytest.mark.parametrize("example", sorted(POSITIONS.iterdir()), ids=lambda path: path.stem)
def test_an_answer_for_programs_has_every_action_and_is_the_same_from_a_server(example: Path, target: str) -> None:
    found = answer(example)
    assert answer(example, "--server", target) == found
    ParseDict(found, RecommendMoveResponse())
    legal = {action.text for action in from_position(example.read_text()).legal_actions()}
    assert {line["action"]["text"] for line in found["lines"]} == legal
    assert found["best"] == found["lines"][0]["action"]
    assert int(found["statistics"]["iterations"]) <= 300
    assert found["seed"] == "4"
    assert found["statistics"]["stop_reason"] in {"STOP_REASON_ITERATIONS", "STOP_REASON_DECIDED"}


@pytest.mark.parametrize("options", [["--level", "2"], ["--lines", "2"], ["--threads", "1"]], ids=" ".join)
def test_options_do_the_same_with_and_without_a_server(options: list[str], target: str) -> None:
    assert answer(UNDECIDED, *options) == answer(UNDECIDED, *options, "--server", target)


@pytest.mark.parametrize(
    "wrong",
    [["--time", "-1s"], ["--seat", "7"], ["--consider", "nothing"], ["--level", "8", "--avoid", "x"]],
    ids=" ".join,
)
def test_errors_are_the_same_with_and_without_a_server(wrong: list[str], target: str) -> None:
    here, there = (run("recommend", TOY_OPENING, *wrong, *server) for server in ([], ["--server", target]))
    assert here.code == 2
    assert here == there


def test_no_server_is_started_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.cli.servers.embedded_server", None)
    assert answer(TOY_OPENING)["lines"]
    with pytest.raises(TypeError):
        run("recommend", TOY_OPENING, "--server", "private")


def test_people_see_a_table_with_the_move_to_play() -> None:
    done = run("recommend", TOY_OPENING, "--iterations", 2000, "--seed", 4, COLUMNS=None)
    assert (done.code, done.err) == (0, "")
    title, *lines = done.out.splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    rows = [row for row in rows if row[1]]  # a long meaning continues on a second line
    labels = {action.text: action.label for action in from_position(TOY_OPENING.read_bytes()).legal_actions()}
    assert {row[1] for row in rows} == set(labels)
    [best] = [row[1] for row in rows if row[0] == ">"]
    assert title == f"seat 0: {best} ({labels[best]})"
    assert rows[0][1] == best
    for row in rows:
        assert re.fullmatch(r"\d+\.\d ±\d+\.\d", row[2])
        assert re.fullmatch(r"[+-]\d+\.\d", row[3])
    assert "margin is below that of the line to play; visits: " in done.out
    assert re.search(r"iterations in \d+\.\d{3} s, [^;]+; .* positions, .*; seed 4$", done.out.rstrip())


def test_as_many_iterations_as_the_help_allows_are_accepted() -> None:
    assert "search. [1 or more]" in " ".join(run("recommend", "--help").out.split())
    assert run("recommend", TOY_OPENING, "--time", "50ms", "--iterations", MAX_ITERATIONS, "--json").json["lines"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_question_has_its_options_and_the_token_of_a_file(encoding: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open-sesame\r\n", encoding)
    servicer = Scripted()
    options = ["--level", 3, "--threads", 2, "--consider", "play 4", "--consider", "fold", "--avoid", "play 5"]
    with serving(servicer) as target:
        done = run("recommend", TOY_OPENING, "--server", target, "--token-file", token, *options)
    assert done.code == 0
    [asked] = servicer.calls
    assert (asked.level, asked.threads) == (3, 2)
    assert (asked.consider_actions, asked.avoid_actions) == (["play 4", "fold"], ["play 5"])
    assert servicer.metadata["authorization"] == "Bearer open-sesame"


def test_a_token_does_not_travel_in_plaintext(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open-sesame\n")
    done = run("recommend", TOY_OPENING, "--server", "far.example:1", "--token-file", token)
    assert done == failed("--tls-ca: is missing: the token would travel in plaintext to far.example:1")


SECOND = 350_000  # iterations of a fast machine, about


@pytest.mark.parametrize(
    ("max_searches", "max_tree_bytes"),
    [(capacity_of(1).max_searches, capacity_of(1).max_tree_bytes), (int(PRIVATE[1]), int(PRIVATE[3]))],
    ids=["in this process", "private server"],
)
def test_a_search_of_a_second_does_not_fill_the_least_memory(max_searches: int, max_tree_bytes: int) -> None:
    state = from_position((POSITIONS / "duel-2p-phase4-copy.json").read_text())
    searcher = Searcher(observe(state, state.turn), seed=1, **shipped(state.game, 2))
    searcher.run(iterations=SECOND // 100)
    granted = Memory(LEAST, TOGETHER * max_searches).take(max_tree_bytes)
    assert 100 * searcher.result().tree_bytes < granted


def test_json_has_a_line_for_each_table() -> None:
    servicer = Scripted(tables=3)
    options = ["--json", "--every", "50ms", "--certainty", "0.9", "--lines", 2]
    with serving(servicer) as target:
        done = run("analyze", TOY_OPENING, "--server", target, *options)
    assert done.code == 0
    assert [(table["sequence"], table["final"]) for table in done.json_lines] == [(1, False), (2, False), (3, True)]
    [asked] = servicer.calls
    assert (asked.update_interval.ToMilliseconds(), asked.target_certainty) == (50, 0.9)
    assert (asked.question.max_lines, asked.question.time_budget.ToSeconds()) == (2, 1)


@pytest.mark.parametrize("example", ["cathedral-3p-round4-draft", "duel-2p-phase4-claim"])
@pytest.mark.parametrize("server", [False, True], ids=["in this process", "server"])
def test_the_tables_of_a_search_end_with_the_final_one(example: str, server: bool, target: str) -> None:
    where = ["--server", target] if server else []
    done = run("analyze", POSITIONS / f"{example}.json", *where, "--iterations", 2000, "--every", "10ms", "--json")
    tables = done.json_lines
    assert [table["final"] for table in tables] == [False] * (len(tables) - 1) + [True]
    assert {len(table["recommendation"]["lines"]) for table in tables} == {5}
    iterations = [int(table["recommendation"]["statistics"]["iterations"]) for table in tables]
    assert all(before <= after for before, after in pairwise(iterations))
    assert iterations[-1] > 0


def test_people_see_the_last_table(target: str) -> None:
    done = run("analyze", TOY_OPENING, "--server", target, "--iterations", 3000, "--seed", 1)
    assert done.code == 0
    for text in ("play card 6", "3,000 iterations", "iteration limit reached", "seed 1"):
        assert text in done.out


@pytest.mark.parametrize(("word", "seat"), [("1", 1), ("onlooker", None)])
def test_the_observer_is_asked_for(word: str, seat: int | None) -> None:
    servicer = Scripted(tables=1)
    with serving(servicer) as target:
        assert run("analyze", TOY_OPENING, "--server", target, "--observer", word).code == 0
    [asked] = servicer.calls
    assert asked.HasField("observer")
    assert (asked.observer.seat if asked.observer.HasField("seat") else None) == seat


# -- hint ------------------------------------------------------------------------------------------


@OF_BOTH
def test_a_table_has_as_many_lines_as_asked_and_json_has_all(example: Path) -> None:
    position = from_position(example.read_text())
    legal = {action.text for action in position.legal_actions()}
    out = hint(example, "--time", "50ms", "--lines", 2).out
    assert sum(bool(re.search(f"│ {text} +│", out)) for text in legal) == 2
    assert f"{position.game.seat_name(position.turn)}:" in out
    answer = hint(example, "--time", "50ms", "--seed", 3, "--json").json
    assert ({line["action"]["text"] for line in answer["lines"]}, answer["seed"]) == (legal, "3")


def test_a_watched_hint_in_a_pipe_is_printed_once() -> None:
    out = hint(EXAMPLE, "--time", "100ms", "--watch", COLUMNS="60").out
    assert out.count("iterations in") == 1
    assert re.search(r"iterations in .{30,}; seed \d+\n$", out)


def test_a_search_that_was_too_short_has_a_warning_and_no_forecast() -> None:
    with LocalAdvisor(1) as here:
        few, many = (here.recommend(EXAMPLE.read_bytes(), iterations=count, seed=1) for count in (2, 2000))
    names = [api.WarningReason.Name(warning.reason) for warning in few.message.warnings]
    assert names == ["WARNING_REASON_FEW_ITERATIONS"]
    told, told_of_many = (" ".join(remarks(answer, from_position(EXAMPLE.read_text()))) for answer in (few, many))
    assert "Warning: Too few iterations (2) to compare" in told
    assert not many.warnings
    assert ["search ten times as long" in one for one in (told, told_of_many)] == [False, True]


def test_the_limits_of_a_server_do_not_hold_here() -> None:
    """Any time, and as many threads as the command may search on."""
    with LocalAdvisor(18) as here:
        answer = here.recommend(EXAMPLE.read_bytes(), "7200s", iterations=18 * 50, threads=18)
    assert not answer.warnings
    assert answer.message.statistics.iterations == 18 * 50


@OF_BOTH
def test_the_best_line_has_a_reason(example: Path) -> None:
    out = run("recommend", example, "--iterations", 20_000, "--seed", 3, "--lines", 2).out  # which shows it alike
    assert "looks" in out
    assert "would choose the same move" in out
