"""Cards are data: games of other catalogues, in separate processes, as a process has one catalogue per game."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine.catalogue import Catalogue
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.duel.data.catalogue import DuelCatalogue

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
GAMES = """
import sys
from clerestory.engine import Rng
from clerestory.engine.games import game_of_catalogue
rules = game_of_catalogue(sys.argv[1])
for seats in rules.seats:
    for seed in range(int(sys.argv[2])):
        rng = Rng(seed)
        state = rules.new(seats, rng)
        while not state.over:
            assert state.check() == 0, state.check()
            assert rules.from_position(state.to_json()) == state
            state.value()
            state.weights()
            legal = state.legal_codes()
            assert len(legal) <= 128
            busy = [code for code in legal if rules.texts[code] not in ("end", "done", "stop")]
            chosen = busy if busy and rng.below(4) else legal
            state.play(state.draw(rng) if state.turn < 0 else chosen[rng.below(len(chosen))])
print(rules.catalogue, rules.num_actions, *rules.texts, sep="\\n")
"""

RICH_MARKET = (
    'effect = { kind = "market", limit = 11, price = 1, kinds = ["wool", "ore", "wood", "sand", "stone"], wool = 30 }'
)

#   kind of catalogue, a text of an action that only it has, replacements in the shipped text
OTHERS: dict[str, tuple[type[Catalogue], str, dict[str, str]]] = {
    "rich cathedral": (CathedralCatalogue, "hire clay_worker", {
        "capacity = 2": "capacity = 9",
        "gives = { vp = 1 }": "gives = { vp = 9 }",
        "gold = 8": "gold = 9, sand = 3, stone = 3, metal = 3",
        'kind = "yield", cubes = 1': 'kind = "yield", cubes = 3',
        "most = 5": "most = 30",
        "yields = 2": "yields = 5",
        "yields = 4": "yields = 5",
        "workers = 6": "workers = 1",
        "workers = 10": "workers = 1",
        "cards = 1": "cards = 3",
        "wood = 1 }\nsources.name": "wood = 3 }\nsources.name",
        '"potter_2"': '"clay_worker"',
        'kind = "gain", metal = 1': 'kind = "gain", metal = 3',
    }),
    "poor cathedral": (CathedralCatalogue, "hire potter_2", {
        '"lose_vp", vp = 2': '"lose_vp", vp = 12',
        '"levy", gold = 4': '"levy", gold = 12',
        '"fixed_tax", gold = 2': '"fixed_tax", gold = 12',
        "cost = 4": "cost = 30",
        "builders = 2": "builders = 1",
        "yields = 4": "yields = 1",
        "workers = 4": "workers = 17",
        'kind = "yield", cubes = -1': 'kind = "yield", cubes = -3',
        "most = 5": "most = 1",
        "takes = { sand = 1 }": "takes = { sand = 9 }\nneeds = { gold = 1 }",
        '"foresight"': '"gain"',
        '"craftsman_room", cards = 1': '"gain", metal = 1',
    }),
    "rich duel": (DuelCatalogue, "use cellarer", {
        "gold = 6": "gold = 30",
        "placing = [2, 6, 12]": "placing = [1, 1, 1]",
        'effect = { kind = "market", limit = 2, price = 3, kinds = ["wood", "sand", "stone"], wool = 3 }': RICH_MARKET,
        "chips = 2 }": "chips = 11 }",
        "seals = 2 }": "seals = 11 }",
        "bonus_chips = 2": "bonus_chips = 6",
        "bonus_seals = 2": "bonus_seals = 9",
        'kind = "place", price = 2': 'kind = "place", price = 1',
        '"walter"': '"cellarer"',
        'I = ["beam", "mortar", "brick"]': 'I = ["cloth", "cloth", "cloth"]',
        'II = ["beam", "mortar", "cloth"]': 'II = ["beam", "beam", "brick"]',
        'III = ["brick", "cloth", "bell"]': 'III = ["brick", "mortar", "mortar"]',
        'II = ["mortar", "brick", "cloth"]': 'II = ["mortar", "brick", "brick"]',
        'III = ["beam", "cloth", "bell"]': 'III = ["beam", "mortar", "bell"]',
    }),
    "strange duel": (DuelCatalogue, "use walter", {
        "price = 7": "price = 30",
        "gold = 5": "gold = 1",
        'effect = { kind = "seals", seals = 2 }': 'effect = { kind = "copy_any" }',
        'effect = { kind = "return_material" }': 'effect = { kind = "sell_wool", limit = 1, price = 1 }',
        "placing = [2, 6, 12]": "placing = [30, 30, 30]",
        'effect = { kind = "income", gold = 4 }': 'effect = { kind = "power" }',
        'name = "Storming the Castle"\nframe = "once"': 'name = "A second market"\nframe = "neutral"',
        'effect = { kind = "storm" }': RICH_MARKET,
        'name = "Mason"\nframe = "neutral"\na = 1\nb = 1': 'name = "Mason"\nframe = "neutral"\na = 2\nb = 0',
        'name = "Weaver"\nframe = "neutral"\na = 1\nb = 1': 'name = "Weaver"\nframe = "neutral"\na = 0\nb = 2',
    }),
}  # fmt: skip


def run(program: str, *arguments: object, cwd: Path = ROOT, **environment: str) -> str:
    start = [sys.executable, program] if program.endswith(".py") else [sys.executable, "-c", program]
    command, env = [*start, *map(str, arguments)], {**os.environ, **environment}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("games", [2, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OTHERS)
def test_games_with_other_cards(name: str, games: int, tmp_path: Path) -> None:
    shape, own_text, changes = OTHERS[name]
    text = shape.shipped.read_text("utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    other = tmp_path / "other.toml"
    other.write_text(re.sub(r"(needs = .*)\n(needs = .*)", r"\1", text), "utf-8")
    catalogue, _, *texts = run(GAMES, other, games).splitlines()
    assert catalogue == shape.load(other).content_hash() != shape.load().content_hash()
    assert own_text in texts


# Another craftsman takes a row of the shipped catalogue and a build -------------------------------------------------

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
from clerestory.engine.values.value import value_in_use, value_of
from clerestory.search import Searcher, observe
from clerestory.search.options import shipped
CATHEDRAL = game("cathedral")
state = CATHEDRAL.new(3, 1)
state.play_nature(2)
assert Searcher(observe(state), seed=3, **shipped(CATHEDRAL, 3)).run(iterations=200).best.visits
print(*value_in_use(CATHEDRAL))
print(value_of(CATHEDRAL, "net").weights.priors)
"""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_another_craftsman_plays_and_the_shipped_value_holds_without_its_priors(tmp_path: Path) -> None:
    top = tmp_path / "checkout"
    shutil.copytree(ROOT, top, ignore=ABSENT, symlinks=True)
    text = (top / CATALOGUE).read_text("utf-8")
    (top / CATALOGUE).write_text(text.replace(BEFORE, ROW + BEFORE, 1), "utf-8")
    run("setup.py", "build_ext", "--inplace", cwd=top)
    path = top / "path"
    (path / "clerestory").mkdir(parents=True)
    for there in (*(top / "common").iterdir(), top / "engine", top / "search"):
        (path / "clerestory" / there.name).symlink_to(there)
    texts = run(GAMES, top / CATALOGUE, 20, cwd=top, PYTHONPATH=str(path)).splitlines()
    assert "convert glazier_6 3" in texts  # its capacity, plus one when blessed
    in_use, priors = run(SEARCH, cwd=top, PYTHONPATH=str(path)).splitlines()
    assert re.match(r"net weights [0-9a-f]{8}; these cards are [1-5]\.\d% away from those of the learned value", in_use)
    assert priors == "None"
