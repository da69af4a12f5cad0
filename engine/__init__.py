"""The rules: one contract (core.pxd), one folder per game, a checked Python interface."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
