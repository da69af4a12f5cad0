"""Two servers, each with its own network connection to one PostgreSQL, and the faults of all of them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import psutil

from clerestory.clients.child import own
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.faults.postgres import Cluster, own_cluster
from loadtest.faults.proxy import Proxy, loop_in_thread, proxied
from loadtest.faults.world import SECRET

SERVERS = 2
OPTIONS = ("--workers", "1", "--max-time", "1", "--grace", "3", "--memory", str(128 << 20), "--warm-bytes", "0")
CHANNEL = [
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 300),
]
SERVER = """
import sys, time
from pathlib import Path
wrong, right = Path(sys.argv.pop(1)), time.time
time.time = lambda: right() + float(wrong.read_text() or 0)
from clerestory.cli.main import main
main()
"""  # a server whose date is wrong by as many seconds as a file says at the moment
NO_DATABASE = 1  # exit status of a server whose database is down
ENDING = 120.0  # maximum seconds for a server to exit
AWAKE = 0.05  # seconds between checks whether a server has exited
OURS = "application_name = 'clerestory'"
FULL = """
    CREATE UNLOGGED TABLE full_disk (since TIMESTAMPTZ DEFAULT now());
    CREATE FUNCTION refuse_if_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM full_disk) THEN
            RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON game FOR EACH ROW EXECUTE FUNCTION refuse_if_full();
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION refuse_if_full();
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON key FOR EACH ROW EXECUTE FUNCTION refuse_if_full();
"""
PROGRESS = """
    SELECT id, due, bots_only, (SELECT count(*) FROM entry WHERE game = id AND seat = 1) FROM game
    WHERE status = 'running'
"""


class Replica:
    """A server that is restarted whenever it exits, as by a service supervisor."""

    def __init__(self, number: int, folder: Path, store: str, *options: str) -> None:
        self.faults: list[str] = []  # forbidden behaviour seen so far
        self.target = f"unix:{folder}/{number}"
        self._output, self._clock = folder / f"output{number}", folder / f"clock{number}"
        self._command = [sys.executable, "-c", SERVER, str(self._clock), "serve", "--while-stdin"]
        self._command += ["--listen", self.target, "--store", store, *options]
        self.set_clock(0)
        self.channel = grpc.insecure_channel(self.target, CHANNEL)
        self.stub: Any = GameServiceStub(self.channel)
        self._child = self._start()
        self._ending = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise)
        self._supervisor.start()

    def _start(self) -> "subprocess.Popen[bytes]":
        with self._output.open("ab") as output:
            return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=own())

    def _supervise(self) -> None:
        while not self._ending.wait(AWAKE):
            if (status := self._child.poll()) is not None:
                if status not in (-signal.SIGKILL, NO_DATABASE):
                    self.faults.append(f"a server ended with {status}")
                self._close()
                self._child = self._start()

    def _close(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()

    def wait(self) -> None:
        grpc.channel_ready_future(self.channel).result(ENDING)

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._child.pid, number)

    def set_clock(self, seconds: float) -> None:
        """Set its clock to `seconds` seconds ahead of the right time."""
        self._clock.write_text(f"{seconds}")

    @property
    def pid(self) -> int:
        return self._child.pid

    def held(self) -> tuple[int, int]:
        process = psutil.Process(self.pid)
        return process.num_fds(), process.num_threads()

    def end(self) -> None:
        self._ending.set()
        self._supervisor.join()
        self.signal(signal.SIGCONT)
        self._child.terminate()
        try:
            status: int | None = self._child.wait(ENDING)
        except subprocess.TimeoutExpired:
            status = None
            self._child.kill()
            self._child.wait()
        if status != 0:
            self.faults.append(f"a server that was told to end: {status}")
        self._close()
        self.channel.close()

    def output(self) -> str:
        """Return its complete output and logs, over all restarts."""
        return self._output.read_text(errors="replace")


class Fleet:
    """The servers, their database, and everything else that can fail."""

    def __init__(self, cluster: Cluster, name: str, replicas: list[Replica], proxies: list[Proxy]) -> None:
        self.cluster = cluster
        self.replicas = replicas
        self.proxies = proxies  # between the servers and the database
        self._name = name

    def ask(self, text: str) -> list[Any]:
        """Return rows. Raises psycopg.Error while the database is down."""
        with closing(self.cluster.connect(self._name)) as session:
            cursor = session.execute(text)
            return cursor.fetchall() if cursor.description else []

    def progress(self) -> dict[str, tuple[int | None, bool, int]]:
        """Return, for each running game, when it is due, whether it only has bots, and the moves of its second seat."""
        return {game_id: (due, bots_only, moves) for game_id, due, bots_only, moves in self.ask(PROGRESS)}

    def sessions(self) -> int:
        [(number,)] = self.ask(f"SELECT count(*) FROM pg_stat_activity WHERE {OURS}")
        return int(number)

    def secrets(self) -> set[str]:
        rows = self.ask("SELECT head::json ->> 'seed', head::json ->> 'salt' FROM game")
        return {secret for row in rows for secret in row if secret and len(secret) >= SECRET}

    def mend(self) -> None:
        self.cluster.start()
        for replica, proxy in zip(self.replicas, self.proxies, strict=True):
            replica.signal(signal.SIGCONT)
            proxy.silent = proxy.losing = False
            proxy.stale.clear()
        self.ask("DELETE FROM full_disk")


@contextmanager
def two_servers(folder: Path, log_format: str) -> Iterator[Fleet]:
    """Yield two servers that share a new database, for the duration of the block."""
    with own_cluster() as cluster:
        name = cluster.create()
        with networks(cluster.url(name)) as proxies:
            options = (*OPTIONS, "--log-format", log_format)
            replicas = [Replica(number, folder, proxy.address, *options) for number, proxy in enumerate(proxies)]
            try:
                for replica in replicas:
                    replica.wait()
                fleet = Fleet(cluster, name, replicas, proxies)
                fleet.ask(FULL)
                yield fleet
            finally:
                for replica in replicas:
                    replica.end()


@contextmanager
def networks(url: str) -> Iterator[list[Proxy]]:
    """Yield a proxy before a database for each server; they run in a separate thread."""
    with loop_in_thread() as run:
        stack = AsyncExitStack()
        try:
            yield [run(stack.enter_async_context(proxied(url))) for _ in range(SERVERS)]
        finally:
            run(stack.aclose())


def until(seconds: float, done: Any) -> bool:
    """Wait for a condition; return whether it held within `seconds` seconds."""
    ends = time.monotonic() + seconds
    while not done():
        if time.monotonic() > ends:
            return False
        time.sleep(0.1)
    return True
