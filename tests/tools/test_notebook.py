"""The notebooks of the examples are those of their scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.notebook import notebook_of, text_of

SCRIPTS = sorted((Path(__file__).parents[2] / "examples").glob("*/*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_that_of_its_script(script: Path) -> None:
    """Made by `python -m tools.notebook FILE`."""
    assert script.with_suffix(".ipynb").read_text("utf-8") == text_of(script)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(script: Path) -> None:
    """All but the last, which takes minutes."""
    cells = json.loads(script.with_suffix(".ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "notebook"}
    *before, last = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for source in before:
        exec(source, names)
    assert last.endswith("main([])")


def test_a_script_becomes_texts_and_code() -> None:
    made = notebook_of('"""About."""\n\n# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n')
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]] == [
        ("markdown", "# Title\n\nText."),
        ("code", "x = 1"),
    ]
    assert json.loads(json.dumps(made)) == made
