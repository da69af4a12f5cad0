"""Trees kept between requests: useful if they fit, never a leak, never required."""

from typing import Any

import pytest

from clerestory.engine import NATURE, State, game
from clerestory.server.analysis import memory
from clerestory.server.analysis.memory import new_searcher
from clerestory.service_errors import Reason, raise_error
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveResponse
from tests.server.rpc.harness import HOUR, Served, opening, question, served, until


async def ask(server: Served, position: State, **fields: Any) -> RecommendMoveResponse:
    answer: RecommendMoveResponse = await server.advisor.RecommendMove(
        question(position, **{"iterations": 400, "game_id": "g"} | fields)
    )
    return answer


def reused(answer: RecommendMoveResponse) -> int:
    return int(answer.statistics.reused_iterations)


@pytest.mark.parametrize(
    ("warm_bytes", "threads", "known"),
    [(1 << 28, None, [0, 400, 800]), (1 << 28, 2, [0, 400, 800]), (0, None, [0] * 3)],
)
async def test_the_next_question_goes_on_with_the_tree_of_the_last_one(
    warm_bytes: int, threads: int | None, known: list[int]
) -> None:
    async with served(workers=2, warm_bytes=warm_bytes) as server:
        answers = [await ask(server, opening(game="cathedral"), threads=threads) for _ in known]
    assert [reused(answer) for answer in answers] == known
    assert [answer.statistics.iterations for answer in answers] == [400] * 3
    assert [sum(line.visits for line in answer.lines) for answer in answers] == [400 + before for before in known]
    if threads is None:
        assert [answer.reproducible for answer in answers] == [not before for before in known]


async def test_a_hint_that_its_reader_leaves_helps_the_move() -> None:
    position = opening(game="cathedral")
    request = AnalyzeRequest(question=question(position, time_budget=HOUR, game_id="g"))
    request.update_interval.FromMilliseconds(10)
    async with served() as server:
        stream = server.advisor.Analyze(request)
        seen = (await stream.read()).recommendation.statistics.iterations
        stream.cancel()
        await until(lambda: server.app.scheduler.admitted == 0 and server.app.analysis._trees._warm.bytes > 0)
        answer = await ask(server, position)
    assert reused(answer) >= seen > 0


async def test_questions_that_get_no_kept_tree() -> None:
    """This includes queries of another seat: a seat's tree contains information about its hand."""
    position = opening(game="cathedral")
    turn, other = position.turn, position.copy()
    while other.turn in (turn, NATURE):
        other.play(other.draw(1) if other.turn == NATURE else other.legal_codes()[0])
    considered = {"consider_actions": [position.legal_actions()[0].text]}
    fields: list[dict[str, Any]] = [{"game_id": ""}, {"game_id": "another"}, {"seed": 3}, {"level": 4}, considered]
    async with served(workers=2) as server:
        await ask(server, position)
        for asked, more in [*((position, one) for one in fields), (other, {})]:
            assert reused(await ask(server, asked, **more)) == 0, more
            assert reused(await ask(server, position)) > 0, more
        for asked in (opening(2), opening(3), opening(game="duel")):
            assert reused(await ask(server, asked)) == 0


async def test_a_kept_tree_is_not_used_for_other_cards() -> None:
    """If other cards came up, the tree's statistics do not belong to this position."""
    first, second = (game("cathedral").new(2, seed) for seed in (1, 2))
    for position in (first, second):
        position.play_nature(position.legal_codes()[0])
    async with served() as server:
        await ask(server, first)
        answer = await ask(server, second)
    assert {line.action.text for line in answer.lines} == {action.text for action in second.legal_actions()}
    assert sum(line.visits for line in answer.lines) == 400 + reused(answer)


@pytest.mark.parametrize("warm_bytes", [0, 1 << 19])
async def test_a_search_whose_tree_is_not_kept_has_its_share_of_memory(warm_bytes: int) -> None:
    async with served(warm_bytes=warm_bytes, memory=1 << 30) as server:
        answer = await ask(server, opening(game="cathedral"), iterations=10_000)
    assert [warning.message for warning in answer.warnings] == []


async def test_a_search_has_its_share_when_the_system_is_short_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def limited(question: Any, size: int) -> Any:
        if size > 1 << 23:
            raise_error(Reason.BUSY, "", "the server has no memory left for another search")
        return new_searcher(question, size)

    monkeypatch.setattr(memory, "new_searcher", limited)
    async with served(memory=1 << 30) as server:
        for game_id in ("", "g"):
            assert (await ask(server, opening(), game_id=game_id)).statistics.iterations == 400
        assert server.app.analysis._trees._memory._extra == 0
