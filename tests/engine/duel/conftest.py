"""The models of the rules that the stories of this folder run on."""

import pytest

from tests.engine.duel.oracle_models import MODELS, NewGame


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> NewGame:
    """Makes a game from the inner position of RULES.md section 4."""
    return MODELS[request.param]
