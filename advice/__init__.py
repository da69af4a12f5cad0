"""Advice on positions: `Analyst.ask` and `Analyst.watch` answer questions, which `pose` makes, by searches.

Policy, places, memory and time are divided between callers as on a server, which is one user of this room among others.
"""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
