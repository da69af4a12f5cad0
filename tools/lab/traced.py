"""Measures the cost of tracing: `python -m tools.lab.traced --calls 200` calls servers with and without it in turns.

Every call is the same search of about 100 ms, so that all servers have the same work. The ratio of two servers without
tracing shows the noise. This process also runs a collector that discards everything.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Annotated, Any

import grpc
import typer

from clerestory.cli.positions import first_decision
from clerestory.cli.servers import embedded_child
from clerestory.clients import Advisor
from clerestory.clients.child import Child

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
SEARCH, TRIED = 0.1, 20_000  # seconds of a call, and iterations of a trial that finds the iterations per call
SENT = 6.0  # seconds after which spans have been sent


def collector(stack: ExitStack) -> str:
    """Return the address of a collector that discards everything, while the stack is open."""
    server = grpc.server(ThreadPoolExecutor(1))
    taken: Any = grpc.unary_unary_rpc_method_handler(lambda _request, _context: b"")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(EXPORT.split("/")[1], {"Export": taken}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    stack.callback(lambda: server.stop(None).wait())
    return f"http://127.0.0.1:{port}"


class Measured:
    """A server and the durations of its calls.

    Args:
        name: name of its setting.
        child: the server.
        stack: closes its client.
    """

    def __init__(self, name: str, child: Child, stack: ExitStack) -> None:
        self.name = name
        self.advisor = stack.enter_context(Advisor(child.target))
        self.latencies: list[float] = []  # milliseconds
        self.processor: list[float] = []  # milliseconds over all its threads
        self.begun = 0.0
        self._clock = (~child.process << 3) | 2  # clock id of a process, as in clock_getcpuclockid(3)

    def call(self, position: str, iterations: int) -> None:
        """Make one call."""
        began, busy = time.monotonic(), time.clock_gettime(self._clock)
        self.advisor.recommend(position, iterations=iterations, seed=1, threads=1, early_stop=False)
        self.latencies.append(1000 * (time.monotonic() - began))
        self.processor.append(1000 * (time.clock_gettime(self._clock) - busy))
        self.begun = self.begun or time.clock_gettime(self._clock)

    def whole(self) -> float:
        """Return the milliseconds of processor time per call, including work between calls."""
        return 1000 * (time.clock_gettime(self._clock) - self.begun) / (len(self.latencies) - 1)


def main(calls: Annotated[int, typer.Option(min=10, help="Calls to each server.")] = 200) -> None:
    """Print milliseconds of calls, their processor time, and their ratios to those of the first server."""
    with ExitStack() as stack:
        url = collector(stack)
        settings = {"off": (), "off again": (), "on": ("--tracing", url)}
        servers = [
            Measured(name, stack.enter_context(embedded_child("--workers", "1", *options)), stack)
            for name, options in settings.items()
        ]
        position = first_decision("cathedral", 2, 7).to_json()
        iterations = about(servers[0], position)
        for number in range(calls + 1):
            turn = number % len(servers)
            for server in servers[turn:] + servers[:turn]:
                server.call(position, iterations)
        time.sleep(SENT)
        tell(servers)


def about(server: Measured, position: str) -> int:
    """Return the iterations that take SEARCH seconds of processor time; discard earlier measurements."""
    for _ in range(3):
        server.call(position, TRIED)
    taken = min(server.processor)
    server.latencies, server.processor, server.begun = [], [], 0.0
    return int(TRIED * 1000 * SEARCH / taken)


def tell(servers: list[Measured]) -> None:
    """Print a line for each server, without its first call; ratios are medians of calls made in the same turn."""
    first = servers[0]
    for server in servers:
        latency, processor = (
            median(mine / other for mine, other in zip(ours[1:], theirs[1:], strict=True))
            for ours, theirs in ((server.latencies, first.latencies), (server.processor, first.processor))
        )
        print(
            f"{server.name:9}  {median(server.latencies[1:]):6.1f} ms, {latency:.4f} of the first;"
            f"  processor {median(server.processor[1:]):6.1f} ms, {processor:.4f}; all in all {server.whole():.1f} ms"
        )


if __name__ == "__main__":
    typer.run(main)
