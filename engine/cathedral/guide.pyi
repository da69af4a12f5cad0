from array import array

from clerestory.engine.core import State

TERM_NAMES: tuple[str, ...]
STAGE_NAMES: tuple[str, ...]

def terms_of(state: State, seat: int) -> tuple[int, str, int, dict[str, float]]: ...
def weights_of(table: dict[str, dict[str, list[float]]]) -> array[float]: ...
