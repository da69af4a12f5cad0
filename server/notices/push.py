"""Web Push: messages that a browser gets even if no page is open, encrypted for it (RFC 8291), and signed (RFC 8292).

The packages for Web Push make the requests themselves, with an HTTP library that cannot be held to a checked address.
"""

import base64
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from clerestory.declared import BadSettings
from clerestory.server.config import read_file
from clerestory.server.games.notices import TurnNotice

POINT_BYTES, SECRET_BYTES, SALT_BYTES = 65, 16, 16  # a point of P-256, an authentication secret, a salt
RECORD_BYTES = 4096  # of a message, the only record of its content
LAST_RECORD = b"\2"  # delimiter after the text
NUMBER_BYTES = 32  # half of a signature
VALID_S = 12 * 3600  # how long a signature is valid, at most a day
LONGEST_S = 7 * 24 * 3600  # how long a push service keeps a message for a browser that is off
CURVE = ec.SECP256R1()


class PushSigner:
    """Makes messages for push services, signed with the key of the operator.

    Args:
        key: the key, whose public half browsers subscribe with.
        contact: the address for push services: `mailto:` or `https:`.
    """

    def __init__(self, key: ec.EllipticCurvePrivateKey, contact: str) -> None:
        self._key = key
        self._contact = contact
        self.public = text_of(point_of(key.public_key()))

    def message(self, url: str, keys: bytes, notice: TurnNotice, seconds: int) -> tuple[Mapping[str, str], bytes]:
        """Return the headers and the content of a message.

        Args:
            url: the endpoint of a subscription.
            keys: its public key and secret, in which `fault_of` finds no fault.
            notice: its content.
            seconds: the time since 1970.
        """
        headers = {
            "authorization": f"vapid t={self.token(url, seconds)}, k={self.public}",
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "topic": notice.game_id,  # replaces an earlier message of the same game
            "ttl": str(lifetime(notice, seconds)),
        }
        return headers, encrypted(notice.to_json().encode(), keys[:POINT_BYTES], keys[POINT_BYTES:])

    def token(self, url: str, seconds: int) -> str:
        """Return the JSON Web Token for the host of an endpoint."""
        parts = urlsplit(url)
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": seconds + VALID_S, "sub": self._contact}
        signed = ".".join(text_of(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        numbers = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{text_of(b''.join(number.to_bytes(NUMBER_BYTES) for number in numbers))}"

    @staticmethod
    def fault_of(point: bytes, secret: bytes) -> tuple[str, str] | None:
        """Return which key of a subscription is invalid and why; None if none is."""
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
        except ValueError:
            return "p256dh", "is not a point of P-256"
        if len(point) != POINT_BYTES:
            return "p256dh", f"has {len(point)} bytes; must be an uncompressed point of {POINT_BYTES}"
        if len(secret) != SECRET_BYTES:
            return "auth", f"has {len(secret)} bytes; must have {SECRET_BYTES}"
        return None


def lifetime(notice: TurnNotice, seconds: int) -> int:
    """Return how many seconds a notice is useful."""
    return LONGEST_S if notice.deadline is None else min(LONGEST_S, max(0, notice.deadline // 1000 - seconds))


def encrypted(
    text: bytes, receiver: bytes, secret: bytes, *, key: ec.EllipticCurvePrivateKey | None = None, salt: bytes = b""
) -> bytes:
    """Return a text, encrypted for the holder of a subscription.

    Args:
        text: the text, which must fit into one record.
        receiver: the public key of the subscription.
        secret: its authentication secret.
        key: of this message only; None for a random one.
        salt: the same.
    """
    key, salt = key or ec.generate_private_key(CURVE), salt or secrets.token_bytes(SALT_BYTES)
    sender = point_of(key.public_key())
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, receiver))
    common = derived(shared, secret, b"WebPush: info\0" + receiver + sender, 32)
    content_key = derived(common, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = derived(common, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4) + len(sender).to_bytes(1) + sender
    return head + AESGCM(content_key).encrypt(nonce, text + LAST_RECORD, None)


def derived(key: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """Return a key derived from another one."""
    return HKDF(SHA256(), length, salt, info).derive(key)


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as an uncompressed point."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def text_of(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_push_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Return the private key in a PEM file. Raises BadSettings."""
    text = read_file("push_key", path)
    try:
        key = load_pem_private_key(text, None)
    except (ValueError, TypeError):  # the latter for an encrypted one
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise BadSettings(f"push_key: {path} holds no unencrypted private key of P-256 in PEM")
    return key
