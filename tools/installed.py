"""Plays with an installed package as users do: over gRPC, and on its page. `PYTHON tools/installed.py`.

It also compares a search with that of other machines, because equal seeds give equal bits everywhere.
With `--hint`, it asks for a first hint instead. With `--serving COMMAND ...`, it runs a command while the package
serves, with the address of the page in CLERESTORY_URL.

Needs only the package and this file; it uses the interpreter's package, never a checkout.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

COMMAND = Path(sys.executable).with_name("clerestory")
GAMES = "clerestory.v1.GameService"
RULES, ADVICE = "clerestory.v1.RulesService", "clerestory.v1.AdvisorService"
OPTIONS = ("--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--workers", "1", "--log-level", "warning")
ANSWERS = "fc1979ca4b0f06c4"  # digest of `answers`
ADDRESSES = re.compile(r"serves on (\S+) .*?page at (http://\S+?)/?\s", re.DOTALL)


def main(wish: str = "", *command: str) -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (server, page):
        if wish == "--hint":
            print(f"first hint: {first_hint(page)}")
            return
        if wish == "--serving":
            subprocess.run(command, env=os.environ | {"CLERESTORY_URL": page}, check=True)
            return
        run("health", "--server", server)
        run("--version")
        plies = play_over_grpc(server)
        print(f"over gRPC: a game of {plies} plies")
        plies = play_on_page(page)
        print(f"on the page: a game of {plies} plies")
        if (found := answers()) != ANSWERS:
            raise SystemExit(f"searches differ from those on other machines: {found}, not {ANSWERS}")
        print("searches: the same bits as elsewhere")


def run(*arguments: str) -> None:
    """Run a command of the package. Raises CalledProcessError if it fails."""
    subprocess.run([COMMAND, *arguments], check=True)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the addresses of a server and of its page; the games are stored in a file in the folder."""
    command = [str(COMMAND), "serve", *OPTIONS, "--store", str(folder / "games.sqlite")]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield addresses(server)
        finally:
            server.terminate()
    if server.returncode:
        raise SystemExit(f"the server ended with {server.returncode}")


def addresses(server: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return the addresses announced by a server. Raises SystemExit if it exits."""
    assert server.stdout is not None
    said = ""
    while not (found := ADDRESSES.search(said)):
        line = server.stdout.readline()
        if not line:
            raise SystemExit(f"the server did not start: {said}")
        said += line
    return found[1], found[2]


def play_over_grpc(server: str) -> int:
    """Play a game with advice; return the number of plies."""
    from clerestory.clients import Advisor

    with Advisor(server) as advisor:
        game = advisor.games.create("duel", ["person:Ann", "level:1"])
        for seen in game.watch():
            if seen.legal:
                best = advisor.recommend(seen.position(), iterations=50, seed=1).best
                game.play(best, version=seen.version)
    assert seen.outcome is not None
    return int(seen.ply)


def play_on_page(page: str) -> int:
    """Fetch the page and its script, and play a game through its calls; return the number of plies."""
    script = re.search(r'src="(/assets/main-\w+\.js)"', fetched(f"{page}/").decode())
    assert script
    assert fetched(page + script[1])
    seats = [{"kind": "SEAT_KIND_PERSON"}, {"kind": "SEAT_KIND_PERSON"}]
    made = called(page, "CreateGame", game="duel", seats=seats)
    keys = {"game_id": made["game"]["game_id"], "tokens": [seat["token"] for seat in made["seat_tokens"]]}
    while "end" not in (seen := called(page, "GetGame", **keys))["game"]:
        [action] = [view["actions"][0]["action"]["text"] for view in seen["views"] if view.get("actions")]
        called(page, "PlayAction", **keys, version=seen["game"]["version"], action=action)
    return int(seen["game"]["ply"])


def answers() -> str:
    """Return a digest of every figure of a search in each game, with a fixed seed; time and memory are left out."""
    from clerestory.engine import GAMES, NATURE, Rng
    from clerestory.search.ismcts import Searcher
    from clerestory.search.options import shipped
    from clerestory.search.root import observe

    digest = hashlib.sha256()
    for name in ("cathedral", "duel"):
        state = GAMES[name].new(2, 7)
        while state.turn == NATURE:
            state.play(state.draw(Rng(7)))
        searcher = Searcher(observe(state), seed=7, **shipped(GAMES[name], 2))
        digest.update(repr(replace(searcher.run(iterations=2000), elapsed=0.0, tree_bytes=0)).encode())
    return digest.hexdigest()[:16]


def first_hint(page: str) -> str:
    """Load the page, start a game, and return the best action after 100 ms."""
    fetched(f"{page}/")
    start = called(page, "StartPosition", RULES, game="cathedral", seats=2, seed="7")
    dealt = called(page, "ApplyActions", RULES, position={"referee": start["referee"]}, draw=True)
    seen = called(page, "ObservePosition", RULES, referee=dealt["position"]["referee"], seat=0)
    answer = called(page, "RecommendMove", ADVICE, position=seen["position"], time_budget="0.1s")
    return str(answer["best"]["label"])


def called(page: str, method: str, service: str = GAMES, **fields: Any) -> Any:
    """Return the answer to a call of the page."""
    request = Request(f"{page}/{service}/{method}", json.dumps(fields).encode(), {"content-type": "application/json"})
    return json.loads(fetched(request))


def fetched(what: str | Request) -> bytes:
    """Return the content at an address of the page."""
    with urlopen(what) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    main(*sys.argv[1:])
