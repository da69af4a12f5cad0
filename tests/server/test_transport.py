"""Options of gRPC: names that it knows, and what they let callers do."""

import re
from pathlib import Path

import grpc
import pytest
from grpc._cython import cygrpc
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from tests.packages import ROOT, sources
from tests.servers import running_server

OPTION = re.compile(r'\("(grpc\.[\w.]+)", ')
PINGS = [  # of an impatient caller in another language
    ("grpc.keepalive_time_ms", 6_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.use_local_subchannel_pool", 1),
]


def test_grpc_knows_every_option_that_is_set() -> None:
    """gRPC ignores unknown names without a word."""
    known = Path(cygrpc.__file__).read_bytes()
    names = {name for path in sources() for name in OPTION.findall((ROOT / path).read_text())}
    assert "grpc.so_reuseport" in names
    assert {name for name in names if name.encode() + b"\0" not in known} == set()


@pytest.mark.system
def test_a_quiet_call_may_be_pinged_every_six_seconds() -> None:
    """With gRPC's default of five minutes, the third ping ends the connection."""
    with running_server() as target, grpc.insecure_channel(target, PINGS) as channel:
        watching = HealthStub(channel).Watch(HealthCheckRequest(), timeout=30)
        next(watching)
        with pytest.raises(grpc.RpcError) as ended:
            next(watching)
    assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED, ended.value.details()
