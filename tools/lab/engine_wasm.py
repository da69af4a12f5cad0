"""The engine in WebAssembly beside the native one, in one run: speed, size, memory, and what a page notices of it.

`python -m tools.lab.engine_wasm`, after `make engine-wasm`. Speeds are medians of rounds in which both engines take
turns, for a second of processor time, so that other programs matter less; the other engine runs in the Node of the
virtual environment. Times and pictures are those of a page in Chromium.
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
from tempfile import TemporaryDirectory
from time import process_time
from typing import IO, Any

from playwright.sync_api import sync_playwright

from clerestory.bench.loops import random_games
from clerestory.engine import GAMES, Rng, State
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tools.lab.browser import chromium, static_server

DIST = Path(__file__).parents[2] / "build" / "browser" / "package" / "dist"
NODE = Path(sys.executable).with_name("node")
FILES = tuple(f"{name}.{kind}" for name in ("cathedral", "duel") for kind in ("wasm", "bin", "js"))
ROUNDS = 3
GAMES_PLAYED = 500
ITERATIONS = 50_000
SEED = 7
MAX_BYTES = 16 << 20  # of a tree, the default of the package
# Answers each line of JSON with one: seconds of random games and their plies, or of a search, and bytes of memory.
SCRIPT = """
import { createInterface } from "node:readline";
const memories = [];
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...given) {
    super(...given);
    memories.push(this.exports.memory);
  }
};
const { Engine } = await import(process.argv[1]);
const engines = {};
const seconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
for await (const line of createInterface({ input: process.stdin })) {
  const { game, seats, games, iterations, fresh } = JSON.parse(line);
  if (fresh) memories.length = 0;
  if (fresh || !engines[game]) engines[game] = await Engine.load(game, { worker: false });
  const engine = engines[game];
  const began = seconds();
  const plies = games ? engine.randomGames(seats, games, 7) : 0;
  if (!games) await engine.recommend(engine.newGame({ seats, seed: 7 }), { seed: 7, iterations, early: false });
  const took = seconds() - began;
  const bytes = memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  console.log(JSON.stringify({ seconds: took, bytes, plies }));
}
"""


# Returns the milliseconds from the beginning of the page to its first move, of further searches, and between pictures.
IN_PAGE = """async game => {
  const { Engine } = await import("/dist/index.js");
  const engine = await Engine.load(game);
  const position = engine.newGame({ seats: 2, seed: 7 });
  const search = timeMs => engine.recommend(position, { timeMs, seed: 7, early: false });
  await search(200);
  const first = performance.now();
  const took = [];
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    await search(200);
    took.push(performance.now() - began);
  }
  const pictures = async during => {
    const times = [];
    let going = true;
    const next = time => { times.push(time); if (going) requestAnimationFrame(next); };
    requestAnimationFrame(next);
    await during;
    going = false;
    return times.slice(1).map((time, i) => time - times[i]);
  };
  const idle = await pictures(new Promise(resolve => setTimeout(resolve, 3000)));
  return { first, took, idle, searching: await pictures(search(3000)) };
}"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true", help="only the speeds")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of each figure (default: %(default)s)")
    options = parser.parse_args()
    for name in FILES:
        content = (DIST / name).read_bytes()
        print(f"{name:14} {len(content):8,} bytes {len(gzip.compress(content, 9)):8,} gz")
    with node() as pipes:
        for name in ("cathedral", "duel"):
            for _ in range(2):  # until it is compiled for speed
                answer(pipes, game=name, seats=2, games=GAMES_PLAYED)
                answer(pipes, game=name, seats=2, iterations=ITERATIONS)
            for seats in GAMES[name].seats:
                compare(pipes, name, seats, options.rounds)
            used = answer(pipes, game=name, seats=2, iterations=40 * ITERATIONS, fresh=True)["bytes"]
            print(f"{name}: {used / 2**20:.0f} MiB of memory after {40 * ITERATIONS:,} iterations")
    for name in () if options.speed else ("cathedral", "duel"):
        show_page(name)


def show_page(name: str) -> None:
    """Print what a page in Chromium notices."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "dist").symlink_to(DIST)
        Path(folder, "index.html").write_text("<!doctype html><title>engine</title>", "utf-8")
        with static_server(Path(folder)) as url, playwright.chromium.launch(**chromium()) as browser:
            page = browser.new_page()
            page.goto(url)
            found = page.evaluate(IN_PAGE, name)
    late = [took - 200 for took in found["took"]]
    print(f"{name}: first move of a cold page after {found['first']:.0f} ms, 200 of them searched")
    print(f"{name}: searches of 200 ms end {median(late):+.1f} ms (worst {max(late):+.1f}) after their time")
    for what in ("idle", "searching"):
        gaps = found[what]
        print(f"{name}: {1000 * len(gaps) / sum(gaps):.0f} pictures a second {what}, longest gap {max(gaps):.0f} ms")


def compare(pipes: tuple[IO[str], IO[str]], name: str, seats: int, rounds: int) -> None:
    """Print plies and iterations per second of both engines."""
    plies, searches = [], []
    for _ in range(rounds):
        played = answer(pipes, game=name, seats=seats, games=GAMES_PLAYED)
        began = process_time()
        _, native, _ = random_games(GAMES[name], seats, played["seconds"], SEED)
        plies.append((played["plies"] / played["seconds"], native / (process_time() - began)))
        found = answer(pipes, game=name, seats=seats, iterations=ITERATIONS)
        searches.append((ITERATIONS / found["seconds"], ITERATIONS / search(opening(name, seats))))
    for kind, both in (("plies", plies), ("iterations", searches)):
        wasm, native = (median(column) for column in zip(*both, strict=True))
        ratio = median(one / other for one, other in both)
        print(f"{name} {seats} players: {wasm:12,.0f} {kind}/s, native {native:12,.0f}: {ratio:.2f}")


def search(state: State) -> float:
    """Return the seconds of a native search."""
    options: dict[str, Any] = {**shipped(state.game, state.seats), "max_bytes": MAX_BYTES}
    searcher = Searcher(observe(state), seed=SEED, **options)
    began = process_time()
    searcher.run(iterations=ITERATIONS)
    return process_time() - began


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
