"""Groups the decisions of a seat: by part of the game and kind of decision, and errors by what was played instead."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clerestory.search.review.ledger import PlyValuation
from clerestory.sums import total


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGroup:
    """The decisions of a seat of one kind in one part of a game.

    Attributes:
        part: part of the game, from 1; 0 in a game without kinds.
        kind: kind of the decisions, as in kinds.toml; "" in a game without kinds.
        decisions: number of decisions with something at stake, 1 or more.
        loss: their total loss, in millionths of a win, 0 or more.
        points: points of margin that they cost, 0 or more.
    """

    part: int
    kind: str
    decisions: int
    loss: int
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPattern:
    """The classified errors of a seat in which one sort of action was played instead of another.

    Attributes:
        played: first word of the actions played.
        best: first word of the best actions; equal to `played` where only the object was wrong.
        errors: number of errors, 1 or more.
        loss: their total loss, in millionths of a win.
    """

    played: str
    best: str
    errors: int
    loss: int


@cache
def declared(game: str) -> Mapping[str, Any]:
    """Return the entry of a game in kinds.toml; {} if it has none."""
    games = tomllib.loads(files(__package__).joinpath("kinds.toml").read_text(encoding="utf-8"))
    found: Mapping[str, Any] = games.get(game, {})
    return found


def kinds(game: str) -> Mapping[str, Sequence[str]]:
    """Return the kinds of decisions of a game, each with the first words of its actions; {} if it has none."""
    found: Mapping[str, Sequence[str]] = declared(game).get("kinds", {})
    return found


def kind_of(game: str, action: str) -> str:
    """Return the kind of the decision that an action answers; "" if it has none."""
    return next((kind for kind, words in kinds(game).items() if verb(action) in words), "")


def rounds_of_part(game: str) -> int:
    """Return the number of rounds in a part of a game; 0 in a game without parts."""
    found: int = declared(game).get("rounds", 0)
    return found


def part_of(game: str, round_: int) -> int:
    """Return the part of a game that a round belongs to, from 1; 0 in a game without parts."""
    rounds = rounds_of_part(game)
    return (max(round_, 1) - 1) // rounds + 1 if rounds else 0


def verb(action: str) -> str:
    """Return the first word of an action."""
    return action.partition(" ")[0]


def grouped(game: str, decisions: Iterable[PlyValuation]) -> tuple[DecisionGroup, ...]:
    """Return decisions of a seat by part and kind, in that order."""
    found: dict[tuple[int, str], list[PlyValuation]] = {}
    for one in decisions:
        found.setdefault((part_of(game, one.round), kind_of(game, one.action)), []).append(one)
    return tuple(
        DecisionGroup(
            part=part,
            kind=kind,
            decisions=len(some),
            loss=sum(one.loss for one in some),
            points=round(total(one.points for one in some), 3),
        )
        for (part, kind), some in sorted(found.items())
    )


def patterns(errors: Iterable[PlyValuation]) -> tuple[ErrorPattern, ...]:
    """Return errors of a seat by what was played and what was best, the most expensive first."""
    found: dict[tuple[str, str], list[int]] = {}
    for one in errors:
        found.setdefault((verb(one.action), verb(one.best)), []).append(one.loss)
    all_patterns = (
        ErrorPattern(played=played, best=best, errors=len(losses), loss=sum(losses))
        for (played, best), losses in found.items()
    )
    return tuple(sorted(all_patterns, key=lambda one: (-one.loss, one.played, one.best)))
