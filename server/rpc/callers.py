"""Identifies the caller of a call by its token or address, and by the user on whose behalf it calls."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeGuard
from urllib.parse import unquote

import grpc

from clerestory.addresses import network_of
from clerestory.metadata import ON_BEHALF, SEAT, VIA
from clerestory.server.analysis.caller import DIGEST_SHOWN, Caller
from clerestory.server.rpc.security import DENIED, Tokens, authorizations, bearer_token, digest
from clerestory.service_errors import Reason, raise_error

NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)
NEAR = ("127.", "::1", "unix")  # peers on this machine
REMEMBERED = 1024  # recent callers and connections to cache


@lru_cache(REMEMBERED)
def caller_of(calls: str, name: str) -> Caller:
    """Return the Caller of a token or an address.

    Args:
        calls: `token:` with the digest of the token, or `peer:` with the address.
        name: the user on whose behalf it calls; "" for none.
    """
    kind, _, rest = calls.partition(":")
    label = f"{kind}:{rest[:DIGEST_SHOWN]}" if kind == "token" else calls
    return Caller(digest(f"{calls}/{name}").hex(), label=f"{label}/{name}" if name else label)


class Callers:
    """Identifies the callers of calls.

    Args:
        tokens: the accepted tokens; None if none are required.
        seat_of: returns the seat of a hosted game that a token belongs to; None for none.
    """

    def __init__(self, tokens: Tokens | None, seat_of: Callable[[str, str], int | None] = lambda *_: None) -> None:
        self._tokens = tokens
        self._seat_of = seat_of

    def player_of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of an admitted call that needs a search.

        A player of a hosted game who proves it counts separately. So people who share an address or a token share its
        capacity fairly. Raises ServiceError as `of` does.
        """
        caller = self.of(context)
        for key, value in context.invocation_metadata() or ():
            if key == SEAT and isinstance(value, str):
                game_id, _, token = value.partition(" ")
                seat = self._seat_of(game_id, token)
                return caller if seat is None else caller.at(f"seat:{game_id}:{seat}")
        return caller

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of an admitted call. Raises ServiceError: BAD_ON_BEHALF, ON_BEHALF_DENIED."""
        metadata = tuple(context.invocation_metadata() or ())
        names = [value for key, value in metadata if key == ON_BEHALF]
        address = address_of(context.peer())
        if self._tokens is None:
            return caller_of(f"peer:{address}", name_of(names, speaks=address.startswith(NEAR)))
        token = bearer_token(authorizations(metadata)[0]) or ""
        speaks = self._tokens.speaks_for_others(token)
        if by_gateway(metadata, address) and not speaks:
            names = []  # the gateway sends the browser's address, which counts only for browsers without a valid token
        return caller_of(f"token:{self._tokens.digest(token)}", name_of(names, speaks=speaks))

    def names_others(self, context: grpc.aio.ServicerContext[Any, Any]) -> bool:
        """Return whether an admitted call names a user, other than through a gateway on this machine."""
        metadata = tuple(context.invocation_metadata() or ())
        return any(key == ON_BEHALF for key, _ in metadata) and not by_gateway(metadata, address_of(context.peer()))

    def stranger(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of a call that was not admitted: its address, and the user it acts for if allowed."""
        address = address_of(context.peer())
        names = [value for key, value in context.invocation_metadata() or () if key == ON_BEHALF]
        near = address.startswith(NEAR) and len(names) == 1
        return caller_of(f"peer:{address}", names[0] if near and is_name(names[0]) else "")


def by_gateway(metadata: Sequence[tuple[str, str | bytes]], address: str) -> bool:
    """Return whether a call arrives through a gateway on this machine."""
    return VIA in metadata and address.startswith(NEAR)


def name_of(names: list[str | bytes], *, speaks: bool) -> str:
    """Return the user on whose behalf a call is made; "" for none.

    Raises ServiceError: BAD_ON_BEHALF, ON_BEHALF_DENIED.
    """
    if not names:
        return ""
    if not speaks:
        raise_error(Reason.ON_BEHALF_DENIED, "", DENIED)
    [name, *others] = names
    if others or not is_name(name):
        raise_error(Reason.BAD_ON_BEHALF, "", f"the metadata {ON_BEHALF} must be 1 to 64 letters, digits and _.:-")
    return name


def is_name(name: str | bytes) -> TypeGuard[str]:
    """Return whether this is a valid name of a user."""
    return isinstance(name, str) and NAME.fullmatch(name) is not None


@lru_cache(REMEMBERED)
def address_of(peer: str) -> str:
    """Return the network that a connection comes from: `unix`, an IPv4 address, or an IPv6 network.

    Args:
        peer: as gRPC writes it, such as `ipv4:192.0.2.1:50051` or `ipv6:%5B2001:db8::1%5D:50051`.
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    return network_of(rest.rpartition(":")[0])
