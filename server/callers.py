"""Identifies the callers of calls: by token, or by address, and on whose behalf."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeGuard
from urllib.parse import unquote

import grpc

from clerestory.addresses import network_of
from clerestory.advice.caller import DIGEST_SHOWN, Caller
from clerestory.metadata import ON_BEHALF, SEAT, VIA
from clerestory.refusals import Reason, refuse
from clerestory.server.security import DENIED, Tokens, authorizations, bearer_token, digest

NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)
NEAR = ("127.", "::1", "unix")  # of this machine
REMEMBERED = 1024  # callers and connections of the latest calls


@lru_cache(REMEMBERED)
def caller_of(calls: str, name: str) -> Caller:
    """Return who calls, for its own calls.

    Args:
        calls: `token:` with the digest of its token, or `peer:` with its address.
        name: on whose behalf; "" for nobody's.
    """
    kind, _, rest = calls.partition(":")
    label = f"{kind}:{rest[:DIGEST_SHOWN]}" if kind == "token" else calls
    return Caller(digest(f"{calls}/{name}").hex(), label=f"{label}/{name}" if name else label)


class Callers:
    """Finds the callers of calls.

    Args:
        tokens: each call has one of them; None if the server requires none.
        seat_of: returns the seat of a kept game that a token belongs to, None for none.
    """

    def __init__(self, tokens: Tokens | None, seat_of: Callable[[str, str], int | None] = lambda *_: None) -> None:
        self._tokens = tokens
        self._seat_of = seat_of

    def player_of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of an admitted call that needs a search.

        Those who show that they sit at a game are parts of their own: so people who come from one address, or share a
        token, share fairly what it has. Raises Refusal as `of` does.
        """
        caller = self.of(context)
        for key, value in context.invocation_metadata() or ():
            if key == SEAT and isinstance(value, str):
                game_id, _, token = value.partition(" ")
                seat = self._seat_of(game_id, token)
                return caller if seat is None else caller.at(f"seat:{game_id}:{seat}")
        return caller

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of an admitted call. Raises Refusal: BAD_ON_BEHALF, ON_BEHALF_DENIED."""
        metadata = tuple(context.invocation_metadata() or ())
        names = [value for key, value in metadata if key == ON_BEHALF]
        address = address_of(context.peer())
        if self._tokens is None:
            return caller_of(f"peer:{address}", name_of(names, speaks=address.startswith(NEAR)))
        token = bearer_token(authorizations(metadata)[0]) or ""
        speaks = self._tokens.speaks_for_others(token)
        if by_door(metadata, address) and not speaks:
            names = []  # the door says where a browser is, for as long as nobody knows its token
        return caller_of(f"token:{self._tokens.digest(token)}", name_of(names, speaks=speaks))

    def names_others(self, context: grpc.aio.ServicerContext[Any, Any]) -> bool:
        """Whether an admitted call, unless a door's on this machine, names on whose behalf it is."""
        metadata = tuple(context.invocation_metadata() or ())
        return any(key == ON_BEHALF for key, _ in metadata) and not by_door(metadata, address_of(context.peer()))

    def stranger(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of a call that has not been admitted: its address, and whom it speaks for if it may."""
        address = address_of(context.peer())
        names = [value for key, value in context.invocation_metadata() or () if key == ON_BEHALF]
        near = address.startswith(NEAR) and len(names) == 1
        return caller_of(f"peer:{address}", names[0] if near and is_name(names[0]) else "")


def by_door(metadata: Sequence[tuple[str, str | bytes]], address: str) -> bool:
    """Whether a call from an address comes through a door on this machine."""
    return VIA in metadata and address.startswith(NEAR)


def name_of(names: list[str | bytes], *, speaks: bool) -> str:
    """Return on whose behalf a call is made, "" if nobody's. Raises Refusal: BAD_ON_BEHALF, ON_BEHALF_DENIED."""
    if not names:
        return ""
    if not speaks:
        refuse(Reason.ON_BEHALF_DENIED, "", DENIED)
    [name, *others] = names
    if others or not is_name(name):
        refuse(Reason.BAD_ON_BEHALF, "", f"the metadata {ON_BEHALF} must be 1 to 64 letters, digits and _.:-")
    return name


def is_name(name: str | bytes) -> TypeGuard[str]:
    """Whether a call may be made on behalf of such a name."""
    return isinstance(name, str) and NAME.fullmatch(name) is not None


@lru_cache(REMEMBERED)
def address_of(peer: str) -> str:
    """Return where a connection comes from: `unix`, an IPv4 address, or the network part of an IPv6 address.

    Args:
        peer: as gRPC writes it, such as `ipv4:192.0.2.1:50051` or `ipv6:%5B2001:db8::1%5D:50051`.
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    return network_of(rest.rpartition(":")[0])
