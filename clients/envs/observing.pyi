from typing import Any

import numpy as np
from numpy.typing import NDArray

from clerestory.engine.core import Game, State

KINDS: dict[str, type[np.generic]]

class Observer:
    game: Game
    seats: int
    kind: str
    size: int
    dtype: np.dtype[Any]
    def __init__(self, game: Game, seats: int, kind: str = "features") -> None: ...
    def observe(self, state: State, seat: int) -> NDArray[Any]: ...

def action_mask(state: State) -> NDArray[np.int8]: ...
