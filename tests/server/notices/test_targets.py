"""The targets of a seat's notices: validation, who is notified, restarts, and targets that are gone."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from google.rpc.error_details_pb2 import BadRequest

from clerestory.server.games.stores.maintenance import copy_store
from clerestory.server.games.viewer import digest_of
from clerestory.server.notices import targets
from clerestory.server.notices.webhook import signature
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from tests.server.games.table import BOT, OPEN, PERSON, Table, seated_at, table
from tests.server.notices.receiver import Received, counted, receiving
from tests.server.rpc.harness import LoopClock, assert_reason, details, refusal, served, until

ANY: dict[str, Any] = {"seat_webhooks": "any"}
URL = "http://127.0.0.1:9/turn"  # where nothing listens


async def add(played: Table, seat: int, url: str = URL) -> str:
    answer = await played.call("AddNoticeTarget", tokens=played.tokens(), seat=seat, url=url)
    return str(answer.webhook_secret)


async def is_active(played: Table, seat: int, url: str) -> bool:
    return bool((await played.call("GetNoticeTarget", tokens=played.tokens(), seat=seat, url=url)).active)


async def stored(played: Table, seat: int) -> list[str]:
    """Return the URLs of the targets of a seat."""
    token = played.tokens(seat)[0]
    return sorted(one.url for one in await played.app.manager.store.targets(played.game_id, seat, digest_of(token)))


async def play_until(played: Table, seat: int) -> None:
    while (await played.play_first()).game.turn.seat != seat:
        pass


def told(received: Received) -> list[int]:
    return [json.loads(body)["data"]["seat"] for _, body in received.requests]


def headers_of(lines: list[str]) -> Mapping[str, str]:
    return dict(line.split(": ", 1) for line in lines[1:])


# -- deliveries ------------------------------------------------------------------------------------


async def test_a_seat_is_notified_of_its_own_turns_with_its_secret() -> None:
    async with receiving() as (received, port), table(game="duel", settings=ANY) as played:
        secret = await add(played, 1, f"http://127.0.0.1:{port}/seat")
        for turns in (1, 2, 3):
            await play_until(played, 1)
            await until(lambda turns=turns: len(received.requests) == turns)
            await play_until(played, 0)
    assert told(received) == [1, 1, 1]
    lines, body = received.requests[0]
    headers = headers_of(lines)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = signature(key, headers["webhook-id"], int(headers["webhook-timestamp"]), body)
    assert (len(key), headers["webhook-signature"]) == (32, signed)


async def test_a_target_that_is_added_again_has_the_same_secret_and_one_notice() -> None:
    async with receiving() as (received, port), table(game="duel", settings=ANY) as played:
        url = f"http://127.0.0.1:{port}/"
        first, again = [await add(played, 1, url) for _ in range(2)]
        others = {await add(played, 0, url), await add(played, 1, f"{url}other")}
        for turns in (2, 4):  # of two targets
            await play_until(played, 1)
            await until(lambda turns=turns: told(received).count(1) == turns)
            await play_until(played, 0)
    assert first == again
    assert len(others | {first}) == 3


async def test_a_removed_target_is_not_notified() -> None:
    async with receiving() as (received, port), table(settings=ANY) as played:
        gone, left = f"http://127.0.0.1:{port}/gone", f"http://127.0.0.1:{port}/left"
        for url in (gone, left):
            await add(played, 1, url)
        for _ in range(2):  # the second time there is nothing to remove
            await played.call("RemoveNoticeTarget", tokens=played.tokens(), seat=1, url=gone)
        await play_until(played, 1)
        await until(lambda: len(received.requests) == 1)
    assert [lines[0] for lines, _ in received.requests] == ["POST /left HTTP/1.1"]


@pytest.mark.parametrize("url", ["", "\0", "x" * 10_000])
async def test_what_is_not_an_address_is_not_there_to_remove(url: str) -> None:
    async with table(settings=ANY) as played:
        answer = await played.call("RemoveNoticeTarget", tokens=played.tokens(), url=url)
        assert not await is_active(played, 0, url)
    assert answer == games.RemoveNoticeTargetResponse()


@pytest.mark.parametrize(("status", "left"), [(410, 0), (404, 1), (403, 1)])
async def test_a_target_that_is_gone_is_deleted(status: int, left: int) -> None:
    async with receiving(b"HTTP/1.1 %d No\r\n\r\n" % status) as (_, port), table(settings=ANY) as played:
        url = f"http://127.0.0.1:{port}/"
        await add(played, 1, url)
        assert await is_active(played, 1, url)
        await play_until(played, 1)
        await until(lambda: counted(played.app, "rejected") == 1)
        assert len(await stored(played, 1)) == left
        assert await is_active(played, 1, url) == bool(left)


async def test_only_a_target_that_the_server_notifies_is_active(tmp_path: Path) -> None:
    async with served(store=str(tmp_path / "store"), **ANY) as server:
        played = await seated_at(server)
        await add(played, 1)
        found = [await is_active(played, seat, url) for seat, url in ((1, URL), (0, URL), (1, f"{URL}/other"))]
    async with served(store=str(tmp_path / "store")) as server:
        off = await is_active(played.at(server), 1, URL)
    assert ([*found], off) == ([True, False, False], False)


async def test_another_player_of_the_seat_does_not_inherit_targets() -> None:
    async with receiving() as (received, port), table(PERSON, PERSON, settings=ANY) as played:
        await add(played, 1, f"http://127.0.0.1:{port}/former")
        await played.call("SetSeat", tokens=played.owner, seat=1, plan=OPEN)
        joined = (await played.call("JoinGame", seat=1)).seat_token.token
        url = f"http://127.0.0.1:{port}/present"
        await played.call("AddNoticeTarget", tokens=[joined], url=url)
        tokens = [*played.tokens(0), joined]
        while (seen := await played.call("GetGame", tokens=tokens)).game.turn.seat != 1:
            action = next(view.actions[0].action.text for view in seen.views if view.actions)
            await played.call("PlayAction", tokens=tokens, version=seen.game.version, action=action)
        await until(lambda: len(received.requests) == 1)
    assert [lines[0] for lines, _ in received.requests] == ["POST /present HTTP/1.1"]


# -- a server that ends ----------------------------------------------------------------------------


async def test_a_turn_is_announced_after_a_kill_and_then_no_more(tmp_path: Path) -> None:
    async with receiving(b"HTTP/1.1 503 Busy\r\n\r\n") as (received, port):
        async with served(store=str(tmp_path / "first"), **ANY) as server:
            played = await seated_at(server)
            for seat in (0, 1):
                await add(played, seat, f"http://127.0.0.1:{port}/{seat}")
            await play_until(played, 1)
            await until(lambda: len(received.requests) == 1)
            copy_store(tmp_path / "first", tmp_path / "second")  # as after a kill at this moment
        received.answer = b"HTTP/1.1 204 No Content\r\n\r\n"
        async with served(store=str(tmp_path / "second"), **ANY) as server:
            await until(lambda: len(received.requests) == 2)
            await until(lambda: counted(server.app, "delivered") == 1)
            played = played.at(server)
            for plan in (BOT, PERSON):  # of the seat that is not to move
                await played.call("SetSeat", tokens=played.owner, seat=0, plan=plan)
        async with served(store=str(tmp_path / "second"), **ANY) as server:
            played = played.at(server)
            await play_until(played, 0)
            await until(lambda: len(received.requests) == 3)
    assert told(received) == [1, 1, 0]
    assert len({headers_of(lines)["webhook-id"] for lines, _ in received.requests[:2]}) == 1


async def test_a_rejected_notice_is_not_sent_again_after_a_restart(tmp_path: Path) -> None:
    async with receiving(b"HTTP/1.1 403 No\r\n\r\n") as (received, port):
        async with served(store=str(tmp_path / "store"), **ANY) as server:
            played = await seated_at(server)
            for seat in (0, 1):
                await add(played, seat, f"http://127.0.0.1:{port}/")
            await play_until(played, 1)
            await until(lambda: counted(server.app, "rejected") == 1)
        async with served(store=str(tmp_path / "store"), **ANY) as server:
            assert await server.app.manager.store.untold() == []
            await play_until(played.at(server), 0)
            await until(lambda: len(received.requests) == 2)
    assert told(received) == [1, 0]


async def test_a_failed_attempt_is_repeated_for_that_target_only() -> None:
    refusing = receiving(b"HTTP/1.1 503 Busy\r\n\r\n")
    async with receiving() as (fine, port), refusing as (busy, other), table(settings=ANY) as played:
        clock = LoopClock()
        for one in (port, other):
            await add(played, 1, f"http://127.0.0.1:{one}/")
        await play_until(played, 1)
        await clock.advance_until(lambda: len(busy.requests) == 3, 1.0)
    assert len(fine.requests) == 1


async def test_a_target_that_is_removed_gets_no_further_attempt() -> None:
    async with receiving(b"HTTP/1.1 503 Busy\r\n\r\n") as (busy, port), table(settings=ANY) as played:
        url = f"http://127.0.0.1:{port}/"
        await add(played, 1, url)
        await play_until(played, 1)
        await until(lambda: len(busy.requests) == 1)
        await played.call("RemoveNoticeTarget", tokens=played.tokens(), seat=1, url=url)
        await LoopClock().advance_until(lambda: counted(played.app, "outdated") == 1, 1.0)
    assert len(busy.requests) == 1


async def test_an_attempt_reads_the_targets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as (_, port), table(settings=ANY) as played:
        await add(played, 1, f"http://127.0.0.1:{port}/")
        store, asked = played.app.manager.store, list[str]()
        for name in ("targets", "claim_targets"):
            real = getattr(store, name)
            monkeypatch.setattr(store, name, lambda *args, name=name, real=real: asked.append(name) or real(*args))
        await play_until(played, 1)
        await until(lambda: counted(played.app, "delivered") == 1)
    assert asked == ["claim_targets"]


# -- wrong input -----------------------------------------------------------------------------------


SCHEME, HOST, PORT = r"is not https://HOST/PATH$", r"is not a public host$", r"has the port '.*'; must be a number"


@pytest.mark.parametrize(
    ("fault", "urls"),
    [
        (SCHEME, ["", "example.org", "ftp://example.org/", "http://example.org/", "https:example.org", "https:/x/"]),
        ("has no host;", ["https://", "https:///path", "https://:443/"]),
        ("has a user name or a password", ["https://u:p@example.org/", "https://@example.org/"]),
        ("has wrong brackets", ["https://[::1", "https://[x]/"]),
        (PORT, ["https://example.org:0/", "https://example.org:65536/", "https://example.org:x/", "https://[::1]:x/"]),
        (r"has ' '; only ASCII", ["https://example.org/a b", " https://example.org/"]),
        (r"has '\\r'; only ASCII", ["https://example.org/\r\nx: y"]),
        ("has 'ä'; only ASCII", ["https://exämple.org/"]),
        (r"has 1020 characters; may have 1000", [f"https://example.org/{'x' * targets.LONGEST_URL}"]),
        (HOST, ["https://localhost/", "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://[::1]/"]),
        (
            HOST,
            ["https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/", "https://server/"],
        ),
    ],
)
async def test_an_address_that_may_not_be_called_is_an_error(fault: str, urls: list[str]) -> None:
    async with table(settings={"seat_webhooks": "public"}) as played:
        for url in urls:
            error = await refusal(add(played, 1, url))
            assert_reason(error, Reason.BAD_NOTICE_TARGET)
            [found] = details(error, BadRequest).field_violations
            assert found.field == "url"
            assert re.search(fault, found.description), (url, found.description)
        assert await stored(played, 1) == []


async def test_a_name_that_leads_to_a_private_address_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as (received, port), table(settings={"seat_webhooks": "public"}) as played:
        monkeypatch.setattr(targets, "may_be_public", lambda _: True)  # as of a name that a lookup resolves to loopback
        await add(played, 1, f"https://localhost:{port}/")
        await play_until(played, 1)
        await until(lambda: counted(played.app, "rejected") == 1)
    assert received.requests == []


async def test_a_seat_has_a_limit_of_targets() -> None:
    async with table(settings=ANY) as played:
        for number in range(4):
            await add(played, 1, f"{URL}/{number}")
        error = await refusal(add(played, 1))
        await add(played, 0)
        await add(played, 1, f"{URL}/3")  # not another one
        await played.call("RemoveNoticeTarget", tokens=played.tokens(1), url=f"{URL}/0")
        await add(played, 1)
        await play_until(played, 1)
        assert await stored(played, 1) == [URL, *(f"{URL}/{number}" for number in (1, 2, 3))]
    assert_reason(error, Reason.TOO_MANY_NOTICE_TARGETS)


@pytest.mark.parametrize("method", ["AddNoticeTarget", "RemoveNoticeTarget", "GetNoticeTarget"])
async def test_only_the_token_of_the_seat_counts(method: str) -> None:
    async with table(PERSON, OPEN, settings=ANY) as played:
        for tokens, seat in ((played.owner, 0), (played.owner, None), (played.tokens(0), 1), (["other"], 0), ([], 0)):
            fields = {} if seat is None else {"seat": seat}
            error = await refusal(played.call(method, tokens=tokens, url=URL, **fields))
            assert_reason(error, Reason.WRONG_SEAT_TOKEN)


async def test_without_the_option_of_the_operator_there_are_no_targets() -> None:
    async with table() as played:
        error = await refusal(add(played, 1))
    assert_reason(error, Reason.NOTICES_OFF)


async def test_a_game_that_is_over_accepts_no_target() -> None:
    async with table(settings=ANY) as played:
        await played.call("EndGame", tokens=played.owner, reason=games.END_REASON_ABANDONED)
        error = await refusal(add(played, 1))
    assert_reason(error, Reason.GAME_OVER)
