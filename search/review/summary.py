"""The play of one player over many reviewed games: by part of the game and kind of decision, level, habits.

The games are the sample. A mean over decisions is the ratio of two sums over the games, with its interval by
linearization (Cochran, Sampling Techniques, 1977, 6.4) and Student's t, because the decisions of a game are not
independent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from clerestory.search.intervals import around, mean_interval
from clerestory.search.review.classes import accuracy
from clerestory.search.review.groups import DecisionGroup, ErrorPattern, kinds, rounds_of_part
from clerestory.search.review.ledger import UNIT

LATEST = 5  # games that the present level is taken from
MOST_HABITS = 5
LEAST_ERRORS = 2  # an error that happened once is no habit


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """The figures of one player in one reviewed game.

    Attributes:
        groups: the decisions, by part and kind.
        patterns: the classified errors.
        level: level of play with about the same mean loss, 1 to 8; None without enough data.
    """

    groups: tuple[DecisionGroup, ...]
    patterns: tuple[ErrorPattern, ...] = ()
    level: int | None = None

    @property
    def loss(self) -> float | None:
        """Mean loss per decision, as a share of a win; None without decisions."""
        decisions = sum(one.decisions for one in self.groups)
        return sum(one.loss for one in self.groups) / UNIT / decisions if decisions else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over games with its 95 % interval; a single game has none."""

    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """Some decisions of a player in all games.

    Attributes:
        name: `all`, the number of a part, or a kind.
        games: number of games in which there were any.
        decisions: number of decisions with something at stake.
        mean_loss: mean loss per decision, as a share of a win.
        accuracy: accuracy of the decisions, 0 to 100, from their mean loss.
        points: points of margin lost per game.
    """

    name: str
    games: int
    decisions: int
    mean_loss: Estimate
    accuracy: Estimate
    points: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The play of one player over several games of one kind.

    Attributes:
        game: name of the game.
        games: the figures of each game, the oldest first.
        overall: all decisions; None if there are none.
        parts: the decisions by part of the game, in order.
        kinds: the decisions by kind, the most expensive kind first.
        habits: the most expensive patterns of errors that occurred more than once.
        level: mean level over the games that have one; None without any.
        latest: the same over the latest of them.
    """

    game: str
    games: tuple[GameFigures, ...]
    overall: GroupSummary | None
    parts: tuple[GroupSummary, ...]
    kinds: tuple[GroupSummary, ...]
    habits: tuple[ErrorPattern, ...]
    level: Estimate | None
    latest: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Return the summary for JSON, with losses as shares of a win."""
        return asdict(self) | {
            "games": [
                {"level": one.level, "mean_loss": one.loss, "decision_groups": in_shares(one.groups)}
                | {"error_patterns": in_shares(one.patterns)}
                for one in self.games
            ],
            "habits": in_shares(self.habits),
        }


def in_shares(some: Iterable[DecisionGroup | ErrorPattern]) -> list[dict[str, Any]]:
    """Return groups or patterns for JSON, with their losses as shares of a win."""
    return [asdict(one) | {"loss": one.loss / UNIT} for one in some]


def figures_of(account: Mapping[str, Any]) -> GameFigures:
    """Return the figures in the account of a seat, as `Annotation.to_dict` returns it. Raises KeyError, TypeError."""
    groups, patterns = (
        [one | {"loss": round(one["loss"] * UNIT)} for one in account[name]]
        for name in ("decision_groups", "error_patterns")
    )
    return GameFigures(
        groups=tuple(DecisionGroup(**one) for one in groups),
        patterns=tuple(ErrorPattern(**one) for one in patterns),
        level=account["played_like_level"],
    )


def summarize(game: str, games: Sequence[GameFigures]) -> Summary:
    """Return the summary of the games of one player, the oldest first."""
    parts = sorted({one.part for figures in games for one in figures.groups})
    named = [(str(part), lambda one, part=part: one.part == part) for part in parts if part]
    of_kind = [(kind, lambda one, kind=kind: one.kind == kind) for kind in kinds(game)]
    levels = [figures.level for figures in games if figures.level is not None]
    found = present(games, of_kind)
    return Summary(
        game=game,
        games=tuple(games),
        overall=next(iter(present(games, [("all", lambda _: True)])), None),
        parts=tuple(present(games, named)),
        kinds=tuple(sorted(found, key=lambda one: -one.decisions * one.mean_loss.mean)),
        habits=habits(games),
        level=mean_of(levels),
        latest=mean_of(levels[-LATEST:]),
    )


Chosen = Callable[[DecisionGroup], bool]


def present(games: Sequence[GameFigures], wanted: Sequence[tuple[str, Chosen]]) -> list[GroupSummary]:
    """Return the summaries of the wanted groups, by name, that have decisions."""
    chosen = ((name, [[one for one in figures.groups if takes(one)] for figures in games]) for name, takes in wanted)
    return [group_summary(name, groups) for name, groups in chosen if any(groups)]


def group_summary(name: str, games: Sequence[Sequence[DecisionGroup]]) -> GroupSummary:
    """Return the summary of some groups of each game; a game may have none."""
    counts = [sum(one.decisions for one in groups) for groups in games]
    losses = [sum(one.loss for one in groups) / UNIT for groups in games]
    mean_loss = ratio(losses, counts)
    return GroupSummary(
        name=name,
        games=sum(map(bool, counts)),
        decisions=sum(counts),
        mean_loss=mean_loss,
        accuracy=Estimate(
            mean=accuracy(mean_loss.mean * UNIT),
            low=None if mean_loss.high is None else accuracy(mean_loss.high * UNIT),
            high=None if mean_loss.low is None else accuracy(mean_loss.low * UNIT),
        ),
        points=not_below_zero(mean_of([fsum(one.points for one in groups) for groups in games])),
    )


def ratio(sums: Sequence[float], counts: Sequence[int]) -> Estimate:
    """Return the mean over decisions with its interval, from the sum and count of each game; low is not below 0.

    Games without decisions do not count. There must be a decision.
    """
    pairs = [(value, count) for value, count in zip(sums, counts, strict=True) if count]
    games, decisions = len(pairs), sum(count for _, count in pairs)
    mean = fsum(value for value, _ in pairs) / decisions
    if games == 1:
        return Estimate(mean=mean)
    residuals = fsum((value - mean * count) ** 2 for value, count in pairs) / (games - 1)
    found = around(mean, residuals * (games / decisions) ** 2, games)
    return Estimate(mean=mean, low=max(found.low, 0.0), high=found.high)


def mean_of(values: Sequence[float]) -> Estimate | None:
    """Return a mean over games with its interval; None without values."""
    if len(values) < 2:
        return Estimate(mean=float(values[0])) if values else None
    found = mean_interval(values)
    return Estimate(mean=found.mean, low=found.low, high=found.high)


def not_below_zero(estimate: Estimate | None) -> Estimate:
    """Return an estimate of what cannot be negative."""
    assert estimate is not None
    low = estimate.low
    return Estimate(mean=estimate.mean, low=None if low is None else max(low, 0.0), high=estimate.high)


def habits(games: Sequence[GameFigures]) -> tuple[ErrorPattern, ...]:
    """Return the most expensive patterns of errors over all games, the most expensive first."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for one in (one for figures in games for one in figures.patterns):
        errors, loss = found.get((one.played, one.best), (0, 0))
        found[one.played, one.best] = errors + one.errors, loss + one.loss
    merged = [
        ErrorPattern(played=played, best=best, errors=errors, loss=loss)
        for (played, best), (errors, loss) in found.items()
        if errors >= LEAST_ERRORS
    ]
    return tuple(sorted(merged, key=lambda one: (-one.loss, one.played, one.best))[:MOST_HABITS])


def part_rounds(game: str, part: int) -> tuple[int, int]:
    """Return the first and last round of a part of a game."""
    rounds = rounds_of_part(game)
    return (part - 1) * rounds + 1, part * rounds
