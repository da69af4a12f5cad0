"""The analysis engine: answers queries about positions by running searches on a worker pool.

`pose` creates a query, `Analyst.ask` answers it once, and `Analyst.watch` streams answers. Slots, memory and worker
time are divided between callers. The server uses this package like any other program.
"""

from clerestory.server.analysis.analyst import Analyst
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.question import Question, Terms, pose

__all__ = ["Analyst", "Answer", "Caller", "Capacity", "Priority", "Question", "Terms", "pose"]
