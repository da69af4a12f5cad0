"""`clerestory web`, and the page of `clerestory serve --web`: a gateway from its start to its end."""

import asyncio
import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme

from clerestory.cli.access import PLAIN, Access
from clerestory.cli.options import BadOption
from clerestory.cli.web import dialled_by, redial
from clerestory.clients.wire import duration
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED, AnalyzeRequest
from clerestory.v1.rules_pb2 import ListGamesResponse
from tests.clients.cli.command import announced, ended, failed, started
from tests.conftest import TOKEN
from tests.server.gateway.harness import ADVICE, PROTO, RULES, Caller, address_of, enveloped, last_table, read_head
from tests.server.rpc.harness import question
from tests.server.rpc.secured import write_certificate

PAGE = r"page at (http://\S+/)"
SERVE = ("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:", "--web", "127.0.0.1:0")
WEB = ("web", "--listen", "127.0.0.1:0")


def test_a_connection_is_renewed_with_valid_files(
    guarded: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dialled: list[Any] = []
    web: Any = type("Page", (), {"redial": lambda _, server: dialled.append(server)})()
    token = tmp_path / "token"
    for content, says in ((TOKEN, "were read again"), ("no token", "stays as it was: --token-file")):
        token.write_text(content)
        with caplog.at_level("INFO"):
            redial(web, lambda: dialled_by(guarded, Access(token)))
        assert says in caplog.text
    assert [one.target for one in dialled] == [guarded]
    with pytest.raises(BadOption, match="--server"):
        dialled_by("127.0.0.1:70000", PLAIN)


def caller_of(url: str) -> Caller:
    return Caller(*address_of(url), server=None)  # type: ignore[arg-type]


@pytest.mark.system
async def test_a_server_told_to_finish_ends_its_streams_before_its_gateway() -> None:
    with started(*SERVE) as process:
        url = announced(process, PAGE)
        body = enveloped(AnalyzeRequest(question=question(time_budget=duration(60))).SerializeToString())
        async with caller_of(url).sent(
            "POST", ADVICE + "Analyze", body, {"content-type": "application/connect+proto"}
        ) as reader:
            await read_head(reader)
            first = await reader.read(1)
            process.send_signal(signal.SIGTERM)
            rest = first + await reader.read()
        assert process.wait() == 0
    assert last_table(rest).recommendation.statistics.stop_reason == STOP_REASON_STOPPED


@pytest.mark.system
async def test_a_page_alone_brings_its_own_token_and_reads_it_again(guarded: str, tmp_path: Path) -> None:
    token, log = tmp_path / "token", tmp_path / "log"
    token.write_text("of-yesterday")
    options = ("--server", guarded, "--token-file", token, "--log-format", "json")
    with log.open("w") as written, started(*WEB, *options, stderr=written) as process:
        url = announced(process, PAGE)
        names = partial(caller_of(url).call, RULES + "ListGames", b"", authorization="Bearer of-the-browser")
        assert (await names()).status == 401
        for content, says, status in (("no token", "stays as it was: --token-file", 401), (TOKEN, "read again", 200)):
            token.write_text(content)
            process.send_signal(signal.SIGHUP)
            while says not in log.read_text():
                assert process.poll() is None
                await asyncio.sleep(0.01)
            answer = await names()
            assert answer.status == status
        assert ListGamesResponse.FromString(answer.body).games
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["level"] for line in told if line["logger"] == "clerestory.cli.web"] == ["error", "info"]
    assert (told[0]["address"], told[0]["server"], told[-1]["why"]) == (url, guarded, "SIGTERM")


@pytest.mark.system
async def test_the_gateway_of_a_server_with_certificates(tmp_path: Path) -> None:
    write_certificate(trustme.CA().issue_cert("castle.example"), tmp_path)
    files = ("--tls-cert", tmp_path / "server.pem", "--tls-key", tmp_path / "server.key")
    with started(*SERVE, *files) as process:
        url = announced(process, PAGE)
        answer = await caller_of(url).call(RULES + "ListGames", b"", content_type=PROTO)
    assert answer.status == 200


@pytest.mark.system
def test_a_port_in_use_is_one_line() -> None:
    with started(*SERVE) as process:
        where = "{}:{}".format(*address_of(announced(process, PAGE)))
        done = ended(*SERVE[:-1], where)
    assert done == failed(f"cannot listen on {where}: Address already in use", code=1)
