"""The spaces of observations and actions; only they need gymnasium."""

import numpy as np
from gymnasium.spaces import Box, Dict

from clerestory.envs.observing import Observer


def box_of(observer: Observer) -> Box:
    """Return the space of an observation."""
    low, high = (-np.inf, np.inf) if observer.dtype == np.float32 else (0, 255)
    return Box(low, high, (observer.size,), observer.dtype.type)


def masked(observer: Observer) -> Dict:
    """Return the space of an observation with its action mask, as in PettingZoo's classic games."""
    return Dict({"observation": box_of(observer), "action_mask": Box(0, 1, (observer.game.num_actions,), np.int8)})
