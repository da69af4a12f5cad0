"""The analysis engine: answers queries about positions by running searches on a worker pool.

`pose` creates a query, `Analyst.ask` answers it once, and `Analyst.watch` streams answers. Slots, memory and worker
time are divided between callers. The server uses this package like any other program.
"""

from clerestory.advice.analyst import Analyst
from clerestory.advice.answer import Answer
from clerestory.advice.caller import Caller
from clerestory.advice.capacity import Capacity
from clerestory.advice.demand import Priority
from clerestory.advice.question import Question, Terms, pose

__all__ = ["Analyst", "Answer", "Caller", "Capacity", "Priority", "Question", "Terms", "pose"]
