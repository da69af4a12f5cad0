"""Cards are data: games of other catalogues, each in a process of its own, as a process has one catalogue."""

import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine import BadCatalogue, CatalogueInUse, game
from clerestory.engine.duel.catalogue import DuelCatalogue
from tests.shipped import DUEL

GAMES = """
import sys
from clerestory.engine import Rng, game
DUEL = game("duel", catalogue=sys.argv[1])
for seed in range(int(sys.argv[2])):
    rng = Rng(seed)
    state = DUEL.new(2, rng)
    while not state.over:
        assert state.check() == 0, state.check()
        assert DUEL.from_position(state.to_json()) == state
        state.value()
        state.weights()
        legal = state.legal_codes()
        assert len(legal) <= 128
        busy = [code for code in legal if state.game.texts[code] not in ("end", "done", "stop")]
        chosen = busy if busy and rng.below(4) else legal
        state.play(state.draw(rng) if state.turn < 0 else chosen[rng.below(len(chosen))])
print(DUEL.catalogue, DUEL.num_actions, "use cellarer" in DUEL.texts)
"""

INCOME = 'effect = { kind = "income", gold = 4 }'
PLENTY = (
    'effect = { kind = "market", limit = 11, price = 1, kinds = ["wool", "ore", "wood", "sand", "stone"], wool = 30 }'
)

#   what is replaced wherever it stands in the shipped text
OTHERS = {
    "rich": {
        "gold = 6": "gold = 30",
        "placing = [2, 6, 12]": "placing = [1, 1, 1]",
        'effect = { kind = "market", limit = 2, price = 3, kinds = ["wood", "sand", "stone"], wool = 3 }': PLENTY,
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
    },
    "strange": {
        "price = 7": "price = 30",
        "gold = 5": "gold = 1",
        'effect = { kind = "seals", seals = 2 }': 'effect = { kind = "copy_any" }',
        'effect = { kind = "return_material" }': 'effect = { kind = "sell_wool", limit = 1, price = 1 }',
        "placing = [2, 6, 12]": "placing = [30, 30, 30]",
        INCOME: 'effect = { kind = "power" }',
        'name = "Storming the Castle"\nframe = "once"': 'name = "A second market"\nframe = "neutral"',
        'effect = { kind = "storm" }': PLENTY,
        'name = "Mason"\nframe = "neutral"\na = 1\nb = 1': 'name = "Mason"\nframe = "neutral"\na = 2\nb = 0',
        'name = "Weaver"\nframe = "neutral"\na = 1\nb = 1': 'name = "Weaver"\nframe = "neutral"\na = 0\nb = 2',
    },
}


def other_text(name: str) -> str:
    text = DuelCatalogue.shipped.read_text()
    for old, new in OTHERS[name].items():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("games", [6, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OTHERS)
def test_games_with_other_cards(name: str, games: int, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(other_text(name))
    done = subprocess.run([sys.executable, "-c", GAMES, other, str(games)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found = DuelCatalogue.load(other)
    assert done.stdout.split() == [found.content_hash(), str(263 + 2 * len(found.cards)), str(name == "rich")]


def test_a_process_has_one_catalogue(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(DuelCatalogue.shipped.read_text().replace("gold = 4", "gold = 3"))
    with pytest.raises(CatalogueInUse, match=f"duel: this process has the cards of catalogue {DUEL.catalogue}"):
        game("duel", catalogue=other)
    with pytest.raises(BadCatalogue):
        game("duel", catalogue=tmp_path / "none.toml")
    assert game("duel", catalogue=DuelCatalogue.shipped) is game("duel") is DUEL
    assert DUEL.catalogue == DuelCatalogue.load().content_hash()
