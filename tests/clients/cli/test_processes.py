"""The command as a process: signals, standard streams, private servers, and what it imports."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.cli.servers import embedded_server
from clerestory.clients import Advisor, Busy, Unavailable
from clerestory.clients.wire import position_message
from clerestory.engine import from_position
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from loadtest.server import free_port
from tests.clients.cli.command import POSITIONS, TOY_OPENING, Ended, announced, run, started, until
from tests.clients.cli.test_main import COMMANDS

pytestmark = pytest.mark.system

UNDECIDED = POSITIONS / "cathedral-4p-round2-builder.json"
QUESTION = from_position(TOY_OPENING.read_bytes())


def looked_at(address: str) -> str:
    """Return whether a server is "free", "busy" as another call has its only place, or "away"."""
    with Advisor(address, patience=0) as advisor:
        try:
            advisor.recommend(QUESTION, "1ms", iterations=1)
        except Busy:
            return "busy"
        except Unavailable:
            return "away"
    return "free"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_shuts_down_answers_its_callers(number: int) -> None:
    with started("serve", "--listen", "127.0.0.1:0", "--workers", 1, "--max-searches", 1) as server:
        address = announced(server)
        with started("recommend", UNDECIDED, "--server", address, "--time", "500s", "--json") as caller:
            until(lambda: looked_at(address) == "busy")
            server.send_signal(number)
            out, err = caller.communicate()
        assert server.wait() == 0
    assert (caller.returncode, err) == (0, "")
    statistics = Ended(0, out).json["statistics"]
    assert statistics["stop_reason"] == "STOP_REASON_STOPPED"
    assert int(statistics["iterations"]) > 0


def test_an_open_watch_on_the_admin_port_does_not_delay_a_shutdown() -> None:
    admin = f"127.0.0.1:{free_port()}"
    with started("serve", "--listen", "127.0.0.1:0", "--grace", 500, "--admin", admin) as server:
        announced(server)
        assert run("health", "--server", admin).code == 0
        with grpc.insecure_channel(admin) as channel:
            stub: Any = HealthStub(channel)
            watch = stub.Watch(HealthCheckRequest())
            assert next(watch).status == HealthCheckResponse.SERVING
            server.terminate()
            assert next(watch).status == HealthCheckResponse.NOT_SERVING
            assert server.wait(60) == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_analysis_in_the_process_ends_without_a_word(number: int, code: int) -> None:
    with started("analyze", UNDECIDED, "--time", "500s", "--json") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate()
    assert (process.returncode, err) == (code, "")


def test_a_private_server_that_cannot_start_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="could not start"), embedded_server("--workers", "0"):
        pass


def answers(folder: Path) -> bool:
    """Whether a private server, whose temporary folder is made in `folder`, answers."""
    return any(looked_at(f"unix:{socket}") != "away" for socket in folder.glob("clerestory-*/socket"))


def ended_by(process: "subprocess.Popen[str]", number: int) -> int:
    """Signal a process and return its exit code; repeat if it survives: Python drops exceptions raised in callbacks."""
    while True:
        process.send_signal(number)
        try:
            return process.wait(20)
        except subprocess.TimeoutExpired:
            continue


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_private_server_does_not_outlive_its_command(number: int, tmp_path: Path) -> None:
    options = ["--time", "500s", "--server", "private"]
    with started("recommend", TOY_OPENING, *options, env=os.environ | {"TMPDIR": str(tmp_path)}) as process:
        until(lambda: answers(tmp_path))
        assert ended_by(process, number) != 0
    until(lambda: not answers(tmp_path))
    if number != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []


ROOT = "clerestory"
HEAVY = {"asyncio", "google.protobuf", "grpc", "numpy", "rich.console", "uvicorn"}
# Imported only when a command runs; likewise pydantic, which typer uses to convert options.
LATE = (
    *("clerestory.engine.games", "clerestory.engine.record", "clerestory.search.ismcts", "clerestory.search.loop.run"),
    *("clerestory.server.games.log", "clerestory.server.games.store", "clerestory.server.analysis.demand"),
    *("clerestory.clients", "clerestory.v1", "clerestory.server.app", "clerestory.server.gateway.serve"),
    *("prometheus_client", "sqlite3", "structlog", "grpc", "google.protobuf", "numpy", "pydantic", "rich", "uvicorn"),
)
MOST = 33  # modules of this project


def imported(*words: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", ROOT, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"})
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


ANSWER = """
import asyncio, sys
import clerestory.cli.main, clerestory.cli.serve
from clerestory.server.logs import write_logs
write_logs("text", "warning")
import clerestory.cli.serving
import grpc
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.server.lessons.course import lessons
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.advisor_pb2 import RecommendMoveRequest

async def answer():
    app = await start(Settings(listen="127.0.0.1:0", store="memory:", workers=1))
    request = RecommendMoveRequest.FromString(bytes.fromhex(sys.argv[1]))
    async with grpc.aio.insecure_channel(app.address) as channel:
        answered = await AdvisorServiceStub(channel).RecommendMove(request)
    await app.finish()
    print(answered.statistics.iterations, lessons.cache_info().currsize, *sys.modules)

asyncio.run(answer())
"""
UNUSED = {  # by a server without a page that answers moves
    *("attr", "cryptography", "greenlet", "h11", "multiprocessing", "numpy", "opentelemetry", "pygments"),
    *("rich", "uvicorn"),
    *("clerestory.clients", "clerestory.server.gateway.serve", "clerestory.bench"),
}


def test_a_server_that_answers_moves_loads_nothing_else() -> None:
    request = RecommendMoveRequest(position=position_message(QUESTION), iterations=1).SerializeToString().hex()
    done = subprocess.run([sys.executable, "-c", ANSWER, request], capture_output=True, text=True, check=True)
    iterations, cached, *modules = done.stdout.split()
    assert (iterations, cached) == ("1", "0")  # no lesson is loaded
    assert UNUSED & set(modules) == set()


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["bench", "--help"]], ids=" ".join)
def test_help_imports_the_command_line_alone(words: list[str]) -> None:
    modules = imported(*words)
    assert modules & HEAVY == set()
    ours = {name for name in modules if name.startswith(f"{ROOT}.")}
    assert ours <= {f"{ROOT}.{name}" for name in ("cli", "cli.main", "cli.lazy")}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("bench", "lesson", "store")])
def test_help_of_a_command_imports_neither_games_nor_searches_nor_the_network(command: str) -> None:
    modules = imported(command, "--help")
    assert f"{ROOT}.cli.options" in modules or command in ("serve", "doctor", "web")
    assert [name for name in modules if name.startswith(LATE)] == []
    assert len([name for name in modules if name.startswith(f"{ROOT}.")]) <= MOST


def test_health_loads_neither_games_nor_searches_nor_messages_of_ours(target: str) -> None:
    """A container runs it every few seconds."""
    modules = imported("health", "--server", target, "--time", "600s")
    assert "grpc" in modules
    assert not [name for name in modules if re.match(rf"{ROOT}\.(engine\.core|engine\.games|search|server|v1)", name)]
