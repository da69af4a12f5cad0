"""Grants a search its limits: those of the query, cut to those of the server and the deadline, with warnings.

A search ends before its deadline by the move overhead, so that its answer arrives in time.
"""

from dataclasses import dataclass, field, replace

from clerestory.i18n.sentences import Text, text
from clerestory.search.levels import level_of
from clerestory.search.limits import MIN_BYTES
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question
from clerestory.service_errors import Reason, raise_error
from clerestory.sizes import spoken_size

Cut = tuple[str, Text]  # name of a WarningReason, without its prefix, and a sentence

EXPLAINED_FROM = 0.05  # seconds of budget; explanations take a few milliseconds
UNSEEN = 0.004  # seconds between caller and handler, both ways, on a busy machine; the server cannot measure them
MOST = 0.25  # maximum move overhead, as a share of the budget
LONGEST = 0.05  # maximum seconds to learn from one answer: a stalled machine does not predict the next one
BRIEF_ITERATIONS = 256  # take less than a millisecond, the longest piece of work of the event loop
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


def grant(
    question: Question, capacity: Capacity, remaining: float | None, *, early: bool
) -> tuple[Limits, tuple[Cut, ...]]:
    """Return the limits of a search within those of the server, with the reductions.

    All of seconds, threads, max_tree_bytes and early_stop are set.

    Args:
        question: the query.
        capacity: the server's limits.
        remaining: seconds to the call's deadline; None if it has none.
        early: whether the search may stop once it is decided.

    Raises ServiceError: OUT_OF_TIME, if the call's deadline leaves no time.
    """
    limits, cuts = question.limits, list[Cut]()
    granted = replace(
        limits,
        seconds=grant_time(limits.seconds, remaining, capacity, cuts),
        iterations=grant_iterations(question),
        threads=grant_threads(limits.threads or 1, most_threads(capacity), cuts),
        max_tree_bytes=max(grant_memory(limits.max_tree_bytes, capacity.max_tree_bytes, cuts), MIN_BYTES),
        early_stop=early and limits.level is None and not question.chance and not limits.rates,
    )
    return granted, tuple(cuts)


def is_brief(question: Question) -> bool:
    """Return whether the search of a query is so short that handing it to a worker would cost more."""
    limits, most = question.limits, grant_iterations(question)
    alone = question.tree_key is None and not limits.rates and limits.threads in (None, 1)
    return alone and most is not None and most <= BRIEF_ITERATIONS


def helpers_of(limits: Limits, capacity: Capacity) -> int:
    """Return the number of further threads, for otherwise idle workers, of a search with requested limits."""
    return most_threads(capacity) - 1 if limits.helped else 0


def most_threads(capacity: Capacity) -> int:
    """Return the maximum number of threads of a search."""
    return min(capacity.workers, capacity.max_threads)


def grant_iterations(question: Question) -> int | None:
    """Return the iteration limit of the query or of its level, whichever is lower."""
    limits = question.limits
    if limits.level is None:
        return limits.iterations
    most = level_of(question.view.game, limits.level).iterations
    return min(most, limits.iterations or most)


def grant_time(requested: float | None, remaining: float | None, capacity: Capacity, cuts: list[Cut]) -> float:
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


def grant_threads(requested: int, most: int, cuts: list[Cut]) -> int:
    """Return the number of threads that get a share of the workers."""
    if requested > most:
        cuts.append(("THREADS_CUT", text("warning.threads_cut", asked=requested, most=most)))
    return min(requested, most)


def grant_memory(requested: int | None, most: int, cuts: list[Cut]) -> int:
    """Return the maximum size of the tree in bytes."""
    if requested is None or requested <= most:
        return most if requested is None else requested
    cuts.append(("MEMORY_CUT", text("warning.memory_cut", asked=spoken_size(requested), most=spoken_size(most))))
    return most
