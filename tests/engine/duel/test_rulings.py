"""Every ruling is cited where it is implemented, and in a test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RULES = ROOT / "engine" / "duel"
STATED = range(1, 36)  # in the specification
OURS = range(36, 49)  # in RULES.md


def cited(folder: Path) -> set[int]:
    files = [path for path in folder.glob("*.p*") if path.suffix in {".py", ".pyx", ".pxd"}]
    return {int(n) for path in files for n in re.findall(r"(?<![a-zA-Z0-9])[Dd](\d+)(?!\d)", path.read_text())}


def test_our_rulings_are_those_of_the_page() -> None:
    numbers = re.findall(r"^- \*\*D(\d+)\*\*", (RULES / "RULES.md").read_text(), re.MULTILINE)
    assert [int(number) for number in numbers] == list(OURS)


@pytest.mark.parametrize("ruling", [*STATED, *OURS])
def test_ruling_is_cited_where_it_is_implemented(ruling: int) -> None:
    assert ruling in cited(RULES)


@pytest.mark.parametrize("ruling", [*STATED, *OURS])
def test_ruling_has_a_test(ruling: int) -> None:
    assert ruling in cited(Path(__file__).parent)
