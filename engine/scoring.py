"""The result of a game in words: who won by how much, and where the points came from."""

from collections.abc import Sequence
from itertools import pairwise

from clerestory.engine.changes import Change, View, changes
from clerestory.engine.core import Game, State
from clerestory.engine.games import LIST

ScoreSource = tuple[str, str]  # a code, and a card or ""


def note_on_points(state: State) -> str:
    """Return an explanation of the points of a game; "" if they need none."""
    points = LIST[state.game.name].points
    return points.POINTS if points else ""


def point_sources(state: State) -> list[dict[str, float]]:
    """Return the points of each seat by source, without sources of 0 points; [] if unknown."""
    name = state.game.name
    points = LIST[name].points
    found = points.point_sources(state.to_position()[name]) if points else []
    return [{name: points for name, points in seat.items() if points} for seat in found]


def changes_of(before: State, action: str, after: State) -> list[Change]:
    """Return what an action changed for a viewer, given the viewer's views before and after it."""
    return changes(before, action, after, LIST[before.game.name].changes)


def points_by_cause(states: Sequence[State], actions: Sequence[str]) -> list[dict[ScoreSource, float]]:
    """Return the points of each seat by source and card; [] if unknown.

    Args:
        states: the positions of a game, from the opening on.
        actions: the texts between them.
    """
    rules = LIST[states[0].game.name].changes
    if not rules.SCORED:
        return by_position(states[-1])
    found = by_position(states[0])
    paths = [f"players[{seat}].{rules.SCORED}" for seat in range(states[0].seats)]
    for (before, after), action in zip(pairwise(states), actions, strict=True):
        first, last = View(before), View(after)
        if any(first[path] != last[path] for path in paths):
            add_points(found, changes(before, action, after, rules), rules.SCORED)
    return found


def by_position(state: State) -> list[dict[ScoreSource, float]]:
    """Return the points of each seat by source, as far as a position tells."""
    sources = point_sources(state) or [{} for _ in range(state.seats)]
    return [{(source, ""): points for source, points in seat.items()} for seat in sources]


def add_points(found: list[dict[ScoreSource, float]], changed: Sequence[Change], scored: str) -> None:
    """Add what a ply has scored."""
    for change in changed:
        if change.thing == scored and change.seat is not None:
            source = change.cause, change.card
            found[change.seat][source] = found[change.seat].get(source, 0.0) + change.amount


def parts_of_plans(game: Game) -> frozenset[str]:
    """Return the first words of actions that are parts of a plan, such as conversions; none in most games."""
    planner = LIST[game.name].planner
    return planner.PARTS if planner else frozenset()


def tie_break(state: State) -> tuple[str, list[float]] | None:
    """Return what decided between equal best scores and what was compared by seat; None if they are not equal."""
    name = state.game.name
    points = LIST[name].points
    return points.tie_break(state.to_position()[name]) if points else None


def source_of_luck(game: Game, outcome: str) -> str:
    """Return the kind of luck of an outcome, in a few words, from its text: `builders drawn`."""
    points = LIST[game.name].points
    kind = outcome.split()[0]
    return points.LUCK.get(kind, kind) if points else kind


def in_points(points: float) -> str:
    """Return points with as many decimals as they have, two at most: `36`, `32.04`."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def outcome(state: State) -> str:
    """Return how a game ended: `blue wins, 36 to 35`. Raises NotOver."""
    returns, scores = state.returns(), [round(score, 2) for score in state.scores()]
    winners = [seat for seat in range(state.seats) if returns[seat] > 0]
    names = " and ".join(state.game.seat_name(seat) for seat in winners)
    rest = sorted((seat for seat in range(state.seats) if seat not in winners), key=lambda seat: -scores[seat])
    best = in_points(scores[winners[0]])
    if len(winners) > 1:
        others = "".join(f"; {state.game.seat_name(seat)} {in_points(scores[seat])}" for seat in rest)
        return f"{names} share the win, {best} each{others}"
    tied = any(scores[seat] == scores[winners[0]] for seat in rest)
    tie = " (a tie that the rules break)" if tied else ""
    if state.seats == 2:
        return f"{names} wins, {best} to {in_points(scores[rest[0]])}{tie}"
    others = ", ".join(f"{state.game.seat_name(seat)} {in_points(scores[seat])}" for seat in rest)
    return f"{names} wins with {best}; {others}{tie}"
