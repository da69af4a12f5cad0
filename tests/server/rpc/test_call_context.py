"""The context of a call: what gRPC makes anew at every question is asked once, and all else is its own."""

from unittest.mock import Mock

from clerestory.server.rpc.call_context import CallContext


def test_metadata_and_peer_are_asked_once_and_the_time_every_time() -> None:
    """Also if a call has no metadata, which is None."""
    asked = Mock(**{"invocation_metadata.return_value": None, "peer.return_value": "unix:"})
    asked.time_remaining.side_effect = [1.0, 0.5]
    context = CallContext(asked)
    assert [context.invocation_metadata(), context.invocation_metadata()] == [None, None]
    assert [context.peer(), context.peer()] == ["unix:", "unix:"]
    assert [context.time_remaining(), context.time_remaining()] == [1.0, 0.5]
    assert (asked.invocation_metadata.call_count, asked.peer.call_count) == (1, 1)
