"""The gRPC channel options: limits on connections, on calls per connection, and on data buffered before it is read."""

from clerestory.server.config import MAX_MESSAGE_BYTES

STREAMS = 128  # calls of one connection; clients queue any more
STREAMS_INSIDE = 4096  # for a client in this process, which has its own limits
PENDING = 2048  # calls that the event loop has not accepted yet; gRPC silently drops any more
WINDOW = 4 * 1024  # bytes; most requests are smaller
MAX_METADATA_BYTES = 8 * 1024  # per call
OPERATORS = 8  # connections of the channelz port
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a second server behind it
    ("grpc.http.overload_protection", 0),  # would count calls that are over, and reject new ones without a reason
    # The data buffered per call before it is read: the flow-control window, and the chunk that it arrived in.
    ("grpc.http2.lookahead_bytes", WINDOW),
    ("grpc.http2.bdp_probe", 0),  # would widen the window under load
    ("grpc.experimental.tcp_read_chunk_size", WINDOW),
    ("grpc.experimental.tcp_max_read_chunk_size", WINDOW),
    ("grpc.server.max_pending_requests", PENDING),
    ("grpc.server.max_pending_requests_hard_limit", PENDING),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.server_handshake_timeout_ms", 5_000),  # after which a silent connection is closed
    ("grpc.keepalive_time_ms", 20_000),  # detects a vanished client within half a minute
    ("grpc.keepalive_timeout_ms", 10_000),  # until the other machine acknowledges sent data
    ("grpc.http2.ping_timeout_ms", 10_000),  # until the client acknowledges the ping
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # allows pings every 10 s on an idle call
)


def channel_options(most: int, streams: int = STREAMS, idle: float | None = None) -> list[tuple[str, int]]:
    """Return the options of a server.

    Args:
        most: maximum number of connections of each port.
        streams: maximum number of calls of each connection.
        idle: seconds after which a connection without calls is closed; None for never.
    """
    limits = [("grpc.max_allowed_incoming_connections", most), ("grpc.max_concurrent_streams", streams)]
    return [*OPTIONS, *limits, *([] if idle is None else [("grpc.max_connection_idle_ms", round(1000 * idle))])]
