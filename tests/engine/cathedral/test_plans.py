"""Plans of conversions and discards: the best order, or why there is none."""

from collections import Counter
from itertools import product

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State, from_position
from clerestory.engine.cathedral import plans
from clerestory.engine.cathedral.plans import held, planned

GAME = GAMES["cathedral"]
MOST_ORDERS = 2000  # per compared position


def gold_of(state: State, seat: int) -> int:
    return int(state.to_position()["cathedral"]["players"][seat]["gold"])


def all_orders(state: State) -> dict[tuple[tuple[str, int], ...], int]:
    """Return the most gold for every number of uses that any legal order reaches, by trying all."""
    seat, best = state.turn, {}
    waiting: list[tuple[State, dict[str, int]]] = [(state.copy(), {})]
    known = set()
    while waiting:
        position, times = waiting.pop()
        key = tuple(sorted(times.items()))
        best[key] = max(best.get(key, -1), gold_of(position, seat))
        if (key, position.key(seat)) in known:
            continue
        known.add((key, position.key(seat)))
        for action in position.legal_actions():
            if action.text.startswith("convert"):
                _, card, count = action.text.split()
                after = position.copy()
                after.play(action)
                waiting.append((after, {**times, card: times.get(card, 0) + int(count)}))
        if len(known) > MOST_ORDERS:
            return {}
    return best


def positions(step: str, games: int) -> list[State]:
    """Return positions at a step, from random games in which craftsmen are hired."""
    found = []
    for seed in range(games):
        state, luck = GAME.new(2 + seed % 3, seed), Rng(seed)
        while not state.over:
            if state.turn == NATURE:
                state.play(state.draw(luck))
                continue
            legal = state.legal_actions()
            if len(legal) > 1 and state.to_position()["cathedral"]["step"] == step and luck.below(2):
                found.append(state.copy())
            hires = [one for one in legal if one.text.startswith("hire")]
            legal = tuple(hires) if hires and luck.below(4) else legal
            state.play(legal[luck.below(len(legal))])
    return found


def test_plans_equal_the_best_of_all_orders() -> None:
    compared = lossy = impossible = 0
    for state in positions("cathedral", 6):
        best = all_orders(state)
        most: Counter[str] = Counter()
        for times in best:
            most |= Counter(dict(times))
        choices = list(product(*(range(count + 2) for count in most.values())))
        for counts in choices[:: max(1, len(choices) // 60)] if best else ():
            plan = dict(zip(most, counts, strict=True))
            compared += 1
            key = used(plan)
            result = result_of(state, plan)
            assert bool(result.faults) == (key not in best)
            impossible += bool(result.faults)
            if not result.faults:
                after = state.copy()
                for text in result.actions:
                    after.play(text)
                assert gold_of(after, state.turn) == best[key]
                lossy += best[key] == 30
                for one in result.possible:  # with everything else as planned, the maximum is possible, one more is not
                    assert used({**plan, one.item: one.most}) in best
                    assert used({**plan, one.item: one.most + 1}) not in best
    assert compared > 500
    assert impossible
    assert lossy


def used(plan: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((card, count) for card, count in plan.items() if count))


def result_of(state: State, plan: dict[str, int]) -> plans.Plan:
    result = planned(state, plan, finish=False)
    assert result is not None
    return result


def test_discards_are_all_or_none() -> None:
    for state in positions("keep", 4):
        nothing = result_of(state, {})
        assert nothing.required > 0
        assert not nothing.faults
        plan, left = {}, nothing.required
        for one in nothing.possible:
            plan[one.item] = min(one.most, left)
            left -= plan[one.item]
        assert (left, result_of(state, plan).faults) == (0, ())
        after = state.copy()
        for text in result_of(state, plan).actions:
            after.play(text)
        item = next(item for item, count in plan.items() if count)
        assert result_of(state, {**plan, item: plan[item] + 1}).faults


def test_elsewhere_nothing_can_be_planned() -> None:
    assert planned(GAME.new(2, 1), {}, finish=True) is None


@pytest.mark.parametrize(
    ("plan", "code"),
    [({"mason_6": 1}, "unknown"), ({"woodworker": 9}, "capacity"), ({"woodworker": 4, "mortar_mixer": 3}, "goods")],
)
def test_faults_name_what_is_to_blame(plan: dict[str, int], code: str) -> None:
    result = result_of(positions("cathedral", 1)[0], plan)
    assert code in {fault.code for fault in result.faults}
    assert result.actions == ()


def holding(*craftsmen: str, **cubes: int) -> State:
    """Return a position at the cathedral in which only the seat to act has craftsmen, with the given cubes."""
    fields = positions("cathedral", 1)[0].to_position()
    table = fields["cathedral"]
    me = table["players"][("red", "blue").index(table["to_act"])]
    for player in table["players"]:
        player["craftsmen"] = []
    for kind, count in cubes.items():
        table["supply"][kind] += me[kind] - count
    me |= {"craftsmen": [*craftsmen], **cubes}
    return from_position(fields)


@pytest.mark.parametrize(("card", "thing"), [("mason_1", "mortar_mixer"), ("toolmaker_1", "metal")])
def test_a_missing_helper_or_good_is_named(card: str, thing: str) -> None:
    faults = result_of(holding("woodworker", card, metal=0), {card: 1}).faults
    assert [(fault.item, fault.thing) for fault in faults if fault.code == "needs"] == [(card, thing)]


def test_the_craftsman_used_last_cannot_be_used_again_at_once() -> None:
    """Gold is not the reason."""
    state = holding("woodworker", "master_woodworker_1", wood=2)
    state.play("convert master_woodworker_1 1")
    faults = result_of(state, {"master_woodworker_1": 1}).faults
    assert [(fault.item, fault.code) for fault in faults] == [("master_woodworker_1", "unknown")]


def test_a_variation_holds_the_plan_of_one_seat() -> None:
    own = ["convert carpenter_2 2", "convert bell_maker_6 1", "finish", "convert mason_1 1"]
    assert held(own) == {"carpenter_2": 2, "bell_maker_6": 1}
    assert held(["finish", "discard sand", "discard sand", "convert mason_1 1"]) == {"sand": 2}
    assert held(["place red market", "convert mason_1 1"]) == {}
