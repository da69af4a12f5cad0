from collections.abc import Mapping

from clerestory.engine.core import Game, State
from clerestory.engine.message_fields import WireField

class PositionReader:
    def __init__(self, fields: Mapping[int, WireField], games: Mapping[str, Game]) -> None: ...
    def read(self, message: bytes) -> State | None: ...

def part_of(message: bytes, *path: int) -> bytes | None: ...
