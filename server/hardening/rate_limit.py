"""Rate-limits error responses: the more failing calls a caller repeats, the longer it waits for each error."""

import asyncio
import time
from dataclasses import dataclass
from random import Random

BURST = 50  # errors of one caller that are not delayed
INTERVAL_S = 0.04  # seconds between two errors of a caller after those
MAX_DELAY_S = 20.0  # maximum delay in seconds
SPREAD = 0.5  # the longest delays are shortened at random by up to this share, to break up bursts
MAX_DELAYED = 2048  # errors delayed at the same time, for all callers
MAX_CALLERS = 10_000  # callers to remember
LOG_LINES = 3  # log lines about the errors of one caller per LOG_INTERVAL_S
LOG_INTERVAL_S = 1.0  # seconds


@dataclass(slots=True)
class ErrorRecord:
    """The recent errors of a caller.

    Attributes:
        until: when the bucket of the caller is empty again, by time.monotonic.
        lines: log lines since `since`.
        since: start of the logging interval, by time.monotonic.
        silent: errors that were not logged.
    """

    until: float = 0.0
    lines: int = 0
    since: float = 0.0
    silent: int = 0


class RateLimit:
    """The rate limit on error responses, by caller.

    An error costs the event loop as much as a result, so a caller that immediately repeats a failing call could keep
    the server busy. After the first few errors, a leaky bucket (Turner 1986, IEEE Communications Magazine 24(10))
    delays the others. Each delay is at most half of the time left to the call's deadline.

    Args:
        luck: the source of random numbers for the delays.
    """

    def __init__(self, luck: Random | None = None) -> None:
        self._luck = luck or Random()
        self._records: dict[str, ErrorRecord] = {}
        self._held = 0

    @property
    def held(self) -> int:
        """The number of delayed errors."""
        return self._held

    async def hold(self, caller: str, remaining: float | None) -> None:
        """Wait until another error may be sent to a caller.

        Args:
            caller: the caller of the failing call.
            remaining: seconds to the deadline of the call; None for no deadline.
        """
        seconds = self.turn(caller, remaining)
        if seconds <= 0 or self._held >= MAX_DELAYED:
            return
        self._held += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._held -= 1

    def turn(self, caller: str, remaining: float | None = None) -> float:
        """Count an error, and return its delay in seconds."""
        now, record = time.monotonic(), self._of(caller)
        record.until = min(max(record.until, now) + INTERVAL_S, now + BURST * INTERVAL_S + MAX_DELAY_S)
        longest = MAX_DELAY_S if remaining is None else min(MAX_DELAY_S, remaining / 2)
        return min(record.until - now - BURST * INTERVAL_S, longest * self._luck.uniform(1 - SPREAD, 1))

    def count_line(self, caller: str) -> int | None:
        """Return the number of unlogged errors since the caller's last log line; None to skip this one too."""
        now, record = time.monotonic(), self._of(caller)
        if now >= record.since + LOG_INTERVAL_S:
            record.since, record.lines = now, 0
        record.lines += 1
        if record.lines > LOG_LINES:
            record.silent += 1
            return None
        silent, record.silent = record.silent, 0
        return silent

    def _of(self, caller: str) -> ErrorRecord:
        """Return the record of a caller; drop expired records when there are too many."""
        if caller not in self._records and len(self._records) >= MAX_CALLERS:
            now = time.monotonic()
            self._records = {one: record for one, record in self._records.items() if record.until > now}
        if len(self._records) >= MAX_CALLERS:
            return ErrorRecord()
        return self._records.setdefault(caller, ErrorRecord())
