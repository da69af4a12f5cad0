"""How long before the end of its budget a search ends, so that its answer is with the caller in time."""

from dataclasses import dataclass, field

UNSEEN = 0.004  # seconds between caller and handler, there and back, on a busy machine
MOST = 0.25  # of the budget
LONGEST = 0.05  # seconds that are learned from one answer: a machine that stood still says nothing about the next
FASTER, SLOWER = 0.005, 0.3  # weights of an answer that took less, or more, than was thought


@dataclass(slots=True)
class Lead:
    """What it takes from the end of a search until its answer is written, learned from the last ones.

    An expectile of them (Newey and Powell 1987, Econometrica 55), followed step by step: the weights are such that
    about one answer in thirty takes longer. Answers with explanations are apart from those without.
    """

    _concluding: dict[bool, float] = field(default_factory=lambda: {False: 0.002, True: 0.005})

    def of(self, seconds: float, *, explained: bool) -> float:
        """Return the seconds before the end of a budget at which its search is to end."""
        return min(UNSEEN + self._concluding[explained], MOST * seconds)

    def learn(self, took: float, *, explained: bool) -> None:
        """Take in how many seconds an answer took."""
        more = min(took, LONGEST) - self._concluding[explained]
        self._concluding[explained] += more * (SLOWER if more > 0 else FASTER)
