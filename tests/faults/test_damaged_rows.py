"""Rows that cannot be read stop their own game, which is shown as frozen or is not there, and no other."""

import shutil
import sqlite3
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from random import Random

import grpc
import pytest

from clerestory.door.methods import methods
from clerestory.v1 import annotation_pb2, games_pb2
from tests.faults import wires
from tests.faults.judge import dead_services, errors, is_faulty, leaks, traces
from tests.faults.rows import damage
from tests.faults.watched import watched_server
from tests.faults.wires import Ending
from tests.faults.world import GOOD, KINDS, PERSON, Kept, World, about, connect

OPTIONS = ("--workers", "1", "--max-time", "0.05")
CASES = 4  # games of each kind, of which one stays as it is
ABOUT = [path for path in GOOD if path.startswith("GameService/") and path not in ("GameService/CreateGame",)]
FROZEN = r"game \S+ (is frozen|cannot be shown): "  # what the log may say of damaged games


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Kept]]:
    """A folder with a store of games in the middle, some of them ended and reviewed, and the games."""
    folder, luck = tmp_path_factory.mktemp("stored"), Random(1)
    with watched_server(folder, *OPTIONS) as server, grpc.insecure_channel(server.target) as channel:
        world = connect(channel, "")
        kept = [world.make(kind, luck) for kind in range(len(KINDS)) for _ in range(CASES)]
        ended = [one for one in kept[CASES - 1 :: CASES] if PERSON in KINDS[one.kind]["seats"]]
        for one in ended:
            with suppress(grpc.RpcError):  # it was over
                world.stub.EndGame(games_pb2.EndGameRequest(**about(one), reason=games_pb2.END_REASON_ABANDONED))
            assert review(channel, one, wires.SECONDS).code == "ok"
        for one in kept:
            world.look(one)
    with closing(sqlite3.connect(folder / "games")) as store:
        [(reviewed,)] = store.execute("SELECT count(DISTINCT game) FROM review")
    assert reviewed == len(ended) - 1  # that with an open seat had not begun
    return folder, kept


def review(channel: grpc.Channel, one: Kept, listen: float = wires.LISTEN) -> Ending:
    """Return how a request for a review of a game ends; that of an ended game is stored."""
    game = annotation_pb2.KeptGameReference(**about(one))
    request = annotation_pb2.AnnotateGameRequest(kept_game=game, iterations=50)
    method = methods()["/clerestory.v1.AnnotationService/AnnotateGame"]
    return wires.over_grpc(channel, method, request.SerializeToString(), (), listen)


def ask(channel: grpc.Channel, world: World, name: str, one: Kept, luck: Random) -> Ending:
    """Return how a good request about a game ends."""
    method = methods()[f"/clerestory.v1.{name}"]
    made = GOOD[name](world, one, luck)
    request = method.request(**made) if isinstance(made, dict) else made
    return wires.over_grpc(channel, method, request.SerializeToString(), ())


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))])
def test_damaged_rows_stop_their_own_game_and_no_other(
    stored: tuple[Path, list[Kept]], tmp_path: Path, seed: int
) -> None:
    folder, kept = deepcopy(stored)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("log", "delays"))
    luck, sound = Random(seed), kept[::CASES]
    broken = [one for one in kept if one not in sound]
    done = damage(tmp_path / "games", [one.game_id for one in broken], luck)
    options = (*OPTIONS, "--log-format", ("text", "json")[seed % 2])
    with watched_server(tmp_path, *options) as server, grpc.insecure_channel(server.target) as channel:
        world = connect(channel, "")
        faults = [f"{done[one.game_id]}: {fault}" for one in broken for fault in asked(channel, world, one, luck)]
        faults += dead_services(channel, ())
        go_on(world, sound, luck)
    assert not faults, "\n".join(faults)
    assert server.child.returncode == 0
    output = server.output()
    said = leaks(output, {token for one in kept for token in one.tokens}) + traces(output) + errors(output, FROZEN)
    assert not said, "\n".join(said)


def asked(channel: grpc.Channel, world: World, one: Kept, luck: Random) -> list[str]:
    """Return how calls about a game ended as none should."""
    endings = {name: ask(channel, world, name, one, luck) for name in ABOUT} | {"AnnotateGame": review(channel, one)}
    return [f"{one.game_id} {name} {ending}" for name, ending in endings.items() if is_faulty(ending)]


def go_on(world: World, sound: list[Kept], luck: Random) -> None:
    """Play in the games that nothing happened to."""
    for one in sound:
        before = one.seen.game.version
        world.look(one)
        assert one.seen.game.version >= before
        if one.actions:
            before = one.seen.game.version
            world.play(one, luck)
            world.look(one)
            assert one.seen.game.version > before
    owners = games_pb2.GameServiceListGamesRequest(tokens=[one.tokens[0] for one in sound])
    assert {one.game_id for one in sound} == {one.game_id for one in world.stub.ListGames(owners).games}
