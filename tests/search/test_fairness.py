"""The search sees what its seat can see, and nothing else."""

import pytest

from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Line
from tests.search.positions import decisions


def table(position: object, seed: int) -> tuple[Line, ...]:
    return Searcher(position, seed=seed).run(iterations=400).lines  # type: ignore[arg-type]


@pytest.mark.parametrize("seats", TOY.seats)
@pytest.mark.parametrize("seed", range(3))
def test_truth_and_observation_give_one_table(seats: int, seed: int) -> None:
    for position in decisions(TOY, seats, seed):
        assert table(position, seed) == table(position.observe(position.turn), seed)


@pytest.mark.parametrize("seats", TOY.seats)
def test_hidden_cards_make_no_difference(seats: int) -> None:
    for position in decisions(TOY, seats, 11):
        others = [position.observe(position.turn).deal(seed) for seed in range(4)]
        assert len({other.to_bytes() for other in others}) > 1 or position.to_position()["toy"]["round"] == 2
        assert len({table(other, 3) for other in others}) == 1


def test_the_test_above_can_fail() -> None:
    """A seat that did see the hidden cards would search differently."""
    position = decisions(TOY, 2, 11)[0]
    worlds = {other.to_bytes(): other for other in (position.observe(0).deal(seed) for seed in range(9))}
    opponents = {other.observe(1).to_bytes() for other in worlds.values()}
    assert len(opponents) > 1


def test_history_is_not_searched() -> None:
    long = TOY.new(2, 3)
    while long.turn < 0:
        long.play(long.draw(1))
    assert table(long, 1) == table(TOY.from_position(long.to_json()), 1)
