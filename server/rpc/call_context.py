"""Caches call metadata that gRPC would otherwise rebuild on every access."""

from functools import cached_property
from typing import Any

import grpc


class CallContext:
    """A call context that caches the peer and the metadata, and delegates everything else.

    Args:
        context: the context from gRPC.
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
        """Return the metadata that the client sent."""
        return self._metadata

    def peer(self) -> str:
        """Return the peer, as gRPC writes it."""
        return self._peer
