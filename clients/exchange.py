"""What a call sends and how its answer is read, written once for the sync and the async client."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from clerestory.clients.wire import SLACK

Answer = TypeVar("Answer")
Caller = TypeVar("Caller")  # a class with `_call`
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Exchange(Generic[Answer]):
    """A request and its answer.

    Attributes:
        method: name of the method, of any service; "" if nothing need be asked.
        request: its message.
        read: returns the answer, given the message of the response.
        seconds: that the call may take.
    """

    method: str
    request: Any
    read: Callable[[Any], Answer]
    seconds: float = SLACK


def blocking(write: Callable[Concatenate[Caller, P], Exchange[Answer]]) -> Callable[Concatenate[Caller, P], Answer]:
    """Return a method that makes an exchange and returns its answer, for a class whose `_call` blocks."""

    @wraps(write)
    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        exchange = write(self, *args, **kwargs)
        return exchange.read(self._call(exchange) if exchange.method else None)

    return method


def awaited(
    write: Callable[Concatenate[Caller, P], Exchange[Answer]],
) -> Callable[Concatenate[Caller, P], Coroutine[Any, Any, Answer]]:
    """Return the same for a class whose `_call` is to be awaited."""

    @wraps(write)
    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        exchange = write(self, *args, **kwargs)
        return exchange.read(await self._call(exchange) if exchange.method else None)

    return method
