"""The analysis engine: answers queries about positions by running searches on a worker pool.

`validate_query` creates a query, `AnalysisEngine.ask` answers it once, and `AnalysisEngine.watch` streams answers.
Slots, memory and worker time are divided between callers. The server uses this package like any other program.
"""

from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question, validate_query

__all__ = ["AnalysisEngine", "Answer", "Caller", "Capacity", "Limits", "Priority", "Question", "validate_query"]
