"""The alerts of deploy/ fire for their conditions and for nothing else; they use the server's metrics."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clerestory.server.rpc.metrics import FIGURES
from tests.deploy.promtool import FOLDER, assert_fired, run

ROOT = Path(__file__).parents[2]
RUNBOOK = ROOT / "docs" / "runbook.md"
ALERT = re.compile(r"^ +- alert: (\w+)$", re.MULTILINE)
NAME = re.compile(r"\bclerestory_\w+")
ALERTS = ALERT.findall((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))
FILES = [*FOLDER.iterdir(), RUNBOOK, ROOT / "docs" / "operations.md", ROOT / "docs" / "hosting.md"]
MINUTES = 10

CALM: Mapping[str, str] = {  # of a healthy server: each series, constant or growing by a fixed amount per sample
    'up{job="clerestory"}': "1",
    "clerestory_started_seconds": "1000",
    'clerestory_calls_total{code="OK"}': "0+100",
    'clerestory_deadline_margin_seconds_bucket{le="-0.02",method="RecommendMove"}': "0",
    'clerestory_deadline_margin_seconds_count{method="RecommendMove"}': "0+50",
    'clerestory_deadline_margin_seconds_bucket{le="-0.02",method="Bot"}': "0",
    'clerestory_deadline_margin_seconds_count{method="Bot"}': "0+1000",
    "clerestory_admitted": "4",
    "clerestory_workers": "2",
    "clerestory_waiting": "1",
    "clerestory_running": "2",
    'clerestory_rejected_calls_total{caller="a",code="RESOURCE_EXHAUSTED"}': "0",
    'clerestory_rejected_calls_total{caller="b",code="RESOURCE_EXHAUSTED"}': "0",
    'clerestory_rejected_calls_total{caller="c",code="RESOURCE_EXHAUSTED"}': "0",
    'clerestory_rejected_calls_total{caller="a",code="UNAUTHENTICATED"}': "0",
    "clerestory_memory_bytes": "400",
    "clerestory_memory_limit_bytes": "1000",
    "clerestory_store_free_bytes": "500",
    "clerestory_store_disk_bytes": "1000",
    "clerestory_store_up": "1",
    'clerestory_games_waiting{kind="people"}': "0",
    'clerestory_games_waiting{kind="bots"}': "40",
    "clerestory_certificate_ends_seconds": "5000000",  # promtool begins in 1970
    "clerestory_descriptors": "50",
    "clerestory_descriptors_limit": "540",
}
LATE = 'clerestory_deadline_margin_seconds_bucket{le="-0.02",method="%s"}'
REFUSED = 'clerestory_rejected_calls_total{caller="%s",code="%s"}'
FULL = {REFUSED % (caller, "RESOURCE_EXHAUSTED"): "0+5" for caller in "abc"}
CASES: list[tuple[Mapping[str, str], set[str]]] = [
    ({}, set()),
    ({'up{job="clerestory"}': "0"}, {"ServerDown"}),
    ({'up{job="clerestory"}': "1x4"}, {"ServerDown"}),  # no server reports anything
    ({"clerestory_started_seconds": "1000+60"}, {"ServerRestarts"}),
    ({'clerestory_calls_total{code="INTERNAL"}': "0+1"}, {"ServerFaults"}),
    ({'clerestory_calls_total{code="INTERNAL"}': "_x20 1x20"}, {"ServerFaults"}),  # a series that begins with the fault
    ({LATE % "RecommendMove": "0+4"}, {"AnswersLate"}),
    ({LATE % "RecommendMove": "0+2"}, set()),
    ({LATE % "Bot": "0+1000"}, set()),
    ({"clerestory_admitted": "13"}, {"WorkersCrowded"}),
    ({"clerestory_running": "0"}, {"WorkersStuck"}),
    ({REFUSED % ("a", "RESOURCE_EXHAUSTED"): "0+5"}, {"CallerRefused"}),
    ({REFUSED % ("a", "RESOURCE_EXHAUSTED"): "0+1"}, set()),
    (FULL, {"CallersRefused"}),
    ({REFUSED % ("a", "UNAUTHENTICATED"): "0+5"}, {"StrangersCall"}),
    ({"clerestory_memory_bytes": "950"}, {"MemoryShort"}),
    ({"clerestory_store_free_bytes": "40"}, {"DiskShort"}),
    ({"clerestory_store_free_bytes": "_", "clerestory_store_disk_bytes": "_"}, set()),
    ({'clerestory_calls_total{reason="DISK_FULL"}': "0+1", **FULL}, {"StoreFull"}),
    ({'clerestory_calls_total{reason="DISK_FULL"}': "_x20 1x20"}, {"StoreFull"}),
    ({"clerestory_store_up": "0"}, {"StoreDown"}),
    ({"clerestory_store_up": "0", 'clerestory_games_waiting{kind="people"}': "3"}, {"StoreDown"}),
    ({'clerestory_games_waiting{kind="people"}': "3"}, {"GamesWait"}),
    ({"clerestory_certificate_ends_seconds": "500000"}, {"CertificateEnds"}),
    ({"clerestory_certificate_ends_seconds": "_"}, set()),
    ({"clerestory_descriptors": "500"}, {"ConnectionsFull"}),
]


def series(changed: Mapping[str, str], steps: int) -> dict[str, str]:
    spread = {}
    for name, value in {**CALM, **changed}.items():
        kind, _, labels = name.partition("{")
        labels = f'instance="here",{labels}' if labels else 'instance="here"}'
        spread[f"{kind}{{{labels}"] = value if "x" in value else f"{value}x{steps}"
    return spread


@pytest.mark.system
@pytest.mark.parametrize(("changed", "fired"), CASES)
def test_an_alert_fires_for_its_fault_alone(tmp_path: Path, changed: Mapping[str, str], fired: set[str]) -> None:
    steps = 4 * MINUTES
    assert_fired(tmp_path, series(changed, steps), fired, steps)


def test_every_alert_has_a_case() -> None:
    assert {name for _, fired in CASES if len(fired) == 1 for name in fired} == {*ALERTS}


def exposed() -> set[str]:
    endings = {"histogram": ("_bucket", "_count", "_sum")}
    return {one.full_name + end for one in FIGURES for end in endings.get(one.kind.__name__.lower(), ("",))}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_metric_in_the_files_is_one_of_the_server(file: Path) -> None:
    named = {*NAME.findall(file.read_text(encoding="utf-8"))}
    assert named - exposed() - {one.full_name for one in FIGURES} == set()


def test_the_runbook_has_every_alert_and_no_other() -> None:
    assert re.findall(r"^## (\w+)$", RUNBOOK.read_text(encoding="utf-8"), re.MULTILINE) == ALERTS


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    return found


def queries() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


@pytest.mark.system
def test_prometheus_reads_the_files_and_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries())]
    file = tmp_path / "queries.json"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}).replace("$__rate_interval", "1m"))
    for kind, path in (("rules", FOLDER / "alerts.yaml"), ("config", FOLDER / "prometheus.yaml"), ("rules", file)):
        code, said = run("check", kind, path)
        assert code == 0, said


def test_the_dashboard_shows_the_metrics_of_each_alert() -> None:
    shown = {name for query in queries() for name in NAME.findall(query)}
    watched = {*NAME.findall((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))}
    assert watched <= shown | {"clerestory_calls_total"}
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["title"] and panel["description"] for panel in panels if panel["type"] != "row")
