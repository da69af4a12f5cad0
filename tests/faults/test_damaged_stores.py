"""A store that is damaged, full or silent: what can be read is served, the rest says why, and no server hangs."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.cli.embedded import embedded_child
from clerestory.refusals import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.faults.disks import fill
from tests.games.damage import overwrite, root_of
from tests.games.earlier import unpack_file
from tests.games.table import OPEN, PERSON
from tests.server.harness import assert_reason

SERVE = [sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store"]


def refused_store(store: str, **environment: str) -> str:
    """Return the one line with which a server refuses a store."""
    done = subprocess.run(
        [*SERVE, store], env=os.environ | environment, capture_output=True, text=True, check=False, timeout=3000
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"clerestory: store: [^\n]+\n", done.stderr)
    return done.stderr


def failing(call: Any, request: Any, reason: Reason) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call(request, timeout=300)
    assert_reason(caught.value, reason)


# -- damage ----------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store with games, migrated."""
    found = unpack_file(tmp_path / "games.sqlite")
    with embedded_child("--store", found, "--workers", "1"):
        pass
    return found


@pytest.mark.parametrize("what", ["header", "store", "game", "entry"])
def test_a_damaged_file_is_refused_in_one_line(path: str, what: str) -> None:
    overwrite(Path(path), *((1, 100) if what == "header" else root_of(Path(path), what)))
    assert path in refused_store(path)


def test_a_file_with_damaged_pages_in_its_middle_is_refused_with_what_to_do(path: str) -> None:
    _, size = root_of(Path(path), "entry")
    overwrite(Path(path), Path(path).stat().st_size // size // 2, size, 3)
    assert re.search(r"is damaged: [^;]+; restore a back-up", refused_store(path))


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
        failing(stub.CreateGame, create, Reason.DISK_FULL)
        ballast.unlink()
        stub.CreateGame(create)
    told_it = capfd.readouterr().err
    assert "no space on the disk of" in told_it
    assert "games can be shown, but not changed" in told_it


def test_a_store_that_cannot_be_brought_up_to_date_for_lack_of_space_is_refused_in_one_line(small_disk: Path) -> None:
    store = unpack_file(small_disk / "games.sqlite")
    fill(small_disk)
    assert "there is no space on its disk" in refused_store(store)
