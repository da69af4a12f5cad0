"""The clock of a store that one server uses alone."""

import time


class ForwardClock:
    """The system's clock in milliseconds since 1970, which is followed when it is set forward, but never back.

    Where it is set back, time goes on steadily from what was told last: a turn of 20 seconds ends after 20 seconds.

    Args:
        least: what it tells first, unless the system's clock is ahead of that.
    """

    def __init__(self, least: int = 0) -> None:
        self._ahead = least - 1000 * time.monotonic()  # of the steady clock

    def now(self) -> int:
        """Return the time; for any thread."""
        steady = 1000 * time.monotonic()
        self._ahead = max(self._ahead, 1000 * time.time() - steady)
        return int(self._ahead + steady)
