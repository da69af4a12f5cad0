"""Cards are data: games of other catalogues, each in a process of its own, as a process has one catalogue."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine import BadCatalogue, CatalogueInUse, game
from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from tests.shipped import CATHEDRAL

GAMES = """
import sys
from clerestory.engine import Rng, game
CATHEDRAL = game("cathedral", catalogue=sys.argv[1])
for seats in (2, 3, 4):
    for seed in range(int(sys.argv[2])):
        rng = Rng(seed)
        state = CATHEDRAL.new(seats, rng)
        while not state.over:
            assert state.check() == 0, state.check()
            assert CATHEDRAL.from_position(state.to_json()) == state
            state.value()
            legal = state.legal_codes()
            state.play(state.draw(rng) if state.turn < 0 else legal[rng.below(len(legal))])
print(CATHEDRAL.catalogue, "hire clay_worker" in CATHEDRAL.texts)
"""

#   what is replaced wherever it stands in the shipped text
OTHERS = {
    "rich": {
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
    },
    "poor": {
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
    },
}


@pytest.mark.parametrize("games", [2, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OTHERS)
def test_games_with_other_cards(name: str, games: int, tmp_path: Path) -> None:
    text = CathedralCatalogue.shipped.read_text()
    for old, new in OTHERS[name].items():
        assert old in text
        text = text.replace(old, new)
    text = re.sub(r"(needs = .*)\n(needs = .*)", r"\1", text)
    other = tmp_path / "other.toml"
    other.write_text(text)
    done = subprocess.run([sys.executable, "-c", GAMES, other, str(games)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == [CathedralCatalogue.load(other).content_hash(), str(name == "rich")]


def test_a_process_has_one_catalogue(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(CathedralCatalogue.shipped.read_text().replace("cost = 4", "cost = 3"))
    with pytest.raises(
        CatalogueInUse, match=f"cathedral: this process has the cards of catalogue {CATHEDRAL.catalogue}"
    ):
        game("cathedral", catalogue=other)
    with pytest.raises(BadCatalogue):
        game("cathedral", catalogue=tmp_path / "none.toml")
    assert game("cathedral", catalogue=CathedralCatalogue.shipped) is game("cathedral") is CATHEDRAL
    assert CATHEDRAL.catalogue == CathedralCatalogue.load().content_hash()
