"""Runs two servers behind Envoy on this machine, and kills or drains one under load.

`python -m loadtest.replicas --fault kill --seconds 20` prints the figures before and after. The configuration is
`deploy/envoy.yaml` with free ports.
"""

import asyncio
import json
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from loadtest.corpus import positions
from loadtest.envoy import find_envoy, running
from loadtest.figures import CallRecord, LoadRun, phases
from loadtest.openloop import Load, offer
from loadtest.server import ServerProcess, free_port, own_server


class ServerFault(StrEnum):
    """The fault of one of the servers."""

    NONE = "none"
    KILL = "kill"
    DRAIN = "drain"


SIGNALS = {ServerFault.KILL: signal.SIGKILL, ServerFault.DRAIN: signal.SIGTERM}


@contextmanager
def in_front(envoy: str, servers: Sequence[str], health: Sequence[str] = ()) -> Iterator[str]:
    """Yield the address of an Envoy in front of two servers.

    Args:
        envoy: the program.
        servers: their addresses.
        health: the addresses of their health services; by default the same.
    """
    targets = [*servers, *(health or servers)]
    usual = 50051, 50052, 50061, 50062
    own = free_port()
    ports = {port: int(target.rpartition(":")[2]) for port, target in zip(usual, targets, strict=True)}
    ports |= {50050: own, 9901: free_port()}
    with TemporaryDirectory() as folder, running(envoy, "envoy.yaml", Path(folder), ports):
        time.sleep(3)  # until its health checks have found the servers
        yield f"127.0.0.1:{own}"


async def strike(server: ServerProcess, fault: ServerFault, moment: float) -> None:
    """Send a server its signal at a given moment."""
    await asyncio.sleep(moment)
    if fault in SIGNALS:
        server.process.send_signal(SIGNALS[fault])


async def load_through(target: str, workers: int, load: Load, victim: ServerProcess, fault: ServerFault) -> LoadRun:
    """Offer a load to Envoy; end a server halfway through."""
    corpus = await asyncio.to_thread(positions, target)
    run, _ = await asyncio.gather(offer(target, workers, corpus, load), strike(victim, fault, load.seconds / 2))
    return run


def end_of(call: CallRecord) -> str:
    """Return how a call ended. Envoy cannot retry a stream that has begun."""
    begun = "with tables" if call.first is not None and not call.answered else ""
    return " ".join(filter(None, (call.code, call.reason, begun)))


def main(
    fault: Annotated[ServerFault, typer.Option(help="What happens to one of the servers halfway.")] = ServerFault.NONE,
    capacity: Annotated[float, typer.Option(help="Multiple of what the servers can do together.")] = 1.0,
    seconds: Annotated[float, typer.Option(help="Length.")] = 20.0,
    workers: Annotated[int, typer.Option(help="Of each server.")] = 1,
) -> None:
    """Print the figures of both halves, and how the calls ended."""
    try:
        envoy = find_envoy()
    except FileNotFoundError as error:
        typer.echo(f"loadtest.replicas: {error}", err=True)
        raise typer.Exit(1) from None
    halves = [(capacity, seconds / 2)] * 2
    with ExitStack() as stack:
        options = ("--workers", str(workers), "--drain-delay", "2")
        health = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        servers = [stack.enter_context(own_server(*options, "--admin", admin)) for admin in health]
        target = stack.enter_context(in_front(envoy, [server.target for server in servers], health))
        run = asyncio.run(load_through(target, 2 * workers, Load(halves), servers[0], fault))
    ends = Counter(end_of(call) for call in run.calls)
    typer.echo(json.dumps({"fault": fault, "ends": ends, "halves": phases(run, halves)}, indent=1))


if __name__ == "__main__":
    typer.run(main)
