"""Loads the JSON files of this folder, once per process."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent  # of the files themselves, even if the module is a link


@cache
def read(name: str) -> Any:
    """Return the content of a JSON file, {} if it does not exist. Do not modify the result.

    Args:
        name: its path in this folder: `it/rules.json`.
    """
    path = FOLDER / name
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}
