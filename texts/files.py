"""The files of this folder, each read once in a process."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent  # of the files themselves, where the module is a link to one


@cache
def read(name: str) -> Any:
    """Return what a JSON file holds, for reading only; {} if there is no such file.

    Args:
        name: its path in this folder: `it/rules.json`.
    """
    path = FOLDER / name
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}
