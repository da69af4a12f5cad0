"""How gRPC transports calls: limits on connections, on their calls, and on what these send before they are read."""

from clerestory.server.config import MAX_MESSAGE_BYTES

STREAMS = 128  # calls of one connection; clients keep back the others
STREAMS_INSIDE = 4096  # of a client in this process, which has limits of its own
PENDING = 2048  # calls that the event loop has not seen yet; gRPC drops any more without a word
WINDOW = 4 * 1024  # bytes; most requests are smaller
MAX_METADATA_BYTES = 8 * 1024  # of a call
OPERATORS = 8  # connections of the port with channelz
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a second server behind it
    ("grpc.http.overload_protection", 0),  # would count calls that are over, and end new ones without a reason
    # What is sent before we read it, of each call: the window of flow control, and the piece that it came in.
    ("grpc.http2.lookahead_bytes", WINDOW),
    ("grpc.http2.bdp_probe", 0),  # would widen the window where much is sent
    ("grpc.experimental.tcp_read_chunk_size", WINDOW),
    ("grpc.experimental.tcp_max_read_chunk_size", WINDOW),
    ("grpc.server.max_pending_requests", PENDING),
    ("grpc.server.max_pending_requests_hard_limit", PENDING),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.server_handshake_timeout_ms", 5_000),  # after which a silent connection loses its descriptor
    ("grpc.keepalive_time_ms", 20_000),  # a caller whose machine is gone is noticed in half a minute
    ("grpc.keepalive_timeout_ms", 10_000),  # until the other machine acknowledges what is sent
    ("grpc.http2.ping_timeout_ms", 10_000),  # until the caller itself does
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # a quiet call may be pinged every 10 s
)


def channel_options(most: int, streams: int = STREAMS, idle: float | None = None) -> list[tuple[str, int]]:
    """Return the options of a server.

    Args:
        most: connections of each of its ports.
        streams: calls of each connection.
        idle: seconds after which a connection without calls is closed; None for never.
    """
    limits = [("grpc.max_allowed_incoming_connections", most), ("grpc.max_concurrent_streams", streams)]
    return [*OPTIONS, *limits, *([] if idle is None else [("grpc.max_connection_idle_ms", round(1000 * idle))])]
