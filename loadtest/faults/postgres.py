"""A private PostgreSQL server, if PostgreSQL is installed."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

NUMBERS = count()
OPTIONS = ("-c", "listen_addresses=", "-c", "fsync=off")
USER = "nobody"  # it does not run as root
AS_USER = "import os, sys; os.setuid(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT  # signals that stop it: end all sessions, or as in a crash


def program(name: str) -> str | None:
    """Return the path of a PostgreSQL program, which distributions keep off PATH."""
    folders = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def as_user(name: str, *options: str) -> list[str]:
    """Return the command of a PostgreSQL program; root runs it as another user.

    The new process changes its user itself. For the argument `user`, subprocess would fork this process without exec,
    and a thread that gRPC starts in every fork can crash there.
    """
    command = [str(program(name)), *options]
    return command if os.geteuid() else [sys.executable, "-c", AS_USER, str(pwd.getpwnam(USER).pw_uid), *command]


class Cluster:
    """A database server with its own folder; the folder's name is short, as it is part of a socket's name."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="pg-")
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
        made = ["-D", f"{self.folder}/data", "-A", "trust", "-U", "tests", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(as_user("initdb", *made), check=True, capture_output=True, cwd=self.folder)

    def start(self) -> None:
        if self._process is None:
            self._process = self._begin()
            while not self._answers():
                time.sleep(0.02)
                if self._process.poll() is not None:  # processes of a previous server may still be ending
                    self._process = self._begin()

    def _begin(self) -> "subprocess.Popen[bytes]":
        command = as_user("postgres", "-D", f"{self.folder}/data", "-k", self.folder, *OPTIONS)
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=self.folder)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: int = FAST) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def connect(self, name: str = "postgres") -> Any:
        """Return a connection to a database, without a transaction."""
        import psycopg

        return psycopg.connect(f"host={self.folder} user=tests dbname={name}", autocommit=True)

    def create(self) -> str:
        name = f"games{next(NUMBERS)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return name

    def url(self, name: str) -> str:
        return f"postgresql:///{name}?host={self.folder}&user=tests"


def installed() -> bool:
    """Whether PostgreSQL and its client library are installed."""
    try:
        import psycopg
    except ImportError:
        return False
    return bool(psycopg and program("initdb") and program("postgres"))


@contextmanager
def own_cluster() -> Iterator[Cluster]:
    """Yield a cluster that runs for the duration of the block, and may be stopped and started meanwhile."""
    made = Cluster()
    try:
        made.start()
        yield made
    finally:
        made.stop(IMMEDIATE)
        shutil.rmtree(made.folder, ignore_errors=True)
