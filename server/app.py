"""A server from its start to its orderly end."""

import asyncio
import signal
from collections.abc import Callable
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health, health_pb2
from grpc_health.v1._async import HealthServicer
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection

from clerestory.server.config import MAX_MESSAGE_BYTES, Settings
from clerestory.server.errors import ErrorBoundary
from clerestory.server.rules_service import Rules
from clerestory.server.scheduler import Scheduler
from clerestory.server.security import TokenDoor, Tokens, credentials
from clerestory.server.service import Advisor
from clerestory.v1 import advisor_pb2, rules_pb2
from clerestory.v1.advisor_pb2_grpc import add_AdvisorServiceServicer_to_server
from clerestory.v1.rules_pb2_grpc import add_RulesServiceServicer_to_server

SERVICES = (
    advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"].full_name,
    rules_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
)
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a second server behind it
)


@dataclass(frozen=True, slots=True)
class App:
    """A server that answers.

    Attributes:
        address: where, as a client writes it.
        scheduler: its searching threads.
        tokens: those it knows, None where it asks for none.
    """

    address: str
    scheduler: Scheduler
    settings: Settings
    server: grpc.aio.Server
    health: HealthServicer
    tokens: Tokens | None

    async def finish(self) -> None:
        """Let running searches answer with what they have, refuse new calls, and end."""
        await self.health.enter_graceful_shutdown()
        self.scheduler.finish()
        await self.server.stop(self.settings.grace)
        await self.scheduler.close()


async def start(settings: Settings) -> App:
    """Return a server that answers.

    Raises OSError when it cannot listen where it should, BadSettings for a file of certificates or tokens that is none.
    """
    proof = credentials(settings)
    tokens = None if settings.token_file is None else Tokens(settings.token_file)
    doors = [] if tokens is None else [TokenDoor(tokens)]
    server = grpc.aio.server(interceptors=[*doors, ErrorBoundary()], options=OPTIONS)
    scheduler = Scheduler(settings.workers, settings.max_searches, settings.min_iterations)
    add_AdvisorServiceServicer_to_server(Advisor(scheduler, settings), server)
    add_RulesServiceServicer_to_server(Rules(), server)
    standing = HealthServicer()
    add_HealthServicer_to_server(standing, server)
    reflection.enable_server_reflection([*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    address = listen(server, settings.listen, proof)
    await server.start()
    for name in (health.OVERALL_HEALTH, *SERVICES):
        await standing.set(name, health_pb2.HealthCheckResponse.SERVING)
    return App(address, scheduler, settings, server, standing, tokens)


def listen(server: grpc.aio.Server, address: str, proof: grpc.ServerCredentials | None) -> str:
    """Open an address, in plaintext without a proof; return it with the port that was free if it asked for any."""
    try:
        port = server.add_insecure_port(address) if proof is None else server.add_secure_port(address, proof)
    except RuntimeError:
        raise OSError(f"cannot listen on {address}") from None
    return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"


async def serve(settings: Settings, ready: Callable[[App], object], stop: asyncio.Event) -> None:
    """Serve until `stop` is set, or SIGTERM or SIGINT comes; then finish. On SIGHUP, read the tokens again.

    Args:
        settings: of the server.
        ready: called once, when it answers.
        stop: set by the caller, or by a signal.

    Raises OSError and BadSettings as `start` does.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    app = await start(settings)
    if app.tokens is not None:
        loop.add_signal_handler(signal.SIGHUP, app.tokens.reload)
    ready(app)
    await stop.wait()
    await app.finish()
