"""Answers to questions: what the search found, and what the caller should know about it."""

from dataclasses import dataclass

from clerestory.advice.allowance import TimeBudget
from clerestory.advice.question import Question
from clerestory.search.levels import choose_as, level_of
from clerestory.search.lines import Line
from clerestory.search.result import Result
from clerestory.sizes import spoken_size
from clerestory.texts.sentences import Text, text

MATTERS = 50_000  # one in so many iterations: a position that had more of them is missed if it is given up
FEW_A_LINE = 10  # iterations for each line, below which lines are hard to tell apart

Remark = tuple[str, Text]  # its name, such as TIME_CUT, and a sentence


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question.

    Attributes:
        question: that was asked.
        result: of its search: the table of lines.
        remarks: what was cut, and what makes the result less than it could be.
        budget: the time of the question.
        waited: seconds from the arrival of the question to the first iteration.
        asker: what asked, in figures: the name of a call, or `Bot`; "" for a program of this process.
        sequence: number of one of several answers, from 1, of which a slow reader misses some; 0 for the only one.
        final: no further one follows.
        due: from when on somebody waited for the final answer, a reading of time.monotonic.
        explained: the final answer has been given reasons.
    """

    question: Question
    result: Result
    remarks: tuple[Remark, ...]
    budget: TimeBudget
    waited: float
    asker: str = ""
    sequence: int = 0
    final: bool = True
    due: float = 0.0
    explained: bool = False

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every action that was searched, best first; at a chance event its outcomes, likeliest first."""
        return self.result.lines

    @property
    def best(self) -> Line | None:
        """The line to play: the best, or the one that the level takes; None at a chance event."""
        level, view = self.question.terms.level, self.question.view
        if self.question.chance:
            return None
        if level is None:
            return self.result.best
        character, strength = self.question.terms.character, level_of(view.game, level)
        return choose_as(character, view, self.lines, strength, self.result.seed)


def remarks_on(result: Result, *, finishing: bool = False) -> tuple[Remark, ...]:
    """Return the remarks on the result of a search.

    Args:
        result: of the search.
        finishing: it was ended because its analyst finishes.
    """
    found: list[Remark] = []
    if result.given_up * MATTERS > result.iterations + result.reused_iterations:
        size, visits = spoken_size(result.tree_bytes), result.given_up
        found.append(("MEMORY_FULL", text("warning.memory_full", size=size, visits=visits)))
    if result.iterations < FEW_A_LINE * len(result.lines):
        few = text("warning.few_iterations", iterations=result.iterations, lines=len(result.lines))
        found.append(("FEW_ITERATIONS", few))
    if finishing:
        found.append(("FINISHING", text("warning.finishing")))
    return tuple(found)
