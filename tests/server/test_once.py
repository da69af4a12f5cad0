"""The context of a call: what gRPC makes anew at every question is asked once, and all else is its own."""

from collections import Counter
from typing import Any

from clerestory.server.once import AskedOnce


class Counted:
    def __init__(self) -> None:
        self.asked = Counter[str]()

    def invocation_metadata(self) -> Any:
        self.asked["metadata"] += 1

    def peer(self) -> str:
        self.asked["peer"] += 1
        return "unix:"

    def time_remaining(self) -> float:
        self.asked["time"] += 1
        return 1.0 / self.asked["time"]


def test_metadata_and_peer_are_asked_once_and_the_time_every_time() -> None:
    """Also if a call has no metadata, which is None."""
    counted: Any = Counted()
    context = AskedOnce(counted)
    assert [context.invocation_metadata(), context.invocation_metadata()] == [None, None]
    assert [context.peer(), context.peer()] == ["unix:", "unix:"]
    assert [context.time_remaining(), context.time_remaining()] == [1.0, 0.5]
    assert counted.asked == {"metadata": 1, "peer": 1, "time": 2}
