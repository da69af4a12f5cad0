"""Reports the server's health over HTTP, for load balancers."""

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from clerestory.server.gateway.bridge import Bridge, BrowserCall
from clerestory.server.gateway.errors import ConnectError
from clerestory.server.gateway.methods import Method

HEALTH, SERVING = "/health", "SERVING"
CHECK = Method("/grpc.health.v1.Health/Check", streams=False, request=HealthCheckRequest, response=HealthCheckResponse)
SECONDS = 3.0  # timeout, the same as for `clerestory health`


async def health(bridge: Bridge) -> str:
    """Return the server's status by its gRPC name, or the error message if it cannot be reached."""
    try:
        answer, _, _ = await bridge.unary(BrowserCall(CHECK, b"", {}, SECONDS, ""))
    except ConnectError as error:
        return str(error)
    name: str = HealthCheckResponse.ServingStatus.Name(HealthCheckResponse.FromString(answer).status)
    return name
