"""The health of the services, and the port for operators, whose threads answer however busy the event loop is."""

import asyncio
import logging
from collections.abc import Mapping
from threading import Event, Lock, Thread
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2
from grpc_health.v1._async import HealthServicer

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
BEAT_S = 0.5  # seconds between two heartbeats of the event loop
MAX_MISSED = 10  # heartbeats that the event loop may miss in a row before it counts as hung

MESSAGES: Any = health_pb2  # whose type stubs lack the messages of `List`

logger = logging.getLogger(__name__)


def listed(statuses: Mapping[str, Any]) -> Any:
    """Return the status of each service as the answer to `List`."""
    answers = {name: MESSAGES.HealthCheckResponse(status=status) for name, status in statuses.items()}
    return MESSAGES.HealthListResponse(statuses=answers)


class MainHealth(HealthServicer):
    """The health service of the main port, which the event loop answers."""

    async def List(self, _request: Any, _context: Any) -> Any:  # noqa: N802  # its name in proto
        """Return the status of each service."""
        own: Any = self
        return listed(own._server_status)


class AdminHealth(health.HealthServicer):
    """The health service of the admin port: the reported status, and NOT_SERVING while the event loop hangs.

    It counts heartbeats, not seconds: a process that was suspended does not look hung when it continues.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reported: dict[str, Any] = {health.OVERALL_HEALTH: SERVING}
        self._changing = Lock()
        self._beats = self._seen = self._missed = 0

    @property
    def hung(self) -> bool:
        """Whether the event loop hangs."""
        return self._missed > MAX_MISSED

    def report(self, service: str, status: Any) -> None:
        """Set the status of a service. Thread-safe."""
        with self._changing:
            self._reported[service] = status
            self.set(service, self._shown(status))

    def beat(self) -> None:
        """Count a heartbeat of the event loop."""
        self._beats += 1

    def look(self) -> None:
        """Find out whether the event loop has beaten since the last call; to be called once per heartbeat."""
        with self._changing:
            hung = self.hung
            self._missed = self._missed + 1 if self._beats == self._seen else 0
            self._seen = self._beats
            if self.hung == hung:
                return
            for service, status in self._reported.items():
                self.set(service, self._shown(status))
        logger.error("the event loop %s", "runs again" if hung else f"has not run for {MAX_MISSED * BEAT_S:g} s")

    def _shown(self, status: Any) -> Any:
        return NOT_SERVING if self.hung else status

    def List(self, _request: Any, _context: Any) -> Any:  # noqa: N802  # its name in proto
        """Return the status of each service."""
        own: Any = self
        with own._lock:
            return listed(own._server_status)


class Health:
    """The health of the server and its services, as both ports report it.

    Attributes:
        main: the service of the main port.
        admin: the service of the admin port.
    """

    def __init__(self) -> None:
        self.main, self.admin = MainHealth(), AdminHealth()

    async def report(self, service: str, *, serving: bool) -> None:
        """Set the status of a service."""
        status = SERVING if serving else NOT_SERVING
        self.admin.report(service, status)
        await self.main.set(service, status)

    async def drain(self) -> None:
        """Set the status of all services to NOT_SERVING, for good."""
        self.admin.enter_graceful_shutdown()
        await self.main.enter_graceful_shutdown()


class AdminServer:
    """The server of the admin port, and the thread that watches the event loop.

    Args:
        server: the server, which listens already.
        address: the address, in the form that clients use.
        health: its health service.
    """

    def __init__(self, server: grpc.Server, address: str, health: AdminHealth) -> None:
        self.address = address
        self._server, self._health = server, health
        self._ended = Event()
        self._beating: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to answer, and to watch the event loop that runs now."""
        self._server.start()
        self._beating = asyncio.create_task(self._beat())
        Thread(target=self._watch_loop, name="event loop watch", daemon=True).start()

    async def _beat(self) -> None:
        while True:
            self._health.beat()
            await asyncio.sleep(BEAT_S)

    def _watch_loop(self) -> None:
        while not self._ended.wait(BEAT_S):
            self._health.look()

    async def stop(self) -> None:
        """Cancel its calls, open watches among them, and wait until it has stopped."""
        self._ended.set()
        if self._beating is not None:
            self._beating.cancel()
        await asyncio.to_thread(self._server.stop(None).wait)
