"""Decisions by part of the game and kind, and errors by what was played instead."""

from dataclasses import replace

import pytest

from clerestory.engine import GAMES, NATURE
from clerestory.engine.rng import Rng
from clerestory.i18n import has
from clerestory.search.review.groups import (
    DecisionGroup,
    ErrorPattern,
    grouped,
    kind_of,
    kinds,
    part_of,
    patterns,
    verb,
)
from clerestory.search.review.ledger import PlyValuation
from tests.search.review.games import entry

KINDS = [(game, kind) for game in ("cathedral", "duel") for kind in kinds(game)]


def decision(action: str, loss: int, *, round_: int = 1, best: str = "pass", points: float = 0.5) -> PlyValuation:
    return replace(
        entry(1, 0, (500_000, 500_000), (500_000 - loss, 500_000 + loss)),
        action=action,
        best=best,
        round=round_,
        points=points,
    )


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_decision_has_one_kind(game: str) -> None:
    words = [word for some in kinds(game).values() for word in some]
    assert len(words) == len(set(words))
    for seats, seed in [(2, 1), (2, 2), (GAMES[game].seats[-1], 3)]:
        state, luck = GAMES[game].new(seats, seed), Rng(seed)
        while not state.over:
            legal = state.legal_actions()
            assert state.turn == NATURE or {kind_of(game, one.text) for one in legal} <= set(kinds(game))
            state.play(state.draw(luck) if state.turn == NATURE else legal[luck.next() % len(legal)])


@pytest.mark.parametrize(("game", "kind"), KINDS, ids=str)
def test_every_kind_has_a_name(game: str, kind: str) -> None:
    assert has("learn", f"theme.{game}.{kind}")


@pytest.mark.parametrize(
    ("game", "round_", "part"),
    [
        ("cathedral", 1, 1),
        ("cathedral", 2, 1),
        ("cathedral", 3, 2),
        ("cathedral", 6, 3),
        ("duel", 3, 1),
        ("duel", 12, 4),
        ("duel", 0, 1),
        ("toy", 4, 0),
    ],
)
def test_a_part_has_several_rounds(game: str, round_: int, part: int) -> None:
    assert part_of(game, round_) == part


def test_decisions_are_grouped_by_part_and_kind() -> None:
    some = [
        decision("hire mason_1", 30_000, round_=3),
        decision("place red priory.1", 0),
        decision("pass", 10_000),
        decision("wait red", 5_000, points=0.25),
    ]
    assert grouped("cathedral", some) == (
        DecisionGroup(part=1, kind="builders", decisions=2, loss=5_000, points=0.75),
        DecisionGroup(part=1, kind="draft", decisions=1, loss=10_000, points=0.5),
        DecisionGroup(part=2, kind="draft", decisions=1, loss=30_000, points=0.5),
    )
    assert grouped("toy", some[:1]) == (DecisionGroup(part=0, kind="", decisions=1, loss=30_000, points=0.5),)


def test_errors_are_counted_by_what_was_played_and_what_was_best() -> None:
    some = [decision("hire mason_1", 30_000), decision("pass", 70_000, best="hire mason_2"), decision("hire x", 20_000)]
    assert patterns(some) == (
        ErrorPattern(played="pass", best="hire", errors=1, loss=70_000),
        ErrorPattern(played="hire", best="pass", errors=2, loss=50_000),
    )
    assert verb("take-back 3") == "take-back"
