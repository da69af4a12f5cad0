"""Plans of `cathedral`: how often each craftsman is used, or how many cubes of each type are discarded.

The free craftsmen come first (RULES.md section 3). All their orders use the same goods, so the order that ends with the
most gold loses the least to the limit of 30. More gold is never worse later. The search therefore only keeps the path
with the most gold for each combination of uses and last craftsman. The others only take cubes, so their order is given.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

from clerestory.engine.cathedral.changes import cards
from clerestory.engine.cathedral.data.constants import KEPT_CUBES, MAX_GOLD
from clerestory.engine.cathedral.data.names import COLOURS, TYPES
from clerestory.engine.core import Game, State
from clerestory.engine.plans import Fault, Plan, Possible, Shortage

PARTS = frozenset({"convert", "discard", "finish"})
PLANNED = ("convert ", "discard ", "finish")  # beginnings of the texts of actions that can be part of a plan

Counts = tuple[int, ...]  # uses of each planned free craftsman
Way = tuple[int, tuple[tuple[int, int], ...]]  # gold at its end, and (craftsman, times) of each step


class CraftsmanUse(NamedTuple):
    """What a craftsman's uses take, need and give: goods in the order of TYPES, then gold."""

    card: str
    takes: Counts
    needs: Counts
    gold: int
    capacity: int
    requires: frozenset[str]
    blessable: bool

    @property
    def free(self) -> bool:
        """Whether the canonical order leaves it free (R31)."""
        return bool(self.gold or self.takes[-1] or any(self.needs))


class Means(NamedTuple):
    """What a player has for conversions.

    Attributes:
        goods: cubes in the order of TYPES, then gold.
        held: craftsmen held.
        used: uses of the free craftsmen so far.
        last: the craftsman used last, "" for none.
        blessed: whether one of them can still be used beyond its capacity.
    """

    goods: Counts
    held: tuple[str, ...]
    used: Mapping[str, int]
    last: str
    blessed: bool


@cache
def craftsmen(game: Game) -> dict[str, CraftsmanUse]:
    """Return every craftsman by id, in catalogue order."""
    lists = game.cards()
    return {row["id"]: craftsman(row) for name in ("starting_craftsmen", "craftsmen") for row in lists[name]}


def craftsman(row: dict[str, Any]) -> CraftsmanUse:
    """Return a craftsman from a row of the catalogue."""
    takes, needs = ([row.get(name, {}).get(thing, 0) for thing in (*TYPES, "gold")] for name in ("takes", "needs"))
    requires = frozenset(row.get("requires", ()))
    gold, blessable = row["gives"].get("gold", 0), row.get("blessing", True)
    return CraftsmanUse(row["id"], tuple(takes), tuple(needs), gold, row["capacity"], requires, blessable)


def planned(state: State, times: Mapping[str, int], /, *, finish: bool) -> Plan | None:
    """Return the best order of a plan; None if the position allows no plan."""
    fields = state.to_position()["cathedral"]
    if fields["step"] == "cathedral":
        return conversions(state.game, means_of(state.game, fields), times, finish=finish)
    return discards(fields, times) if fields["step"] == "keep" else None


def held(variation: Sequence[str], /) -> dict[str, int]:
    """Return how often a variation's initial plan uses each item; {} if it does not begin with a plan."""
    if not variation or not variation[0].startswith(PLANNED):
        return {}
    times: Counter[str] = Counter()
    verbs = [text.split()[0] for text in variation]
    converts = next((place for place, verb in enumerate(verbs) if verb != "convert"), len(verbs))
    keeps = converts + (verbs[converts : converts + 1] == ["finish"])
    for text in [*variation[:converts], *takewhile(lambda one: one.startswith("discard "), variation[keeps:])]:
        _, item, *count = text.split()
        times[item] += int(count[0]) if count else 1
    return dict(times)


def taker(state: State, seat: int, thing: str, /) -> str:
    """Return the latest usable craftsman of a seat that takes a thing, "" for none."""
    able = takers(state.game, state.to_position()["cathedral"]["players"][seat], thing)
    return able[-1].card if able else ""


def takers(game: Game, player: Mapping[str, Any], thing: str) -> list[CraftsmanUse]:
    """Return the usable craftsmen of a player that take a thing."""
    held, place = player["craftsmen"], (*TYPES, "gold", thing).index(thing)
    return [
        one
        for card, one in craftsmen(game).items()
        if card in held and (*one.takes, 0)[place] and (not one.requires or not one.requires.isdisjoint(held))
    ]


def shortage(state: State, seat: int, action: str, /) -> Shortage | None:
    """Return the goods that an action brings, if craftsmen can use more than the seat has and has workers for."""
    thing, count = goods_of(state.game, action)
    player = state.to_position()["cathedral"]["players"][seat]
    able = takers(state.game, player, thing)
    if not able:
        return None
    coming = Counter[str]()
    for card in player["resource_cards"]:
        coming.update(dict([goods_of(state.game, f"take {card}")]))
    wanted = sum(one.takes[TYPES.index(thing)] * one.capacity for one in able)
    return Shortage(thing, count, able[-1].card) if player[thing] + coming[thing] < wanted else None


def goods_of(game: Game, action: str) -> tuple[str, int]:
    """Return the type and number of cubes that an action brings at once or this round; ("", 0) for none."""
    verb, *rest = action.split()
    if verb == "take":
        row = cards(game)[rest[0]]
        return row["type"], row["yields"]
    return (rest[0], int([*rest, "1"][1])) if verb in ("gain", "buy") else ("", 0)


# -- conversions -----------------------------------------------------------------------------------


def means_of(game: Game, fields: dict[str, Any]) -> Means:
    """Return what the converting player has."""
    player = fields["players"][COLOURS.index(fields["to_act"])]
    event = cards(game)[fields["event"]]["effect"]["kind"] if fields["event"] else ""
    return Means(
        goods=tuple(player[thing] for thing in (*TYPES, "gold")),
        held=tuple(player["craftsmen"]),
        used={use["craftsman"]: use["times"] for use in fields["used"]},
        last=fields["last_used"],
        blessed=event == "blessing" and not fields["blessing_used"],
    )


def conversions(game: Game, means: Means, times: Mapping[str, int], *, finish: bool) -> Plan:
    """Return a plan of conversions."""
    known = craftsmen(game)
    chosen = {card: count for card, count in times.items() if count}
    faults, way = judged(known, means, chosen)
    most = {} if faults else most_of_each(known, means, chosen)
    possible = tuple(Possible(card, "convert", most.get(card, 0)) for card in usable(known, means))
    if faults or way is None:
        return Plan((), tuple(faults), possible)
    actions = [f"convert {card} {count}" for card, count in [*way, *rest_of(known, chosen)]]
    return Plan((*actions, *(["finish"] if finish else [])), (), possible)


def usable(known: Mapping[str, CraftsmanUse], means: Means) -> list[str]:
    """Return the craftsmen that the canonical order still allows, in catalogue order."""
    order = list(known)
    found = [card for card in known if card in means.held]
    if means.last and not known[means.last].free:
        return [card for card in found if not known[card].free and order.index(card) > order.index(means.last)]
    return found


def most_of_each(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]) -> dict[str, int]:
    """Return how often each craftsman can be used at most if the others follow the plan; some order allows it."""
    most = {card: counted_most(known, means, chosen, card) for card in usable(known, means)}
    free = [known[card] for card in known if known[card].free and most.get(card)]
    times = tuple(chosen.get(one.card, 0) for one in free)
    found = reachable(free, times, tuple(most[one.card] for one in free), means)
    for place, one in enumerate(free):
        more = range(times[place] + 1, most[one.card] + 1)
        lacks = (count for count in more if (*times[:place], count, *times[place + 1 :]) not in found)
        most[one.card] = next(lacks, most[one.card] + 1) - 1
    return most


def counted_most(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int], card: str) -> int:
    """Return the same for one craftsman, in any order."""
    times = chosen.get(card, 0)
    while not any(faults_of(known, means, {**chosen, card: times + 1})):
        times += 1
    return times


def judged(
    known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]
) -> tuple[list[Fault], list[tuple[str, int]] | None]:
    """Return the errors of a plan, and the steps of its free craftsmen if there are none."""
    if faults := list(faults_of(known, means, chosen)):
        return faults, None
    free = [known[card] for card in known if known[card].free and chosen.get(card)]
    steps = best_order(free, [chosen[one.card] for one in free], means)
    if steps is not None:
        return [], steps
    if [one.card for one in free] == [means.last]:  # never twice in a row
        return [Fault(means.last, "unknown")], None
    gold = [one for one in free if one.takes[-1]]
    return [Fault(one.card, "gold") for one in gold or free], None


def faults_of(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]) -> Iterator[Fault]:
    """Yield the errors of a plan that occur in every order."""
    yield from unusable(known, means, chosen)
    yield from beyond(known, means, chosen)
    yield from lacking(known, means, chosen)


def unusable(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]) -> Iterator[Fault]:
    """Yield the craftsmen that cannot be used here, or lack what they need to be held."""
    can = usable(known, means)
    for card in chosen:
        if card not in can:
            yield Fault(card, "unknown")
        elif thing := missing(known, known[card], means):
            yield Fault(card, "needs", thing=thing)


def missing(known: Mapping[str, CraftsmanUse], one: CraftsmanUse, means: Means) -> str:
    """Return the goods or craftsman that a craftsman needs without taking it and the player lacks, "" for nothing."""
    goods = zip((*TYPES, "gold"), one.needs, means.goods, strict=True)
    lacked = [thing for thing, need, have in goods if need > have]
    if one.requires and one.requires.isdisjoint(means.held):
        lacked += [card for card in known if card in one.requires]
    return lacked[0] if lacked else ""


def beyond(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]) -> Iterator[Fault]:
    """Yield the craftsmen used more often than possible; the blessing allows one additional use (R42)."""
    blessed = means.blessed
    for card, count in chosen.items():
        if card not in known:
            continue
        left = known[card].capacity - means.used.get(card, 0)
        if blessed and known[card].blessable and count == left + 1:
            blessed = False
        elif count > left:
            yield Fault(card, "capacity", max(left, 0), count)


def lacking(known: Mapping[str, CraftsmanUse], means: Means, chosen: Mapping[str, int]) -> Iterator[Fault]:
    """Yield the craftsmen that take more cubes in the whole plan than there are."""
    for place, thing in enumerate(TYPES):
        takers = {card: count * known[card].takes[place] for card, count in chosen.items() if card in known}
        taken = sum(takers.values())
        if taken > means.goods[place]:
            yield from (Fault(card, "goods", means.goods[place], taken, thing) for card in takers if takers[card])


def rest_of(known: Mapping[str, CraftsmanUse], chosen: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the uses of the craftsmen that are not free, in catalogue order."""
    return [(card, chosen[card]) for card in known if chosen.get(card) and not known[card].free]


# -- the order of the free craftsmen ---------------------------------------------------------------


def best_order(free: list[CraftsmanUse], times: list[int], means: Means) -> list[tuple[str, int]] | None:
    """Return the steps that end with the most gold; None if every order runs short on the way."""
    ways: dict[tuple[Counts, str], Way] = {((0,) * len(free), means.last): (means.goods[-1], ())}
    ends: list[Way] = []
    goal = tuple(times)
    while ways:
        longer: dict[tuple[Counts, str], Way] = {}
        for (counts, last), way in ways.items():
            if counts == goal:
                ends.append(way)
                continue
            for key, more in continued(free, goal, means, counts, last, way):
                keep(longer, key, more)
        ways = longer
    if not ends:
        return None
    return [(free[one].card, count) for one, count in max(ends, key=lambda way: (way[0], -len(way[1])))[1]]


def continued(
    free: list[CraftsmanUse], goal: Counts, means: Means, counts: Counts, last: str, way: Way
) -> Iterator[tuple[tuple[Counts, str], Way]]:
    """Yield the ways that are one step longer: a craftsman other than the last, used once or several times."""
    for number, one in enumerate(free):
        if one.card == last or (any(one.needs) and lacks(one, free, means, counts, way[0])):
            continue
        for count in range(1, goal[number] - counts[number] + 1):
            gold = way[0] - count * one.takes[-1]
            if gold < 0:
                break
            reached = (*counts[:number], counts[number] + count, *counts[number + 1 :])
            gold = min(gold + count * one.gold, MAX_GOLD)
            yield (reached, one.card), (gold, (*way[1], (number, count)))


def keep(ways: dict[tuple[Counts, str], Way], key: tuple[Counts, str], way: Way) -> None:
    """Add a way, unless one with the same uses and the same last craftsman leaves as much gold."""
    if key not in ways or ways[key][0] < way[0]:
        ways[key] = way


def lacks(one: CraftsmanUse, free: list[CraftsmanUse], means: Means, counts: Counts, gold: int) -> bool:
    """Whether goods that a craftsman needs are gone after these uses of each, given the gold that they leave."""
    cubes = (
        have - sum(other.takes[place] * count for other, count in zip(free, counts, strict=True))
        for place, have in enumerate(means.goods[:-1])
    )
    return any(need > have for need, have in zip(one.needs, (*cubes, gold), strict=True))


def reachable(free: list[CraftsmanUse], times: Counts, most: Counts, means: Means) -> set[Counts]:
    """Return the uses that some order reaches, at most as planned, except one craftsman up to its maximum."""
    ways: list[dict[tuple[Counts, str], Way]] = [{} for _ in range(sum(times) + max(most, default=0) + 1)]
    ways[0][(0,) * len(free), means.last] = means.goods[-1], ()
    for alike in ways:  # the same number of uses in all
        for (counts, last), (gold, _) in alike.items():
            goal = within(counts, times, most)
            for key, (left, _) in continued(free, goal, means, counts, last, (gold, ())):
                keep(ways[sum(key[0])], key, (left, ()))
    return {counts for alike in ways for counts, _ in alike}


def within(counts: Counts, times: Counts, most: Counts) -> Counts:
    """Return how often each may be used once each has been used as often as in `counts`."""
    beyond = [count > planned for count, planned in zip(counts, times, strict=True)]
    if not any(beyond):
        return most
    return tuple(more if over else planned for over, planned, more in zip(beyond, times, most, strict=True))


# -- discards --------------------------------------------------------------------------------------


def discards(fields: dict[str, Any], times: Mapping[str, int]) -> Plan:
    """Return a plan of discards, down to five cubes, in the order of types."""
    player = fields["players"][COLOURS.index(fields["to_act"])]
    open_types = TYPES[TYPES.index(fields["floor"]) :]
    excess = sum(player[thing] for thing in TYPES) - KEPT_CUBES
    chosen = {thing: count for thing, count in times.items() if count}
    faults = [Fault(thing, "unknown") for thing in chosen if thing not in open_types]
    faults += [
        Fault(thing, "goods", player[thing], chosen[thing], thing)
        for thing in open_types
        if chosen.get(thing, 0) > player[thing]
    ]
    total = sum(chosen.values())
    possible = tuple(
        Possible(thing, "discard", max(min(player[thing], excess - total + chosen.get(thing, 0)), 0))
        for thing in open_types
        if player[thing]
    )
    if not faults and total and total != excess:
        faults = [Fault("", "count", excess, total)]
    order = [thing for thing in TYPES for _ in range(chosen.get(thing, 0))]
    return Plan(() if faults else tuple(f"discard {thing}" for thing in order), tuple(faults), possible, excess)
