from clerestory.engine.core import Game, State
from clerestory.engine.weights import Weights

class Valuation:
    name: str
    weights: Weights | None
    def __call__(self, state: State) -> tuple[tuple[float, ...], tuple[float, ...] | None]: ...

def value_of(game: Game, name: str, *, narrow: bool = False) -> Valuation: ...
