"""The health of a server, as requested by a load balancer in front of its gateway."""

import pytest

from clerestory.server.gateway.app import HEALTH
from clerestory.server.gateway.bridge import SERVER_GONE
from tests.server.gateway.harness import gateway


@pytest.mark.parametrize("verb", ["GET", "HEAD"])
async def test_a_gateway_says_whether_its_server_serves(verb: str) -> None:
    async with gateway() as caller:
        serving = await caller.ask(verb, HEALTH)
        await caller.server.app.health.enter_graceful_shutdown()
        draining = await caller.ask(verb, HEALTH)
        await caller.server.app.servers[0].stop(None)
        gone = await caller.ask(verb, HEALTH)
    answers = (serving, draining, gone)
    said = ["SERVING\n", "NOT_SERVING\n", f"{SERVER_GONE}\n"] if verb == "GET" else [""] * 3
    assert [one.status for one in answers] == [200, 503, 503]
    assert [one.body.decode() for one in answers] == said
    assert serving.headers["cache-control"] == "no-store"


async def test_health_needs_no_token_but_a_name_of_the_gateway(tmp_path_factory: pytest.TempPathFactory) -> None:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text("open-sesame-and-close")
    async with gateway(token_file=tokens) as caller:
        answers = [await caller.ask("GET", HEALTH, host=host) for host in ("localhost", "evil.example")]
    assert [answer.status for answer in answers] == [200, 403]
