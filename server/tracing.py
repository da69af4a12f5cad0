"""Exports spans to OpenTelemetry, an optional dependency that is imported only when tracing is on."""

import asyncio
import os
from contextlib import suppress
from threading import Thread
from typing import Any, Self

from opentelemetry import context as contexts
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, format_trace_id, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from clerestory import __version__
from clerestory.metadata import TRACE_PARENT
from clerestory.service_errors import Reason, ServiceError
from clerestory.spans import Fact

OURS = "clerestory."  # prefix of attributes outside the semantic conventions
NAMES = {"code": "rpc.response.status_code"}  # attributes of OpenTelemetry's semantic conventions for RPC
PARENTS = TraceContextTextMapPropagator()
FAULTS = (Reason.INTERNAL, Reason.STORE_FAILED)  # errors of the server, not of the client


class Traced:
    """An OpenTelemetry span.

    Args:
        span: the span to wrap.
        within: whether spans started in its `with` block become its children.
    """

    def __init__(self, span: Any, *, within: bool = False) -> None:
        self._span, self._within = span, within
        self._before: Any = None
        self.trace_id = format_trace_id(span.get_span_context().trace_id)

    def note(self, **facts: Fact) -> None:
        """Set attributes."""
        self._span.set_attributes({NAMES.get(name, OURS + name): fact for name, fact in facts.items()})
        if facts.get("reason") in FAULTS:
            self._span.set_status(Status(StatusCode.ERROR, str(facts["reason"])))

    def end(self) -> None:
        """End the span."""
        if self._span.is_recording():
            self._span.end()

    def __enter__(self) -> Self:
        if self._within:
            self._before = contexts.attach(set_span_in_context(self._span))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if self._within:
            contexts.detach(self._before)
        if isinstance(error, ServiceError):
            self.note(reason=str(error.reason))
        elif isinstance(error, Exception):  # without its message, which may quote a secret
            self._span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        self.end()


class Traces:
    """Creates spans with an OpenTelemetry provider.

    Args:
        provider: the tracer provider.
    """

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("clerestory", __version__)

    def call(self, method: str, traceparent: str) -> Traced:
        """Return a span for a call."""
        parent = PARENTS.extract({TRACE_PARENT: traceparent}) if traceparent else contexts.Context()
        service, _, name = method.partition("/")
        facts = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
        return Traced(self._tracer.start_span(method, parent, SpanKind.SERVER, facts), within=True)

    def part(self, name: str) -> Traced:
        """Return a span for a part of the current call."""
        return Traced(self._tracer.start_span(name))

    async def close(self, within: float) -> None:
        """Flush and shut down, waiting at most `within` seconds. A slower shutdown does not keep the process alive."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def shut_down() -> None:
            self._provider.shutdown()
            with suppress(RuntimeError):  # the loop is closed, and nothing waits
                loop.call_soon_threadsafe(over.set)

        Thread(target=shut_down, name="traces", daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await over.wait()


def traces_to(collector: str) -> Traces:
    """Return a tracer that exports to a collector, `http://HOST:PORT` or `https://HOST:PORT`, in the background."""
    about = {"service.name": os.environ.get("OTEL_SERVICE_NAME", "clerestory"), "service.version": __version__}
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=collector)))
    return Traces(provider)
