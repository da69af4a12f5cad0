"""Servers whose clocks differ: nobody's time to think depends on the server that takes or makes a move."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.cli.embedded import embedded_child
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import PERSON, first_action
from tests.parts import missing

LIBRARY = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
SECONDS = 10  # for a move
SLACK = 60_000  # milliseconds that this machine may take for a call: less than the clocks of the servers are wrong


@contextmanager
def server(database: str, ahead: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A server whose clock is ahead of the database's."""
    with ExitStack() as stack:
        with monkeypatch.context() as patched:
            patched.setenv("LD_PRELOAD", str(LIBRARY[0]))
            patched.setenv("FAKETIME", ahead)
            patched.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            child = stack.enter_context(embedded_child("--store", database, "--workers", "1"))
        yield GameServiceStub(stack.enter_context(grpc.insecure_channel(child.target)))


def milliseconds(moment: Any) -> int:
    return int(moment.ToMilliseconds())


@pytest.mark.parametrize("fast_owner", [True, False])
def test_a_move_has_its_time_by_the_clock_of_the_database(
    database: str, fast_owner: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    if not LIBRARY:
        missing("libfaketime", "apt-get install faketime")

    def now() -> int:
        row = clock.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT").fetchone()
        assert row is not None
        return int(row[0])

    options = games.GameOptions(time_per_move=Duration(seconds=SECONDS), play_on=games.Bot(level=1))
    request = games.CreateGameRequest(game="duel", seats=[PERSON, PERSON], options=options, seed=7)
    with (
        psycopg.connect(database, autocommit=True) as clock,
        server(database, "+120s", monkeypatch) as fast,
        server(database, "-120s", monkeypatch) as slow,
    ):
        owner, other = (fast, slow) if fast_owner else (slow, fast)
        made = owner.CreateGame(request)
        tokens = [one.token for one in made.seat_tokens]
        for stub in (other, owner, other):
            seen = stub.GetGame(games.GetGameRequest(game_id=made.game.game_id, tokens=tokens))
            before = now()
            played = stub.PlayAction(
                games.PlayActionRequest(
                    game_id=made.game.game_id,
                    tokens=tokens,
                    version=seen.game.version,
                    action=first_action(seen),
                )
            )
            given = milliseconds(played.game.move_deadline) - 1000 * SECONDS
            assert before - SLACK < given < now() + SLACK
        version, deadline = played.game.version, milliseconds(played.game.move_deadline)
        watching = other.WatchGame(
            games.WatchGameRequest(game_id=made.game.game_id, tokens=tokens, from_version=version), timeout=60
        )
        entry = next(entry for state in watching for entry in state.entries if entry.played_on)
        assert milliseconds(entry.time) >= deadline
        assert now() >= deadline - 5_000
