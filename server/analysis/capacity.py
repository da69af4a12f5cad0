"""The limits of the analysis engine: resources that it may use, and those that it grants per query."""

from dataclasses import MISSING, dataclass

from clerestory.declared import COUNT, NOT_NEGATIVE, BadSettings, Numbers, declared, require_ranges
from clerestory.search.limits import LONGEST_TIME, MIN_BYTES
from clerestory.server.analysis.machine import KEPT_PART, memory_for_trees, usable_cores
from clerestory.sizes import spoken_size

MIN_TREE_BYTES = 1 << 20
MAX_WORKERS = 4096  # more than the cores of the largest machines, but few enough to start anywhere
TOGETHER = 2  # limit on the searches of all callers, as a multiple of the limit per caller


@dataclass(frozen=True, slots=True)
class Capacity:
    """The limits of the analysis engine, each with its description and range. Raises BadSettings."""

    workers: int = declared(
        MISSING,
        "threads that search, at a lower priority than those that answer",
        Numbers(1, MAX_WORKERS, whole=True),
        factory=usable_cores,
        usual="number of cores",
    )
    max_searches: int = declared(
        64,
        "concurrent searches of one [caller](operations.md#callers), including waiting ones; at most half of them may"
        " be hints (`Analyze`). With seats or games a caller may have [half as many again](operations.md#admission),"
        " all callers together twice as many",
        COUNT,
    )
    min_iterations: int = declared(
        250,
        "a search is rejected if, at the speed measured recently, it could not run this many iterations before its"
        " deadline; it may run fewer if other programs use the processor",
        COUNT,
    )
    max_threads: int = declared(
        16, "threads of one search; more are reduced to this, and to the number of workers", COUNT
    )
    max_time: float = declared(
        60.0, "seconds of the longest search; a larger budget is reduced", Numbers(0, LONGEST_TIME, above=True)
    )
    max_tree_bytes: int = declared(
        1 << 30,
        "bytes of one search's tree, at least 1 MiB; more is reduced to this",
        Numbers(MIN_TREE_BYTES, whole=True),
        size=True,
    )
    memory: int = declared(
        MISSING,
        "bytes of the trees of all running searches together",
        factory=memory_for_trees,
        usual="a quarter of what is free, 268 MB to 4.3 GB",
        size=True,
    )
    warm_bytes: int = declared(
        MISSING,
        "bytes of trees kept for the next request about the same game; 0 keeps none",
        NOT_NEGATIVE,
        factory=lambda: memory_for_trees(part=KEPT_PART),
        usual="an eighth of what is free, 268 MB to 4.3 GB",
        size=True,
    )
    margin: float = declared(
        0.02, "seconds reserved before the deadline of a call, for sending the answer", NOT_NEGATIVE
    )

    def __post_init__(self) -> None:
        require_ranges(self)
        least = 2 * TOGETHER * self.max_searches * MIN_BYTES
        if self.memory < least:
            raise BadSettings(
                f"memory: {spoken_size(self.memory)} is too little; {self.max_searches} searches (max_searches) need at"
                f" least {least} ({spoken_size(least)})"
            )
