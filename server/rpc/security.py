"""Authenticates calls by bearer token."""

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clerestory.declared import BadSettings
from clerestory.metadata import AUTHORIZATION, ON_BEHALF
from clerestory.server.config import read_file
from clerestory.service_errors import Reason, raise_error

TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
LEAST_TOKEN = 16  # characters; 96 bits if they are random
SPEAKS = "on-behalf"  # follows a token in the file
UNKNOWN = "the server does not know the token of this call"
DENIED = f"this caller may not set the metadata {ON_BEHALF}; tokens marked `on-behalf` and callers on this machine may"


# -- tokens ----------------------------------------------------------------------------------------


class Tokens:
    """The bearer tokens of a file: one a line, except empty lines and lines that begin with `#`.

    The word `on-behalf` may follow a token: calls with it may name the user on whose behalf they are made.

    Only digests are stored, and they are compared in constant time.

    Args:
        path: the file.

    Raises BadSettings if the file cannot be read or holds no token, or if a line is not a token or is too short.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests = read_tokens(path)
        self._streams: dict[asyncio.Task[Any], tuple[bytes, bool]] = {}  # token digest, and whether it needs the mark

    def reload(self) -> str:
        """Reload the file, end streams that it does not allow, and return a message for the log.

        Raises BadSettings.
        """
        self._digests = read_tokens(self._path)
        for task, (known, marked) in list(self._streams.items()):
            if known not in self._digests or (marked and not self._digests[known]):
                del self._streams[task]
                task.cancel()
        return f"{len(self._digests)} tokens read from {self._path}"

    def know(self, token: str) -> bool:
        """Return whether a token is known."""
        return among(digest(token), self._digests)

    @contextmanager
    def streaming(self, token: str, *, marked: bool) -> Iterator[None]:
        """Run a streaming call during the block; end it if its token is removed or loses a required mark.

        Raises ServiceError: BAD_TOKEN, ON_BEHALF_DENIED.
        """
        task = asyncio.current_task()
        assert task is not None
        self._streams[task] = digest(token), marked
        try:
            yield
        except asyncio.CancelledError:
            if task in self._streams or task.uncancel():  # the client left
                raise
            if self.know(token):
                raise_error(Reason.ON_BEHALF_DENIED, "", DENIED)
            raise_error(Reason.BAD_TOKEN, "", UNKNOWN)
        finally:
            self._streams.pop(task, None)

    def speaks_for_others(self, token: str) -> bool:
        """Return whether calls with a token may name a user."""
        return among(digest(token), [known for known, speaks in self._digests.items() if speaks])

    def digest(self, token: str) -> str:
        """Return an identifier of a token that does not reveal it."""
        return digest(token).hex()


def among(given: bytes, digests: Iterable[bytes]) -> bool:
    """Return whether a digest is among others; all are compared, in constant time."""
    return sum(hmac.compare_digest(given, known) for known in digests) > 0


def read_tokens(path: Path) -> dict[bytes, bool]:
    """Return the digests of a file's tokens with their `on-behalf` marks. Raises BadSettings, which quotes no token."""
    content = read_file("token_file", path)
    lines = content.decode(json.detect_encoding(content), "replace").splitlines()  # may have a byte-order mark
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
    """Return the stored digest of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


# -- calls -----------------------------------------------------------------------------------------


def require_token(tokens: Tokens, metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """Return the token of a call. Raises ServiceError: MISSING_TOKEN, or BAD_TOKEN for an unknown one."""
    brought = authorizations(metadata)
    if len(brought) > 1:
        raise_error(Reason.BAD_TOKEN, "", f"the call has `authorization` {len(brought)} times; send it once")
    token = bearer_token(brought[0]) if brought else None
    if token is None:
        raise_error(
            Reason.MISSING_TOKEN, "", "this server requires a token: send the metadata `authorization: Bearer TOKEN`"
        )
    if not tokens.know(token):
        raise_error(Reason.BAD_TOKEN, "", UNKNOWN)
    return token


def authorizations(metadata: Iterable[tuple[str, str | bytes]]) -> list[str]:
    """Return the `authorization` entries of a call; valid calls have one at most."""
    return [value for name, value in metadata if name == AUTHORIZATION and isinstance(value, str)]


def bearer_token(authorization: str) -> str | None:
    """Return the token of `Bearer TOKEN`; None for any other value."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
