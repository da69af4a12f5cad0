"""The models of the rules that the tests of this folder run on: the plain one and the core."""

import pytest

from tests.engine.cathedral.oracle import Oracle
from tests.engine.cathedral.positions import NewGame
from tests.engine.models import CoreGame
from tests.shipped import CATHEDRAL


class Core(CoreGame):
    """The core."""

    rules = CATHEDRAL


MODELS: dict[str, NewGame] = {"oracle": Oracle.from_position, "core": Core.from_position}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> NewGame:
    """Makes a game from the inner position of RULES.md section 4."""
    return MODELS[request.param]
