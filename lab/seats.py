"""What a seat is worth between equals: `python -m lab.seats FILE` prints a line of `review/seats.toml`.

FILE has the games of a player against itself, as `clerestory arena` writes them.
"""

import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, variance

from lab.json_lines import gathered


def line_of(returns: Sequence[Sequence[float]]) -> str:
    """Return the mean win share of each seat in percent, and the largest standard error, as a line of TOML."""
    columns = list(zip(*returns, strict=True))
    shares = ", ".join(f"{100 * fmean(column):.1f}" for column in columns)
    error = max(sqrt(variance(column) / len(column)) for column in columns)
    return f"{len(columns)} = {{ shares = [{shares}], error = {100 * error:.1f} }}"


def main() -> None:
    """Print the line."""
    games = [line["returns"] for line in gathered(Path(sys.argv[1])) if "returns" in line]
    sys.stdout.write(f"{line_of(games)}  # of {len(games)} games\n")


if __name__ == "__main__":
    main()
