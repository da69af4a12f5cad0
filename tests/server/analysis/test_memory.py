"""The memory granted to searches, and the trees that are kept."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from clerestory.engine import NATURE, State, game
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import MIN_BYTES, Searcher
from clerestory.search.limits import REVIEW_TREE_BYTES
from clerestory.search.root import observe
from clerestory.server.analysis import memory
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.memory import Memory, Trees, TreeSlots, Warm, new_searcher
from clerestory.server.analysis.question import Question, validate_query
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveResponse
from tests.server.rpc.harness import HOUR, Served, opening, question, served, until

MIB = 1 << 20


@pytest.mark.parametrize("places", [1, 2, 64, 1000])
def test_searches_have_their_shares_and_no_more_than_all_memory(places: int) -> None:
    memory = Memory(1024 * MIB, places)
    granted = [memory.take(1 << 40) for _ in range(places)]
    assert min(granted) >= memory.share >= 512 * MIB // places
    assert granted[1:2] == [] or granted[1] > memory.share  # the first has not taken all free memory
    assert sum(granted) <= 1024 * MIB
    assert granted == sorted(granted, reverse=True)


def test_memory_that_is_given_back_can_be_had_again() -> None:
    """No search gets more than it requests, or less than a tree needs."""
    memory = Memory(64 * MIB, 4)
    assert (memory.take(MIB), memory.take(1)) == (MIB, MIN_BYTES)
    memory.give_back(MIB)
    memory.give_back(MIN_BYTES)
    first = [memory.take(1 << 40) for _ in range(4)]
    for size in first:
        memory.give_back(size)
    memory.occupy(32 * MIB)  # by an existing tree
    memory.give_back(32 * MIB)
    assert [memory.take(1 << 40) for _ in range(4)] == first


def test_a_tree_that_comes_with_its_memory_leaves_less_for_others() -> None:
    free, taken = Memory(64 * MIB, 4), Memory(64 * MIB, 4)
    taken.occupy(32 * MIB)
    assert taken.share <= taken.take(1 << 40) < free.take(1 << 40)


def tree() -> Searcher:
    return Searcher(observe(TOY.new(2, 1).observe(0), seat=0), seed=1, max_bytes=MIN_BYTES)


def test_the_least_recently_used_trees_are_given_up() -> None:
    warm, trees = Warm(10), {key: tree() for key in "abc"}
    for key, hosted in trees.items():
        warm.keep(key, hosted, 4)
    assert warm.bytes == 8
    assert [warm.take(key) for key in "abc"] == [None, (trees["b"], 4), (trees["c"], 4)]
    assert (warm.take("b"), warm.bytes) == (None, 0)  # a tree can only be taken once


def test_a_tree_replaces_its_predecessor_and_no_other_if_it_does_not_fit() -> None:
    warm, newer = Warm(10), tree()
    warm.keep("a", tree(), 4)
    warm.keep("a", newer, 5)
    warm.keep("b", tree(), 11)
    assert warm.bytes == 5
    assert (warm.take("a"), warm.take("b")) == ((newer, 5), None)


def question_about(game_id: str) -> Question:
    position = TOY.new(2, 1)
    position.play_nature(position.legal_codes()[0])
    return validate_query(position, Limits(iterations=10, game_id=game_id))


def test_a_rejected_question_leaves_the_kept_trees() -> None:
    """There is room for two trees."""
    trees = Trees(Capacity(workers=1, warm_bytes=2 * MIB))
    limits = Limits(iterations=10, max_tree_bytes=MIB)
    with trees.lend(question_about("first"), HERE, limits) as lent:
        first = lent.make()
        first.run(iterations=10)
        first.release()
    for game_id in ("second", "third", "first", "fourth", "fifth"):
        with pytest.raises(ServiceError), trees.lend(question_about(game_id), HERE, limits):
            raise_error(Reason.BUSY, "", "no worker can finish the minimum iterations in time")
    with trees.lend(question_about("first"), HERE, limits) as again:
        assert again.make() is first


async def test_a_caller_with_all_rooms_leaves_some_to_the_next() -> None:
    rooms, one, next_one = TreeSlots(2), Caller("one"), Caller("next")
    async with AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(rooms.taken(one))
        waiting = [asyncio.ensure_future(held.enter_async_context(rooms.taken(one))) for _ in range(2)]
        async with rooms.taken(next_one):
            pass
        assert not any(task.done() for task in waiting)
        waiting[0].cancel()
        await asyncio.wait(waiting[:1])
        await held.pop_all().aclose()
        await waiting[1]
        await held.aclose()
        async with rooms.taken(one), rooms.taken(one):
            pass


async def test_trees_of_reviews_have_at_most_half_of_the_memory() -> None:
    trees, plain = Trees(Capacity(workers=16, memory=256 * MIB)), question_about("any")
    question = Question(root=plain.root, limits=Limits(iterations=10, max_tree_bytes=REVIEW_TREE_BYTES), whole=True)
    async with AsyncExitStack() as held:
        opening = [
            asyncio.ensure_future(held.enter_async_context(trees.open(question, Caller(f"caller {number % 8}"))))
            for number in range(64)
        ]
        for _ in range(1000):
            await asyncio.sleep(0)
        opened = sum(task.done() for task in opening)
        assert 0 < opened * REVIEW_TREE_BYTES <= 128 * MIB
        for task in opening:
            task.cancel()
        await asyncio.wait(opening)


def test_memory_beside_a_tree_is_counted_while_it_is_used() -> None:
    trees = Trees(Capacity(workers=1, memory=64 << 20, max_searches=4))
    free = trees._memory.take(1 << 40)
    trees._memory.give_back(free)
    with trees.occupied(16 << 20):
        assert trees._memory.take(1 << 40) < free


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
async def test_the_next_question_goes_on_with_the_tree(warm_bytes: int, threads: int | None, known: list[int]) -> None:
    async with served(workers=2, warm_bytes=warm_bytes) as server:
        answers = [await ask(server, opening(game="cathedral"), threads=threads) for _ in known]
    assert [reused(answer) for answer in answers] == known
    assert [answer.statistics.iterations for answer in answers] == [400] * 3
    assert [sum(line.visits for line in answer.lines) for answer in answers] == [400 + before for before in known]
    if threads is None:
        assert [answer.reproducible for answer in answers] == [not before for before in known]


async def test_a_hint_that_its_reader_leaves_helps_the_move(server: Served) -> None:
    position = opening(game="cathedral")
    request = AnalyzeRequest(question=question(position, time_budget=HOUR, game_id="g"))
    request.update_interval.FromMilliseconds(10)
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


async def test_a_kept_tree_is_not_used_for_other_cards(server: Served) -> None:
    """If other cards came up, the tree's statistics do not belong to this position."""
    first, second = (game("cathedral").new(2, seed) for seed in (1, 2))
    for position in (first, second):
        position.play_nature(position.legal_codes()[0])
    await ask(server, first)
    answer = await ask(server, second)
    assert {line.action.text for line in answer.lines} == {action.text for action in second.legal_actions()}
    assert sum(line.visits for line in answer.lines) == 400 + reused(answer)


@pytest.mark.parametrize("warm_bytes", [0, 1 << 19])
async def test_a_search_whose_tree_is_not_kept_has_its_share_of_memory(warm_bytes: int) -> None:
    async with served(warm_bytes=warm_bytes, memory=1 << 30) as server:
        answer = await ask(server, opening(game="cathedral"), iterations=10_000)
    assert [warning.message for warning in answer.warnings] == []


async def test_a_search_has_its_share_when_the_system_is_short_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(question: Any, size: int) -> Any:
        if size > 1 << 23:
            raise_error(Reason.BUSY, "", "the server has no memory left for another search")
        return new_searcher(question, size)

    monkeypatch.setattr(memory, "new_searcher", limited)
    async with served(memory=1 << 30) as server:
        for game_id in ("", "g"):
            assert (await ask(server, opening(), game_id=game_id)).statistics.iterations == 400
        assert server.app.analysis._trees._memory._extra == 0
