"""Who may call: bearer tokens for each call."""

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
from clerestory.refusals import Reason, refuse
from clerestory.server.config import read_file

TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
LEAST_TOKEN = 16  # characters; 96 bits where they are drawn at random
SPEAKS = "on-behalf"  # after a token in its file
UNKNOWN = "the server does not know the token of this call"
DENIED = f"this caller may not set the metadata {ON_BEHALF}; tokens marked `on-behalf` and callers on this machine may"


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
        self._streams: dict[asyncio.Task[Any], tuple[bytes, bool]] = {}  # digest of its token; it needs the mark

    def reload(self) -> str:
        """Read the file again, and end streams that it no longer lets in; return in words what was read.

        Raises BadSettings.
        """
        self._digests = read_tokens(self._path)
        for task, (known, marked) in list(self._streams.items()):
            if known not in self._digests or (marked and not self._digests[known]):
                del self._streams[task]
                task.cancel()
        return f"{len(self._digests)} tokens read from {self._path}"

    def know(self, token: str) -> bool:
        """Whether a token is known."""
        return among(digest(token), self._digests)

    @contextmanager
    def streaming(self, token: str, *, marked: bool) -> Iterator[None]:
        """Let a call stream during the block, for as long as its token is known, and marked `on-behalf` if it must be.

        Raises Refusal: BAD_TOKEN, ON_BEHALF_DENIED.
        """
        task = asyncio.current_task()
        assert task is not None
        self._streams[task] = digest(token), marked
        try:
            yield
        except asyncio.CancelledError:
            if task in self._streams or task.uncancel():  # the caller left
                raise
            if self.know(token):
                refuse(Reason.ON_BEHALF_DENIED, "", DENIED)
            refuse(Reason.BAD_TOKEN, "", UNKNOWN)
        finally:
            self._streams.pop(task, None)

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
    content = read_file("token_file", path)
    lines = content.decode(json.detect_encoding(content), "replace").splitlines()  # editors on Windows mark theirs
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


# -- calls -----------------------------------------------------------------------------------------


def require_token(tokens: Tokens, metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """Return the token in the metadata of a call. Raises Refusal: MISSING_TOKEN, or BAD_TOKEN for an unknown one."""
    brought = authorizations(metadata)
    if len(brought) > 1:
        refuse(Reason.BAD_TOKEN, "", f"the call has `authorization` {len(brought)} times; send it once")
    token = bearer_token(brought[0]) if brought else None
    if token is None:
        refuse(
            Reason.MISSING_TOKEN, "", "this server requires a token: send the metadata `authorization: Bearer TOKEN`"
        )
    if not tokens.know(token):
        refuse(Reason.BAD_TOKEN, "", UNKNOWN)
    return token


def authorizations(metadata: Iterable[tuple[str, str | bytes]]) -> list[str]:
    """Return the `authorization` entries of a call; there should be one."""
    return [value for name, value in metadata if name == AUTHORIZATION and isinstance(value, str)]


def bearer_token(authorization: str) -> str | None:
    """Return the token of `Bearer TOKEN`, None for anything else."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
