"""The analysis engine: answers queries about positions by running searches on a worker pool.

`validate_query` creates a query, `AnalysisEngine.ask` answers it once, and `AnalysisEngine.watch` streams answers.
Slots, memory and worker time are divided between callers. The server uses this package like any other program.
"""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
