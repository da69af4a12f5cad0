"""Names of the metadata of calls: those that we define, and those of HTTP and gRPC that we read or write."""

ON_BEHALF = "x-on-behalf-of"  # for whom a client asks that acts for many: each of them is a caller
SEAT = "x-clerestory-seat"  # `GAME_ID AUTHORIZATION` of whoever sits at a kept game: each seat is a part of its caller
VIA = ("x-clerestory-via", "web")  # marks calls that come through the door for browsers, in logs and metrics
REQUEST_ID = "x-request-id"  # of the call and of its answer

AUTHORIZATION = "authorization"
TRACE_PARENT = "traceparent"  # the caller's span, as W3C Trace Context writes it
LANGUAGES = "accept-language"  # that a call asks for
LANGUAGE = "content-language"  # of the answer, if the call asked
DETAILS = "grpc-status-details-bin"  # trailing: the google.rpc.Status
PUSHBACK = "grpc-retry-pushback-ms"  # trailing: the server's retry delay, which gRPC's own retries obey


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata that carry a token, () for None."""
    return () if token is None else ((AUTHORIZATION, f"Bearer {token}"),)
