"""Games behind the Envoy of deploy/: watchers continue when servers die, and games go to servers with a store."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import HealthServicer
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from clerestory.clients import Advisor, GameSnapshot, HostedGame
from clerestory.clients.errors import error_of
from loadtest.replicas import in_front
from loadtest.server import free_port, own_server

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
GAMES, ADVICE = "clerestory.v1.GameService", "clerestory.v1.AdvisorService"
KILLED_BEFORE = 1, 2  # moves of people


def seen_by(target: str, game_id: str, tokens: dict[int, str], seen: list[str]) -> None:
    """Watch a game to its end, and collect its actions."""
    with Advisor(target) as advisor, advisor.games.open(game_id, tokens).watch(from_version=0) as states:
        for state in states:
            seen += actions_of(state)


def actions_of(state: GameSnapshot) -> list[str]:
    return [entry.action.text for entry in state.entries if entry.action]


@contextmanager
def watched(target: str, game: HostedGame, many: int) -> Iterator[list[list[str]]]:
    """Watch a game `many` times at once until it is over; yield what each watcher sees."""
    seen: list[list[str]] = [[] for _ in range(many)]
    watching = [threading.Thread(target=seen_by, args=(target, game.game_id, game.tokens, one)) for one in seen]
    for watcher in watching:
        watcher.start()
    yield seen
    for watcher in watching:
        watcher.join(300)


def test_watchers_and_players_go_on_when_servers_die(envoy: str, tmp_path: Path) -> None:
    address, nowhere = (f"127.0.0.1:{free_port()}" for _ in range(2))
    options = ("--workers", "1", "--store", str(tmp_path / "games"))
    with in_front(envoy, [address, nowhere]) as target, Advisor(target) as advisor, ExitStack() as lives:
        server = lives.enter_context(own_server(*options, listen=address))
        game = advisor.games.create("toy", ["person", "person"], seed=7)
        with watched(target, game, 3) as seen:
            state = game.look()
            for move in count():
                if move in KILLED_BEFORE:
                    server.process.kill()
                    server.process.wait()
                    server = lives.enter_context(own_server(*options, listen=address))
                state = game.play(state.legal[0])
                if state.status == "over":
                    break
        actions = actions_of(game.look(entries_from=1))
    assert move > max(KILLED_BEFORE)
    assert seen == [actions] * 3


class Anything(grpc.GenericRpcHandler):
    """Answers every call with an empty message, and counts the calls by service."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        service = details.method.split("/")[1]
        if service.startswith("grpc."):
            return None
        return grpc.unary_unary_rpc_method_handler(lambda *_: self.calls.update([service]) or b"")


@contextmanager
def answering() -> Iterator[tuple[str, Anything, HealthServicer]]:
    """Yield the address of a server that answers everything, its counts and its health."""
    with ThreadPoolExecutor(8) as threads:
        server, anything, standing = grpc.server(threads), Anything(), HealthServicer()
        server.add_generic_rpc_handlers((anything,))
        add_HealthServicer_to_server(standing, server)
        port = server.add_insecure_port("127.0.0.1:0")
        for name in ("", GAMES):
            standing.set(name, SERVING)
        server.start()
        yield f"127.0.0.1:{port}", anything, standing
        standing.enter_graceful_shutdown()
        server.stop(None).wait()


def asker(channel: grpc.Channel) -> Callable[[str], None]:
    return lambda service: channel.unary_unary(f"/{service}/Some")(b"", timeout=300)


def reason(ask: Callable[[str], None], service: str) -> str:
    """Return the reason with which a call ends once no server is available."""
    with pytest.raises(grpc.RpcError) as failed:
        while True:
            ask(service)
            time.sleep(0.1)
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE  # type: ignore[attr-defined]
    return error_of(failed.value).reason


def test_games_go_where_the_store_is_reached_and_advice_goes_everywhere(envoy: str) -> None:
    with answering() as (one, first, standing), answering() as (two, second, other):
        standing.set(GAMES, NOT_SERVING)
        with in_front(envoy, [one, two]) as target, grpc.insecure_channel(target) as channel:
            ask = asker(channel)
            for _ in range(20):
                ask(GAMES)
                ask(ADVICE)
            assert (first.calls[GAMES], second.calls[GAMES]) == (0, 20)
            assert first.calls[ADVICE] > 0 < second.calls[ADVICE]
            other.set(GAMES, NOT_SERVING)
            while first.calls[GAMES] == 0:  # if no server reaches its store, each may report it
                ask(GAMES)
                time.sleep(0.1)


def test_health_is_asked_at_the_admin_port(envoy: str) -> None:
    with answering() as (one, first, standing), answering() as (two, second, _):
        standing.set("", NOT_SERVING)
        with in_front(envoy, [one, two], [two, one]) as target, grpc.insecure_channel(target) as channel:
            ask = asker(channel)
            for _ in range(20):
                ask(ADVICE)
    assert (first.calls[ADVICE], second.calls[ADVICE]) == (20, 0)


def test_without_a_server_games_have_a_reason(envoy: str) -> None:
    nobody = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    with in_front(envoy, nobody) as target, grpc.insecure_channel(target) as channel:
        ask = asker(channel)
        assert (reason(ask, GAMES), reason(ask, ADVICE)) == ("STORE_FAILED", "")
