"""Changes values of a catalogue at random, to find how far from its own cards a learned value holds.

    python -m tools.lab.corrected GAME --share 0.2 --seed 1 --out FILE

Each amount of the shipped cards is changed with the probability `--share`: by a fifth to a half of itself, at least
by 1, up or down, and not below 1. Amounts that define the structure of the game stay (STRUCTURE), and so do those whose
change the checks of the catalogue reject. Prints the number of changed amounts, and the learned value's distance
between these cards and its own. docs/learning.md has a match with such cards.
"""

import argparse
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from clerestory.engine.catalogue import Catalogue
from clerestory.engine.errors import BadCatalogue
from clerestory.engine.games import LIST, game, with_catalogue
from clerestory.engine.values.value import distance_of, value_of
from tools.lab.commands import run

AMOUNT = re.compile(r"\b([a-z_]+) = ([0-9]+)\b")
STRUCTURE = frozenset({"version", "round", "last_round", "builders", "a", "b"})  # a, b: copies in the duel's decks
LEAST, MOST = 0.2, 0.5  # range of the relative change of an amount


def amounts(text: str) -> Iterator[re.Match[str]]:
    """Yield the places of card amounts in TOML text; group 2 is the figure."""
    start = 0
    for line in text.splitlines(keepends=True):
        if not line.startswith(("#", "sources")):
            found = AMOUNT.finditer(text, start, start + len(line))
            yield from (place for place in found if place[1] not in STRUCTURE)
        start += len(line)


def moved(amount: int, rng: random.Random) -> int:
    step = max(1, round(amount * rng.uniform(LEAST, MOST)))
    return max(1, amount + rng.choice((-step, step)))


def corrected(text: str, share: float, rng: random.Random, is_rejected: Callable[[str], bool]) -> tuple[str, int, int]:
    """Return TOML text with a share of its amounts changed, and the numbers of changed and of all amounts."""
    places, changed = list(amounts(text)), 0
    for place in reversed(places):  # from the end, so that earlier places stay valid
        if rng.random() < share:
            tried = text[: place.start(2)] + str(moved(int(place[2]), rng)) + text[place.end(2) :]
            if tried != text and not is_rejected(tried):
                text, changed = tried, changed + 1
    return text, changed, len(places)


def shape_of(name: str) -> type[Catalogue]:
    """Return the class of a game's catalogue."""
    shape = LIST[name].catalogue
    assert shape is not None
    return shape


def rejection_of(shape: type[Catalogue]) -> Callable[[str], bool]:
    """Return a function that tests whether the checks of a catalogue reject TOML text."""

    def is_rejected(text: str) -> bool:
        try:
            shape.parse(text)
        except BadCatalogue:
            return True
        return False

    return is_rejected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=with_catalogue())
    parser.add_argument("--share", type=float, required=True, help="of the amounts, that are changed: 0 to 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    shape = shape_of(options.game)
    shipped = shape.shipped.read_text("utf-8")
    text, changed, of = corrected(shipped, options.share, random.Random(options.seed), rejection_of(shape))
    options.out.write_text(text, "utf-8")
    made = game(options.game, catalogue=options.out)
    weights = value_of(made, "net").weights
    assert weights is not None  # a learned value is shipped
    away = distance_of(made, weights)
    print(f"{options.out}: {changed} of {of} amounts changed; {away:.1%} away from the cards of the learned value")


if __name__ == "__main__":
    run(main)
