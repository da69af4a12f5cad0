"""Builds, runs and gracefully stops the gRPC server."""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from math import nan
from shutil import disk_usage
from typing import TYPE_CHECKING, Any

import grpc
from grpc_channelz.v1.channelz import add_channelz_servicer
from grpc_health.v1 import health
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from clerestory.addresses import is_listening, socket_of
from clerestory.declared import BadSettings
from clerestory.search.turns import take_turns
from clerestory.server.admin import AdminServer, Health
from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.scheduler import Scheduler
from clerestory.server.certificates import Certificates
from clerestory.server.config import Settings, host_of
from clerestory.server.descriptors import Connections, connections, open_descriptors, take_descriptors
from clerestory.server.games.auto_player import Choose
from clerestory.server.games.bots import Bots
from clerestory.server.games.bounds import CLOSING
from clerestory.server.games.manager import GameManager, Limits
from clerestory.server.games.notices import Holds, Receiver, Route, TurnNotice, TurnNotices
from clerestory.server.games.store import Store
from clerestory.server.games.stores.store_location import file_of, open_store
from clerestory.server.hardening.pending_reads import PendingReads
from clerestory.server.lifecycle import Lifecycle
from clerestory.server.memory import collect_seldom, limit_bytes, resident_bytes
from clerestory.server.notices.targets import SeatTargets
from clerestory.server.notices.webhook import Webhook, read_key
from clerestory.server.rpc.admission import (
    MOST_CALLS,
    OPERATORS,
    STREAMS_INSIDE,
    STREAMS_OF_OPERATOR,
    AdmissionHandler,
    channel_options,
)
from clerestory.server.rpc.annotation_service import Annotations
from clerestory.server.rpc.callers import Callers
from clerestory.server.rpc.chunks import Chunks
from clerestory.server.rpc.game_service import GameHandlers
from clerestory.server.rpc.interceptor import CallInterceptor
from clerestory.server.rpc.lesson_service import Lessons, Puzzles
from clerestory.server.rpc.metrics import Exposition, Metrics, expose
from clerestory.server.rpc.reflection import ThreadedReflection, add_reflection
from clerestory.server.rpc.rules_service import RulesHandlers
from clerestory.server.rpc.security import Tokens
from clerestory.server.rpc.service import AdvisorHandlers
from clerestory.spans import CURRENT_TRACER
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, lessons_pb2, puzzle_pb2, rules_pb2
from clerestory.v1.advisor_pb2_grpc import add_AdvisorServiceServicer_to_server
from clerestory.v1.annotation_pb2_grpc import add_AnnotationServiceServicer_to_server
from clerestory.v1.games_pb2_grpc import add_GameServiceServicer_to_server
from clerestory.v1.lessons_pb2_grpc import add_LessonServiceServicer_to_server
from clerestory.v1.puzzle_pb2_grpc import add_PuzzleServiceServicer_to_server
from clerestory.v1.rules_pb2_grpc import add_RulesServiceServicer_to_server

if TYPE_CHECKING:
    from clerestory.server.notices.push import PushSigner
    from clerestory.server.tracing import Traces

MakeNotices = Callable[[Holds], TurnNotices]

GAMES = games_pb2.DESCRIPTOR.services_by_name["GameService"].full_name
SERVICES = (
    advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"].full_name,
    rules_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    GAMES,
    annotation_pb2.DESCRIPTOR.services_by_name["AnnotationService"].full_name,
    puzzle_pb2.DESCRIPTOR.services_by_name["PuzzleService"].full_name,
    lessons_pb2.DESCRIPTOR.services_by_name["LessonService"].full_name,
)
CALLS = 0.75  # the share of the grace period for calls; the store gets the rest, and what calls leave unused
SENDING_TO_SEATS = 64  # notices at a time to addresses that strangers chose; some never answer
SENDING_OF_MAKER = 8  # of these, notices of the games of one caller
LEAST = 0.5  # seconds that the store gets to close, however short the grace period is
ANSWERING = 0.0001  # kernel time slice of the answering threads, in seconds: a shorter one is scheduled sooner

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """A running server.

    Attributes:
        address: the listening address, in the form that clients use.
        analysis: the analysis engine.
        manager: the game manager.
        servers: the gRPC servers that share the handlers: the public one, and one for a client in this process.
        admission: the admission of calls.
        tokens: the accepted tokens; None if none are required.
        certificates: the certificates of the public port; None for plaintext.
        metrics: the server's metrics.
        connections: the limits on connections of its ports.
        admin: the server of the admin port; None if there is none.
        exposition: the HTTP server for metrics; None if there is none.
        traces: exports spans; None if tracing is off.
    """

    address: str
    analysis: AnalysisEngine
    manager: GameManager
    settings: Settings
    servers: list[grpc.aio.Server]
    admission: AdmissionHandler
    health: Health
    tokens: Tokens | None
    certificates: Certificates | None
    metrics: Metrics
    connections: Connections
    admin: AdminServer | None
    exposition: Exposition | None
    traces: "Traces | None"

    @property
    def has_files(self) -> bool:
        """Whether the server uses token or certificate files."""
        return self.tokens is not None or self.certificates is not None

    def reload(self) -> None:
        """Reload the token and certificate files. An invalid file is logged, and the values in use stay."""
        if not self.has_files:
            logger.info("there are no tokens and certificates to be read again")
        for what, kept in {"tokens": self.tokens, "certificates": self.certificates}.items():
            try:
                if kept is not None:
                    logger.info("%s", kept.reload())
            except BadSettings as error:
                logger.error("%s stay as they were: %s", what, error)

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler of searches."""
        return self.analysis.scheduler

    async def finish(self) -> None:
        """Shut down within the grace period: reject new calls, and let running searches return their results so far."""
        await self.health.drain()
        await asyncio.sleep(self.settings.drain_delay)
        ends = time.monotonic() + self.settings.grace
        self.analysis.finish()
        self.admission.finish()
        calls = CALLS * self.settings.grace
        await asyncio.gather(self.manager.finish(calls), *(server.stop(calls) for server in self.servers))
        await self.analysis.close()
        await self.manager.close(min(CLOSING, max(LEAST, ends - time.monotonic())))
        if self.admin is not None:
            await self.admin.stop()
        if self.exposition is not None:
            await asyncio.to_thread(self.exposition.close)
        if self.traces is not None:
            await self.traces.close(max(LEAST, ends - time.monotonic()))


async def start(settings: Settings, inside: str = "") -> App:
    """Start a server, and return it once it accepts calls.

    Args:
        settings: the server's settings.
        inside: a second address, `unix:PATH`, in plaintext, for a client in this process; "" for none.

    Raises OSError for an address, BadSettings for certificate or token files or for a store that cannot be opened.
    """
    certificates = None if settings.tls_cert is None else Certificates(settings)
    tokens = None if settings.token_file is None else Tokens(settings.token_file)
    push = push_signer(settings)
    traces = start_tracing(settings.tracing)
    metrics, standing, room = Metrics(), Health(), connections(page=bool(inside))
    servers, address = open_ports(settings, room, certificates, inside)
    store = await open_store(settings.store)
    admin = start_admin(settings.admin, standing)
    exposition = expose(metrics, settings.metrics) if settings.metrics else None
    analysis = AnalysisEngine(settings, metrics.count_soon)
    callers = Callers(tokens, lambda game_id, token: manager.seat_of(game_id, token))
    advisor = AdvisorHandlers(analysis, callers)
    targets = SeatTargets(store, settings.seat_webhooks, push)
    notices = turn_notices(store, settings, targets, metrics)
    manager = hosted_games(store, settings, Bots(analysis).choose, notices)
    watch(metrics, analysis, manager)
    watch_limits(metrics, settings, room, manager)
    watch_end(metrics, certificates)
    admission = admit_calls(settings, metrics, tokens, callers, advisor)
    chunks = Chunks(callers)
    played = GameHandlers(manager, callers, chunks, targets, settings.max_watchers)
    add_services(admission, advisor, played, Annotations(Reviewer(analysis), manager, callers), chunks, standing)
    await begin(servers, admission, admin, standing)
    manager.resume(partial(report_games, standing))
    return App(
        address=address,
        analysis=analysis,
        manager=manager,
        settings=settings,
        servers=servers,
        admission=admission,
        health=standing,
        tokens=tokens,
        certificates=certificates,
        metrics=metrics,
        connections=room,
        admin=admin,
        exposition=exposition,
        traces=traces,
    )


def admit_calls(
    settings: Settings, metrics: Metrics, tokens: Tokens | None, callers: Callers, advisor: AdvisorHandlers
) -> AdmissionHandler:
    """Return the handler that admits calls. Behind a proxy, all come from its address, and none arrives slowly."""
    proxied = settings.behind_proxy
    most = max(MOST_CALLS, 4 * settings.max_searches)
    reads = PendingReads(most) if proxied else PendingReads()
    return AdmissionHandler(
        CallInterceptor(metrics, by_address=not proxied), tokens, callers, most, advisor.admissions, reads
    )


def start_tracing(collector: str) -> "Traces | None":
    """Start tracing, unless the collector is "". Raises BadSettings if the extra packages are missing."""
    if not collector:
        return None
    try:
        from clerestory.server.tracing import traces_to
    except ImportError:
        raise BadSettings("tracing: needs further packages: pip install 'clerestory[tracing]'") from None
    traces = traces_to(collector)
    CURRENT_TRACER.set(traces)
    return traces


def open_ports(
    settings: Settings, room: Connections, certificates: Certificates | None, inside: str
) -> tuple[list[grpc.aio.Server], str]:
    """Return the public server and the one for a client in this process, and the address of the public one.

    Raises OSError if one cannot listen.
    """
    idle = None if settings.behind_proxy else settings.idle_timeout
    server = grpc.aio.server(options=channel_options(room.callers, idle=idle))
    address = listen(server, settings.listen, None if certificates is None else certificates.credentials())
    if not inside:
        return [server], address
    home = grpc.aio.server(options=channel_options(OPERATORS, STREAMS_INSIDE))
    listen(home, inside)
    return [server, home], address


async def begin(
    servers: list[grpc.aio.Server], admission: AdmissionHandler, admin: AdminServer | None, standing: Health
) -> None:
    """Start the servers, the public ones with the gate as their handler, and report SERVING to health checks."""
    for one in servers:
        one.add_generic_rpc_handlers([admission])
        await one.start()
    if admin is not None:
        admin.start()
    for name in (health.OVERALL_HEALTH, *SERVICES):
        await standing.report(name, serving=True)


def add_services(
    admission: AdmissionHandler,
    advisor: AdvisorHandlers,
    games: GameHandlers,
    annotations: Annotations,
    chunks: Chunks,
    standing: Health,
) -> None:
    """Add the handlers of all services to the gate."""
    server: Any = admission
    add_AdvisorServiceServicer_to_server(advisor, server)
    add_RulesServiceServicer_to_server(RulesHandlers(chunks), server)
    add_GameServiceServicer_to_server(games, server)
    add_AnnotationServiceServicer_to_server(annotations, server)
    add_PuzzleServiceServicer_to_server(Puzzles(), server)
    add_LessonServiceServicer_to_server(Lessons(chunks), server)
    add_HealthServicer_to_server(standing.main, server)
    add_reflection([*SERVICES, health.SERVICE_NAME], server)


async def report_games(standing: Health, healthy: bool) -> None:
    """Report to health checks whether hosted games are available; the other services do not need the store."""
    await standing.report(GAMES, serving=healthy)


def hosted_games(store: Store, settings: Settings, choose: Choose, notices: MakeNotices | None) -> GameManager:
    """Return the game manager of a server."""
    limits = Limits(settings.max_games, settings.max_games_each, settings.max_bytes_each, settings.max_games_a_minute)
    return GameManager(
        store,
        limits,
        choose,
        most_bot_games=settings.max_bot_games,
        forget_after=settings.game_retention_days,
        notices=notices,
    )


def push_signer(settings: Settings) -> "PushSigner | None":
    """Return what signs push messages; None without a key. Raises BadSettings if the key or packages are missing."""
    if settings.push_key is None:
        return None
    try:
        from clerestory.server.notices.push import PushSigner, read_push_key
    except ImportError:
        raise BadSettings("push_key: needs further packages: pip install 'clerestory[push]'") from None
    return PushSigner(read_push_key(settings.push_key), settings.push_contact)


def turn_notices(store: Store, settings: Settings, targets: SeatTargets, metrics: Metrics) -> MakeNotices | None:
    """Return what makes `TurnNotices` for the webhook and targets of seats; None for neither. Raises BadSettings."""
    routes = []
    if targets.enabled:
        routes.append(Route(targets.find, durable=True, sending=SENDING_TO_SEATS, each=SENDING_OF_MAKER))
    if settings.webhook_key is not None:
        key = read_key(settings.webhook_key)
        send = Webhook(settings.webhook, key, private=settings.webhook_private, now=store.now).send
        receiver = Receiver(settings.webhook, host_of(settings.webhook), send)

        async def webhook(_: TurnNotice) -> Sequence[Receiver]:
            return (receiver,)

        routes.append(Route(webhook))
    return partial(TurnNotices, routes, metrics.count_notice) if routes else None


def start_admin(address: str, standing: Health) -> AdminServer | None:
    """Return the server of the admin port, which listens; None if it is disabled.

    It has a thread for each possible call, so that open streams of reflection delay no health check.
    """
    if not address:
        return None
    threads = ThreadPoolExecutor(OPERATORS * STREAMS_OF_OPERATOR, "admin")
    server = grpc.server(threads, options=channel_options(OPERATORS, STREAMS_OF_OPERATOR))
    add_channelz_servicer(server)
    add_HealthServicer_to_server(standing.admin, server)
    add_reflection(["grpc.channelz.v1.Channelz", health.SERVICE_NAME], server, ThreadedReflection)
    return AdminServer(server, listen(server, address), standing.admin)


def watch(metrics: Metrics, analysis: AnalysisEngine, manager: GameManager) -> None:
    """Add metrics about the scheduler, the game manager and the event loop."""
    loop, scheduler = asyncio.get_running_loop(), analysis.scheduler
    metrics.watch("workers", lambda: scheduler.workers)
    metrics.watch("admitted", lambda: scheduler.admitted)
    metrics.watch("running", lambda: scheduler.running)
    metrics.watch("waiting", lambda: scheduler.waiting)
    metrics.watch("games", lambda: manager.unfinished)
    metrics.watch("games_in_memory", lambda: manager.in_memory)
    metrics.watch("games_waiting", lambda: manager.overdue(bots_only=False), "people")
    metrics.watch("games_waiting", lambda: manager.overdue(bots_only=True), "bots")
    metrics.watch("watchers", lambda: manager.watchers)
    metrics.watch("tasks", lambda: len(asyncio.all_tasks(loop)))


def watch_limits(metrics: Metrics, settings: Settings, room: Connections, manager: GameManager) -> None:
    """Add metrics about limited resources, each with its limit, and about the store."""
    started, store = time.time(), file_of(settings.store)

    def disk(what: str) -> float:
        """Return a disk figure of the store; NaN if the store is unhealthy, because its disk may hang."""
        with suppress(OSError):
            if store is not None and manager.healthy:
                return float(getattr(disk_usage(store.parent), what))
        return nan

    metrics.watch("started_seconds", lambda: started)
    metrics.watch("store_up", lambda: manager.healthy)
    metrics.watch("store_free_bytes", lambda: disk("free"))
    metrics.watch("store_disk_bytes", lambda: disk("total"))
    metrics.watch("memory_bytes", resident_bytes)
    metrics.watch("memory_limit_bytes", limit_bytes)
    metrics.watch("descriptors", open_descriptors)
    metrics.watch("descriptors_limit", lambda: room.crowded)


def watch_end(metrics: Metrics, certificates: Certificates | None) -> None:
    """Add the expiry of the certificate to the metrics, and log a warning if it is near."""
    metrics.watch("certificate_ends_seconds", lambda: nan if certificates is None else certificates.end)
    if certificates is not None:
        certificates.warn()


def listen(server: grpc.aio.Server | grpc.Server, address: str, proof: grpc.ServerCredentials | None = None) -> str:
    """Listen at an address, in plaintext without `proof`; return it with the actual port in place of port 0.

    Raises OSError.
    """
    path = socket_of(address)
    if path is not None and is_listening(path):  # gRPC would take over the socket file of the other process
        raise OSError(f"cannot listen on {address}: another process does")
    try:
        port = server.add_insecure_port(address) if proof is None else server.add_secure_port(address, proof)
    except RuntimeError:
        why = f"no socket can be made in {path.parent}" if path else "it is in use, or not an address of this machine"
        raise OSError(f"cannot listen on {address}: {why}") from None
    return f"{address.rpartition(':')[0]}:{port}" if path is None else address


async def serve(
    settings: Settings,
    beside: Callable[[App], AbstractAsyncContextManager[object]],
    life: Lifecycle,
    inside: str = "",
) -> None:
    """Run a server until shutdown is requested, for example by SIGTERM or SIGINT; then stop it gracefully.

    SIGHUP reloads the token and certificate files. Without such files, SIGHUP stops a server that was started in a
    terminal, which is closing, and is otherwise ignored.

    Args:
        settings: the server's settings.
        beside: a context to enter once the server accepts calls, and to leave when it has stopped.
        life: the lifecycle of this process.
        inside: as in `start`.

    Raises OSError and BadSettings as `start` does, and any exception of `beside`.
    """
    take_turns(ANSWERING)
    take_descriptors()
    loop = asyncio.get_running_loop()
    life.end_on_signals()
    early = asyncio.Event()
    loop.add_signal_handler(signal.SIGHUP, early.set)
    app = await start(settings, inside)
    collect_seldom()
    hung_up = app.reload if app.has_files or not os.isatty(0) else partial(life.end, "SIGHUP")
    loop.add_signal_handler(signal.SIGHUP, hung_up)
    if early.is_set():
        hung_up()
    async with AsyncExitStack() as around:
        around.enter_context(life)
        try:
            await around.enter_async_context(beside(app))
            await life.until_signalled(address=app.address, workers=settings.workers)
        finally:
            await app.finish()
