"""The webhook of the operator: requests, signatures and its key."""

import base64
import json
from pathlib import Path

import pytest

from clerestory.declared import BadSettings
from clerestory.server.games.notices import Delivery, TurnNotice
from clerestory.server.notices.webhook import Webhook, read_key, signature
from tests.server.games.table import PERSON, table
from tests.server.notices.receiver import counted, receiving
from tests.server.rpc.harness import until

KEY = bytes(range(24))
TEXT = base64.b64encode(KEY).decode()
NOTICE = TurnNotice("game", "duel", version=3, ply=2, seat=1, began=1_000, deadline=None)
SECONDS = 1_614_265_330


def hook(url: str, *, private: bool = True) -> Webhook:
    return Webhook(url, KEY, private=private, now=lambda: 1000 * SECONDS)


def test_a_signature_is_that_of_the_specification() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", SECONDS, body) == expected


async def test_a_notice_is_posted_with_its_signature() -> None:
    async with receiving() as (received, port):
        assert await hook(f"http://127.0.0.1:{port}/turn?of=us").send(NOTICE) == Delivery.ACCEPTED
    [(lines, body)] = received.requests
    assert lines == [
        "POST /turn?of=us HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "content-type: application/json",
        "webhook-id: game.3",
        f"webhook-timestamp: {SECONDS}",
        f"webhook-signature: {signature(KEY, 'game.3', SECONDS, body)}",
        f"content-length: {len(body)}",
        "connection: close",
    ]
    assert body.decode() == NOTICE.to_json()


# -- the key, and a server -------------------------------------------------------------------------


@pytest.mark.parametrize("text", [TEXT, f"whsec_{TEXT}\n"])
def test_a_key_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    assert read_key(tmp_path / "key") == KEY


@pytest.mark.parametrize("text", ["", "whsec_", "secret", TEXT[:-4], TEXT * 3, "é" * 32])
def test_a_wrong_key_is_an_error_that_does_not_quote_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(BadSettings, match=r"^webhook_key: \S+ holds no key") as error:
        read_key(tmp_path / "key")
    assert not text or text not in str(error.value).removeprefix(f"webhook_key: {tmp_path}")


async def test_a_server_posts_each_turn_and_counts(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(TEXT)
    async with receiving() as (received, port):
        settings = {
            "webhook": f"http://127.0.0.1:{port}/turn",
            "webhook_key": tmp_path / "key",
            "webhook_private": True,
        }
        async with table(PERSON, PERSON, settings=settings) as played:
            await until(lambda: len(received.requests) == 1)
            turns = [played.made.game.turn.seat]
            while len(turns) < 3:
                seat = (await played.play_first()).game.turn.seat
                turns += [seat] if seat != turns[-1] else []
            await until(lambda: len(received.requests) == 3)
            await until(lambda: counted(played.app, "delivered") == 3)
    assert [json.loads(body)["data"]["seat"] for _, body in received.requests] == turns
