"""Issues unguessable game IDs and tokens, of 128 and 256 bits; a repeated request gets the same ones."""

import base64
import hashlib
import hmac
import re
import secrets

from clerestory.server.games.viewer import digest_of

GAME_BYTES, TOKEN_BYTES = 16, 32
GAME_ID = re.compile(r"[\w-]{1,22}", re.ASCII)  # matches every ID ever issued


def text_of(data: bytes) -> str:
    """Return bytes as letters, digits, `-` and `_`."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenIssuer:
    """Issues the game ID and the tokens of one request.

    For a named request, they are derived from its name and the store's secret, so a repeated request gets them without
    their being stored.

    Args:
        secret: the store's secret.
        request: name of the request, "" for one that is never repeated.
    """

    def __init__(self, secret: bytes, request: str) -> None:
        self._key = hmac.digest(secret, request.encode(), hashlib.sha256) if request else secrets.token_bytes(32)
        self.digest = digest_of(f"request {request}") if request else ""

    def game_id(self) -> str:
        """Return a game ID. It does not begin with `-`, so that commands do not mistake it for an option."""
        return re.sub("^-", "_", text_of(self._make("game")[:GAME_BYTES]))

    def token(self, whose: str) -> str:
        """Return the token of `owner`, `onlooker`, or a seat."""
        return text_of(self._make(whose)[:TOKEN_BYTES])

    def _make(self, what: str) -> bytes:
        return hmac.digest(self._key, what.encode(), hashlib.sha256)
