"""What the README shows works as it stands there."""

import re
from pathlib import Path

import pytest

import clerestory.engine
import clerestory.search

ROOT = Path(__file__).parents[1]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_first_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = PYTHON.findall((ROOT / "README.md").read_text())[0]
    exec(compile(example, "README.md", "exec"), {})
    *table, legal, view = capsys.readouterr().out.splitlines()
    assert "red to act" in table[0]
    assert "'pass'" in legal
    assert '"rules_revision": 1' in view


def test_every_link_leads_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("package", [clerestory.engine, clerestory.search], ids=lambda package: package.__name__)
def test_public_names_exist_and_are_sorted(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert all(hasattr(package, name) for name in names)
    assert sorted(names) == sorted(set(names))
