"""Another craftsman is a row of the shipped catalogue and a build; the value holds, without factors for other codes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.cathedral.test_catalogue_in_use import GAMES

ROOT = Path(__file__).parents[3]
ABSENT = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "__editable__*", "node_modules")
CATALOGUE = Path("engine", "cathedral", "catalogue.toml")
BEFORE = "[[resource_cards]]"  # the list after the craftsmen
ROW = """[[craftsmen]]
id = "glazier_6"
name = "Glazier"
round = 6
cost = 3
takes = { stone = 1 }
gives = { vp = 1 }
capacity = 2
sources = { round = "derived", cost = "derived", conversion = "derived", capacity = "derived" }

"""

SEARCH = """
from clerestory.engine import game
from clerestory.engine.value import value_in_use, value_of
from clerestory.search import Searcher, observe
from clerestory.search.options import shipped
CATHEDRAL = game("cathedral")
state = CATHEDRAL.new(3, 1)
state.play_nature(2)
assert Searcher(observe(state), seed=3, **shipped(CATHEDRAL, 3)).run(iterations=200).best.visits
print(*value_in_use(CATHEDRAL))
print(value_of(CATHEDRAL, "net").weights.priors)
"""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("another craftsman"), pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with a craftsman more, built; its modules are importable from the folder `path`."""
    top = tmp_path_factory.mktemp("another") / "checkout"
    shutil.copytree(ROOT, top, ignore=ABSENT, symlinks=True)
    text = (top / CATALOGUE).read_text("utf-8")
    (top / CATALOGUE).write_text(text.replace(BEFORE, ROW + BEFORE, 1), "utf-8")
    run("setup.py", "build_ext", "--inplace", cwd=top)
    package = top / "path" / "clerestory"
    package.mkdir(parents=True)
    for there in (*(top / "src" / "clerestory").iterdir(), top / "engine", top / "search", top / "texts"):
        (package / there.name).symlink_to(there)
    return top


def run(*arguments: str | Path, cwd: Path) -> str:
    """Run Python in a built copy; return its output."""
    clean = {**os.environ, "PYTHONPATH": str(cwd / "path")}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_whole_games_are_played_with_the_craftsman(built: Path) -> None:
    script = GAMES.replace("hire clay_worker", "convert glazier_6 3")  # its capacity, and once more when blessed
    assert run("-c", script, built / CATALOGUE, "20", cwd=built).split()[1] == "True"


def test_the_shipped_value_holds_without_its_priors_and_the_search_goes_on(built: Path) -> None:
    in_use, factors = run("-c", SEARCH, cwd=built).splitlines()
    assert re.match(r"net weights [0-9a-f]{8}; these cards are [1-5]\.\d% away from those of the learned value", in_use)
    assert factors == "None"
