from collections.abc import Callable, Iterable, Mapping, Sequence

from clerestory.search.lines import Line

class TableWriter:
    def __init__(
        self,
        named: Mapping[str, bytes],
        outlook: Callable[[Line], Iterable[bytes]],
        plan: Callable[[Sequence[str]], Iterable[bytes]],
    ) -> None: ...
    def write(
        self, lines: tuple[Line, ...], seat: int | None, best: str | None, *, most: int, chance: bool
    ) -> bytes: ...

def as_part(field: int, message: bytes) -> bytes: ...
