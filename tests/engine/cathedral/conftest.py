"""The models of the rules that the tests of this folder run on."""

from __future__ import annotations

import pytest

from tests.engine.cathedral.oracle import Oracle
from tests.engine.cathedral.positions import NewGame

MODELS: dict[str, NewGame] = {"oracle": Oracle.from_position}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> NewGame:
    """Makes a game from the inner position of RULES.md section 4."""
    return MODELS[request.param]
