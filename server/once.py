"""The context of a call, of which what gRPC makes anew at every question is asked once."""

from functools import cached_property
from typing import Any

import grpc


class AskedOnce:
    """A context that remembers who calls, and with which metadata; all else is the context's own.

    Args:
        context: of gRPC.
    """

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    @cached_property
    def _metadata(self) -> Any:
        return self._context.invocation_metadata()

    @cached_property
    def _peer(self) -> str:
        return self._context.peer()

    def invocation_metadata(self) -> Any:
        """Return the metadata that the caller sent."""
        return self._metadata

    def peer(self) -> str:
        """Return the connection, as gRPC writes it."""
        return self._peer
