"""The speed and size of the engine in WebAssembly beside the native one, in one run: `python -m tools.lab.engine_wasm`.

It needs `make engine-wasm`, and runs it in the Node of the virtual environment. Each figure is that of the
fastest of some short rounds, in which both engines take turns: other programs only slow a round down.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import IO, Any

from clerestory.bench.loops import random_games
from clerestory.engine import GAMES, Rng, State
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe

DIST = Path(__file__).parents[2] / "build" / "browser" / "package" / "dist"
NODE = Path(sys.executable).with_name("node")
FILES = tuple(f"{name}.{kind}" for name in ("cathedral", "duel") for kind in ("wasm", "bin", "js"))
ROUNDS = 12
GAMES_PLAYED = 500
ITERATIONS = 50_000
SEED = 7
MAX_BYTES = 16 << 20  # of a tree, the default of the package
# Answers each line of JSON with one: seconds of random games and their plies, or of a search.
SCRIPT = """
import { createInterface } from "node:readline";
const { Engine } = await import(process.argv[1]);
const engines = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { game, seats, games, iterations, timeMs } = JSON.parse(line);
  const began = performance.now();
  const engine = (engines[game] ??= await Engine.load(game));
  const loaded = performance.now();
  const limits = { seed: 7, iterations, timeMs, early: false };
  const found = games ? engine.randomGames(seats, games, 7) : 0;
  if (!games) await engine.recommend(engine.newGame({ seats, seed: 7 }), limits);
  const seconds = (performance.now() - loaded) / 1000;
  console.log(JSON.stringify({ seconds, loaded: loaded - began, plies: found }));
}
for (const engine of Object.values(engines)) engine.close();
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of each figure (default: %(default)s)")
    rounds = parser.parse_args().rounds
    for name in FILES:
        content = (DIST / name).read_bytes()
        print(f"{name:14} {len(content):8,} bytes {len(gzip.compress(content, 9)):8,} gz")
    with node() as pipes:
        for name in ("cathedral", "duel"):
            print(f"{name}: loaded in {answer(pipes, game=name, seats=2, iterations=1)['loaded']:.0f} ms")
            for seats in GAMES[name].seats:
                compare(pipes, name, seats, rounds)
            late = [1000 * answer(pipes, game=name, seats=2, timeMs=200)["seconds"] - 200 for _ in range(20)]
            print(f"{name}: a search of 200 ms ends {median(late):+.1f} ms (worst {max(late):+.1f}) after its time")


def compare(pipes: tuple[IO[str], IO[str]], name: str, seats: int, rounds: int) -> None:
    """Print plies and iterations per second of both engines."""
    plies, searches = [], []
    for _ in range(rounds):
        played = answer(pipes, game=name, seats=seats, games=GAMES_PLAYED)
        _, native, seconds = random_games(GAMES[name], seats, played["seconds"], SEED)
        plies.append((played["plies"] / played["seconds"], native / seconds))
        found = answer(pipes, game=name, seats=seats, iterations=ITERATIONS)
        searches.append((ITERATIONS / found["seconds"], ITERATIONS / search(opening(name, seats))))
    for kind, both in (("plies", plies), ("iterations", searches)):
        wasm, native = (max(column) for column in zip(*both, strict=True))
        print(f"{name} {seats} players: {wasm:12,.0f} {kind}/s, native {native:12,.0f}: {wasm / native:.2f}")


def search(state: State) -> float:
    """Return the seconds of a native search."""
    options: dict[str, Any] = {**shipped(state.game, state.seats), "max_bytes": MAX_BYTES}
    searcher = Searcher(observe(state), seed=SEED, **options)
    began = perf_counter()
    searcher.run(iterations=ITERATIONS)
    return perf_counter() - began


def opening(name: str, seats: int) -> State:
    """Return the first decision of the game that the other engine searches."""
    luck = Rng(SEED)
    state = GAMES[name].new(seats, luck)
    state.play_nature(luck)
    return state


@contextmanager
def node() -> Iterator[tuple[IO[str], IO[str]]]:
    """Yield the pipes to and from a process of the other engine."""
    command = [str(NODE), "--input-type=module", "--eval", SCRIPT, (DIST / "index.js").as_uri()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdin, process.stdout
        process.stdin.close()


def answer(pipes: tuple[IO[str], IO[str]], **question: Any) -> dict[str, Any]:
    """Return the answer to a question."""
    write, read = pipes
    write.write(f"{json.dumps(question)}\n")
    write.flush()
    found: dict[str, Any] = json.loads(read.readline())
    return found


if __name__ == "__main__":
    main()
