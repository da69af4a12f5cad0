"""The facts by name: each computes figures from the stored games of one game and number of players."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import atanh, sqrt, tanh
from statistics import fmean

from clerestory.engine import GAMES
from clerestory.search.arena.statistics import Z95
from tools.lab.facts.events import event_points, event_swings
from tools.lab.facts.figures import Figure, Observation, figure, ratio, share_of_variance
from tools.lab.facts.games import TABLES, Row, Table
from tools.lab.facts.replay import Compared, RoundStart, compared, positions, round_starts

LEAST = 20  # observations of an item; rarer ones are left out
ALL_WORKERS = 12
BANDS = ((0, 2), (3, 5), (6, 8), (9, 11), (ALL_WORKERS, 15))  # of workers that are left
COLOURS = ("red", "blue", "green", "yellow")

Items = dict[str, Figure]
Groups = dict[str, list[Observation]]
Count = Callable[[Compared, str], float]


# -- games -----------------------------------------------------------------------------------------


def seats(table: Table) -> Items:
    """Win share of each seat, in percent."""
    return {
        f"seat {seat}": figure((game, 100 * row["returns"][seat]) for game, row in enumerate(table.rows))
        for seat in range(table.seats)
    }


def start_gold(table: Table) -> Items:
    """Gold that each seat would need in addition for an even win share, at the worth of a gold in round 1."""
    rate = goods(table).get("gold, round 1")
    if rate is None or table.game != "cathedral":
        return {}
    even = 100 / table.seats
    return {
        seat: Figure(
            (even - one.mean) / rate.mean, (even - one.high) / rate.mean, (even - one.low) / rate.mean, one.count
        )
        for seat, one in seats(table).items()
    }


def scores(table: Table) -> Items:
    """Final scores of the winner and of the others, in points."""
    best = [(game, max(row["scores"])) for game, row in enumerate(table.rows)]
    others = [(game, score) for game, row in enumerate(table.rows) for score in sorted(row["scores"])[:-1]]
    lead = [(game, sorted(row["scores"])[-1] - sorted(row["scores"])[-2]) for game, row in enumerate(table.rows)]
    return {"winner": figure(best), "others": figure(others), "lead": figure(lead)}


def length(table: Table) -> Items:
    """Decisions of all players, those with a choice, and chance events of a game."""
    groups: Groups = defaultdict(list)
    for game, row in enumerate(table.rows):
        turns = [(state.turn, len(state.legal_codes())) for state in positions(table, row) if not state.over]
        groups["decisions"].append((game, float(sum(turn >= 0 for turn, _ in turns))))
        groups["decisions with a choice"].append((game, float(sum(turn >= 0 and n > 1 for turn, n in turns))))
        groups["chance events"].append((game, float(sum(turn < 0 for turn, _ in turns))))
    return figures(groups)


def leader(table: Table) -> Items:
    """Win share of a sole leader in points after each round, in percent."""
    groups: Groups = defaultdict(list)
    for start in round_starts(table):
        best = max(start.scores)
        if start.round > 1 and not start.over and start.scores.count(best) == 1:
            seat = list(start.scores).index(best)
            groups[f"after round {start.round - 1}"].append((start.game, 100 * start.returns[seat]))
    return figures(groups)


def luck(table: Table) -> Items:
    """Share of the variance of results that luck explains, in percent, in total and by kind of chance event."""
    kinds = sorted({kind for row in table.rows for kind in row["luck"]})
    results = [row["returns"][0] for row in table.rows]
    own = {kind: [row["luck"].get(kind, [0.0])[0] for row in table.rows] for kind in kinds}
    own["all"] = [sum(values) for values in zip(*own.values(), strict=True)]
    return {kind: explained(values, results) for kind, values in own.items()}


def explained(values: Sequence[float], results: Sequence[float]) -> Figure:
    """Return the squared correlation in percent, with Fisher's interval."""
    share, half = share_of_variance(values, results), Z95 / sqrt(max(len(values) - 3, 1))
    middle = atanh(min(sqrt(share), 0.999999))
    low, high = tanh(max(middle - half, 0.0)), tanh(middle + half)
    return Figure(100 * share, 100 * low**2, 100 * high**2, len(values))


def luck_saved(table: Table) -> Items:
    """Games that results without luck save for the same error, in percent: their variance is smaller by this share."""
    even, pairs = 1 / table.seats, []
    for row in table.rows:
        lucky = [sum(values) for values in zip(*row["luck"].values(), strict=True)]
        errors = [result - even for result in row["returns"]]
        less = [error - own for error, own in zip(errors, lucky, strict=True)]
        pairs.append((sum(error * error for error in less), sum(error * error for error in errors)))
    left = ratio(pairs)
    return {"all": Figure(100 - 100 * left.mean, 100 - 100 * left.high, 100 - 100 * left.low, left.count)}


def goods(table: Table) -> Items:
    """Worth of one more of a good to the seat to decide, at the first decision of each round, in percent of a win."""
    return of_goods(table, lambda share, _: 100 * share)


def goods_in_points(table: Table) -> Items:
    """The same in points."""
    return of_goods(table, lambda _, margin: margin)


def of_goods(table: Table, unit: Callable[[float, float], float]) -> Items:
    groups: Groups = defaultdict(list)
    for game, row in enumerate(table.rows):
        for one in row["rated"]:
            for good, rate in one["rates"].items():
                groups[f"{good}, round {one['round']}"].append((game, unit(*rate)))
    return figures(groups)


def hired(table: Table) -> Items:
    """How much more the players who hired a craftsman win than an even share, in percent."""
    return of_hired(table, lambda row, seat: 100 * (row["returns"][seat] - 1 / table.seats))


def hired_in_points(table: Table) -> Items:
    """How many points more these players have at the end than the mean of the others."""
    return of_hired(table, lambda row, seat: row["scores"][seat] - fmean(without(row["scores"], seat)))


def of_hired(table: Table, count: Callable[[Row, int], float]) -> Items:
    groups: Groups = defaultdict(list)
    for game, row in enumerate(table.rows):
        for action, seat in hirings(table, row):
            groups[action].append((game, count(row, seat)))
    return figures(groups)


def hirings(table: Table, row: Row) -> set[tuple[str, int]]:
    """Return the craftsmen that seats have hired in a game, as actions."""
    turns = ((state.turn, code) for state, code in zip(positions(table, row), row["actions"], strict=False))
    texts = GAMES[table.game].texts
    return {(texts[code], seat) for seat, code in turns if texts[code].startswith("hire ")}


def without(values: Sequence[float], index: int) -> list[float]:
    """Return all values but one."""
    return [value for number, value in enumerate(values) if number != index]


# -- actions, compared with the best other one ---------------------------------------------------------


def named(action: str) -> str:
    """Return an action without its colour."""
    return " ".join(word for word in action.split() if word not in COLOURS)


@lru_cache(maxsize=len(TABLES))
def of_actions(table: Table) -> Mapping[tuple[str, str], Items]:
    """Return the figures of all facts about actions, by name and kind, from one pass through the games."""
    groups: dict[tuple[str, str], Groups] = {key: defaultdict(list) for key in product(OF_ACTIONS, KINDS)}
    for one in compared(table):
        for action, (name, label_of) in product(one.lines, OF_ACTIONS.items()):
            if (label := label_of(one, action)) is not None:
                for kind, count in KINDS.items():
                    groups[name, kind][label].append((one.game, count(one, action)))
    for (_, kind), labels in groups.items():
        for found in labels.values() if kind == "chosen" else ():
            found.append((-1, 50.0))  # after Agresti and Coull (1998), for shares of 0
    return {key: figures(labels) for key, labels in groups.items()}


def win_share(one: Compared, action: str) -> float:
    """Return how much better an action is than the best other one, in percent of a win."""
    return 100 * one.worth(action)[0]


def points(one: Compared, action: str) -> float:
    """Return the same in points."""
    return one.worth(action)[1]


def chosen(one: Compared, action: str) -> float:
    """Return 100 if the search of the game chose an action, else 0."""
    return 100.0 * (action == one.preferred[0])


def figures(groups: Mapping[str, Sequence[Observation]]) -> Items:
    """Return the figure of each group that has enough observations, by name."""
    return {label: figure(groups[label]) for label in sorted(groups, key=natural) if len(groups[label]) >= LEAST}


def natural(label: str) -> list[tuple[int, str]]:
    """Return a key that sorts labels with their numbers as numbers."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", label)]


def craftsmen(_: Compared, action: str) -> str | None:
    """Hiring a craftsman in the draft."""
    return action if action.startswith("hire ") else None


def resources(one: Compared, action: str) -> str | None:
    """Taking a resource card in the draft, by round."""
    return f"{action}, round {one.round}" if action.startswith("take ") and "_" in action else None


def openings(one: Compared, action: str) -> str | None:
    """The first card of a player in round 1."""
    mine = one.fields["players"][one.seat]
    first = one.round == 1 and one.fields["step"] == "draft" and not mine["resource_cards"]
    return named(action) if first and len(mine["craftsmen"]) == 3 else None


def space_of(action: str) -> str:
    """Return the space where an action places a builder; "" for other actions."""
    return action.split()[-1] if action.startswith("place ") else ""


def spaces(one: Compared, action: str) -> str | None:
    """Placing a builder on a space, by round."""
    space = space_of(action).split(".")[0]
    return f"{space}, round {one.round}" if space else None


def free_spaces(one: Compared, action: str) -> str | None:
    """Placing a waiting builder, which costs nothing, on a space."""
    return space_of(action).split(".")[0] or None if one.fields["step"] == "waiting" else None


def advantages(one: Compared, action: str) -> str | None:
    """Placing a builder at Kingsbridge, by the card that lies there."""
    if not (space := space_of(action)).startswith("kingsbridge"):
        return None
    return str(one.fields["kingsbridge_cards"][int(space[-1]) - 1])


def advantages_by_round(one: Compared, action: str) -> str | None:
    """The same by round."""
    return None if (card := advantages(one, action)) is None else f"{card}, round {one.round}"


def early_advantages(one: Compared, action: str) -> str | None:
    """The same in rounds 1 and 2."""
    return advantages(one, action) if one.round <= 2 else None


def passing(one: Compared, action: str) -> str | None:
    """Letting a drawn builder wait, by what it costs."""
    return f"at {one.fields['cost']} gold" if action.startswith("wait ") else None


def redraws(one: Compared, action: str) -> str | None:
    """Putting a drawn builder back, by owner and cost."""
    if action != "redraw":
        return None
    own = one.fields["drawn"] == COLOURS[one.seat]
    return f"{'own' if own else 'another'}, at {one.fields['cost']} gold"


def protection(one: Compared, action: str) -> str | None:
    """Protection at the archbishop's seat, by event."""
    return str(one.fields["event"]) if action == "protect" else None


def leaving_the_draft(one: Compared, action: str) -> str | None:
    """Leaving the draft, by round and by the workers that go to the mill."""
    if action != "pass" or one.fields["step"] != "draft":
        return None
    workers = one.fields["players"][one.seat]["workers"]
    band = next(
        f"{low} or more" if low == ALL_WORKERS else f"{low} to {high}" for low, high in BANDS if workers <= high
    )
    return f"{f'round {one.round}' if one.round <= 2 else 'later'}, {band} workers left"


def dismissals(one: Compared, action: str) -> str | None:
    """Dismissing a craftsman; a woodworker also by whether the seat has a carpenter."""
    verb, *rest = action.split()
    if verb != "dismiss":
        return None
    carpenter = any(card.startswith("carpenter") for card in one.fields["players"][one.seat]["craftsmen"])
    return f"{rest[0]}, {'with' if carpenter else 'without'} a carpenter" if rest[0] == "woodworker" else rest[0]


def metal_at_court(one: Compared, action: str) -> str | None:
    """Placing a builder at court, while the first space has a metal, and afterwards."""
    if space_of(action) != "court":
        return None
    metal = one.fields["court_metal"] and not any(one.fields["court"])
    return f"{'with' if metal else 'without'} a metal"


# -- what players have -----------------------------------------------------------------------------


def gold(table: Table) -> Items:
    """Gold of a player at the start of each round."""
    return by_round(round_starts(table), lambda player: player["gold"])


def by_round(starts: Iterable[RoundStart], count: Callable[[Mapping[str, int]], float]) -> Items:
    groups: Groups = defaultdict(list)
    for start in starts:
        groups[f"round {start.round}"] += [(start.game, count(player)) for player in start.fields["players"]]
    return figures(groups)


def mill(table: Table) -> Items:
    """Workers at the mill after the draft, by round."""
    groups: Groups = defaultdict(list)
    for game, round_, workers in at_the_mill(table):
        groups[f"round {round_}"].append((game, float(workers)))
    return figures(groups)


def at_the_mill(table: Table) -> Iterator[tuple[int, int, int]]:
    """Yield the game, the round and the workers of each player at the mill, at a compared decision after the draft."""
    seen = set()
    for one in compared(table):
        if one.fields["step"] in ("redraw", "builder", "waiting") and (one.game, one.round) not in seen:
            seen.add((one.game, one.round))
            yield from ((one.game, one.round, player["mill"]) for player in one.fields["players"])


GAMES_OF_ALL: Mapping[str, Callable[[Table], Items]] = {
    "seats": seats, "scores": scores, "length": length, "leader": leader, "luck": luck, "luck_saved": luck_saved,
    "goods": goods, "goods_in_points": goods_in_points,
}  # fmt: skip
OF_PLAYERS: Mapping[str, Callable[[Table], Items]] = {  # of the board game, as all below
    "gold": gold, "mill": mill, "start_gold": start_gold, "hired": hired, "hired_in_points": hired_in_points,
    "events": lambda table: figures(event_points(table)), "event_swings": lambda table: figures(event_swings(table)),
}  # fmt: skip
OF_ACTIONS: Mapping[str, Callable[[Compared, str], str | None]] = {
    "openings": openings, "craftsmen": craftsmen, "resources": resources, "spaces": spaces, "free_spaces": free_spaces,
    "advantages": advantages, "early_advantages": early_advantages, "advantages_by_round": advantages_by_round,
    "passing": passing, "redraws": redraws, "protection": protection, "leaving_the_draft": leaving_the_draft,
    "dismissals": dismissals, "metal_at_court": metal_at_court,
}  # fmt: skip
NAMES = (*GAMES_OF_ALL, *OF_PLAYERS, *OF_ACTIONS)


KINDS: Mapping[str, Count] = {"win": win_share, "points": points, "chosen": chosen}


def measure(name: str, table: Table, kind: str = "win") -> Items:
    """Return the figures of a fact; {} for a fact that the game does not have.

    Args:
        name: name of the fact.
        table: the games.
        kind: for facts about actions, which figure: one of KINDS.
    """
    if name in GAMES_OF_ALL:
        return GAMES_OF_ALL[name](table)
    if table.game != "cathedral":
        return {}
    return OF_PLAYERS[name](table) if name in OF_PLAYERS else of_actions(table)[name, kind]
