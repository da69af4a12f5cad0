"""The result of a game as text: the winner and the margin, and the sources of the points."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from clerestory.engine.changes import Change, View, changes
from clerestory.engine.core import Game, State
from clerestory.engine.games import LIST
from clerestory.i18n import has, say
from clerestory.i18n.languages import ENGLISH, number

ScoreSource = tuple[str, str]  # a code, and a card or ""


def note_on_points(state: State, language: str = ENGLISH) -> str:
    """Return an explanation of the points of a game; "" if they need none."""
    game = state.game.name
    return say(game, "points", language=language) if has(game, "points") else ""


def point_sources(state: State) -> list[dict[str, float]]:
    """Return the points of each seat by source, without sources of 0 points; [] if unknown."""
    name = state.game.name
    points = LIST[name].points
    if points is None:
        return []
    players = state.to_position()[name]["players"]
    return [{source.name: found for source in points.SOURCES if (found := source.points(one))} for one in players]


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
    paths = [f"players[{seat}].{account}" for seat in range(states[0].seats) for account in rules.ACCOUNTS]
    counts = (counted(state, paths) for state in states)
    for (before, after), (first, last), action in zip(pairwise(states), pairwise(counts), actions, strict=True):
        if first != last:
            add_points(found, changes(before, action, after, rules), rules.SCORED)
    return found


def counted(state: State, paths: Sequence[str]) -> list[Sequence[int]]:
    """Return the numbers of fields of a position by their paths."""
    view = View(state)
    return [view.raw(view.slots[path]) for path in paths]


def points_by_history(state: State) -> list[dict[ScoreSource, float]]:
    """Return the points of each seat by source and card, from a position's history; [] if unknown."""
    back, states = state.copy(history=True), [state]
    while back.plies:
        back.undo()
        states.append(back.copy())
    return points_by_cause(states[::-1], [action.text for action in state.history])


def by_position(state: State) -> list[dict[ScoreSource, float]]:
    """Return the points of each seat by source, as far as the position determines them."""
    sources = point_sources(state) or [{} for _ in range(state.seats)]
    return [{(source, ""): points for source, points in seat.items()} for seat in sources]


def add_points(found: list[dict[ScoreSource, float]], changed: Sequence[Change], scored: str) -> None:
    """Add the points scored in a ply."""
    for change in changed:
        if change.thing == scored and change.seat is not None:
            source = change.cause, change.card
            found[change.seat][source] = found[change.seat].get(source, 0.0) + change.amount


def parts_of_plans(game: Game) -> frozenset[str]:
    """Return the first words of actions that are parts of a plan, such as conversions; empty for most games."""
    planner = LIST[game.name].planner
    return planner.PARTS if planner else frozenset()


def tie_break(state: State) -> tuple[str, list[float]] | None:
    """Return what broke a tie of best scores and the values compared, by seat; None without a tie."""
    name = state.game.name
    points = LIST[name].points
    return points.TIE_BREAK.decides(state.to_position()[name]["players"], points.SOURCES) if points else None


def source_of_luck(game: Game, outcome: str) -> str:
    """Return the name of an outcome's kind of luck, from its text: `builders drawn`."""
    points = LIST[game.name].points
    kind = outcome.split()[0]
    return points.LUCK.get(kind, kind) if points else kind


def in_points(points: float, language: str = ENGLISH) -> str:
    """Return points with as many decimals as needed, two at most: `36`, `32.04`."""
    return number(points, language, len(f"{points:.2f}".rstrip("0").partition(".")[2]))


def outcome(state: State, language: str = ENGLISH, name: Callable[[str], str] = str) -> str:
    """Return how a game ended: `blue wins, 36 to 35`.

    Args:
        state: the end of the game.
        language: one of LANGUAGES.
        name: returns the display name of a seat, from its name.

    Raises NotOver.
    """
    tell = partial(say, "terminal", language=language)
    returns, scores = state.win_shares(), [round(score, 2) for score in state.final_scores()]
    names = [name(state.game.seat_name(seat)) for seat in range(state.seats)]
    first, *more = [seat for seat in range(state.seats) if returns[seat] > 0]
    rest = sorted((seat for seat in range(state.seats) if not returns[seat]), key=lambda seat: -scores[seat])
    points = [in_points(score, language) for score in scores]
    others = ", ".join(tell("over.seat", who=names[seat], points=points[seat]) for seat in rest)
    if more:
        who = names[first]
        for seat in more:
            who = tell("and", first=who, last=names[seat])
        return tell("over.shared.more" if rest else "over.shared", who=who, points=points[first], others=others)
    key, other = ("over.wins", points[rest[0]]) if state.seats == 2 else ("over.wins.more", "")
    sentence = tell(key, who=names[first], points=points[first], other=other, others=others)
    return tell("over.tie", sentence=sentence) if any(scores[seat] == scores[first] for seat in rest) else sentence
