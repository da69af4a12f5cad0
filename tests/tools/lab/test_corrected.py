"""Randomly changed catalogues are accepted by the game, and the tool reports their distance."""

import random

import pytest

from tools.lab.corrected import STRUCTURE, amounts, corrected, rejection_of, shape_of

GAMES = ("cathedral", "duel")


def shipped(game: str) -> str:
    return shape_of(game).shipped.read_text("utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_changes_are_counted_and_accepted_by_the_game(game: str) -> None:
    text, is_rejected = shipped(game), rejection_of(shape_of(game))
    made, changed, of = corrected(text, 1.0, random.Random(1), is_rejected)
    before, after = ([(place[1], int(place[2])) for place in amounts(some)] for some in (text, made))
    assert not is_rejected(made)
    assert [name for name, _ in before] == [name for name, _ in after]
    assert (sum(one != other for one, other in zip(before, after, strict=True)), len(before)) == (changed, of)
    assert changed > of / 2
    assert min(amount for _, amount in after) > 0
    assert not STRUCTURE.intersection(name for name, _ in before)


def test_equal_seeds_change_the_same_and_nothing_that_is_rejected() -> None:
    text, is_rejected = shipped("duel"), rejection_of(shape_of("duel"))
    assert corrected(text, 0.0, random.Random(1), is_rejected)[:2] == (text, 0)
    assert corrected(text, 0.3, random.Random(2), is_rejected) == corrected(text, 0.3, random.Random(2), is_rejected)
    assert corrected(text, 1.0, random.Random(1), lambda _: True)[:2] == (text, 0)
