"""The search: information-set Monte Carlo tree search over the contract, independent of any game and of the network."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
