"""Webhooks, signed as in Standard Webhooks (standardwebhooks.com)."""

import base64
import binascii
import hmac
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from clerestory.declared import BadSettings
from clerestory.server.config import read_file
from clerestory.server.games.background import Seldom
from clerestory.server.games.notices import Delivery, TurnNotice
from clerestory.server.notices.post import post

KEY_PREFIX = b"whsec_"
KEY_BYTES = range(24, 65)

logger = logging.getLogger(__name__)


class Webhook:
    """The webhook of the operator, which receives the notices of all games.

    Args:
        url: the address.
        key: signs notices.
        private: whether it may be a loopback or private address.
        now: returns milliseconds since 1970.
    """

    def __init__(self, url: str, key: bytes, *, private: bool, now: Callable[[], int]) -> None:
        self._url = url
        self._key = key
        self._private = private
        self._now = now
        self._log = Seldom(logger)

    async def send(self, notice: TurnNotice) -> Delivery:
        """Post a notice once, and log a failure."""
        body = notice.to_json().encode()
        headers = signed_headers(self._key, notice.name, self._now() // 1000, body)
        result = await post(self._url, headers, body, private=self._private)
        if result.fault:
            self._log.error(f"the webhook {result.fault}")
        return result.delivery


def signed_headers(key: bytes, name: str, seconds: int, body: bytes) -> Mapping[str, str]:
    """Return the headers of a signed notice."""
    return {
        "content-type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature(key, name, seconds, body),
    }


def signature(key: bytes, name: str, seconds: int, body: bytes) -> str:
    """Return the signature of a notice: HMAC-SHA256 of its name, its time and its content."""
    signed = hmac.digest(key, f"{name}.{seconds}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signed).decode()}"


def read_key(path: Path) -> bytes:
    """Return the key in a file: 24 to 64 bytes in base64, perhaps after `whsec_`. Raises BadSettings."""
    text = read_file("webhook_key", path).strip()
    try:
        key = base64.b64decode(text.removeprefix(KEY_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if len(key) not in KEY_BYTES:
        raise BadSettings(f"webhook_key: {path} holds no key of 24 to 64 bytes in base64")
    return key
