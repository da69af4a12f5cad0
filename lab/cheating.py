"""Measures how much a search gains by seeing hidden cards: `python -m lab.cheating --games 400 --iterations 300`.

Two searches with equal options play paired deals. One sees the order of the hidden decks, the other re-deals
them, as every search of the package does. Neither can know dice or draws from a bag.
"""

import argparse
import sys
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from Cython.Build import cythonize
from setuptools import Distribution, Extension

from clerestory.arena.bots import Move
from clerestory.arena.match import GameResult, Match, decisions, derived_seed, result
from clerestory.arena.results import Results
from clerestory.arena.series import Report, report
from clerestory.arena.statistics import Interval
from clerestory.cli.options import DEFAULT_GAME
from clerestory.engine import GAMES, Rng, State
from clerestory.engine.core import Game
from clerestory.search import Searcher
from clerestory.search.root import observe

ROOT = Path(__file__).parents[1]
SOURCE = Path(__file__).parent / "unveiled.pyx"
MAX_BYTES = 1 << 26
INFORMED = {"reward": "mix", "playout": "informed"}


@cache
def unveiled(game: Game) -> Any:
    """The game with its cards open."""
    return module().Unveiled(game)


@cache
def module() -> Any:
    """The module of such games. It is compiled here, because it is not part of the package; once for its sources."""
    folder = ROOT / "build" / "unveiled" / digest()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        flock(file, LOCK_EX)  # several processes may come at once
        if not list(folder.glob("unveiled.*.so")):
            compile_into(folder)
    sys.path.insert(0, str(folder))
    try:
        return import_module("unveiled")
    finally:
        sys.path.remove(str(folder))


def digest() -> str:
    """What tells one state of the sources from another."""
    sources = [SOURCE, *sorted((ROOT / "engine").glob("*.p[xy]*"))]
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def compile_into(folder: Path) -> None:
    """Compile the module."""
    with TemporaryDirectory() as work:
        modules = cythonize(  # type: ignore[no-untyped-call]
            Extension("unveiled", [str(SOURCE)]), build_dir=work, quiet=True
        )
        command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder), work
        command.ensure_finalized()
        command.run()


def play_game(game: Game, seats: int, iterations: int, options: dict[str, Any], deal: int, cheat: int) -> GameResult:
    """One game of a deal in which one seat sees hidden cards; luck and seeds are those of the arena."""
    state = game.new(seats, deal)
    moves: list[list[Move]] = [[] for _ in range(seats)]
    for ply in decisions(state, Rng(derived_seed("nature", deal))):
        seen = unveiled(game).unveil(state) if state.turn == cheat else state
        move = decide(seen, derived_seed("move", deal, cheat, ply), iterations, options)
        moves[state.turn].append(move)
        state.play(move.action)
    return result(state, deal, cheat, len(state.history), moves)


def decide(seen: State, seed: int, iterations: int, options: dict[str, Any]) -> Move:
    found = Searcher(observe(seen), seed=seed, max_bytes=MAX_BYTES, **options).run(iterations=iterations)
    return Move(found.best.action, found.iterations, found.elapsed)


def gap(game: Game, seats: int, games: int, iterations: int, **options: Any) -> Report:
    """The report of a match of the player who sees hidden cards (A) against one who does not."""
    deals = -(-games // seats)
    match = Match(lambda: game, seats, ("peeking", "fair"), f"{iterations}it", 0, deals)
    played = (
        play_game(game, seats, iterations, options, deal, cheat) for deal in range(deals) for cheat in range(seats)
    )
    outcome = report(match, Results(games=played))
    assert outcome is not None
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=GAMES, default=DEFAULT_GAME)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--informed", action="store_true", help="both with reward=mix, playout=informed")
    chosen = parser.parse_args()
    options = INFORMED if chosen.informed else {}
    outcome = gap(GAMES[chosen.game], chosen.seats, chosen.games, chosen.iterations, **options)
    sys.stdout.write(f"{outcome.games} games of {outcome.deals} deals, the search that peeks against the fair one\n")
    for name, style, figure in (
        ("score share", ".1%", outcome.score),
        ("Elo", "+.0f", outcome.elo),
        ("margin", "+.2f", outcome.margin),
    ):
        sys.stdout.write(f"{name:12} {spread(figure, style)}\n")


def spread(figure: Interval, style: str) -> str:
    return f"{figure.mean:{style}} [{figure.low:{style}}, {figure.high:{style}}]"


if __name__ == "__main__":
    main()
