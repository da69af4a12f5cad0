"""Push messages: the vector of RFC 8291, the signature of RFC 8292, keys, and deliveries to a fake push service."""

import base64
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from google.rpc.error_details_pb2 import BadRequest

from clerestory.declared import BadSettings
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.server.games.notices import TurnNotice
from clerestory.server.notices import post, targets
from clerestory.server.notices.push import (
    CURVE,
    PushSigner,
    derived,
    encrypted,
    lifetime,
    point_of,
    read_push_key,
    text_of,
)
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from tests.server.games.table import Table, table
from tests.server.notices.receiver import counted, receiving
from tests.server.notices.test_targets import headers_of, is_active, play_until, stored
from tests.server.rpc.harness import assert_reason, details, refusal, until

SECONDS = 1_614_265_330
NOTICE = TurnNotice("game", "duel", version=3, ply=2, seat=1, began=1_000, deadline=None)


def data(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def private(number: bytes) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(number), CURVE)


class Browser:
    """A subscription, and what its browser can read."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(CURVE)
        self.point, self.secret = point_of(self.key.public_key()), bytes(range(16))

    @property
    def push_keys(self) -> games.PushKeys:
        return games.PushKeys(p256dh=self.point, auth=self.secret)

    def read(self, body: bytes) -> bytes:
        """Decrypt a message, as RFC 8188 and RFC 8291 prescribe for the receiver."""
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, text = body[21 : 21 + length], body[21 + length :]
        assert len(text) <= size
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        common = derived(shared, self.secret, b"WebPush: info\0" + self.point + sender, 32)
        content_key = derived(common, salt, b"Content-Encoding: aes128gcm\0", 16)
        padded = AESGCM(content_key).decrypt(derived(common, salt, b"Content-Encoding: nonce\0", 12), text, None)
        content, delimiter, padding = padded.rpartition(b"\2")
        assert (delimiter, padding.strip(b"\0")) == (b"\2", b"")
        return content


def claims_of(authorization: str) -> Mapping[str, Any]:
    """Return the claims of a signed token, whose signature is that of its key."""
    scheme, _, fields = authorization.partition(" ")
    named = dict(field.strip().split("=", 1) for field in fields.split(","))
    head, claims, signature = named["t"].split(".")
    numbers = data(signature)
    key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, data(named["k"]))
    both = encode_dss_signature(int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
    key.verify(both, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    assert (scheme, len(numbers), json.loads(data(head))) == ("vapid", 64, {"typ": "JWT", "alg": "ES256"})
    found: Mapping[str, Any] = json.loads(data(claims))
    return found


def test_a_message_is_that_of_rfc_8291_appendix_a() -> None:
    receiver = private(data("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
    found = encrypted(
        b"When I grow up, I want to be a watermelon",
        point_of(receiver.public_key()),
        data("BTBZMqHH6r4Tts7J_aSIgg"),
        key=private(data("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
        salt=data("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    expected = (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3j"
        "l7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    assert text_of(found) == expected


def test_a_message_is_signed_for_the_host_of_the_endpoint() -> None:
    signer, browser = PushSigner(ec.generate_private_key(CURVE), "mailto:ann@example.org"), Browser()
    url = "https://push.example.org:8443/send/x?y=z"
    headers, body = signer.message(url, browser.point + browser.secret, NOTICE, SECONDS)
    audience = {"aud": "https://push.example.org:8443", "exp": SECONDS + 12 * 3600, "sub": "mailto:ann@example.org"}
    assert claims_of(headers["authorization"]) == audience
    assert headers["authorization"].endswith(f"k={signer.public}")
    assert (headers["topic"], headers["ttl"], headers["content-encoding"]) == ("game", "604800", "aes128gcm")
    assert json.loads(browser.read(body)) == json.loads(NOTICE.to_json())


@pytest.mark.parametrize(
    ("deadline", "seconds"), [(None, 604_800), (1_060_500, 60), (10**12, 604_800), (1_000_000, 0), (1_000, 0)]
)
def test_a_push_service_keeps_a_message_until_the_turn_ends(deadline: int | None, seconds: int) -> None:
    notice = TurnNotice("game", "duel", version=3, ply=2, seat=1, began=1_000, deadline=deadline)
    assert lifetime(notice, 1_000) == seconds


# -- the key of the operator -----------------------------------------------------------------------


def pem(key: Any, password: bytes = b"") -> bytes:
    kind = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8 if password else serialization.PrivateFormat.TraditionalOpenSSL
    made: bytes = key.private_bytes(serialization.Encoding.PEM, form, kind)
    return made


def test_a_key_is_read(tmp_path: Path) -> None:
    key = ec.generate_private_key(CURVE)
    (tmp_path / "key").write_bytes(pem(key))
    assert read_push_key(tmp_path / "key").private_numbers() == key.private_numbers()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n",
        pem(ec.generate_private_key(ec.SECP384R1())),
        pem(ec.generate_private_key(CURVE), b"password"),
    ],
    ids=["empty", "damaged", "other curve", "encrypted"],
)
def test_a_wrong_key_is_an_error(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(text)
    with pytest.raises(BadSettings, match=r"^push_key: \S+ holds no unencrypted private key of P-256 in PEM$"):
        read_push_key(tmp_path / "key")


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"^push_key: .*No such file"):
        read_push_key(tmp_path / "key")


async def test_a_key_without_the_packages_for_it_is_an_error(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clerestory.server.notices.push", None)
    with pytest.raises(BadSettings, match=r"^push_key: needs further packages: pip install 'clerestory\[push\]'$"):
        await start(Settings(listen="127.0.0.1:0", **settings))


# -- a server --------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "key").write_bytes(pem(ec.generate_private_key(CURVE)))
    return {"push_key": tmp_path / "key", "push_contact": "https://example.org/contact"}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server in the event loop of the test be a push service: its address counts as public, over HTTP."""
    monkeypatch.setattr(post, "is_public", lambda _: True)
    monkeypatch.setattr(targets, "require_url", lambda *_, **__: None)


async def subscribe(played: Table, seat: int, url: str, keys: games.PushKeys | None = None) -> Any:
    push_keys = keys or Browser().push_keys
    return await played.call("AddNoticeTarget", tokens=played.tokens(), seat=seat, url=url, push_keys=push_keys)


@pytest.mark.usefixtures("service")
async def test_a_browser_is_notified_of_the_turns_of_its_seat(settings: Any) -> None:
    browser = Browser()
    async with receiving() as (received, port), table(game="duel", settings=settings) as played:
        endpoint = f"http://127.0.0.1:{port}/send/1"
        await subscribe(played, 1, endpoint, browser.push_keys)
        for turns in (1, 2):
            await play_until(played, 1)
            await until(lambda turns=turns: len(received.requests) == turns)
            await play_until(played, 0)
        key = (await played.look(0)).push_key
    shown = [json.loads(browser.read(body))["data"] for _, body in received.requests]
    assert [(one["game_id"], one["seat"]) for one in shown] == [(played.game_id, 1)] * 2
    headers = headers_of(received.requests[0][0])
    claims = claims_of(headers["authorization"])
    assert (claims["aud"], claims["sub"]) == (f"http://127.0.0.1:{port}", "https://example.org/contact")
    assert headers["authorization"].endswith(f"k={key}")
    assert len(data(key)) == 65


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(("status", "left"), [(404, 0), (410, 0), (400, 1), (413, 1)])
async def test_a_subscription_that_has_ended_is_deleted(status: int, left: int, settings: Any) -> None:
    async with receiving(b"HTTP/1.1 %d No\r\n\r\n" % status) as (_, port), table(settings=settings) as played:
        await subscribe(played, 1, f"http://127.0.0.1:{port}/")
        await play_until(played, 1)
        await until(lambda: counted(played.app, "rejected") == 1)
        assert len(await stored(played, 1)) == left
        assert await is_active(played, 1, f"http://127.0.0.1:{port}/") == bool(left)


async def test_a_private_address_gets_no_push_message_though_webhooks_may_have_it(settings: Any) -> None:
    async with table(settings=settings | {"seat_webhooks": "any"}) as played:
        error = await refusal(subscribe(played, 1, "https://127.0.0.1/send"))
    assert_reason(error, Reason.BAD_NOTICE_TARGET)


POINT, SECRET = Browser().point, bytes(16)


@pytest.mark.parametrize(
    ("field", "point", "secret"),
    [
        ("p256dh", b"", SECRET),
        ("p256dh", POINT[:-1], SECRET),
        ("p256dh", POINT + b"\0", SECRET),
        ("p256dh", b"\4" + bytes(64), SECRET),  # not on the curve
        ("p256dh", b"\2" + POINT[1:33], SECRET),  # compressed
        ("auth", POINT, b""),
        ("auth", POINT, SECRET[:-1]),
        ("auth", POINT, SECRET * 2),
    ],
    ids=range(8),
)
async def test_a_wrong_key_of_a_subscription_is_an_error(
    field: str, point: bytes, secret: bytes, settings: Any
) -> None:
    async with table(settings=settings) as played:
        keys = games.PushKeys(p256dh=point, auth=secret)
        error = await refusal(subscribe(played, 1, "https://push.example.org/send", keys))
    assert_reason(error, Reason.BAD_NOTICE_TARGET)
    assert [one.field for one in details(error, BadRequest).field_violations] == [f"push_keys.{field}"]


async def test_without_a_key_there_is_no_push() -> None:
    async with table(settings={"seat_webhooks": "any"}) as played:
        assert (await played.look(0)).push_key == ""
        error = await refusal(subscribe(played, 1, "https://push.example.org/send"))
    assert_reason(error, Reason.NOTICES_OFF)


async def test_only_players_learn_the_key(settings: Any) -> None:
    async with table(settings=settings) as played:
        assert (await played.call("GetGame", tokens=played.owner)).push_key == ""
        assert (await played.look(0)).push_key != ""
