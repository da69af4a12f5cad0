"""The models of the rules that the stories of this folder run on: the plain one and the core."""

import pytest

from tests.engine.duel.oracle import Oracle
from tests.engine.duel.oracle_models import Core
from tests.engine.models import NewGame


@pytest.fixture(params=[Oracle, Core], ids=["oracle", "core"])
def model(request: pytest.FixtureRequest) -> NewGame:
    """Makes a game from the inner position of RULES.md section 4."""
    new: NewGame = request.param.from_position
    return new
