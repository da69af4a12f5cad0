"""Identifies callers, who share places and workers; no caller gets trees from another's requests."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import grpc

from clerestory.addresses import network_of
from clerestory.server.errors import Reason, refuse
from clerestory.server.security import Tokens, authorizations, bearer_token

ON_BEHALF = "x-on-behalf-of"  # metadata of calls on behalf of others
SEAT = "x-clerestory-seat"  # metadata of calls by somebody who sits at a kept game: `GAME_ID TOKEN`
NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)
NEAR = ("127.", "::1", "unix")  # of this machine
DIGEST_SHOWN = 8  # hexadecimal digits of a token's digest: enough to tell callers apart


@dataclass(frozen=True, slots=True)
class Caller:
    """One of those who share the server.

    Attributes:
        origin: `token:` with the digest of its token, or `peer:` with its address; `seat` for a player at a kept
            game; parts of the server itself that run searches have names of their own, such as `game`.
        name: given by an origin that calls on behalf of others; "" for an origin's own calls.
    """

    origin: str
    name: str = ""

    @property
    def label(self) -> str:
        """Its name in logs: `peer:192.0.2.1`, or `token:` and the beginning of the digest; then the name, if any."""
        kind, _, rest = self.origin.partition(":")
        origin = f"{kind}:{rest[:DIGEST_SHOWN]}" if kind == "token" else self.origin
        return f"{origin}/{self.name}" if self.name else origin


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

        Those who show that they sit at a game are callers of their own: so people who come from one address, or share a
        token, share the server fairly. Raises CallError as `of` does.
        """
        caller = self.of(context)
        for key, value in context.invocation_metadata() or ():
            if key == SEAT and isinstance(value, str):
                game_id, _, token = value.partition(" ")
                seat = self._seat_of(game_id, token)
                return caller if seat is None else Caller("seat", f"{game_id}:{seat}")
        return caller

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Caller:
        """Return the caller of an admitted call. Raises CallError: BAD_ON_BEHALF, ON_BEHALF_DENIED."""
        metadata = tuple(context.invocation_metadata() or ())
        names = [value for key, value in metadata if key == ON_BEHALF]
        if self._tokens is None:
            address = address_of(context.peer())
            return Caller(f"peer:{address}", name_of(names, speaks=address.startswith(NEAR)))
        token = bearer_token(authorizations(metadata)[0]) or ""
        return Caller(
            f"token:{self._tokens.digest(token)}", name_of(names, speaks=self._tokens.speaks_for_others(token))
        )


def name_of(names: list[str | bytes], *, speaks: bool) -> str:
    """Return on whose behalf a call is made, "" if nobody's. Raises CallError: BAD_ON_BEHALF, ON_BEHALF_DENIED."""
    if not names:
        return ""
    if not speaks:
        refuse(Reason.ON_BEHALF_DENIED, "", f"the metadata {ON_BEHALF} is not for this caller: it speaks for itself")
    [name, *others] = names
    if others or not isinstance(name, str) or not NAME.fullmatch(name):
        refuse(Reason.BAD_ON_BEHALF, "", f"the metadata {ON_BEHALF} is no name: 1 to 64 letters, digits and _.:-")
    return name


def address_of(peer: str) -> str:
    """Return where a connection comes from: `unix`, an IPv4 address, or the network part of an IPv6 address.

    Args:
        peer: as gRPC writes it, such as `ipv4:192.0.2.1:50051` or `ipv6:%5B2001:db8::1%5D:50051`.
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    return network_of(rest.rpartition(":")[0])
