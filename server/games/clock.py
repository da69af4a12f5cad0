"""A monotonic wall clock for a store that a single server uses."""

import time


class ForwardClock:
    """The system's clock in milliseconds since 1970, which follows forward jumps but never goes back.

    If the system's clock is set back, time continues at a steady rate, so that a turn of 20 seconds takes 20 seconds.

    Args:
        least: the first reading, unless the system's clock is ahead of it.
    """

    def __init__(self, least: int = 0) -> None:
        self._ahead = least - 1000 * time.monotonic()  # ahead of the steady clock

    def now(self) -> int:
        """Return the time. Thread-safe."""
        steady = 1000 * time.monotonic()
        self._ahead = max(self._ahead, 1000 * time.time() - steady)
        return int(self._ahead + steady)
