"""Files of JSON lines, which tools go on with where they ended."""

import json
from pathlib import Path
from typing import Any


def read_lines(*paths: Path) -> list[dict[str, Any]]:
    """Return what the lines of files hold, one file after the other."""
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]
