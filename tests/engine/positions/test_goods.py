"""More of a good: the position stays valid, and only the declared fields change."""

from collections import Counter
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, OVER
from clerestory.engine.positions.goods import Good, Way, with_more
from clerestory.engine.positions.layout import Layout
from tests.laws import walk
from tests.shipped import CASES


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_more_of_a_good_is_a_valid_position_with_the_same_knowledge(name: str, seats: int) -> None:
    game, tried = GAMES[name], Counter[str]()
    for number, state in enumerate(walk(game, seats, 11)):
        if number % 4 == 3 or state.turn < 0:
            continue
        view = state.observe(state.turn)
        for good in game.layout.goods:
            if (found := with_more(view, view.turn, good)) is None:
                continue
            amount, more = found
            tried[good.name] += 1
            assert abs(amount) == good.amount
            assert (more.check(), more.turn) == (0, view.turn)
            assert more.observe(more.turn) == more
            assert changes(view.to_position()[name], more.to_position()[name]) in [
                {path: by * (amount // good.amount) for path, by in (*at(view.turn, way.own), *way.table.items())}
                for way in good.ways
            ]
    assert set(tried) >= {good.name for good in game.layout.goods} - {"bell", "cloth", "brick", "mortar", "beam"}


def at(seat: int, own: Any) -> list[tuple[str, int]]:
    return [(f"players.{seat}.{path}", by) for path, by in own.items()]


def changes(before: Any, after: Any, path: str = "") -> dict[str, int]:
    """Return the differences of all numbers by path; raises for any other difference."""
    if before == after:
        return {}
    if isinstance(before, int):
        return {path: after - before}
    inner = before if isinstance(before, dict) else range(len(before))
    found = [changes(before[key], after[key], f"{path}.{key}".lstrip(".")) for key in inner]
    return {path: by for part in found for path, by in part.items()}


def test_a_good_at_its_limit_is_taken_away_instead() -> None:
    game = GAMES["cathedral"]
    position = next(one for one in walk(game, 2, 3) if one.turn not in (NATURE, OVER)).to_position()
    position["cathedral"]["players"][0]["gold"] = 30
    gold = next(good for good in game.layout.goods if good.name == "gold")
    found = with_more(game.from_position(position), 0, gold)
    assert found is not None
    assert (found[0], found[1].to_position()["cathedral"]["players"][0]["gold"]) == (-1, 29)


def test_a_good_must_change_declared_fields() -> None:
    layout = GAMES["toy"].layout
    goods = [Good("points", (Way({"points": 1, "silver": 1}),))]
    with pytest.raises(AssertionError, match="goods change silver"):
        Layout(
            "toy", range(2, 5), layout.struct_at, layout.players_at, layout.fields, layout.player_fields, goods=goods
        )
