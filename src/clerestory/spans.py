"""Spans: what the work on a call consists of, and how long each part takes, for whoever traces it.

Nobody does unless a program says so, by `NOW`; then what is traced costs a look at that variable.
"""

from contextvars import ContextVar
from typing import Protocol, Self

Fact = str | int | float | bool


class Span(Protocol):
    """A part of the work, from when it is made until `end`, or for the duration of a `with`."""

    trace_id: str  # 32 hexadecimal digits; "" if nobody traces

    def note(self, **facts: Fact) -> None:
        """Note facts, none of which may be a secret."""

    def end(self) -> None:
        """End it; only the first time counts."""

    def __enter__(self) -> Self:
        """Begin to see what ends it."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """End it, with the error that the block raised, if any."""


class Tracer(Protocol):
    """Is told of spans."""

    def call(self, method: str, traceparent: str) -> Span:
        """Return the span of a call, to which those made during its `with` belong.

        Args:
            method: `Service/Method`.
            traceparent: the caller's span, as W3C Trace Context writes it; "" for none.
        """

    def part(self, name: str) -> Span:
        """Return the span of a part of the present call."""


class Untraced:
    """The span that nobody is told of."""

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
NOW: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


def call(method: str, traceparent: str) -> Span:
    """Return the span of a call; the arguments are those of `Tracer.call`."""
    tracer = NOW.get()
    return UNTRACED if tracer is None else tracer.call(method, traceparent)


def part(name: str) -> Span:
    """Return the span of a part of the present call."""
    tracer = NOW.get()
    return UNTRACED if tracer is None else tracer.part(name)
