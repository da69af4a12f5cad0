"""Learned priors: factors of the guide's weights by round and action, from the value's file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clerestory.engine.core import Game
from clerestory.engine.values.weights import shapes, write_weights
from tests.engine.cathedral.scenes import reach
from tests.search.oracle import ismcts
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL, DUEL

LEAF: dict[str, Any] = {"selection": "puct", "horizon": 0}
FEW = 3  # rounds with factors: later ones use those of the third


def net(folder: Path, game: Game, factors: np.ndarray[Any, Any] | None) -> str:
    rng = np.random.default_rng(5)
    arrays = {name: (0.3 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes(game).items()}
    write_weights(folder / "value.bin", arrays | ({} if factors is None else {"priors": factors}), {}, game=game)
    return str(folder / "value.bin")


def some_factors(game: Game) -> np.ndarray[Any, Any]:
    """Return factors for a few rounds, different for each number of seats, round and action."""
    rng = np.random.default_rng(6)
    return np.exp(rng.normal(size=(len(game.seats), FEW, game.num_actions))).astype(np.float32)


@pytest.mark.parametrize(("game", "seats"), [(CATHEDRAL, 2), (CATHEDRAL, 4), (DUEL, 2)], ids=str)
def test_equal_tables_with_factors(game: Game, seats: int, tmp_path: Path) -> None:
    factors = some_factors(game)
    path, table = net(tmp_path, game, factors), factors[seats - game.seats[0]].tolist()
    differing = 0
    for number, position in enumerate(decisions(game, seats, 2)[::80]):
        found = search(position, 100, seed=number, value=path, priors="learned", selection="puct")
        expected = ismcts(position, number, 100, selection="puct", factors=table)
        differing += expected != ismcts(position, number, 100, selection="puct")
        assert {line.action: (line.visits, line.availability) for line in found.lines} == {
            action: counts[:2] for action, counts in expected.items()
        }
    assert differing


def test_factors_of_the_round_lead_the_search(tmp_path: Path) -> None:
    state, factors = reach("draft", seats=2, round_=3), np.ones_like(some_factors(CATHEDRAL))
    action = state.legal_actions()[-1]
    for round_, leads in ((2, True), (1, False)):
        factors[:] = 1
        factors[0, round_, action.code] = 1e6
        path = net(tmp_path, CATHEDRAL, factors)
        best = search(state, 200, value=path, priors="learned", exploration=50.0, **LEAF).best
        assert (best.action == action.text) == leads


def test_factors_need_no_hidden_card(tmp_path: Path) -> None:
    """They depend only on round and action: a dealt root and its view give the same table."""
    state, path = reach("draft", seats=3, round_=3), net(tmp_path, CATHEDRAL, some_factors(CATHEDRAL))
    views = (state, state.observe(state.turn), state.observe(state.turn).determinize(9))
    assert len({search(view, 300, value=path, priors="learned", **LEAF).lines for view in views}) == 1


def test_without_factors_or_with_factors_of_1_the_guides_weights_count(tmp_path: Path) -> None:
    state = reach("draft", seats=2, round_=3)
    for factors in (None, np.ones_like(some_factors(CATHEDRAL))):
        for value in ("hand", net(tmp_path, CATHEDRAL, factors)):
            plain, learned = (search(state, 300, value=value, priors=one, **LEAF) for one in ("guide", "learned"))
            assert plain.lines == learned.lines
