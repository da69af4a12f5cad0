from array import array
from collections.abc import Mapping, Sequence

from clerestory.engine.core import State

TERM_NAMES: tuple[str, ...]

def terms_of(state: State, seat: int) -> tuple[int, float, dict[str, float]]: ...
def weights_of(table: Mapping[str, Mapping[str, Sequence[float]]]) -> array[float]: ...
