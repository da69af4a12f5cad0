"""docs/protocol.md says what the code does."""

import re
from pathlib import Path

from clerestory.server.errors import CODES

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_the_table_of_reasons_is_the_codes() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(reason, code.name) for reason, code in CODES.items()]
