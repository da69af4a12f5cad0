"""The benchmark commands: their fields, and their errors. No test asserts a speed."""

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import grpc
import pytest
from typer.testing import CliRunner

from clerestory.bench import envs, speed
from clerestory.bench.early import EarlyCall, summary
from clerestory.bench.measured_service import BenchClient, outermost, resident
from clerestory.cli.main import bench
from clerestory.cli.options import BadOption
from clerestory.cli.positions import first_decision
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from tests.clients.python.fake import Scripted, serving

ABOUT = {"bench", "game", "seats", "seconds", "runs"}
ENGINE = {"games_per_s", "ns_per_ply", "plies_per_game", "copy_ns", "python_copy_ns", "state_bytes", "reference_ns"}
SEARCH = {"iterations_per_s", "overhead_us", "of_independent", "of_as_large", "nodes", "bytes", "bytes_per_iteration"}
SEARCH |= {"reference_ns"}
FIELDS = {
    "engine": (["--seats", "3"], ENGINE),
    "search": (["--seats", "4", "--bot", "ismcts-plain", "--threads", "2"], SEARCH | {"bot", "threads"}),
    "value": (["--seats", "3"], {"value", "signature", "ns", "reference_ns"}),
}
QUICK = ["--time", "0.02s", "--runs", "3"]


def called(*words: str) -> Any:
    """Return the figures that a benchmark prints as JSON."""
    result = CliRunner().invoke(bench, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.parametrize("name", FIELDS)
def test_a_benchmark_has_its_fields(name: str) -> None:
    options, fields = FIELDS[name]
    found = called(name, "--game", "toy", *options, *QUICK)
    assert set(found) == fields | ABOUT
    measured = [field for field in fields if isinstance(found[field], int | float) and field != "overhead_us"]
    assert [field for field in measured if found[field] <= 0] == []
    if name == "engine":
        assert (found["plies_per_game"], found["state_bytes"]) == (10, TOY.state_bytes)


def test_shared_trees_are_compared_with_trees_as_large_and_one_thread_shares_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = speed.search_run(1, "ismcts-plain", TOY, 4, 0.02, 0)
    assert (alone.of_independent, alone.of_as_large) == (1, 1)
    independent = Mock(side_effect=lambda *_, **limits: 1e9 if "iterations" in limits else 1e6)
    monkeypatch.setattr(speed, "independent", independent)
    found = speed.search_run(2, "ismcts-plain", TOY, 4, 0.02, 0)
    asked = [{"threads": call.args[1], **call.kwargs} for call in independent.call_args_list]
    iterations = asked[2].pop("iterations")
    assert asked == [{"threads": 2, "seconds": 0.01}, {"threads": 2, "seconds": 0.01}, {"threads": 2}]
    assert iterations > 0
    assert found.of_independent == pytest.approx(1000 * found.of_as_large)


def test_the_defaults_are_what_users_get() -> None:
    found = called("search", *QUICK)
    assert (found["game"], found["bot"]) == ("cathedral", "ismcts")
    for seats, value in ((2, "net-2"), (3, "net-3")):
        found = called("value", "--seats", str(seats), *QUICK)
        assert (found["game"], found["value"]) == ("cathedral", value)


def test_overruns_are_those_of_the_shipped_search(monkeypatch: pytest.MonkeyPatch) -> None:
    position, searcher = first_decision("duel", 2, 0), Mock(wraps=Searcher)
    monkeypatch.setattr(speed, "Searcher", searcher)
    speed.overruns(position, 0.001, range(2))
    given = [call.kwargs for call in searcher.call_args_list]
    assert given == [{"seed": seed, **shipped(position.game, 2)} for seed in range(2)]


def test_a_budget_has_percentiles_of_its_overrun() -> None:
    found = called("budget", "--game", "toy", "--time", "1ms", "--count", "5")
    assert set(found) == (ABOUT | {"budget_ms", "count", "overrun_ms", "reference_ns"}) - {"seconds", "runs"}
    assert found["overrun_ms"]["p50"] <= found["overrun_ms"]["p99"] <= found["overrun_ms"]["max"]


SERVICE = {
    "added_ms": {"recommend", "new", "rules"},
    "lateness_ms": {"20", "100", "500"},
    "cancel_to_free_ms": {"p50", "p99", "max", "poll"},
    "memory": {"requests", "resident_bytes", "growth_bytes"},
}
TINY = ["--calls", "3,2,2", "--added", "2", "--cancels", "2", "--requests", "20", "--time", "0.05s", "--runs", "1"]


@pytest.mark.system
def test_the_service_has_its_figures() -> None:
    answer = called("service", "--game", "toy", *TINY, "--pairs", "6", "--callers", "2")
    others = {"speed", "start_s", "reference_ns", "bench", "game", "seats", "callers", "runs", "to_limits"}
    assert set(answer) == set(SERVICE) | others
    assert {name: set(answer[name]) for name in SERVICE} == SERVICE
    assert min(answer["start_s"], answer["reference_ns"], *answer["speed"].values()) > 0
    assert set(answer["speed"]) == {"service_iterations_per_s", "searcher_iterations_per_s", "ratio", "low", "high"}
    assert answer["speed"]["low"] <= answer["speed"]["ratio"] <= answer["speed"]["high"]
    assert [late["calls"] for late in answer["lateness_ms"].values()] == [3, 2, 2]
    for late in answer["lateness_ms"].values():
        assert set(late) == {"calls", "rejected", "p50", "p99", "p999", "max"}
        assert late["p50"] <= late["p99"] <= late["p999"] <= late["max"]
    assert 0 <= answer["cancel_to_free_ms"]["p50"] <= answer["cancel_to_free_ms"]["max"]


@pytest.mark.parametrize(("options", "early"), [({}, None), ({"to_limits": True}, False)])
def test_questions_are_the_default_ones_unless_they_go_to_their_limits(options: Any, early: bool | None) -> None:
    with BenchClient("localhost:1", TOY.new(2, 1), **options) as caller:
        asked = caller.question(iterations=1)
    assert (asked.early_stop if asked.HasField("early_stop") else None) is early


EARLY = {"calls", "decided", "wrong", "unknown", "saved"}
POSITIONS = Path(__file__).parents[3] / "examples" / "positions"


@pytest.mark.parametrize("way", [["--searcher"], pytest.param(["--beside", "1"], marks=pytest.mark.system)])
def test_early_fields(way: list[str]) -> None:
    files = [str(POSITIONS / f"toy-{seats}p-round1.json") for seats in (2, 3)]
    groups = called("early", *files, "--calls", "4", "--time", "40ms", *way)["groups"]
    assert {name: set(group) for name, group in groups.items()} == dict.fromkeys(
        ("all", "toy", "toy-2p-round1", "toy-3p-round1"), EARLY
    )
    assert groups["all"] == groups["toy"]
    assert [groups[name]["calls"] for name in ("all", "toy-2p-round1", "toy-3p-round1")] == [4, 2, 2]
    assert groups["all"]["wrong"] <= groups["all"]["decided"]


@pytest.mark.parametrize(("outcome", "wrong", "unknown"), [(True, 0, 0), (False, 1, 0), (None, 0, 1)])
def test_an_early_end_that_did_not_hold_is_counted(outcome: bool | None, wrong: int, unknown: int) -> None:
    told = summary([EarlyCall("p", 0.5, decided=True, held=outcome), EarlyCall("p", 0.0, decided=False, held=None)])
    assert told == {"calls": 2, "decided": 1, "wrong": wrong, "unknown": unknown, "saved": 0.25}


def test_a_call_that_is_rejected_is_counted_and_asked_again() -> None:
    servicer = Scripted([(grpc.StatusCode.RESOURCE_EXHAUSTED, -1)] * 2)
    with serving(servicer) as target, BenchClient(target, TOY.new(2, 1)) as caller:
        caller.timed(iterations=1)
        assert (caller.rejected, len(servicer.calls)) == (2, 3)
        servicer.refusals = [(grpc.StatusCode.UNAVAILABLE, -1)]
        with pytest.raises(grpc.RpcError):
            caller.timed(iterations=1)


@pytest.mark.parametrize(("count", "outer"), [(1, None), (5, None), (6, 0), (9, 1), (10, 1), (30, 9), (100, 39)])
def test_an_interval_of_a_median_leaves_out_what_the_sign_test_may(count: int, outer: int | None) -> None:
    """From tables of the sign test: of 30 values the 10th and the 21st, of 100 the 40th and the 61st."""
    assert outermost(count) == outer


def test_memory_is_unknown_where_the_system_does_not_report_it() -> None:
    assert resident(-1) is None
    if Path("/proc/self/statm").exists():
        assert (resident(os.getpid()) or 0) > 1_000_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["engine", "--game", "chess"], "'chess' is not one of"),
        (["engine", "--game", "toy", "--seats", "9"], "9, but toy is for 2, 3, 4 players"),
        (["engine", "--time", "-1s"], "--time"),
        (["search", "--bot", "deep-thought"], "'deep-thought' is not one of"),
        (["search", "--runs", "0"], "--runs"),
        (["value", "--game", "toy", "--value", "net"], "value of toy (hand)"),
        (["budget", "--time", "0ms"], "--time"),
        (["budget", "--seats", "1"], "1, but cathedral is for"),
        (["early"], "POSITION"),
        (["early", "nowhere.json"], "nowhere.json: No such file"),
        (["early", "-", "--searcher", "--server", "localhost:1"], "--searcher: asks no server"),
        (["service", "--calls", "2000"], "--calls: '2000' is not 3 numbers"),
        (["service", "--calls", "1,2,x"], "--calls: '1,2,x' is not 3 numbers"),
        (["service", "--calls", "1,2,0"], "--calls: '1,2,0' is not 3 numbers"),
        (["service", "--game", "chess"], "'chess' is not one of"),
        (["service", "--requests", "1"], "--requests"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(bench, arguments)
    assert result.exit_code == 2 or isinstance(result.exception, BadOption)
    assert message in result.output + str(result.exception)


# -- environments ----------------------------------------------------------------------------------


def test_environments_are_measured_beside_those_of_other_libraries() -> None:
    """Packages that are missing are named, and only cost their rows."""
    found = called("envs", "--time", "0.01s", "--runs", "1", "--count", "4")
    rows = {(row["name"], row["by"]): row for row in found["rows"]}
    assert len(rows) == len(found["rows"]) == len(envs.contenders(4))
    for game in ("cathedral", "duel"):
        for form in ("PettingZoo", "VectorGame, features", "VectorGame, none"):
            assert rows[game, form]["steps_per_s"] > 0
    for row in rows.values():
        assert (row["steps_per_s"] is None) == row["note"].startswith("missing: ")


def test_ratios_of_environments_are_medians_of_ratios_within_a_run() -> None:
    rows: list[dict[str, Any]] = [{"name": name} for name in (envs.AEC_BASE, envs.VECTOR_BASE, "ours", "gone")]
    envs.with_ratios(rows, {0: [1.0, 2.0, 4.0], 1: [2.0, 2.0, 2.0], 2: [10.0, 10.0, 10.0]})
    assert [row[f"of_{envs.AEC_BASE}"] for row in rows] == [1, 1, 5, None]
    assert [row[f"of_{envs.VECTOR_BASE}"] for row in rows] == [1, 1, 5, None]


def test_a_table_names_a_package_that_is_missing() -> None:
    assert envs.shown({"steps_per_s": None, "note": "missing: rlcard"}) == ["missing: rlcard", "", ""]
