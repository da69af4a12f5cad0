"""The answer to a query: the result of its search, and remarks for the caller."""

from dataclasses import dataclass

from clerestory.i18n.sentences import Text, text
from clerestory.search.levels import choose_as, level_of
from clerestory.search.lines import Line
from clerestory.search.rates import Rate
from clerestory.search.result import Result
from clerestory.server.analysis.question import Question
from clerestory.sizes import spoken_size

MATTERS = 50_000  # iterations per discarded visit below which memory pressure may have affected the result
FEW_A_LINE = 10  # iterations per line below which lines are hard to distinguish

Remark = tuple[str, Text]  # a name, such as TIME_CUT, and a sentence


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a query.

    Attributes:
        question: the query.
        result: the result of its search, with the table of lines.
        remarks: reductions of limits, and reasons why the result is weaker than it could be.
        arrived: when the query arrived, by time.monotonic.
        seconds: the granted time, from the arrival until the answer leaves; None for one that ran all its iterations.
        waited: seconds from the arrival of the query to the first iteration.
        sequence: number of the answer in a stream, from 1, with gaps for a slow reader; 0 for a single answer.
        final: whether this is the last answer.
        due: when the final answer was due, by time.monotonic.
        explained: whether the final answer was explained.
        rates: exchange rates, in the order of the game's goods; () if none were requested, or there was no time.
    """

    question: Question
    result: Result
    remarks: tuple[Remark, ...]
    arrived: float
    seconds: float | None
    waited: float
    sequence: int = 0
    final: bool = True
    due: float = 0.0
    explained: bool = False
    rates: tuple[Rate, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every action that was searched, best first; at a chance event its outcomes, most likely first."""
        return self.result.lines

    @property
    def best(self) -> Line | None:
        """The line to play: the best one, or the one that the level chooses; None at a chance event."""
        level, view = self.question.limits.level, self.question.view
        if self.question.chance:
            return None
        if level is None:
            return self.result.best
        character, strength = self.question.limits.character, level_of(view.game, level)
        return choose_as(character, view, self.lines, strength, self.result.seed)


def remarks_on(result: Result, *, finishing: bool = False, rates_missing: bool = False) -> tuple[Remark, ...]:
    """Return the remarks on the result of a search.

    Args:
        result: the result.
        finishing: whether the search was ended by a shutdown.
        rates_missing: whether exchange rates were requested, but there was no time for them.
    """
    found: list[Remark] = []
    if result.given_up * MATTERS > result.iterations + result.reused_iterations:
        size, visits = spoken_size(result.tree_bytes), result.given_up
        found.append(("MEMORY_FULL", text("warning.memory_full", size=size, visits=visits)))
    if result.iterations < FEW_A_LINE * len(result.lines):
        few = text("warning.few_iterations", iterations=result.iterations, lines=len(result.lines))
        found.append(("FEW_ITERATIONS", few))
    if rates_missing:
        found.append(("FEW_ITERATIONS", text("warning.few_for_rates", iterations=result.iterations)))
    if finishing:
        found.append(("FINISHING", text("warning.finishing")))
    return tuple(found)
