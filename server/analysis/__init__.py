"""The analysis engine: answers queries about positions by running searches on a worker pool.

`pose` creates a query, `Analyst.ask` answers it once, and `Analyst.watch` streams answers. Slots, memory and worker
time are divided between callers. The server uses this package like any other program.
"""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
