"""Computes seats' win shares between equals: `python -m tools.lab.seats FILE` prints a line of `seats.toml`.

FILE has the games of a player against itself, as written by `clerestory arena`. Errors are over deals, since all games
of a deal have the same cards.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from tools.lab.json_lines import gathered


def line_of(games: Sequence[dict[str, Any]]) -> str:
    """Return the mean win share of each seat in percent, and the largest standard error, as a line of TOML."""
    deals = defaultdict(list)
    for game in games:
        deals[game["deal"]].append(game["returns"])
    columns = list(zip(*(map(fmean, zip(*deal, strict=True)) for deal in deals.values()), strict=True))
    shares = ", ".join(f"{100 * fmean(column):.1f}" for column in columns)
    error = max(sqrt(variance(column) / len(column)) for column in columns)
    return f"{len(columns)} = {{ shares = [{shares}], error = {100 * error:.1f} }}"


def main() -> None:
    """Print the line."""
    games = [line for line in gathered(Path(sys.argv[1])) if "returns" in line]
    sys.stdout.write(f"{line_of(games)}  # of {len(games)} games\n")


if __name__ == "__main__":
    main()
