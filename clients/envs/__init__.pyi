"""The games as environments: many at once from NumPy, for PettingZoo, for OpenSpiel. Needs the extra `envs`."""

from clerestory.envs.gymnasium import SeatVectorEnv
from clerestory.envs.observing import Observer
from clerestory.envs.pettingzoo import GameEnv, env
from clerestory.envs.vector import VectorGame

__all__ = ["GameEnv", "Observer", "SeatVectorEnv", "VectorGame", "env"]
