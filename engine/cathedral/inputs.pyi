from typing import Any

from clerestory.engine.inputs import Side

def inputs_of(catalogue: Any) -> tuple[Side, Side]: ...
