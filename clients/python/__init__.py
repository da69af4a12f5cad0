"""Asking a server for advice: `Advisor(target).recommend(position, time="500ms")`."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
