"""Every ruling is cited where it is implemented, and in a test."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Rulings:
    """The rulings of a game: those of its specification, and ours in its RULES.md."""

    game: str
    letter: str
    stated: tuple[int, ...]
    ours: tuple[int, ...]

    def cited(self, folder: str, names: str = "*.p*") -> set[int]:
        """The rulings that the code in a folder of the game cites, in files of some names."""
        pattern = re.compile(rf"(?i)(?<![a-z0-9]){self.letter}(\d+)(?!\d)")
        files = [path for path in (ROOT / folder / self.game).glob(names) if path.suffix in {".py", ".pyx", ".pxd"}]
        return {int(number) for path in files for number in pattern.findall(path.read_text())}


CATHEDRAL = Rulings("cathedral", "R", (*range(1, 13), *range(14, 26), *range(39, 43)), tuple(range(26, 38)))
DUEL = Rulings("duel", "D", tuple(range(1, 36)), tuple(range(36, 49)))


# Ours of the board game are words of positions and texts, which golden games and laws hold.
UNTESTED = {CATHEDRAL: CATHEDRAL.ours, DUEL: ()}


@pytest.mark.parametrize("of", [CATHEDRAL, DUEL], ids=lambda of: of.game)
def test_every_ruling_is_cited_where_it_is_implemented_and_has_a_test(of: Rulings) -> None:
    page = (ROOT / "engine" / of.game / "RULES.md").read_text()
    assert tuple(map(int, re.findall(rf"^- \*\*{of.letter}(\d+)\*\*", page, re.MULTILINE))) == of.ours
    every = {*of.stated, *of.ours}
    assert every - of.cited("engine") == set()
    assert every - {*UNTESTED[of]} - of.cited("tests/engine", "test_*.py") == set()
