from collections.abc import Mapping, Sequence

from clerestory.engine.core import State

TERM_NAMES: tuple[str, ...]

def terms_of(state: State, seat: int) -> tuple[int, float, dict[str, float]]: ...
def use_weights(table: Mapping[str, Sequence[float]]) -> None: ...
