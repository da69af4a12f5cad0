"""What events bring, by the learned value, compared with the mean of all events that could have come."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import fmean

from clerestory.engine import GAMES, State
from clerestory.engine.core import NATURE, OVER
from clerestory.engine.values.value import Valuation, value_of
from clerestory.search.arena.luck import after, luck_of, shares_by
from tools.lab.facts.figures import Observation
from tools.lab.facts.games import TABLES, Table
from tools.lab.facts.replay import positions

Groups = dict[str, list[Observation]]


@dataclass(frozen=True, slots=True)
class Event:
    """An event card that was revealed.

    Attributes:
        game: number of the stored game.
        label: its name and round.
        points: expected final points that it brings each seat.
        shares: win shares that it brings each seat.
    """

    game: int
    label: str
    points: Sequence[float]
    shares: Sequence[float]


def event_points(table: Table) -> Groups:
    """Return the points that each event brings a player."""
    groups: Groups = defaultdict(list)
    for event in events(table):
        groups[event.label].append((event.game, fmean(event.points)))
    return groups


def event_swings(table: Table) -> Groups:
    """Return by how much each event changes the win share of a player, up or down, in percent."""
    groups: Groups = defaultdict(list)
    for event in events(table):
        groups[event.label].append((event.game, 100 * fmean(map(abs, event.shares))))
    return groups


@lru_cache(maxsize=len(TABLES))
def events(table: Table) -> list[Event]:
    """Return all events of the stored games."""
    rules = GAMES[table.game]
    points, shares = partial(points_after_decision, value_of(rules, "net")), shares_by(rules, "net")
    found = []
    for game, row in enumerate(table.rows):
        for state, code in zip(positions(table, row), row["actions"], strict=False):
            verb, _, card = rules.texts[code].partition(" ")
            if verb == "event":
                label = f"{card}, round {state.round_number()}"
                found.append(Event(game, label, luck_of(state, code, points), luck_of(state, code, shares)))
    return found


def points_after_decision(valuation: Valuation, view: State) -> Sequence[float]:
    """Return the expected final points after the action that wins most for the deciding seat."""
    if view.turn in (NATURE, OVER):
        return valuation(view)[0]
    valued = [valuation(after(view, code)) for code in view.legal_codes()]
    return max(valued, key=lambda one: one[1][view.turn] if one[1] else 0.0)[0]
