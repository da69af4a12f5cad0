"""How long before the end of its budget a search must end so that the answer arrives in time."""

from dataclasses import dataclass, field

UNSEEN = 0.004  # seconds between caller and handler and back, on a busy machine, which the server cannot measure
MOST = 0.25  # of the budget
LONGEST = 0.05  # most seconds learned from one answer: a machine that stalled says nothing about the next one
FASTER, SLOWER = 0.005, 0.3  # weights of an answer that took less, or more, time than expected


@dataclass(slots=True)
class Lead:
    """The time from the end of a search until its answer is written, learned from recent answers.

    An expectile (Newey and Powell 1987, Econometrica 55), updated answer by answer; with these weights about one
    answer in thirty takes longer. Answers with and without explanations are kept apart.
    """

    _concluding: dict[bool, float] = field(default_factory=lambda: {False: 0.002, True: 0.005})

    def of(self, seconds: float, *, explained: bool) -> float:
        """Return the seconds before the end of a budget at which its search is to end."""
        return min(UNSEEN + self._concluding[explained], MOST * seconds)

    def learn(self, took: float, *, explained: bool) -> None:
        """Learn from the seconds that one answer took."""
        more = min(took, LONGEST) - self._concluding[explained]
        self._concluding[explained] += more * (SLOWER if more > 0 else FASTER)
