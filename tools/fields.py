"""Writes the tables of fields in each game's RULES.md from the game's declared fields.

usage: python -m tools.fields
"""

import re
from pathlib import Path

from clerestory.engine import GAMES

ENGINE = Path(__file__).parents[1] / "engine"
ROWS = r"\n(?:\|[^\n]*\n)*"
TABLES = re.compile(rf"\| field \| content \|{ROWS}\n\| field of a player \| content \|{ROWS}")


def with_tables(rules: str, description: str) -> str:
    """Return the text of a RULES.md with its two tables of fields replaced."""
    return TABLES.sub(lambda _: description, rules, count=1)


def main() -> None:
    """Write the tables of all games."""
    for name, game in GAMES.items():
        path = ENGINE / name / "RULES.md"
        path.write_text(with_tables(path.read_text("utf-8"), game.layout.description()), "utf-8")


if __name__ == "__main__":
    main()
