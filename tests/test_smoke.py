"""One test of each real component: they wait for events, and have no time limits."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from clerestory.clients import Advisor
from clerestory.engine import from_position
from clerestory.server.games.cache import replayed
from clerestory.server.games.store import Batch, Summary
from clerestory.server.games.stores.sqlite import SqliteStore
from tests.browser import harness as web
from tests.browsers import launched_chromium
from tests.server.games.table import at, hosted, play_one
from tools.lab.browser import experienced, page_server

POSITION = Path(__file__).parents[1] / "examples" / "positions" / "cathedral-3p-round4-draft.json"


def test_the_installed_command_serves_until_it_is_stopped() -> None:
    command = Path(sys.executable).with_name("clerestory")
    serve = [command, "serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            announced = re.match(r"clerestory serves on (\S+) ", server.stdout.readline())
            assert announced
            with Advisor(announced[1]) as advisor:
                position = from_position(POSITION.read_text())
                answer = advisor.recommend(position, "60s", iterations=200)
            assert answer.best.text in {action.text for action in position.legal_actions()}
            server.terminate()
            server.stdout.read()
            assert server.wait() == 0
        finally:
            server.kill()


WRITER = """
import asyncio, sys
from clerestory.server.games.log import Entry, EntryKind
from clerestory.server.games.stores.sqlite import SqliteStore
from clerestory.server.games.store import Batch, Summary

async def write(path):
    store = SqliteStore(path)
    for number, line in enumerate(sys.stdin):
        kind, seat, text = line.rstrip().split("|")
        entry = Entry(EntryKind(kind), int(seat) if seat else None, text, number)
        await store.append("game", number, Batch([entry], Summary("running", False, None)))
        print(number, flush=True)

asyncio.run(write(sys.argv[1]))
"""


async def test_a_process_that_is_killed_loses_no_move_that_it_has_stored(tmp_path: Path) -> None:
    """The process writes a game to a real file, and is killed in the middle of it."""
    path, game = str(tmp_path / "games.sqlite"), hosted("duel")
    while not game.over:
        play_one(game, game.ply)
    store = SqliteStore(path)
    await store.create(game.head, Batch([], Summary("running", False, None)))
    await store.close()
    moves = "".join(f"{one.kind}|{'' if one.seat is None else one.seat}|{one.text}\n" for one in game.entries)
    writing = [sys.executable, "-c", WRITER, path]
    with subprocess.Popen(writing, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write(moves)
        writer.stdin.flush()
        stored = [int(writer.stdout.readline()) for _ in range(game.version // 2)]
        writer.kill()
    again = SqliteStore(path)
    found = await again.load("game")
    assert found is not None
    read = replayed(*found)
    assert read.version > stored[-1]
    assert [entry.text for entry in read.entries] == [entry.text for entry in game.entries[: read.version]]
    assert read.position == at(game, read.version).position
    await again.close()


def test_a_duel_is_played_in_chromium_from_the_lobby_to_its_end() -> None:
    with (
        page_server("--workers", "1") as (_, url),
        launched_chromium() as browser,
        web.open_tab(experienced(browser, base_url=url, reduced_motion="reduce")) as page,
    ):
        game = web.start(page)
        web.play_on(page)
        expect(page.get_by_test_id("winner")).to_contain_text("wins")
        assert web.played_through(web.record_of(page, game)).over
