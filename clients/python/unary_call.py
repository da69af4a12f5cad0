"""A call's request and how its answer is read, shared by the sync and the async client."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from clerestory.clients.wire import SLACK

Answer = TypeVar("Answer")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class UnaryCall(Generic[Answer]):
    """A request and its answer.

    Attributes:
        method: name of the method, of any service; "" if no call is needed.
        request: its message.
        read: returns the answer, given the message of the response; None for one of a stream that is left out.
        seconds: that the call may take.
    """

    method: str
    request: Any
    read: Callable[[Any], Answer]
    seconds: float = SLACK


Write = Callable[[], UnaryCall[Answer]]  # raises BadRequest
MakeUnaryCall = Callable[[Write[Any]], Any]  # makes the call that is written; returns the answer, or an awaitable


class SyncCalls:
    """A class whose calls block: its `_call` makes the one that is written, and returns the answer."""

    _call: MakeUnaryCall


class AsyncCalls:
    """A class whose calls are awaited, as its `_call` is."""

    _call: MakeUnaryCall


class unary(Generic[P, Answer]):  # noqa: N801  # a decorator
    """Turns a method that returns a UnaryCall into one that makes the call and returns the answer, or an awaitable."""

    def __init__(self, write: Callable[Concatenate[Any, P], UnaryCall[Answer]]) -> None:
        self.write = write

    @overload
    def __get__(self, caller: None, kind: Any) -> Callable[Concatenate[Any, P], UnaryCall[Answer]]: ...
    @overload
    def __get__(self, caller: SyncCalls, kind: Any) -> Callable[P, Answer]: ...
    @overload
    def __get__(self, caller: AsyncCalls, kind: Any) -> Callable[P, Coroutine[Any, Any, Answer]]: ...
    def __get__(self, caller: Any, kind: Any) -> Any:
        if caller is None:
            return self.write

        @wraps(self.write)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return caller._call(partial(self.write, caller, *args, **kwargs))

        return method
