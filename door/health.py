"""What the server says of its health, for those who ask over HTTP."""

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from clerestory.door.bridge import Bridge, BrowserCall
from clerestory.door.errors import ConnectError
from clerestory.door.methods import Method

HEALTH, SERVING = "/health", "SERVING"
CHECK = Method("/grpc.health.v1.Health/Check", streams=False, request=HealthCheckRequest, response=HealthCheckResponse)
SECONDS = 3.0  # within which the server must answer, as for `clerestory health`


async def health(bridge: Bridge) -> str:
    """Return the status of the server, as gRPC names it, or why it cannot be asked."""
    try:
        answer, _, _ = await bridge.unary(BrowserCall(CHECK, b"", {}, SECONDS, ""))
    except ConnectError as error:
        return str(error)
    name: str = HealthCheckResponse.ServingStatus.Name(HealthCheckResponse.FromString(answer).status)
    return name
