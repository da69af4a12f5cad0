"""Names of call metadata: our own, and those of HTTP and gRPC that we use."""

ON_BEHALF = "x-on-behalf-of"  # names the end user of a proxy client; each is a separate caller
SEAT = "x-clerestory-seat"  # `GAME_ID AUTHORIZATION` of a player in a hosted game; each seat is a subcaller
VIA = ("x-clerestory-via", "web")  # marks calls through the gateway, for logs and metrics
REQUEST_ID = "x-request-id"  # of a call and its response

AUTHORIZATION = "authorization"
TRACE_PARENT = "traceparent"  # the client's span, in W3C Trace Context format
LANGUAGES = "accept-language"  # requested by a call
LANGUAGE = "content-language"  # of the response, if the call requested a language
DETAILS = "grpc-status-details-bin"  # trailing: the google.rpc.Status
PUSHBACK = "grpc-retry-pushback-ms"  # trailing: the retry delay for gRPC's own retries


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata for a token; () for None."""
    return () if token is None else ((AUTHORIZATION, f"Bearer {token}"),)
