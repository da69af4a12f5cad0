from typing import Any, NamedTuple

class WireField(NamedTuple):
    name: str
    kind: str
    optional: bool = ...
    fields: dict[int, Any] = ...
