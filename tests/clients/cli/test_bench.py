"""The benchmark commands: their fields, and what they refuse. No test asserts a speed."""

import json

import pytest
from typer.testing import CliRunner

from clerestory.clients.cli.bench import bench
from clerestory.clients.cli.options import BadOption
from clerestory.engine.toy.rules import TOY

ENGINE = {"games_per_s", "ns_per_ply", "plies_per_game", "copy_ns", "python_copy_ns", "state_bytes", "reference_ns"}
SEARCH = {"iterations_per_s", "overhead_us", "nodes", "bytes", "reference_ns"}
ABOUT = {"bench", "game", "seats", "seconds", "runs"}


def figures(*arguments: str) -> dict[str, float]:
    result = CliRunner().invoke(bench, [*arguments, "--seconds", "0.02", "--runs", "3", "--json"])
    assert result.exit_code == 0, result.output
    answer: dict[str, float] = json.loads(result.output)
    return answer


def test_engine_fields() -> None:
    answer = figures("engine", "--game", "toy", "--seats", "3")
    assert set(answer) == ENGINE | ABOUT
    assert (answer["plies_per_game"], answer["state_bytes"]) == (10, TOY.state_bytes)
    assert min(answer[name] for name in ENGINE) > 0


def test_search_fields() -> None:
    answer = figures("search", "--game", "toy", "--seats", "4", "--bot", "ismcts-plain", "--threads", "2")
    assert set(answer) == SEARCH | ABOUT | {"bot", "threads"}
    assert min(answer[name] for name in SEARCH - {"overhead_us"}) > 0


def test_budget_fields() -> None:
    result = CliRunner().invoke(bench, ["budget", "--game", "toy", "--budget-ms", "1", "--count", "5", "--json"])
    answer = json.loads(result.output)
    assert set(answer) == (ABOUT | {"budget_ms", "count", "overrun_ms", "reference_ns"}) - {"seconds", "runs"}
    assert answer["overrun_ms"]["p50"] <= answer["overrun_ms"]["p99"] <= answer["overrun_ms"]["max"]


def test_table_shows_every_figure() -> None:
    result = CliRunner().invoke(bench, ["engine", "--seconds", "0.01", "--runs", "1"])
    assert all(name in result.output for name in ENGINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["engine", "--game", "chess"], "'chess' is not one of"),
        (["engine", "--seats", "9"], "9 is not one of 2, 3, 4"),
        (["engine", "--seconds", "-1"], "--seconds"),
        (["search", "--bot", "deep-thought"], "'deep-thought' is not one of"),
        (["search", "--runs", "0"], "--runs"),
        (["budget", "--budget-ms", "0"], "--budget-ms"),
        (["budget", "--seats", "1"], "1 is not one of"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(bench, arguments)
    assert result.exit_code == 2 or isinstance(result.exception, BadOption)
    assert message in result.output + str(result.exception)
