"""One test of each real part: they wait for events, and nothing in them expires."""

import subprocess
import sys
from pathlib import Path

from clerestory.games.cache import replayed
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import Batch, Summary
from tests.games.table import at, kept, play_one

# -- SQLite -----------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from clerestory.games.log import Entry, EntryKind
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import Batch, Summary

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
    path, game = str(tmp_path / "games.sqlite"), kept("duel")
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
