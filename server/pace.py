"""How fast refusals are told: a caller that always asks again at once is answered ever more slowly."""

import asyncio
import time
from dataclasses import dataclass
from random import Random

AT_ONCE = 50  # refusals of one caller that are not held back
EVERY = 0.04  # seconds from one refusal of a caller to the next, once these are used up
LONGEST = 20.0  # seconds that a refusal is held back at most
SPREAD = 0.25  # of the longest time by which refusals end sooner at random: what came as a crowd leaves one by one
MOST_HELD = 1024  # refusals held back at the same time, of all callers
MOST_CALLERS = 10_000  # that are remembered
LINES = 3  # in the log about the refusals of one caller, in LINES_EVERY
LINES_EVERY = 1.0  # seconds


@dataclass(slots=True)
class RefusalRecord:
    """What a caller has been told lately.

    Attributes:
        until: the reading of time.monotonic at which all its refusals so far have been due.
        lines: in the log since `since`.
        since: a reading of time.monotonic.
        silent: refusals that no line has told.
    """

    until: float = 0.0
    lines: int = 0
    since: float = 0.0
    silent: int = 0


class Pace:
    """The pace at which callers are told that they are refused.

    A refusal costs the event loop as much as an answer, so whoever repeats a refused call at once could keep it busy.
    The refusals beyond the first few are therefore held back until it is their turn (a leaky bucket: Turner 1986, IEEE
    Communications Magazine 24(10)), each at most for half of the time that its call has left.

    Args:
        luck: of the spread.
    """

    def __init__(self, luck: Random | None = None) -> None:
        self._luck = luck or Random()
        self._told: dict[str, RefusalRecord] = {}
        self._held = 0

    @property
    def held(self) -> int:
        """Number of refusals that are held back."""
        return self._held

    async def hold(self, caller: str, remaining: float | None) -> None:
        """Wait until a caller may be told of another refusal.

        Args:
            caller: whoever is refused.
            remaining: seconds to the deadline of its call; None for no deadline.
        """
        seconds = self.turn(caller, remaining)
        if seconds <= 0 or self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._held -= 1

    def turn(self, caller: str, remaining: float | None = None) -> float:
        """Count a refusal, and return the seconds until it may be told, as `hold` waits for them."""
        now, told = time.monotonic(), self._of(caller)
        told.until = min(max(told.until, now) + EVERY, now + AT_ONCE * EVERY + LONGEST)
        longest = LONGEST if remaining is None else min(LONGEST, remaining / 2)
        return min(told.until - now - AT_ONCE * EVERY, longest * self._luck.uniform(1 - SPREAD, 1))

    def tell(self, caller: str) -> int | None:
        """Return how many refusals of a caller no line of the log has told; None if this one is to be such as well."""
        now, told = time.monotonic(), self._of(caller)
        if now >= told.since + LINES_EVERY:
            told.since, told.lines = now, 0
        told.lines += 1
        if told.lines > LINES:
            told.silent += 1
            return None
        silent, told.silent = told.silent, 0
        return silent

    def _of(self, caller: str) -> RefusalRecord:
        """Return what a caller has been told; the callers of long ago are forgotten where there are too many."""
        if caller not in self._told and len(self._told) >= MOST_CALLERS:
            now = time.monotonic()
            self._told = {one: told for one, told in self._told.items() if told.until > now}
        if len(self._told) >= MOST_CALLERS:
            return RefusalRecord()
        return self._told.setdefault(caller, RefusalRecord())
