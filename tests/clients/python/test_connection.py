"""Connections of both clients: tokens, certificates, shutdown, threads."""

import asyncio
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import trustme

from clerestory.cli.positions import first_decision
from clerestory.clients import Advisor, AdvisorError, AsyncAdvisor, BadConnection, BadRequest, Tls, Unavailable
from clerestory.clients.connection import dial
from clerestory.error_details import words_for_users
from clerestory.i18n import say
from clerestory.server.config import Settings
from clerestory.server.rpc import admission
from clerestory.service_errors import Reason
from tests.clients.python.fake import Scripted, serving
from tests.conftest import TOKEN
from tests.server.rpc.harness import until
from tools.lab.browser import static_server

POSITION = first_decision("toy", 2, 7).observe(0)


async def test_the_token_travels_with_every_call(guarded: str) -> None:
    with Advisor(guarded, token=TOKEN) as advisor:
        assert advisor.recommend(POSITION, iterations=10).best is not None
        assert [update.final for update in advisor.analyze(POSITION, iterations=10)][-1]
        assert advisor.rules.games()
    async with AsyncAdvisor(guarded, token=TOKEN) as other:
        assert (await other.recommend(POSITION, iterations=10)).best is not None
        assert [update.final async for update in other.analyze(POSITION, iterations=10)][-1]


BAD_CONNECTIONS: list[tuple[dict[str, Any], str]] = [
    ({"target": ""}, "target"),
    ({"target": "https://far.example:1"}, "target"),
    ({"token": ""}, "token"),
    ({"token": "two words"}, "token"),
    ({"token": "line\nbreak"}, "token"),
    ({"target": "far.example:1", "token": "secret"}, "tls"),
    ({"tls": Tls(ca="/nowhere/ca.pem")}, "tls.ca"),
    ({"tls": Tls(ca=__file__)}, "tls.ca"),
    ({"tls": Tls(cert=__file__, key=__file__)}, "tls.cert"),
    ({"tls": Tls(cert="cert.pem")}, "tls"),
    ({"tls": Tls(ca=b"secret")}, "tls.ca"),
    ({"tls": "secret"}, "tls: is of type str; give True for the usual authorities, Tls.ca=FILE. for others, None"),
    ({"tls": ""}, "tls"),
    ({"target": 50051}, "target"),
    ({"token": b"secret"}, "token"),
    ({"language": 1}, "language"),
    ({"language": "it; q=1"}, "language"),
    ({"retries": "no"}, "retries"),
    ({"patience": "1s"}, "patience"),
    ({"patience": -1}, "patience"),
    ({"patience": float("nan")}, "patience"),
    ({"silence": 0}, "silence"),
    ({"silence": None}, "silence"),
]


@pytest.mark.parametrize("client", [Advisor, AsyncAdvisor])
@pytest.mark.parametrize(("arguments", "says"), BAD_CONNECTIONS)
def test_a_bad_argument_is_rejected_without_quoting_a_secret(client: Any, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BadConnection, match=f"^{says}") as caught:
        client(**{"target": "localhost:1"} | arguments)
    assert caught.value.field == says.partition(":")[0]
    assert "secret" not in str(caught.value)


PORTS = ("localhost:116737", "[::1]:65536", "127.0.0.1:0", "localhost:", "mydns:+1")
BAD_TARGETS = [
    *[
        (before + address, f"the port of {address!r} is not a number from 1 to 65535")
        for before in ("", "dns:", "dns:///", "ipv4:127.0.0.1:1,")
        for address in PORTS
    ],
    ("a.example:1,b.example:1", "'a.example:1,b.example:1' is a list; give ipv4:ADDRESS:PORT,ADDRESS:PORT or ipv6:"),
    ("dns:///127.0.0.1:1,127.0.0.1:2", "'dns:///127.0.0.1:1,127.0.0.1:2' is a list; give ipv4:"),
    ("ipv4:127.0.0.1:1,localhost:2", "'localhost:2' is not ADDRESS:PORT in figures, as ipv4: requires"),
    ("ipv4:127.0.0.1", "'127.0.0.1' is not ADDRESS:PORT in figures, as ipv4: requires"),
    ("ipv6:[::1]:1,::1", "'::1' is not [ADDRESS]:PORT in figures, as ipv6: requires"),
    ("ipv6:[::1]:1,127.0.0.1:1", "'127.0.0.1:1' is not [ADDRESS]:PORT in figures, as ipv6: requires"),
]


@pytest.mark.parametrize(("target", "says"), BAD_TARGETS)
def test_a_bad_target_is_rejected(target: str, says: str) -> None:
    with pytest.raises(BadConnection) as caught:
        Advisor(target)
    assert str(caught.value).startswith(f"target: {says}")


@pytest.mark.parametrize(
    "target",
    [
        "localhost:1",
        "[::1]:65535",
        "::1",
        "localhost",
        "dns://9.9.9.9:70000/host:1",
        "unix:/tmp/a,b:0",
        "vsock:2:70000",
    ],
)
def test_any_other_target_is_left_to_grpc(target: str) -> None:
    assert dial(target, None, None, retries=False).target == target


@pytest.mark.parametrize(
    "target",
    [
        *("unix:/tmp/socket", "localhost", "LOCALHOST:1", "127.0.0.1:1", "127.9.9.9", "::1", "[::1]", "[::1]:1"),
        *("dns:localhost:1", "dns:///localhost:1", "ipv4:127.0.0.1:1,127.0.0.2:2", "ipv6:[::1]:1"),
    ],
)
def test_a_token_may_travel_in_plaintext_on_this_machine(target: str) -> None:
    assert dial(target, "secret", None, retries=False).metadata == (("authorization", "Bearer secret"),)


@pytest.mark.parametrize(
    "target",
    [
        *("ipv4:127.0.0.1:1,10.0.0.2:1", "ipv6:[::1]:1,[2001:db8::1]:1", "127.example:1"),
        *("localhost.far.example:1", "127.0.0.1.far.example:1", "dns://9.9.9.9/localhost:1", "localhost:far.example:1"),
        *("[::1].far.example:1", "dns:///localhost.far.example", "xds:localhost", "10.0.0.2:1", "unix-far.example:1"),
    ],
)
def test_a_token_needs_tls_on_the_way_to_another_machine(target: str) -> None:
    with pytest.raises(BadConnection, match=r"^tls: is missing"):
        dial(target, "secret", None, retries=False)


@pytest.mark.parametrize("variable", ["grpc_proxy", "https_proxy", "http_proxy"])
def test_a_proxy_is_for_other_machines_and_named(target: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    with Advisor(target) as advisor:
        assert advisor.rules.games()
    with Advisor("192.0.2.1:1", patience=0) as advisor, pytest.raises(Unavailable, match=f"{variable} is set: unless"):
        advisor.rules.games()


def test_a_silent_connection_is_given_up_before_a_watched_game_is_asked_for_again() -> None:
    """An idle connection is closed before the server closes it."""
    connection = dial("localhost:1", None, None, retries=True)
    options, servers = dict(connection.options), dict(admission.OPTIONS)
    pinged = int(options["grpc.keepalive_time_ms"])
    given_up = pinged + int(options["grpc.keepalive_timeout_ms"]) + int(options["grpc.http2.ping_timeout_ms"])
    assert given_up < 1000 * connection.silence
    assert pinged >= 2 * servers["grpc.http2.min_ping_interval_without_data_ms"]
    assert int(options["grpc.client_idle_timeout_ms"]) < 1000 * Settings(insecure=True).idle_timeout


def test_a_key_of_another_certificate_is_rejected(tmp_path: Path) -> None:
    authority = trustme.CA()
    one, other = (authority.issue_cert("localhost") for _ in range(2))
    one.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    for name, issued in ("key.pem", one), ("other.pem", other):
        issued.private_key_pem.write_to_path(tmp_path / name)
    assert Tls(cert=tmp_path / "cert.pem", key=tmp_path / "key.pem").credentials()
    says = f"{tmp_path}/other.pem is not the key of {tmp_path}/cert.pem, in PEM and not encrypted"
    with pytest.raises(BadConnection) as caught:
        Tls(cert=tmp_path / "cert.pem", key=tmp_path / "other.pem").credentials()
    assert (caught.value.field, caught.value.description) == ("tls.key", says)


def test_a_file_of_authorities_may_have_comments_in_any_encoding(tmp_path: Path) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "ca.pem")
    commented = "# Türktrust\n".encode("latin-1") + (tmp_path / "ca.pem").read_bytes()
    (tmp_path / "ca.pem").write_bytes(commented)
    assert Tls(ca=tmp_path / "ca.pem").credentials()


def test_an_error_has_a_text_in_the_language_of_the_client(target: str) -> None:
    with Advisor(target, language="de") as advisor, pytest.raises(BadRequest) as caught:
        advisor.rules.start("toy", seats=9)
    assert caught.value.localized == words_for_users(Reason.BAD_SEATS, "", "de")
    assert (pickle.loads(pickle.dumps(caught.value)).localized, BadRequest("no").localized) == (
        caught.value.localized,
        "",
    )


async def test_a_closed_advisor_is_unavailable() -> None:
    advisor = Advisor("localhost:1", language="de-CH")
    advisor.close()
    for ask in (advisor.recommend, advisor.analyze):
        with pytest.raises(Unavailable) as caught:
            ask(POSITION, "1s")
        assert caught.value.localized == say("page", "trouble.unreachable", language="de")
    other = AsyncAdvisor("localhost:1", language="it")
    await other.close()
    with pytest.raises(AdvisorError) as refused:
        await other.recommend(POSITION, "1s")
    assert refused.value.localized == say("page", "trouble.unreachable", language="it")


def test_the_port_of_a_page_is_told_from_that_of_a_server(tmp_path: Path) -> None:
    wrong = pytest.raises(Unavailable, match="it may be that of a page")
    with static_server(tmp_path) as page, Advisor(page.removeprefix("http://"), patience=0) as advisor, wrong:
        advisor.rules.games()


def test_an_async_advisor_may_be_used_in_several_event_loops(target: str) -> None:
    advisor = AsyncAdvisor(target)
    for _ in range(2):
        assert asyncio.run(advisor.rules.games())
    asyncio.run(advisor.close())
    with pytest.raises(Unavailable, match=r"^the advisor is closed$"):
        asyncio.run(advisor.rules.games())


@pytest.mark.parametrize(
    "ask",
    [lambda advisor: advisor.recommend(POSITION, "3600s"), lambda advisor: anext(advisor.analyze(POSITION, "3600s"))],
    ids=["recommend", "analyze"],
)
async def test_closing_an_async_advisor_ends_a_call_with_an_error_and_cancels_no_task(ask: Any) -> None:
    servicer = Scripted(holds_after=0)
    with serving(servicer) as target:
        advisor = AsyncAdvisor(target)
        going = asyncio.ensure_future(ask(advisor))
        await until(lambda: bool(servicer.calls))
        await advisor.close()
        with pytest.raises(Unavailable, match=r"^the advisor is closed$"):
            await going


async def test_a_task_that_waits_for_an_answer_can_be_cancelled() -> None:
    servicer = Scripted(holds_after=0)
    with serving(servicer) as target:
        async with AsyncAdvisor(target) as advisor:
            going = asyncio.ensure_future(advisor.recommend(POSITION, "3600s"))
            await until(lambda: bool(servicer.calls))
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going


def test_threads_share_an_advisor(advisor: Advisor) -> None:
    with ThreadPoolExecutor(8) as threads:
        seeds = list(threads.map(lambda seed: advisor.recommend(POSITION, iterations=20, seed=seed).seed, range(24)))
    assert seeds == list(range(24))


GEVENT = """
import sys
from gevent import monkey; monkey.patch_all()
from grpc.experimental.gevent import init_gevent; init_gevent()
import gevent
from clerestory.clients import Advisor
position = sys.stdin.read()
with Advisor(sys.argv[1]) as advisor:
    jobs = [gevent.spawn(advisor.recommend, position, iterations=50, seed=seed) for seed in range(8)]
    gevent.joinall(jobs, raise_error=True)
    print([job.value.seed for job in jobs], sum(update.final for update in advisor.analyze(position, iterations=50)))
"""


@pytest.mark.system
def test_greenlets_of_gevent_share_an_advisor(target: str) -> None:
    command = [sys.executable, "-c", GEVENT, target]
    done = subprocess.run(command, input=POSITION.to_json(), capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == f"{list(range(8))} 1\n", done.stderr
