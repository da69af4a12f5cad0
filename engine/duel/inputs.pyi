from typing import Any

from clerestory.engine.inputs import Inputs

def inputs_of(catalogue: Any) -> tuple[Inputs, Inputs]: ...
