"""RecommendMove answers on time, equally for equal requests, and without using hidden cards."""

import re

import pytest

import clerestory
from clerestory.clients.wire import duration
from clerestory.engine import GAMES, State
from clerestory.server.rpc.interceptor import CallContext
from clerestory.v1.advisor_pb2 import (
    STOP_REASON_DECIDED,
    STOP_REASON_ITERATIONS,
    STOP_REASON_TIME,
    RecommendMoveResponse,
    WarningReason,
)
from tests.laws import walk
from tests.server.rpc.harness import HOUR, Served, opening, question, served, until
from tests.server.rpc.rules import CASES


async def ask(server: Served, position: State, **fields: object) -> RecommendMoveResponse:
    """Return the answer without the figures that depend on the clock."""
    answer: RecommendMoveResponse = await server.advisor.RecommendMove(question(position, **fields))
    answer.statistics.ClearField("elapsed")
    answer.statistics.ClearField("waited")
    return answer


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_an_answer_says_everything(server: Served, seats: int) -> None:
    position = opening(seats)
    answer = await server.advisor.RecommendMove(question(position, iterations=200, seed=2**64 - 1))
    assert {(line.action.text, line.action.label) for line in answer.lines} == {
        (action.text, action.label) for action in position.legal_actions()
    }
    assert answer.best == answer.lines[0].action
    assert answer.seat == position.turn
    assert answer.seed == 2**64 - 1
    assert (answer.rules_revision, answer.catalogue) == (position.game.rules_revision, "")
    assert sum(line.visits for line in answer.lines) == 200
    assert {line.availability for line in answer.lines} == {200}
    assert all(sum(line.win_shares) == pytest.approx(1) for line in answer.lines)
    assert {len(line.win_shares) for line in answer.lines} == {seats}
    assert answer.statistics.iterations == 200
    assert answer.statistics.nodes > 1
    assert answer.statistics.tree_bytes > 1
    assert answer.statistics.depth > 1
    assert answer.statistics.elapsed.ToNanoseconds() > 0
    assert answer.statistics.stop_reason == STOP_REASON_ITERATIONS
    assert not answer.statistics.memory_full


async def test_equal_questions_have_equal_answers_and_a_drawn_seed_is_told() -> None:
    async with served(workers=2) as server:
        first, again, other = [await ask(server, opening(), iterations=300, seed=seed) for seed in (1, 1, 2)]
        drawn, second = [await ask(server, opening(), iterations=300) for _ in range(2)]
        reproduced = await ask(server, opening(), iterations=300, seed=drawn.seed)
    assert first == again
    assert first.lines != other.lines
    assert drawn == reproduced
    assert drawn.seed != second.seed


async def test_the_reported_iterations_reproduce_an_answer_by_time(server: Served) -> None:
    first = await ask(server, opening(), time_budget=duration(0.06), threads=1)
    again = await ask(server, opening(), iterations=first.statistics.iterations, seed=first.seed)
    assert first.statistics.stop_reason == STOP_REASON_TIME
    assert first.reproducible
    assert again.lines == first.lines
    assert first.engine_version == clerestory.__version__


async def test_an_answer_by_several_threads_is_not_reproducible() -> None:
    async with served(workers=2) as server:
        for fields in ({"threads": 2}, {}):
            answer = await ask(server, opening(), time_budget=duration(0.06), **fields)
            assert answer.statistics.threads == 1 or not answer.reproducible


async def test_the_caller_is_answered_before_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallContext, "time_remaining", lambda _: 600.05, raising=False)
    async with served(margin=600.0, max_time=3600.0) as server:
        answer = await server.advisor.RecommendMove(question(time_budget=HOUR))
    assert answer.statistics.stop_reason == STOP_REASON_TIME


@pytest.mark.parametrize(("game", "seats"), CASES)
async def test_hidden_cards_do_not_change_the_answer(server: Served, game: str, seats: int) -> None:
    """At the beginning, and where decks are half dealt and seals seen: only what is known affects the answer."""
    met = [state.copy() for state in walk(GAMES[game], seats, 5) if state.turn >= 0]
    asked, hiding = met[:: 1 + len(met) // 4], 0
    for truth in asked:
        view = truth.observe(truth.turn)
        others = [view.determinize(luck) for luck in range(2)]
        hiding += any(other != truth for other in others)
        answers = [await ask(server, position, iterations=150, seed=5) for position in (truth, view, *others)]
        assert answers == [answers[0]] * 4
    assert hiding >= len(asked) // 2


def names(answer: RecommendMoveResponse) -> list[str]:
    return [WarningReason.Name(warning.reason).removeprefix("WARNING_REASON_") for warning in answer.warnings]


async def test_only_some_actions_are_searched(server: Served) -> None:
    legal = [action.text for action in opening().legal_actions()]
    some = await ask(server, opening(), iterations=50, consider_actions=legal[1:])
    others = await ask(server, opening(), iterations=50, avoid_actions=legal[1:])
    assert {line.action.text for line in some.lines} == set(legal[1:])
    assert [line.action.text for line in others.lines] == legal[:1]


async def test_lines_are_cut_and_nothing_else(server: Served) -> None:
    whole, *cut = [await ask(server, opening(), iterations=99, seed=1, max_lines=n) for n in (0, 1, 2, 1000)]
    assert [list(answer.lines) for answer in cut] == [whole.lines[:n] for n in (1, 2, 1000)]
    assert [(answer.best, answer.statistics) for answer in cut] == [(whole.best, whole.statistics)] * 3


@pytest.mark.parametrize("level", range(1, 9))
async def test_a_level_bounds_the_search_and_may_choose_another_line(server: Served, level: int) -> None:
    limits = ((10**6, 3), (None, 3), (None, 4))  # a level needs no other limit
    answers = [await ask(server, opening(), iterations=most, seed=seed, level=level) for most, seed in limits]
    full = await ask(server, opening(), iterations=answers[0].statistics.iterations, seed=3)
    assert answers[0] == answers[1]
    assert answers[0].level == level
    assert answers[0].statistics.iterations == opening().game.tuning.levels[level - 1].iterations
    assert answers[0].lines == full.lines
    assert answers[0].best in [line.action for line in full.lines]


async def test_an_early_end_is_the_default_keeps_the_choice_and_can_be_had_again(server: Served) -> None:
    early = await ask(server, opening(), iterations=2000, seed=1, early_stop=True)
    full = await ask(server, opening(), iterations=2000, seed=1)
    request = question(iterations=2000, seed=1)
    request.ClearField("early_stop")
    default = await server.advisor.RecommendMove(request)
    assert early.statistics.stop_reason == STOP_REASON_DECIDED
    assert early.statistics.iterations == default.statistics.iterations < full.statistics.iterations
    assert early.best == full.best
    again = await ask(server, opening(), iterations=early.statistics.iterations, seed=early.seed)
    assert (early.reproducible, again.lines) == (True, early.lines)


@pytest.mark.parametrize(
    ("fields", "warnings"),
    [
        ({"iterations": 1000}, []),
        ({"iterations": 3}, ["FEW_ITERATIONS"]),
        ({"iterations": 1000, "time_budget": HOUR}, ["TIME_CUT"]),
        ({"iterations": 1000, "threads": 9}, ["THREADS_CUT"]),
        ({"iterations": 1000, "max_tree_bytes": 2**63}, ["MEMORY_CUT"]),
        ({"iterations": 20_000, "max_tree_bytes": 65536}, ["MEMORY_FULL"]),
    ],
)
async def test_warnings(server: Served, fields: dict[str, object], warnings: list[str]) -> None:
    position = opening(4, 1, "cathedral") if "MEMORY_FULL" in warnings else opening()
    answer = await ask(server, position, **fields)
    assert names(answer) == warnings
    assert all(warning.description.endswith(".") for warning in answer.warnings)
    assert not re.search(r"\d{6}", " ".join(warning.description for warning in answer.warnings))  # 81 MB, not 81218970


async def test_a_server_that_finishes_warns(server: Served) -> None:
    call = server.advisor.RecommendMove(question(time_budget=HOUR))
    await until(lambda: server.app.scheduler.running == 1)
    server.app.scheduler.finish()
    assert "FINISHING" in names(await call)


@pytest.mark.parametrize("game", ["cathedral", "duel"])
async def test_lines_are_explained_where_the_game_has_features(server: Served, game: str) -> None:
    answer = await ask(server, opening(2, 3, game), iterations=400, seed=1)
    hasty = await ask(server, opening(2, 3, game), iterations=400, seed=1, time_budget=duration(0.049))
    assert answer.reason.endswith(".")
    assert all(len(line.outlook) > 1 for line in answer.lines[:2])
    assert (hasty.reason, len(hasty.lines[0].outlook)) == ("", 0)
