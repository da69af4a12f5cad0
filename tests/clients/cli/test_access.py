"""`clerestory health`: one line, and an exit code that a container or a balancer acts on."""

from functools import partial
from pathlib import Path

import trustme
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthServicer, add_HealthServicer_to_server

from tests.clients.cli.command import Ended, failed, run
from tests.clients.python.fake import serving
from tests.servers import running_server

GAMES = "clerestory.v1.GameService"
NOBODY = "127.0.0.1:1"
health = partial(run, "health", "--time", "600s")


def test_a_server_that_serves_ends_it_with_0_and_nobody_at_the_address_with_1(target: str) -> None:
    assert health("--server", target) == Ended(0, f"{target}: SERVING\n")
    assert health("--server", target, "--service", GAMES) == Ended(0, f"{target}: SERVING\n")
    unknown = health("--server", target, "--service", "Games")
    assert unknown == failed("--service: the server has no service 'Games'")
    done = health("--server", NOBODY)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "no server listens at this address" in done.err


class Draining(HealthServicer):
    def Check(self, request: HealthCheckRequest, context: object) -> HealthCheckResponse:  # noqa: N802
        return HealthCheckResponse(status=HealthCheckResponse.NOT_SERVING)


def test_a_server_that_drains_ends_it_with_1() -> None:
    with serving(Draining(), add_HealthServicer_to_server) as target:
        assert health("--server", target) == Ended(1, f"{target}: NOT_SERVING\n")


def test_a_server_with_tls_is_asked_with_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    pem = tmp_path / "both.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(pem)
    with running_server(tls_cert=pem, tls_key=pem) as target:
        assert health("--server", target, "--tls-ca", tmp_path / "ca.pem").code == 0
        done = health("--server", target)
    assert done.code == 1
    assert "may require TLS" in done.err
