"""Computes the limits of a search from the query, the server's limits and the deadline, with warnings for cuts.

A search ends before its deadline by the move overhead, so that its answer arrives in time.
"""

from dataclasses import dataclass, field

from clerestory.i18n.sentences import Text, text
from clerestory.search.levels import level_of
from clerestory.search.limits import MIN_BYTES
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.question import Question
from clerestory.service_errors import Reason, raise_error
from clerestory.sizes import spoken_size

Cut = tuple[str, Text]  # name of a WarningReason, without its prefix, and a sentence

EXPLAINED_FROM = 0.05  # seconds of budget; explanations take a few milliseconds
UNSEEN = 0.004  # seconds between caller and handler, both ways, on a busy machine; the server cannot measure them
MOST = 0.25  # maximum move overhead, as a share of the budget
LONGEST = 0.05  # maximum seconds to learn from one answer: a stalled machine does not predict the next one
FASTER, SLOWER = 0.005, 0.3  # weights of answers that took less, or more, than the estimate


@dataclass(slots=True)
class MoveOverhead:
    """The time from the end of a search until its answer is written, learned from recent answers.

    The estimate is an expectile (Newey and Powell 1987, Econometrica 55), updated with each answer; with these weights,
    about one answer in thirty takes longer. Answers with and without explanations have separate estimates.
    """

    _concluding: dict[bool, float] = field(default_factory=lambda: {False: 0.002, True: 0.005})

    def of(self, seconds: float, *, explained: bool) -> float:
        """Return how many seconds before the end of its budget a search must end."""
        return min(UNSEEN + self._concluding[explained], MOST * seconds)

    def learn(self, took: float, *, explained: bool) -> None:
        """Update the estimate with the seconds that an answer took."""
        more = min(took, LONGEST) - self._concluding[explained]
        self._concluding[explained] += more * (SLOWER if more > 0 else FASTER)


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """The time budget of a query, from its arrival to its answer.

    Attributes:
        arrived: when the call arrived, by time.monotonic.
        requested: seconds requested; None if the request sets no time.
        seconds: seconds granted, from the arrival until the answer leaves the server.
        lead: seconds of these that are reserved for building the answer.
    """

    arrived: float
    requested: float | None
    seconds: float
    lead: float = 0.0

    @property
    def deadline(self) -> float:
        """When the search must end, by time.monotonic."""
        return self.arrived + self.seconds - self.lead

    @property
    def explained(self) -> bool:
        """Whether there is time to explain the lines."""
        return self.seconds >= EXPLAINED_FROM


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of a search.

    Attributes:
        budget: the time budget.
        iterations: limit on the iterations of all threads; None for no limit.
        early: whether to stop once nothing can change the best line.
        threads: number of threads on the tree, each with a share of the workers.
        helpers: number of further threads, for otherwise idle workers.
        tree_bytes: maximum size of a new tree.
        cuts: the reductions of requested limits.
    """

    budget: TimeBudget
    iterations: int | None
    early: bool
    threads: int
    helpers: int = 0
    tree_bytes: int = MIN_BYTES
    cuts: tuple[Cut, ...] = ()


def allow(
    question: Question, capacity: Capacity, lead: MoveOverhead, arrived: float, remaining: float | None, *, early: bool
) -> Allowance:
    """Return the limits of a search.

    Args:
        question: the query.
        capacity: the server's limits.
        lead: estimates the time to build an answer.
        arrived: when the call arrived, by time.monotonic.
        remaining: seconds from then to the call's deadline; None if it has none.
        early: whether the search may stop once it is decided.

    Raises ServiceError: OUT_OF_TIME, if the call's deadline leaves no time.
    """
    terms, cuts = question.terms, list[Cut]()
    seconds = allow_time(terms.seconds, remaining, capacity, cuts)
    most = min(capacity.workers, capacity.max_threads)
    threads = allow_threads(terms.threads or 1, most, cuts)
    tree_bytes = allow_memory(terms.max_tree_bytes, capacity.max_tree_bytes, cuts)
    kept = lead.of(seconds, explained=seconds >= EXPLAINED_FROM)
    return Allowance(
        budget=TimeBudget(arrived, terms.seconds, seconds, kept),
        iterations=allow_iterations(question),
        early=early and terms.level is None and not question.chance,
        threads=threads,
        helpers=most - 1 if terms.helped else 0,
        tree_bytes=max(tree_bytes, MIN_BYTES),
        cuts=tuple(cuts),
    )


def allow_iterations(question: Question) -> int | None:
    """Return the iteration limit of the query or of its level, whichever is lower."""
    terms = question.terms
    if terms.level is None:
        return terms.iterations
    most = level_of(question.view.game, terms.level).iterations
    return min(most, terms.iterations or most)


def allow_time(requested: float | None, remaining: float | None, capacity: Capacity, cuts: list[Cut]) -> float:
    """Return the least of the requested time, the server's limit, and the time to the deadline less the margin."""
    limits = [(capacity.max_time, "limit.server")]
    if remaining is not None:
        limits.append((remaining - capacity.margin, "limit.deadline"))
    seconds, which = min(limits)
    if seconds <= 0:
        raise_error(Reason.OUT_OF_TIME, "", "the deadline of the call leaves no time for a search")
    if requested is None or requested <= seconds:
        return min(seconds, requested or seconds)
    granted = float(f"{seconds:.3g}")
    cuts.append(("TIME_CUT", text("warning.time_cut", asked=float(requested), granted=granted, which=text(which))))
    return seconds


def allow_threads(requested: int, most: int, cuts: list[Cut]) -> int:
    """Return the number of threads that get a share of the workers."""
    if requested > most:
        cuts.append(("THREADS_CUT", text("warning.threads_cut", asked=requested, most=most)))
    return min(requested, most)


def allow_memory(requested: int | None, most: int, cuts: list[Cut]) -> int:
    """Return the maximum size of the tree in bytes."""
    if requested is None or requested <= most:
        return most if requested is None else requested
    told = text("warning.memory_cut", asked=spoken_size(requested), most=spoken_size(most))
    cuts.append(("MEMORY_CUT", told))
    return most
