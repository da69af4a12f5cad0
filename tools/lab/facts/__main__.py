"""What play between equals says about the games, each figure with its 95 % interval.

    python -m tools.lab.facts NAME [--games N] [--folder FOLDER] [--stored]
    python -m tools.lab.facts write --games N

NAME is a fact (below). Games that are not in the folder yet are played first, N of each game and number of players; a
run that was ended continues there, and with `--stored` no more are played. `write` stores all facts in found.json, and
puts them into the tables of docs/strategy.md and into the page.
"""

import argparse
import sys
from pathlib import Path

from tools.lab.commands import run
from tools.lab.facts.document import DOCUMENT, FOUND, PAGE_MODULE, filled, page_module, printed, read_found, store
from tools.lab.facts.games import gather, tables
from tools.lab.facts.measures import NAMES

FOLDER = Path("build/facts")
WRITE = "write"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=(*NAMES, WRITE))
    parser.add_argument("--games", type=int, default=100, help="of each game and number of players")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where games are stored")
    parser.add_argument("--stored", action="store_true", help="play no more games")
    options = parser.parse_args()
    if not options.stored:
        gather(options.folder, options.games)
    stored = tables(options.folder, options.games)
    if options.name != WRITE:
        sys.stdout.write(printed(options.name, stored) + "\n")
        return
    store(stored, options.games)
    DOCUMENT.write_text(filled(DOCUMENT.read_text("utf-8"), read_found()), "utf-8")
    PAGE_MODULE.write_text(page_module(read_found()["facts"]), "utf-8")
    sys.stdout.write(f"{FOUND}\n{DOCUMENT}\n{PAGE_MODULE}\n")


if __name__ == "__main__":
    run(main)
