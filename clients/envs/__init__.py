"""The games as environments: many at once from NumPy, and for gymnasium, PettingZoo and OpenSpiel (extra `envs`)."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
