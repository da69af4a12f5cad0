"""Who may call: bearer tokens for each call."""

import hashlib
import hmac
import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import grpc
from grpc_status import rpc_status

from clerestory.server.config import BadSettings, read_file
from clerestory.server.errors import CallError, Reason, status_of

OPEN = "/grpc.health.v1.Health/"  # health checks need no token
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
LEAST_TOKEN = 16  # characters; 96 bits where they are drawn at random
SPEAKS = "on-behalf"  # after a token in its file

logger = logging.getLogger(__name__)


# -- tokens ----------------------------------------------------------------------------------------


class Tokens:
    """The bearer tokens of a file: one a line; empty lines and those that begin with `#` do not count.

    A token may be followed by the word `on-behalf`: calls with it may name on whose behalf they are.

    Only digests are kept, and compared in constant time.

    Args:
        path: the file.

    Raises BadSettings for a file that cannot be read or holds no token, for a line that is not a token or too short.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests = read_tokens(path)

    def reload(self) -> None:
        """Read the file again; a bad file is logged and changes nothing."""
        try:
            self._digests = read_tokens(self._path)
        except BadSettings as error:
            logger.error("tokens stay as they were: %s", error)
        else:
            logger.info("%d tokens read from %s", len(self._digests), self._path)

    def know(self, token: str) -> bool:
        """Whether a token is known."""
        return among(digest(token), self._digests)

    def speaks_for_others(self, token: str) -> bool:
        """Whether calls with a token may name on whose behalf they are."""
        return among(digest(token), [known for known, speaks in self._digests.items() if speaks])

    def digest(self, token: str) -> str:
        """Return what distinguishes a token from others without revealing it."""
        return digest(token).hex()


def among(given: bytes, digests: Iterable[bytes]) -> bool:
    """Whether a digest is among others, in constant time: all are compared."""
    return sum(hmac.compare_digest(given, known) for known in digests) > 0


def read_tokens(path: Path) -> dict[bytes, bool]:
    """Return the digests of a file's tokens, and whether each speaks for others. Raises BadSettings, quoting none."""
    lines = read_file("token_file", path).decode("utf-8", "replace").splitlines()
    found = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        token, *word = line.split()
        if not TOKEN.fullmatch(token) or word not in ([], [SPEAKS]):
            raise BadSettings(
                f"token_file: {path}: line {number} is no token: letters, digits and -._~+/ only; {SPEAKS} may follow"
            )
        if len(token) < LEAST_TOKEN:
            raise BadSettings(f"token_file: {path}: line {number} is shorter than {LEAST_TOKEN} characters")
        found[digest(token)] = word == [SPEAKS]
    if not found:
        raise BadSettings(f"token_file: {path} holds no token")
    return found


def digest(token: str) -> bytes:
    """Return the digest that is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


# -- the door --------------------------------------------------------------------------------------


class TokenDoor(grpc.aio.ServerInterceptor):
    """Refuses every call without a known token, except health checks.

    Args:
        tokens: the known ones; they may change.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Let a call through, or answer it with a refusal, in which case its messages are not decoded.

        A call of an unknown method gets that as its error: counted by name, such calls could fill the memory.
        """
        handler, method = await continuation(handler_call_details), handler_call_details.method
        error = self._refusal(handler_call_details) if not method.startswith(OPEN) else None
        if error is None or handler is None:
            return handler
        ours = method.startswith("/clerestory.")
        return raising(error, streams=handler.response_streaming) if ours else aborting(error)

    def _refusal(self, call: grpc.HandlerCallDetails) -> CallError | None:
        brought = authorizations(call.invocation_metadata)
        if len(brought) > 1:
            return denial(Reason.BAD_TOKEN, f"the call has `authorization` {len(brought)} times; one token is wanted")
        token = bearer_token(brought[0]) if brought else None
        if token is None:
            return denial(Reason.MISSING_TOKEN, "the call has no metadata `authorization: Bearer TOKEN`")
        return None if self._tokens.know(token) else denial(Reason.BAD_TOKEN, "the token of the call is not known")


def authorizations(metadata: Iterable[tuple[str, str | bytes]]) -> list[str]:
    """Return the `authorization` entries of a call; there should be one."""
    return [value for name, value in metadata if name == "authorization" and isinstance(value, str)]


def bearer_token(authorization: str) -> str | None:
    """Return the token of `Bearer TOKEN`, None for anything else."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def denial(reason: Reason, description: str) -> CallError:
    """Return the error of a call that is not let in."""
    return CallError(reason, [("", description)])


def raising(error: CallError, *, streams: bool) -> Any:
    """Return a handler that raises, for our own methods: the boundary around it logs and counts the refusal."""

    async def refuse(_: bytes, __: grpc.aio.ServicerContext[Any, Any]) -> NoReturn:
        raise error

    wrap = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
    return wrap(refuse, request_deserializer=bytes)


def aborting(error: CallError) -> Any:
    """Return a handler that refuses a call of any other method, whatever its shape."""
    status = rpc_status.to_status(status_of(error))

    async def refuse(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        await context.abort_with_status(status)

    return grpc.stream_stream_rpc_method_handler(refuse)
