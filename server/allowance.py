"""What a question gets of what it asks: the server's limits and the caller's deadline cut it, and warnings say so."""

from dataclasses import dataclass

from clerestory.search.ismcts import MIN_BYTES
from clerestory.server.config import Settings
from clerestory.server.errors import Reason, refuse

Cut = tuple[str, str]  # name of a WarningReason, without its prefix, and a sentence

EXPLAINED_FROM = 0.05  # seconds of budget: explanations take a few thousandths of one


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks of the server.

    Attributes:
        seconds: from its arrival; None for as much as there is.
        remaining: seconds from its arrival to the deadline of the call; None where the call has none.
        threads: trees to search side by side.
        tree_bytes: of all its trees; None for as much as there is.
    """

    seconds: float | None = None
    remaining: float | None = None
    threads: int = 1
    tree_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What it gets.

    Attributes:
        seconds: from its arrival until its answer leaves the server.
        threads: trees to search side by side.
        tree_bytes: of each tree.
        cuts: what was cut.
    """

    seconds: float
    threads: int
    tree_bytes: int
    cuts: tuple[Cut, ...]

    @property
    def explained(self) -> bool:
        """Whether there is time to explain the lines."""
        return self.seconds >= EXPLAINED_FROM


def allow(asked: Asked, settings: Settings) -> Allowance:
    """Return what a question gets. Raises CallError, OUT_OF_TIME, when the caller's deadline leaves no time."""
    cuts: list[Cut] = []
    seconds = allow_time(asked, settings, cuts)
    most = min(settings.workers, settings.max_threads)
    threads = min(asked.threads, most)
    if threads < asked.threads:
        cuts.append(("THREADS_CUT", f"{asked.threads} threads were asked for, of which the server allows {most}."))
    tree_bytes = allow_memory(asked.tree_bytes, settings.max_tree_bytes, cuts)
    return Allowance(seconds, threads, max(tree_bytes // threads, MIN_BYTES), tuple(cuts))


def allow_time(asked: Asked, settings: Settings, cuts: list[Cut]) -> float:
    """Return the least of the budget, the server's limit, and the call's deadline less the margin."""
    allowed = [(settings.max_time, "the server's limit")]
    if asked.remaining is not None:
        allowed.append((asked.remaining - settings.margin, "the deadline of the call"))
    seconds, which = min(allowed)
    if seconds <= 0:
        refuse(Reason.OUT_OF_TIME, "", "the deadline of the call leaves no time for a search")
    if asked.seconds is None or asked.seconds <= seconds:
        return min(seconds, asked.seconds or seconds)
    cuts.append(("TIME_CUT", f"The time budget of {asked.seconds:g} s was cut to {seconds:.3g} s by {which}."))
    return seconds


def allow_memory(asked: int | None, most: int, cuts: list[Cut]) -> int:
    """Return the bytes of all trees."""
    if asked is None or asked <= most:
        return most if asked is None else asked
    cuts.append(("MEMORY_CUT", f"{asked} bytes of memory were asked for, of which the server allows {most}."))
    return most
