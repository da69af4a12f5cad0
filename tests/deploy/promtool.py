"""Runs Debian's promtool to find which alerts of deploy/ fire for given samples."""

import json
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from tests.parts import require_program

FOLDER = Path(__file__).parents[2] / "deploy" / "observability"
STEP = 15  # seconds between two samples
FIRED = 'group by (alertname) (max_over_time(ALERTS{alertstate="firing",alertname!~"%s"}[6h]))'


def run(*arguments: str | Path) -> tuple[int, str]:
    promtool = require_program("promtool", "apt-get install prometheus")
    done = subprocess.run([promtool, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def assert_fired(
    folder: Path, samples: Mapping[str, str], wanted: Collection[str], steps: int, besides: Collection[str] = ()
) -> None:
    """Require that exactly these alerts, and possibly some others, have fired on samples STEP seconds apart."""
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in wanted]
    query = {"expr": FIRED % "|".join(besides), "eval_time": f"{STEP * steps}s", "exp_samples": expected}
    case = {
        "interval": f"{STEP}s",
        "input_series": [{"series": series, "values": values} for series, values in samples.items()],
        "promql_expr_test": [query],
    }
    file = folder / "case.json"
    rules = {"rule_files": [str(FOLDER / "alerts.yaml")], "evaluation_interval": f"{STEP}s"}
    file.write_text(json.dumps({**rules, "tests": [case]}))
    code, said = run("test", "rules", file)
    assert code == 0, said
