"""A store on a full disk: stored games are readable, and nothing else is stored until there is space."""

import os
import signal
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.cli.servers import embedded_child
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.faults.disks import fill
from tests.server.games.earlier import unpack_file
from tests.server.games.table import OPEN, PERSON
from tests.server.rpc.harness import assert_reason

# -- a full disk -----------------------------------------------------------------------------------


def test_a_server_that_is_killed_on_a_full_disk_starts_again_and_stores_once_there_is_space(
    small_disk: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = unpack_file(small_disk / "games.sqlite")
    create = games.CreateGameRequest(game="toy", seats=[PERSON, OPEN], options=games.GameOptions(listed=True))
    with embedded_child("--store", store, "--workers", "1") as child, grpc.insecure_channel(child.target) as channel:
        stub: Any = GameServiceStub(channel)
        made = stub.CreateGame(create)
        ballast = fill(small_disk)
        with pytest.raises(grpc.RpcError) as caught:
            while True:
                stub.CreateGame(create)
        assert_reason(caught.value, Reason.DISK_FULL)
        os.kill(child.process, signal.SIGKILL)
    fill(small_disk)
    capfd.readouterr()
    with embedded_child("--store", store, "--workers", "1") as child, grpc.insecure_channel(child.target) as channel:
        stub = GameServiceStub(channel)
        look = games.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
        assert stub.GetGame(look).game.version == made.game.version
        with pytest.raises(grpc.RpcError) as caught:
            stub.CreateGame(create, timeout=300)
        assert_reason(caught.value, Reason.DISK_FULL)
        ballast.unlink()
        stub.CreateGame(create)
    told_it = capfd.readouterr().err
    assert "no space on the disk of" in told_it
    assert "games can be shown, but not changed" in told_it
