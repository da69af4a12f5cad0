"""Trace spans, independent of a tracing library: the parts of the work on a call, with their durations.

Tracing is off unless a program sets `CURRENT_TRACER`; until then, a span costs one variable lookup.
"""

from contextvars import ContextVar
from typing import Protocol, Self

Fact = str | int | float | bool


class Span(Protocol):
    """A part of the work, from its creation until `end`, or for the duration of a `with` block."""

    trace_id: str  # 32 hexadecimal digits; "" if tracing is off

    def note(self, **facts: Fact) -> None:
        """Set attributes, which must not contain secrets."""

    def end(self) -> None:
        """End the span; later calls have no effect."""

    def __enter__(self) -> Self:
        """Enter the block that ends with the span."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """End the span, with the exception of the block, if any."""


class Tracer(Protocol):
    """Creates spans."""

    def call(self, method: str, traceparent: str) -> Span:
        """Return a span for a call; spans created in its `with` block are its children.

        Args:
            method: `Service/Method`.
            traceparent: the client's span, in W3C Trace Context format; "" for none.
        """

    def part(self, name: str) -> Span:
        """Return a span for a part of the current call."""


class Untraced:
    """The span to use when tracing is off; it does nothing."""

    __slots__ = ()
    trace_id = ""

    def note(self, **facts: Fact) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


UNTRACED = Untraced()
CURRENT_TRACER: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


def call(method: str, traceparent: str) -> Span:
    """Return a span for a call; the arguments are those of `Tracer.call`."""
    tracer = CURRENT_TRACER.get()
    return UNTRACED if tracer is None else tracer.call(method, traceparent)


def part(name: str) -> Span:
    """Return a span for a part of the current call."""
    tracer = CURRENT_TRACER.get()
    return UNTRACED if tracer is None else tracer.part(name)
