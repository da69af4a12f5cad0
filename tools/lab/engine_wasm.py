"""The engine in WebAssembly beside the native one, in one run: speed, size, memory, and what a page notices of it.

`python -m tools.lab.engine_wasm`, after `make engine-wasm`; `npm run bench` in clients/browser does the same. Speeds
are medians of rounds in which both engines take turns, in processor time, so that other programs matter less: in the
Node of the virtual environment, and in Chromium.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from playwright.sync_api import Page, sync_playwright

from clerestory.bench.loops import random_games
from clerestory.engine import GAMES, Rng, State
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tools.lab.browser import chromium, static_server

DIST = Path(__file__).parents[2] / "build" / "browser" / "package" / "dist"
NODE = Path(sys.executable).with_name("node")
NAMES = ("cathedral", "duel")
ROUNDS = 3
GAMES_PLAYED = 20_000
ITERATIONS = 50_000
SEED = 7
MAX_BYTES = 14 << 20  # of a tree, the default of the package
SEARCHES = 200  # of 200 ms
WINDOWS = 4  # of 3 s
TOLERANCE = 5  # milliseconds after its time
FRAME, TWO_FRAMES = 17.5, 34  # milliseconds

Ask = Callable[..., dict[str, Any]]  # asks the other engine

# Makes a function that answers a question: seconds of random games and their plies, or of a search; bytes of memory.
ANSWER = """
const memories = [];
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...given) {
    super(...given);
    memories.push(this.exports.memory);
  }
};
const engines = {};
const answerOf = (Engine, seconds) => async ({ game, seats, games, iterations, fresh }) => {
  if (fresh) memories.length = 0;
  if (fresh || !engines[game]) engines[game] = await Engine.load(game, { worker: false });
  const engine = engines[game];
  const began = seconds();
  const plies = games ? engine.randomGames(seats, games, 7) : 0;
  if (!games) await engine.recommend(engine.newGame({ seats, seed: 7 }), { seed: 7, iterations, early: false });
  const took = seconds() - began;
  return { seconds: took, plies, bytes: memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) };
};
"""
# Answers each line of JSON with one.
IN_NODE = f"""
import {{ createInterface }} from "node:readline";
{ANSWER}
const {{ Engine }} = await import(process.argv[1]);
const answer = answerOf(Engine, () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6);
for await (const line of createInterface({{ input: process.stdin }})) {{
  console.log(JSON.stringify(await answer(JSON.parse(line))));
}}
"""
IN_PAGE = f"""async question => {{
  if (!globalThis.answer) {{
    {ANSWER}
    const {{ Engine }} = await import("/dist/index.js");
    globalThis.answer = answerOf(Engine, () => performance.now() / 1000);
  }}
  return globalThis.answer(question);
}}"""
TICKS = os.sysconf("SC_CLK_TCK")  # a second

# Returns milliseconds: from the beginning of the page to its first move; by which searches of 200 ms, and waits as long
# in a worker that only reads the clock, end late; and between frames, idle and during both.
NOTICED = """async ([game, searches, windows]) => {
  const { Engine } = await import("/dist/index.js");
  const engine = await Engine.load(game);
  const position = engine.newGame({ seats: 2, seed: 7 });
  const search = timeMs => engine.recommend(position, { timeMs, seed: 7, early: false });
  await search(200);
  const first = performance.now();
  const now = "performance.timeOrigin + performance.now()";
  const script = `onmessage = ({ data }) => { while (${now} < data); postMessage(0); }`;
  const worker = new Worker(URL.createObjectURL(new Blob([script])));
  const wait = ms => new Promise(resolve => {
    worker.onmessage = resolve;
    worker.postMessage(performance.timeOrigin + performance.now() + ms - 2);
  });
  const late = { search: [], wait: [] };
  for (let i = 0; i < searches; i++) {
    for (const [name, run] of Object.entries({ search, wait })) {
      const began = performance.now();
      await run(200);
      late[name].push(performance.now() - began - 200);
    }
  }
  const frames = async during => {
    const times = [];
    let going = true;
    const next = time => { times.push(time); if (going) requestAnimationFrame(next); };
    requestAnimationFrame(next);
    await during;
    going = false;
    return times.slice(1).map((time, i) => time - times[i]);
  };
  const gaps = { idle: [], wait: [], search: [] };
  const idle = ms => new Promise(resolve => setTimeout(resolve, ms));
  for (let i = 0; i < windows; i++) {
    for (const [name, run] of Object.entries({ idle, wait, search })) gaps[name].push(...await frames(run(3000)));
  }
  return { first, late, gaps };
}"""
LATE = {"search": "of a search", "wait": "of a worker that reads the clock"}
BESIDE = {"idle": "idle", "wait": "beside a worker that reads the clock", "search": "beside a search"}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("speed", "page"), help="only sizes, speeds and memory, or what pages notice")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of each figure (default: %(default)s)")
    options = parser.parse_args()
    if options.only != "page":
        show_engine(options.rounds)
    for name in () if options.only == "speed" else NAMES:
        with page() as tab:
            show_noticed(name, tab)


def show_engine(rounds: int) -> None:
    """Print sizes, speeds and memory."""
    show_sizes()
    with node() as ask:
        show_speeds("Node", ask, rounds)
        for name in NAMES:
            used = ask(game=name, seats=2, iterations=40 * ITERATIONS, fresh=True)["bytes"]
            print(f"{name}: {used / 2**20:.0f} MiB of memory after {40 * ITERATIONS:,} iterations")
    with page() as tab:
        show_speeds("Chromium", partial(ask_page, tab), rounds)


def show_sizes() -> None:
    """Print the sizes of the files that pages load, as they are and compressed."""
    packed = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in sorted(DIST.glob("*"))}
    wasm = sum(size for name, size in packed.items() if name.endswith(".wasm"))
    code = sum(size for name, size in packed.items() if name.endswith(".js"))
    print(f"engine of both games: {wasm:,} bytes gz, and {code:,} of JavaScript with the data")
    for name in (name for name in packed if name.endswith(".bin")):
        print(f"{name}: {packed[name]:,} bytes gz of weights and tables")


def show_speeds(where: str, ask: Ask, rounds: int) -> None:
    """Print the speeds of both engines for each number of players."""
    for name in NAMES:
        for _ in range(2):  # until it is compiled for speed
            ask(game=name, seats=2, games=GAMES_PLAYED)
            ask(game=name, seats=2, iterations=ITERATIONS)
        for seats in GAMES[name].seats:
            compare(where, ask, name, seats, rounds)


def show_noticed(name: str, tab: Page) -> None:
    """Print what a page in Chromium notices."""
    found = tab.evaluate(NOTICED, [name, SEARCHES, WINDOWS])
    print(f"{name}: first move of a cold page after {found['first']:.0f} ms, 200 of them searched")
    for what in ("search", "wait"):
        late = sorted(found["late"][what])
        p50, p99 = (late[len(late) * share // 100] for share in (50, 99))
        told = f"p50 {p50:+.1f} ms, p99 {p99:+.1f}, worst {late[-1]:+.1f}"
        in_time = sum(one <= TOLERANCE for one in late) / len(late)
        print(f"{name}: 200 ms {LATE[what]} end late by {told}; {in_time:.1%} within {TOLERANCE} ms")
    for what, gaps in found["gaps"].items():
        one, two = (sum(gap > length for gap in gaps) / len(gaps) for length in (FRAME, TWO_FRAMES))
        rate = 1000 * len(gaps) / sum(gaps)
        print(f"{name}: {rate:.1f} frames a second {BESIDE[what]}, {one:.1%} over 17 ms, {two:.1%} over 34 ms")


def compare(where: str, ask: Ask, name: str, seats: int, rounds: int) -> None:
    """Print plies and iterations per second of both engines."""
    plies, searches = [], []
    for _ in range(rounds):
        played = ask(game=name, seats=seats, games=GAMES_PLAYED)
        began = process_time()
        _, native, _ = random_games(GAMES[name], seats, played["seconds"], SEED)
        plies.append((played["plies"] / played["seconds"], native / (process_time() - began)))
        found = ask(game=name, seats=seats, iterations=ITERATIONS)
        searches.append((ITERATIONS / found["seconds"], ITERATIONS / search(opening(name, seats))))
    for kind, both in (("plies", plies), ("iterations", searches)):
        wasm, native = (median(column) for column in zip(*both, strict=True))
        ratio = median(one / other for one, other in both)
        print(
            f"{name} {seats} players, {where}: {wasm:12,.0f} {kind}/s, native {native:12,.0f}: {ratio:.2f}", flush=True
        )


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
def node() -> Iterator[Ask]:
    """Yield a function that asks the other engine in Node."""
    command = [str(NODE), "--input-type=module", "--eval", IN_NODE, (DIST / "index.js").as_uri()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        write, read = process.stdin, process.stdout
        assert write
        assert read

        def ask(**question: Any) -> dict[str, Any]:
            write.write(f"{json.dumps(question)}\n")
            write.flush()
            found: dict[str, Any] = json.loads(read.readline())
            return found

        yield ask
        write.close()


def ask_page(tab: Page, **question: Any) -> dict[str, Any]:
    """Ask the other engine on a page; seconds are the processor time of Chromium."""
    began = children_seconds()
    found: dict[str, Any] = tab.evaluate(IN_PAGE, question)
    return {**found, "seconds": children_seconds() - began}


def children_seconds() -> float:
    """Return the processor time of all processes that this one has started, and those have."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            parents[path.parent.name], ticks[path.parent.name] = fields[1], int(fields[11]) + int(fields[12])
    own = {str(os.getpid())}
    while more := {child for child, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(ticks[child] for child in own - {str(os.getpid())}) / TICKS


@contextmanager
def page() -> Iterator[Page]:
    """Yield an empty page in Chromium, beside the other engine."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "dist").symlink_to(DIST)
        Path(folder, "index.html").write_text("<!doctype html><title>engine</title>", "utf-8")
        with static_server(Path(folder)) as url, playwright.chromium.launch(**chromium()) as browser:
            tab = browser.new_page()
            tab.goto(url)
            yield tab


if __name__ == "__main__":
    main()
