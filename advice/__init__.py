"""Advice on positions: `Analyst.ask` and `Analyst.watch` answer questions, which `pose` makes, by searches.

Places, memory and time are divided between callers, as on a server, which uses this package like any other program.
"""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
