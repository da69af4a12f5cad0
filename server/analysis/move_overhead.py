"""Estimates how long before its deadline a search must end for the answer to arrive in time (the move overhead)."""

from dataclasses import dataclass, field

UNSEEN = 0.004  # seconds between caller and handler, both ways, on a busy machine; the server cannot measure them
MOST = 0.25  # share of the budget
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
