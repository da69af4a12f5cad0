from pathlib import Path

from clerestory.engine.core import Game, State
from clerestory.engine.weights import Weights

HAND: str
LEARNED: str

class Valuation:
    name: str
    weights: Weights | None
    def __call__(self, state: State) -> tuple[tuple[float, ...], tuple[float, ...] | None]: ...

def value_in_use(game: Game) -> tuple[str, str]: ...
def is_shipped(name: str) -> bool: ...
def shipped_file(name: str) -> Path: ...
def value_of(game: Game, name: str, *, narrow: bool = False) -> Valuation: ...
