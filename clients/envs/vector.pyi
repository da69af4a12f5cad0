from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clerestory.engine.core import Game, State
from clerestory.envs.observing import Observer

Observations = NDArray[Any]
Infos = dict[str, NDArray[Any]]

class VectorGame:
    game: Game
    observer: Observer
    num_envs: int
    seats: int
    def __init__(
        self, game: str | Game, num_envs: int, *, seats: int = 2, observation: str = "features", copy: bool = True
    ) -> None: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def single_observation_space(self) -> Any: ...
    @property
    def single_action_space(self) -> Any: ...
    @property
    def observation_space(self) -> Any: ...
    @property
    def action_space(self) -> Any: ...
    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, Infos]: ...
    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]: ...
    def afterstates(self) -> tuple[Observations, NDArray[np.int64], NDArray[np.int64]]: ...
    def sample(self) -> NDArray[np.int64]: ...
    def state(self, index: int) -> State: ...
    def close(self) -> None: ...
