"""A PostgreSQL of the tests' own, where one is installed."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

NUMBERS = count()


def program(name: str) -> str | None:
    """Return where a program of PostgreSQL is; distributions keep it off the path."""
    folders = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """A server of databases, by the folder of its socket."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, postgres = program("initdb"), program("postgres")
    if initdb is None or postgres is None:
        pytest.skip("PostgreSQL is not installed")
    folder = tempfile.mkdtemp(prefix="pg-")  # short: it becomes the name of a socket
    user = "nobody" if os.geteuid() == 0 else None  # it does not run as root
    if user is not None:
        shutil.chown(folder, user)
    made = [initdb, "-D", f"{folder}/data", "-A", "trust", "-U", "tests", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(made, user=user, cwd=folder, check=True, capture_output=True)
    command = [postgres, "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
    with subprocess.Popen(command, user=user, cwd=folder, stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                try:
                    psycopg.connect(f"host={folder} user=tests dbname=postgres").close()
                    break
                except psycopg.OperationalError:
                    assert process.poll() is None
                    time.sleep(0.05)
            yield folder
        finally:
            process.terminate()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(cluster: str) -> str:
    """The address of an empty database."""
    import psycopg

    name = f"games{next(NUMBERS)}"
    with psycopg.connect(f"host={cluster} user=tests dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql:///{name}?host={cluster}&user=tests"
