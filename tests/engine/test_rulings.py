"""Each ruling is stated once in its game's RULES.md and cited in its implementation and in a test; no other is."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.test_links import ROOT, TEXTS, tracked

LETTERS = {"cathedral": "R", "duel": "D"}
CODE = {".py", ".pyx", ".pxd"}
UNTESTED = {"cathedral": {27, 28, 29, 30, 31, 34, 35, 36, 37}, "duel": set()}  # wording, in golden games and laws


def stated(game: str) -> Counter[int]:
    """Return the numbers of the rulings in a game's RULES.md, with their counts."""
    page = (ROOT / "engine" / game / "RULES.md").read_text()
    return Counter(map(int, re.findall(rf"^- \*\*{LETTERS[game]}(\d+)\*\*", page, re.MULTILINE)))


def cited(game: str, files: Iterable[Path], flags: re.RegexFlag = re.NOFLAG) -> set[int]:
    """Return the rulings of a game that files cite; names of functions count if case does not matter."""
    pattern = re.compile(rf"(?<![A-Za-z0-9]){LETTERS[game]}(\d{{1,2}})(?![A-Za-z0-9])", flags)
    return {int(number) for path in files for number in pattern.findall(path.read_text())}


def code(folder: str, names: str = "*.p*") -> list[Path]:
    return [path for path in (ROOT / folder).rglob(names) if path.suffix in CODE]


@pytest.mark.parametrize("game", LETTERS)
def test_a_ruling_is_stated_once_implemented_and_tested_and_no_other_is_cited(game: str) -> None:
    every = stated(game)
    assert [number for number, times in every.items() if times > 1] == []
    assert every.keys() - cited(game, code(f"engine/{game}")) == set()
    assert every.keys() - cited(game, code(f"tests/engine/{game}", "test_*.py"), re.IGNORECASE) == UNTESTED[game]
    assert {str(path): strange for path in tracked(*TEXTS) if (strange := cited(game, [path]) - every.keys())} == {}
