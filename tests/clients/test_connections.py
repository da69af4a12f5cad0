"""Connections of both clients: tokens, certificates, the end, threads."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from clerestory.cli.new import first_decision
from clerestory.clients import (
    Advisor,
    AdvisorError,
    AsyncAdvisor,
    BadConnection,
    Denied,
    Tls,
    Unavailable,
)
from tests.conftest import TOKEN

POSITION = first_decision("toy", 2, 7).observe(0)


def test_the_token_travels_with_every_call(guarded: str) -> None:
    with Advisor(guarded, token=TOKEN) as advisor:
        assert advisor.recommend(POSITION, iterations=10).best is not None
        assert [update.final for update in advisor.analyze(POSITION, iterations=10)] == [True]
        assert advisor.rules.games()
    with Advisor(guarded, token="open-barley") as advisor, pytest.raises(Denied) as caught:
        advisor.recommend(POSITION, iterations=10)
    assert caught.value.reason == "BAD_TOKEN"


def test_the_token_travels_with_every_async_call(guarded: str) -> None:
    async def ask() -> None:
        async with AsyncAdvisor(guarded, token=TOKEN) as advisor:
            assert (await advisor.recommend(POSITION, iterations=10)).best is not None
            assert [update.final async for update in advisor.analyze(POSITION, iterations=10)] == [True]

    asyncio.run(ask())


BAD_CONNECTIONS: list[tuple[dict[str, Any], str]] = [
    ({"target": ""}, "target"),
    ({"token": ""}, "token"),
    ({"token": "two words"}, "token"),
    ({"token": "line\nbreak"}, "token"),
    ({"target": "far.example:1", "token": "secret"}, "token"),
    ({"tls": Tls(ca="/nowhere/ca.pem")}, "tls.ca"),
    ({"tls": Tls(cert="cert.pem")}, "tls"),
    ({"tls": Tls(ca=b"secret")}, "tls.ca"),
    ({"tls": "secret"}, "tls"),
    ({"tls": ""}, "tls"),
    ({"target": 50051}, "target"),
    ({"token": b"secret"}, "token"),
    ({"language": 1}, "language"),
    ({"patience": "1s"}, "patience"),
    ({"patience": -1}, "patience"),
    ({"patience": float("nan")}, "patience"),
]


@pytest.mark.parametrize("client", [Advisor, AsyncAdvisor])
@pytest.mark.parametrize(("arguments", "field"), BAD_CONNECTIONS)
def test_connections_that_cannot_be_made(client: Any, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(BadConnection, match=f"^{field}: ") as caught:
        client(**{"target": "localhost:1"} | arguments)
    assert caught.value.field == field
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("client", [Advisor, AsyncAdvisor])
def test_who_gives_a_file_as_tls_is_told_what_to_give(client: Any) -> None:
    says = "tls: is of type str; give True for the usual authorities, Tls(ca=FILE) for others, None for plaintext"
    with pytest.raises(BadConnection) as caught:
        client("localhost:1", tls="ca.pem")
    assert str(caught.value) == says


def test_a_closed_advisor() -> None:
    advisor = Advisor("localhost:1")
    advisor.close()
    with pytest.raises(Unavailable):
        advisor.recommend(POSITION, "1s")
    with pytest.raises(Unavailable):
        advisor.analyze(POSITION, "1s")


def test_a_closed_async_advisor() -> None:
    async def ask() -> None:
        advisor = AsyncAdvisor("localhost:1")
        await advisor.close()
        with pytest.raises(AdvisorError):
            await advisor.recommend(POSITION, "1s")

    asyncio.run(ask())


def test_threads_share_an_advisor(advisor: Advisor) -> None:
    with ThreadPoolExecutor(8) as threads:
        seeds = list(threads.map(lambda seed: advisor.recommend(POSITION, iterations=50, seed=seed).seed, range(40)))
    assert seeds == list(range(40))


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
    print([job.value.seed for job in jobs], sum(update.final for update in advisor.analyze(position, "100ms")))
"""


def test_under_gevent(target: str) -> None:
    pytest.importorskip("gevent")
    command = [sys.executable, "-c", GEVENT, target]
    done = subprocess.run(command, input=POSITION.to_json(), capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == f"{list(range(8))} 1\n", done.stderr
