from typing import Any

from numpy.typing import NDArray

from clerestory.engine.core import Game
from clerestory.engine.values.net import NetMemory

class OnePlyGames:
    def __init__(
        self, game: Game, net: NetMemory, seats: int, *, straying: float, noise: float, trace: float
    ) -> None: ...
    def play(self, seed: int, share: float, rows: dict[str, NDArray[Any]], first: int) -> int: ...
