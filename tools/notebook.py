"""Makes the notebook of an example: `python -m tools.notebook examples/environments/beat_greedy.py`.

Cells of the script begin with `# %%`, or with `# %% [markdown]` if they are comments that become text.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

CELL = re.compile(r"^# %%(?P<text> \[markdown\])?\n", re.MULTILINE)
ENTRY = 'if __name__ == "__main__":\n    main()'
IN_NOTEBOOK = "main([])"


def notebook_of(script: str) -> dict[str, Any]:
    """Return the notebook of a script, in the format nbformat 4.5. The docstring before the first cell is left out."""
    starts = [*CELL.finditer(script)]
    ends = [*(one.start() for one in starts[1:]), len(script)]
    cells = [
        cell_of(number, script[start.end() : end].strip(), is_text=bool(start["text"]))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def cell_of(number: int, content: str, *, is_text: bool) -> dict[str, Any]:
    """Return a cell."""
    if is_text:
        content = re.sub(r"^# ?", "", content, flags=re.MULTILINE)
    lines = content.replace(ENTRY, IN_NOTEBOOK).splitlines(keepends=True)
    cell = {"id": f"cell-{number}", "metadata": {}, "source": lines}
    if is_text:
        return cell | {"cell_type": "markdown"}
    return cell | {"cell_type": "code", "execution_count": None, "outputs": []}


def text_of(script: Path) -> str:
    """Return the text of the notebook of a script."""
    return json.dumps(notebook_of(script.read_text("utf-8")), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).with_suffix(".ipynb").write_text(text_of(Path(name)), "utf-8")
