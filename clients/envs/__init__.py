"""The games as environments: many at once from NumPy, for gymnasium, PettingZoo and OpenSpiel. Needs extra `envs`."""

from clerestory.exports import exports

__getattr__, __all__ = exports(__name__)
