from typing import Final

INVARIANTS: Final[tuple[str, ...]]

def check_bytes(memory: bytes) -> int: ...
