"""The value used by a search: its expected scores are the margins of a leaf, and its win shares are reported."""

from math import exp
from pathlib import Path

import numpy as np
import pytest

from clerestory.engine import State
from clerestory.engine.toy.rules import TOY
from clerestory.engine.values.value import LEARNED, shipped_values, value_in_use, value_of
from clerestory.engine.values.weights import shapes, write_weights
from clerestory.search.errors import BadLimit
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tests.engine.cathedral.scenes import reach
from tests.search.positions import search
from tests.shipped import CATHEDRAL

LEAF = {"horizon": 0, "playout": "informed", "selection": "puct"}
TEMPERATURE = 8.0


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("weights") / "value.bin"
    rng = np.random.default_rng(5)
    arrays = {name: (0.3 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes(CATHEDRAL).items()}
    write_weights(path, arrays, {}, game=CATHEDRAL)
    return str(path)


def leaf(seats: int) -> tuple[State, str, State]:
    """Return a decision, an action after which another seat decides at once, and that position."""
    state = reach("draft", seats=seats, round_=3)
    action = next(action.text for action in state.legal_actions() if action.text.startswith("take"))
    after = state.copy()
    after.play(action)
    return state, action, after


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", ["hand", "net"])
def test_a_leaf_is_worth_what_the_value_says(seats: int, name: str, net: str) -> None:
    state, action, after = leaf(seats)
    path = net if name == "net" else name
    root = observe(state, actions=[action])
    [line] = Searcher(root, seed=1, value=path, temperature=TEMPERATURE, **LEAF).run(iterations=1).lines
    scores, shares = value_of(CATHEDRAL, path)(after)
    margins = [score - max(scores[:seat] + scores[seat + 1 :]) for seat, score in enumerate(scores)]
    if shares is None:
        powers = [exp(min(margin, 0) / TEMPERATURE) for margin in margins]
        shares = tuple(power / sum(powers) for power in powers)
    assert line.win_shares == pytest.approx(shares)
    assert line.margin == pytest.approx(margins[state.turn], abs=1e-5)


def test_the_shipped_search_uses_the_learned_value_if_there_is_one() -> None:
    assert value_in_use(CATHEDRAL)[0] == LEARNED
    assert list(shipped_values("cathedral")) == ["net-2", "net-3", "net-4", "net"]
    assert value_in_use(TOY) == ("hand", "no learned value is shipped")
    for seats, value in ((2, "net-2"), (3, "net-3"), (4, "net-4")):
        assert shipped(CATHEDRAL, seats)["value"] == value_in_use(CATHEDRAL, seats)[0] == value
        assert shipped(CATHEDRAL, seats)["horizon"] == 0
        assert shipped(TOY, seats) == TOY.tuning.search[seats]
        state = leaf(seats)[0]
        named = {**shipped(CATHEDRAL, seats), "value": str(shipped_values("cathedral")[value])}
        assert search(state, 50, **shipped(CATHEDRAL, seats)).lines == search(state, 50, **named).lines


def test_the_shipped_value_is_not_looked_for_in_every_search(monkeypatch: pytest.MonkeyPatch) -> None:
    first = search(leaf(2)[0], 50, **shipped(CATHEDRAL, 2)).lines
    monkeypatch.setattr("clerestory.engine.values.value.files", lambda name: pytest.fail(f"looked in {name} again"))
    assert search(leaf(2)[0], 50, **shipped(CATHEDRAL, 2)).lines == first


def test_every_value_makes_a_search_of_its_own(net: str) -> None:
    state = leaf(2)[0]
    by_default, by_hand, by_net = (
        search(state, 200, reward="win", **value, **LEAF).lines for value in ({}, {"value": "hand"}, {"value": net})
    )
    assert by_default == by_hand != by_net


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("foot", r"neither a value of cathedral \(hand"),
        ("7", "neither a value of cathedral"),
        ("faulty.bin", "is truncated"),
    ],
)
def test_a_value_that_there_is_not_is_rejected(
    value: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.bin").write_bytes(b"CLERNET\n")
    with pytest.raises(BadLimit, match=rf"value: .*{value}.*{why}"):
        search(leaf(2)[0], 1, value=value)
