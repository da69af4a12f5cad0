"""Callers share places and workers fairly, for any number of calls each, on a simulated clock."""

import random
from collections import Counter

import pytest

from clerestory.server.analysis.demand import Demand, NoRoom, Priority
from clerestory.server.analysis.policy import CLAIMS, SLICE, Policy, by_origin, nested_shares
from tests.server.analysis.simulated import SPEED, Simulation, demand, used

# Workers, searches of each origin's parts, and the workers that each part has.
SHARES: list[tuple[int, list[list[int]], list[list[float]]]] = [
    (1, [[64], [1]], [[0.5], [0.5]]),
    (2, [[5], [1]], [[1.0], [1.0]]),
    (3, [[5], [1]], [[2.0], [1.0]]),
    (2, [[4], [4], [1]], [[2 / 3], [2 / 3], [2 / 3]]),
    (4, [[1], [2], [9]], [[1.0], [1.5], [1.5]]),
    (4, [[1], [1], [1]], [[1.0], [1.0], [1.0]]),
    (2, [[7]], [[2.0]]),
    (1, [[1] * 100, [1]], [[0.5 / 100] * 100, [0.5]]),
    (2, [[64, 1, 1], [1]], [[1 / 3, 1 / 3, 1 / 3], [1.0]]),
    (2, [[5, 1], [5]], [[0.5, 0.5], [1.0]]),
    (3, [[4, 1], [1]], [[1.0, 1.0], [1.0]]),
    (4, [[1, 9], [1, 1]], [[1.0, 1.0], [1.0, 1.0]]),
    (2, [[7, 7]], [[1.0, 1.0]]),
]


@pytest.mark.parametrize(("workers", "searches", "shares"), SHARES)
def test_shares_are_max_min_fair(workers: int, searches: list[list[int]], shares: list[list[float]]) -> None:
    wants = {(o, p): number for o, parts in enumerate(searches) for p, number in enumerate(parts)}
    expected = {(o, p): share for o, parts in enumerate(shares) for p, share in enumerate(parts)}
    assert nested_shares(by_origin(wants), workers) == pytest.approx(expected)


@pytest.mark.parametrize(("workers", "searches", "shares"), SHARES)
def test_origins_and_parts_share_workers(workers: int, searches: list[list[int]], shares: list[list[float]]) -> None:
    arrivals = [
        demand(0, 2.0, origin=origin, part=part)
        for origin, parts in enumerate(searches)
        for part, number in enumerate(parts)
        for _ in range(number)
    ]
    had = Counter[tuple[object, object]]()
    for one in Simulation(workers, max_searches=200, min_iterations=1).run(arrivals, 2.0):
        had[one[0].demand.origin, one[0].demand.part] += used(one)  # type: ignore[assignment]
    for origin, parts in enumerate(shares):
        for part, share in enumerate(parts):
            assert had[origin, part] == pytest.approx(2.0 * share, abs=3 * SLICE * workers)


HINT, BACKGROUND = Priority.HINT, Priority.BACKGROUND
PARTS = [
    ("origin", {"origin": "many"}, {"origin": "one"}),
    ("part", {"origin": "home", "part": "ann"}, {"origin": "home", "part": "bob"}),
]
BOTS = [demand(0, 60.0, origin="maker", part="bots", priority=BACKGROUND) for _ in range(200)]
# Searches of one worker, and the seconds that some of them have had when the last one is due.
SEARCHES: dict[str, tuple[list[tuple[float, Demand]], dict[int, float]]] = {
    "long searches are not starved by a stream of short ones": (
        [demand(0, 4.0), *[demand(0.05 * i, 0.05) for i in range(80)]],
        {0: 2.0},
    ),
    "a later search has no claim to time before its arrival": (
        [demand(0, 1.0), demand(0.5, 1.0)],
        {0: 0.75, 1: 0.75},
    ),
    **{
        f"own moves go before own hints, and hints of other {sort}s have their share": (
            [demand(0, 1.0, **own), demand(0, 1.0, priority=HINT, **own), demand(0, 1.0, priority=HINT, **other)],
            {0: 0.5, 1: 0.0, 2: 0.5},
        )
        for sort, own, other in PARTS
    },
    "the background of one caller comes after everything of others": (
        [demand(0, 2.0, origin="one", priority=BACKGROUND), demand(0.5, 1.0, origin="many", priority=HINT)],
        {0: 0.5, 1: 1.0},
    ),
    **{
        f"64 searches of an origin in {parts} parts leave a later one its half": (
            [*(demand(0.01 * n, 60.0, origin="many", part=n % parts) for n in range(64)), demand(2, 1, origin="one")],
            {64: 0.5},
        )
        for parts in (1, 64)
    },
    **{
        f"{priority.name.lower()} searches of many parts have no more together than one of another origin": (
            [
                *(demand(0, 4, part=part, priority=priority) for part in range(20)),
                demand(1, 2, origin="one", priority=priority),
            ],
            {20: 1.0},
        )
        for priority in Priority
    },
    "games of bots only do not slow the bot that their maker plays with": (
        [*BOTS, demand(1.0, 1.0, origin="maker", part="game")],
        {-1: 1.0},
    ),
}


@pytest.mark.parametrize(("searches", "had"), SEARCHES.values(), ids=SEARCHES)
def test_searches_have_their_shares(searches: list[tuple[float, Demand]], had: dict[int, float]) -> None:
    [*_, (_, last)] = searches
    admitted = Simulation().run(searches, last.deadline)
    assert {place: used(admitted[place]) for place in had} == pytest.approx(had, abs=3 * SLICE)


def test_threads_take_from_the_other_searches_of_their_caller_alone() -> None:
    both = Simulation(2).run([demand(0, 1.0, origin="many", trees=4), demand(0, 1.0, origin="one")], 1.0)
    assert [used(one) for one in both] == pytest.approx([1.0, 1.0], abs=4 * SLICE)


@pytest.mark.parametrize(("budget", "least"), [(0.009, 0.35), (0.02, 0.45), (0.05, 0.45)])
def test_searches_that_are_always_pressed_leave_another_caller_his_half(budget: float, least: float) -> None:
    """The shares are exact only up to a slice, which is visible with a budget of 9 ms."""
    arrivals = [demand(0, 1.0, origin="one"), *[demand(0.002 * i, budget, origin="many") for i in range(500)]]
    first, *_ = Simulation().run(arrivals, 1.0)
    assert least <= used(first) <= 0.6


@pytest.mark.parametrize(("load", "workers"), [(1.0, 1), (3.0, 2), (20.0, 1)])
def test_every_admitted_search_has_its_minimum_in_time(load: float, workers: int) -> None:
    """A flood of short searches, and occasional others."""
    every = 0.05 / workers / load
    flood = [demand(i * every, 0.05, origin="many") for i in range(round(1 / every))]
    others = [demand(0.05 * i, 0.02 * (1 + i % 20), origin=i % 3) for i in range(20)]
    admitted = Simulation(workers, max_searches=10_000).run(sorted(flood + others, key=lambda one: one[0]), 10.0)
    assert min(tree.iterations for [tree] in admitted) >= 100 - SLICE * SPEED
    assert {tree.demand.origin for [tree] in admitted} == {"many", 0, 1, 2}


@pytest.mark.parametrize("budget", [0.05, 0.5])
def test_a_part_that_is_always_pressed_takes_nothing_from_others(budget: float) -> None:
    flood = [demand(0.002 * i, budget, origin="home", part="many") for i in range(1000)]
    arrivals = [demand(0, 2.0, origin="home", part="one"), demand(0, 2.0, origin="other"), *flood]
    one, other, *many = Simulation().run(arrivals, 2.0)
    assert used(one) == pytest.approx(0.5, abs=0.05)
    assert used(other) == pytest.approx(1.0, abs=0.05)
    assert sum(map(used, many)) == pytest.approx(0.5, abs=0.05)


def admit(policy: Policy, caller: object, most: int = 1000, **fields: object) -> int:
    """Return how many searches of a minute are admitted for a caller."""
    for number in range(most):
        try:
            policy.admit(Demand("game", 60.0, origin=caller, **fields), 0.0)  # type: ignore[arg-type]
        except NoRoom:
            return number
    return most


def test_each_caller_gets_its_share_of_the_places_in_any_order_of_arrival() -> None:
    policy = Policy(1, 64, 100)
    admitted = [admit(policy, caller) for caller in range(7)]
    assert admitted == [64, 64, 43, 32, 26, 22, 19]
    assert [number >= 128 // (caller + 1) for caller, number in enumerate(admitted[1:], 1)] == [True] * 6
    assert admit(policy, 0) == 0


def test_parts_leave_places_to_each_other_and_to_other_origins() -> None:
    policy = Policy(1, 64, 100)
    assert [admit(policy, "many", part=part) for part in range(6)] == [64, 22, 7, 2, 1, 0]
    assert admit(policy, "one") == 64
    assert admit(policy, "other") == 43


@pytest.mark.parametrize(("parts", "places"), [(1, 40), (20, 60)])
def test_origins_that_always_ask_for_more_end_up_with_the_same_number(parts: int, places: int) -> None:
    """Searches end one after the other; the origin that had all places does not get them back."""
    policy = Policy(1, 60, 100)
    for origin in range(3):
        for part in range(parts):
            admit(policy, origin, part=part)
    for number in range(400):
        policy.leave(policy.trees[0], 0.0)
        for origin in range(3):
            admit(policy, origin, 1, part=number % parts)
    had = [sum(tree.demand.origin == origin for tree in policy.trees) for origin in range(3)]
    assert had == pytest.approx([places] * 3, abs=2)


def test_a_place_is_free_once_all_trees_of_a_search_have_left() -> None:
    policy = Policy(1, 1, 100)
    first, second = policy.admit(Demand("game", 60.0, trees=2), 0.0)
    policy.leave(first, 0.0)
    assert admit(policy, None) == 0
    policy.leave(second, 0.0)
    assert admit(policy, None) == 1


def refusal_of(policy: Policy, wanted: Demand, now: float) -> str | None:
    """Return why a search is rejected; None if it is admitted."""
    try:
        policy.admit(wanted, now)
    except NoRoom as refused:
        return str(refused)
    return None


def test_a_caller_without_a_search_gets_a_place_however_many_there_are() -> None:
    policy = Policy(1, 64, 100)
    assert sum(admit(policy, caller, 1) for caller in range(1000)) == 1000
    assert sum(admit(policy, caller, 1) for caller in range(1000)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_no_caller_below_its_share_is_rejected_a_place_whatever_came_before(seed: int) -> None:
    """Searches of some callers with several parts, of many others, and of the backlog arrive and end at random."""
    luck, policy, number = random.Random(seed), Policy(2, 16, 100, speeds={"game": 1e9}), Counter[object]()
    for now in range(2000):
        leaving = luck.choice((0.0, 0.02, 0.2))
        for tree in list(policy.trees):
            if luck.random() < leaving or tree.demand.deadline <= now + 1:
                policy.leave(tree, now)
        number = Counter(tree.demand.origin for tree in policy.trees if not tree.demand.waits)
        origin = luck.choice(("many", "more", luck.randrange(40)))
        waits, share = luck.random() < 0.3, 32 / len({*number, origin})
        fields = {"part": luck.randrange(4) if origin == "many" else 0, "priority": luck.choice([*Priority])}
        wanted = Demand("game", now + luck.uniform(2, 200), origin=origin, waits=waits, **fields)
        refused = refusal_of(policy, wanted, now)
        if refused is not None:
            assert "no room" in refused
            assert not waits
            assert number[origin] >= min(share, 16) / (1 << wanted.priority)


def test_hints_find_a_place_beside_searches_of_another_caller() -> None:
    policy = Policy(1, 64, 100)
    assert admit(policy, "many", priority=Priority.HINT) == 32
    assert admit(policy, "many") == 32
    assert admit(policy, "one", priority=Priority.HINT) == 32
    assert admit(policy, "one") == 32


@pytest.mark.parametrize("seed", range(5))
def test_a_caller_that_asks_one_search_after_the_other_is_never_rejected_beside_bots_and_others(seed: int) -> None:
    """Even after more than its share: the bots of fifty makers leave it a fiftieth."""
    luck = random.Random(seed)
    bots = [demand(0.01 * n, 60.0, origin=f"maker {n % 50}", part=n, waits=True) for n in range(32)]
    others = [demand(luck.uniform(0, 5), luck.uniform(0.1, 2), origin=luck.randrange(20)) for _ in range(40)]
    asked = [demand(0.31 * n, 0.3, origin="one") for n in range(16)]
    admitted = Simulation(2).run(sorted([*bots, *others, *asked], key=lambda one: one[0]), 6.0)
    assert sum(tree.demand.origin == "one" for [tree] in admitted) == len(asked)


def flood(policy: Policy, now: float, budget: float) -> None:
    """Submit searches of a caller until there is no room, and then one more."""
    with pytest.raises(NoRoom):
        for _ in range(1000):
            policy.admit(Demand("game", now + budget, origin="many"), now)


@pytest.mark.parametrize("quiet", [{"origin": "one"}, {"origin": "many", "part": "quiet"}], ids=["origin", "part"])
def test_a_search_rejected_for_want_of_time_finds_some_when_it_comes_again(quiet: dict[str, str]) -> None:
    """One caller always takes all the time, in searches so short that they run only near their deadlines."""
    policy = Policy(1, 1000, 100, speeds={"game": 100 / SLICE})
    flood(policy, 0.0, 0.05)
    with pytest.raises(NoRoom) as refused:
        policy.admit(Demand("game", 0.05, **quiet), 0.0)  # type: ignore[arg-type]
    now = refused.value.retry
    for tree in list(policy.trees):
        policy.leave(tree, now)
    flood(policy, now, 0.05)
    assert len(policy.trees) == 6  # of the twelve slices in 50 ms
    [tree] = policy.admit(Demand("game", now + 0.05, **quiet), now)  # type: ignore[arg-type]
    assert tree.minimum == 100


def test_time_is_reserved_for_a_bounded_number_of_parts() -> None:
    """Every admission reads it, and an origin may have thousands of parts."""
    policy = Policy(2, 1000, 100, speeds={"game": 1.0})
    refused = 0
    for part in range(500):
        try:
            policy.admit(Demand("game", 60.0, origin="many", part=part), 0.0)
        except NoRoom:
            refused += 1
    assert (len(policy.trees), refused, len(policy._claims)) == (4, 496, CLAIMS)


def test_places_are_reserved_only_briefly() -> None:
    policy = Policy(1, 1000, 100, speeds={"game": 100 / SLICE})
    flood(policy, 0.0, 0.05)
    with pytest.raises(NoRoom):
        policy.admit(Demand("game", 0.05, origin="one"), 0.0)
    for tree in list(policy.trees):
        policy.leave(tree, 2.0)
    flood(policy, 2.0, 0.05)
    assert len(policy.trees) == 12


def test_a_caller_with_nothing_owed_is_not_held_to_its_share() -> None:
    """A share of one in four is less than what any search may need, which is half its budget."""
    policy = Policy(1, 1000, 100, speeds={"game": 1.0})
    for origin in range(3):
        [tree] = policy.admit(Demand("game", 60.0 + origin, iterations=1.0, origin=origin), 0.0)
        tree.iterations = round(tree.minimum)
    [tree] = policy.admit(Demand("game", 1.0, origin="one"), 0.0)
    assert policy.need(tree) == 0.5
