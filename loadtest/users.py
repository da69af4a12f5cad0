"""Locust users against a private server: `python -m loadtest.users`, which `make loadtest` runs.

Writes a report in HTML; the exit code is 1 if a threshold of `loadtest/locustfile.py` was exceeded.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from loadtest.server import own_server

USERS = Path(__file__).with_name("locustfile.py")


def main(
    users: Annotated[int, typer.Option(help="Users at once.")] = 12,
    seconds: Annotated[int, typer.Option(help="Length.")] = 50,
    workers: Annotated[int, typer.Option(help="Of the server.")] = 2,
    report: Annotated[Path, typer.Option(help="File for the report.")] = Path("build/loadtest.html"),
) -> None:
    """Run the users, and exit with locust's code."""
    report.parent.mkdir(parents=True, exist_ok=True)
    with own_server("--workers", str(workers)) as server:
        command = [sys.executable, "-m", "locust", "-f", str(USERS), "--headless", "--only-summary"]
        command += ["-u", str(users), "-r", str(users), "-t", f"{seconds}s", "--html", str(report)]
        code = subprocess.run([*command, "--host", server.target], check=False).returncode
    raise typer.Exit(code)


if __name__ == "__main__":
    typer.run(main)
