"""The limits of a search: as its caller requests them, and as the engine grants them."""

from dataclasses import dataclass
from math import isnan

from clerestory.engine.tuning import NUM_LEVELS, character_fault
from clerestory.search.limits import LONGEST_TIME, MAX_ITERATIONS, MIN_BYTES
from clerestory.service_errors import Faults, Reason

LEAST_INTERVAL = 0.01  # seconds between two answers of a stream
USUAL_INTERVAL = 0.25
LONGEST_INTERVAL = 3600.0
LONGEST_GAME_ID = 64  # bytes

LARGEST_SPOKEN = 2**53  # larger bounds are technical, and only errors about exceeding them mention them
NUMBERS = (  # reasons and ranges of the limits
    ("iterations", Reason.BAD_ITERATIONS, 1, MAX_ITERATIONS),
    ("max_tree_bytes", Reason.BAD_MAX_TREE_BYTES, MIN_BYTES, (1 << 64) - 1),
    ("level", Reason.BAD_LEVEL, 1, NUM_LEVELS),
    ("threads", Reason.BAD_THREADS, 1, (1 << 32) - 1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a search, each optional; a query needs `seconds`, `iterations` or `level`.

    Attributes:
        seconds: time for the answer, above 0 and at most LONGEST_TIME; None for the engine's limit.
        iterations: maximum iterations of all threads; None for no limit.
        seed: the seed; None to draw one.
        max_tree_bytes: maximum size of the tree, at least MIN_BYTES; None for the engine's limit.
        level: 1 to NUM_LEVELS; None for full strength.
        character: one of CHARACTERS, with `level` set to its level; "" for none.
        threads: threads on the tree, each with a share of the workers; None for one, with help if `helped`.
        early_stop: whether to stop once the best line is decided; None: yes for one answer, no for a stream.
        game_id: ID of the game, whose tree is kept for its next query; "" for none.
        interval: seconds between two answers of a stream, LEAST_INTERVAL to LONGEST_INTERVAL.
        rates: whether to estimate exchange rates as well, in half as much time again.
        certainty: certainty at which a stream ends, above 0.5 and below 1; None to continue to its limits.
    """

    seconds: float | None = None
    iterations: int | None = None
    seed: int | None = None
    max_tree_bytes: int | None = None
    level: int | None = None
    character: str = ""
    threads: int | None = None
    early_stop: bool | None = None
    game_id: str = ""
    interval: float = USUAL_INTERVAL
    certainty: float | None = None
    rates: bool = False

    @property
    def helped(self) -> bool:
        """Whether idle workers help: no limit requires a reproducible result."""
        return self.threads is None and self.iterations is None and self.seed is None and self.level is None

    def check(self, faults: Faults) -> None:
        """Collect all faults of requested limits."""
        if text := time_fault(self.interval, LEAST_INTERVAL, LONGEST_INTERVAL):
            faults.add(Reason.BAD_UPDATE_INTERVAL, "interval", text)
        if self.certainty is not None and not 0.5 < self.certainty < 1:
            faults.add(Reason.BAD_TARGET_CERTAINTY, "certainty", f"is {self.certainty}; must be above 0.5 and below 1")
        if self.seconds is None and self.iterations is None and self.level is None and not self.character:
            text = "is missing, and so are iterations, level and character; give one of them"
            faults.add(Reason.BAD_TIME_BUDGET, "seconds", text)
        if text := character_fault(self.character, self.level):
            faults.add(Reason.BAD_CHARACTER, "character", text)
        for name, reason, least, most in NUMBERS:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                bounds = f"at least {least}" if value < least and most > LARGEST_SPOKEN else f"{least} to {most}"
                faults.add(reason, name, f"is {value}; must be {bounds}")
        if (size := len(self.game_id.encode())) > LONGEST_GAME_ID:
            faults.add(Reason.BAD_GAME_ID, "game_id", f"is {size} bytes long; must be at most {LONGEST_GAME_ID}")
        if self.seconds is not None and (text := time_fault(self.seconds)):
            faults.add(Reason.BAD_TIME_BUDGET, "seconds", text)


def time_fault(seconds: float, least: float = 0.0, most: float = LONGEST_TIME) -> str:
    """Return the fault of a time in seconds, which must be positive and in the given range; "" for none."""
    if seconds > 0 and least <= seconds <= most:
        return ""
    if isnan(seconds):
        return "is no valid duration; its nanoseconds must be less than a second, and have the sign of its seconds"
    limit = f"from {least:g} s to" if least else "above 0 s and at most"
    longest = f"{most / 3600:g} h" if most >= 3600 else f"{most:g} s"
    return f"is {str(seconds).removesuffix('.0')} s; must be {limit} {longest}"
