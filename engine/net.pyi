from clerestory.engine.core import Game
from clerestory.engine.weights import Weights

class NetMemory:
    def __init__(self, game: Game, weights: Weights, *, narrow: bool = False) -> None: ...
