"""Asks the page of an installed package for a first hint: `PYTHON tools/first_hint.py [--serving COMMAND ...]`.

With `--serving`, it runs a command instead, with the address of the page in CLERESTORY_URL.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from installed import called, fetched, serving  # beside this file; `-I` leaves its folder out

RULES, ADVICE = "clerestory.v1.RulesService", "clerestory.v1.AdvisorService"


def main(command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (_, page):
        if command:
            subprocess.run(command, env=os.environ | {"CLERESTORY_URL": page}, check=True)
        else:
            print(f"first hint: {hint(page)}")


def hint(page: str) -> str:
    """Load the page, start a game, and return the best action after 100 ms."""
    fetched(f"{page}/")
    start = called(page, "StartPosition", RULES, game="cathedral", seats=2, seed="7")
    dealt = called(page, "ApplyActions", RULES, position={"referee": start["referee"]}, draw=True)
    seen = called(page, "ObservePosition", RULES, referee=dealt["position"]["referee"], seat=0)
    answer = called(page, "RecommendMove", ADVICE, position=seen["position"], time_budget="0.1s")
    return json.dumps(answer["best"]["label"])


if __name__ == "__main__":
    main(sys.argv[2:] if sys.argv[1:2] == ["--serving"] else [])
