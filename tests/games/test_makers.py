"""However many games and seats one token has, another has its half of the server, and is never refused."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest

from clerestory.advice.demand import Demand, Priority, TreeTask
from clerestory.advice.policy import Policy
from clerestory.clients.wire import duration
from clerestory.engine import Record
from clerestory.server.callers import SEAT
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.annotation_pb2 import AnnotateGameRequest
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import PERSON
from tests.review.games import random_game
from tests.server.harness import Served, long_question, opening, question, served, until

MAKER, OTHER = "token-of-a-maker", "token-of-another"
MANY = 200
MINUTE = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=duration(60)))  # at full strength
QUICK = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=duration(0.2)))


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


class Slice(NamedTuple):
    """A slice of a worker: for what, from when to when, and how many seconds of it were searched."""

    demand: Demand
    began: float
    ended: float
    seconds: float


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> list[Slice]:
    """What a worker has done, in this order."""
    pick, put_back = Policy.pick, Policy.put_back
    began, done = dict[TreeTask, float](), list[Slice]()

    def picked(policy: Policy, now: float) -> TreeTask | None:
        tree = pick(policy, now)
        if tree is not None:
            began[tree] = now
        return tree

    def returned(policy: Policy, tree: TreeTask, seconds: float, iterations: int, now: float) -> None:
        done.append(Slice(tree.demand, began[tree], now, seconds))
        put_back(policy, tree, seconds, iterations, now)

    monkeypatch.setattr(Policy, "pick", picked)
    monkeypatch.setattr(Policy, "put_back", returned)
    return done


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "tokens").write_text(f"{MAKER}\n{OTHER}\n")
    return {"token_file": tmp_path / "tokens"}


@pytest.fixture
async def server(settings: dict[str, Any], slices: list[Slice]) -> AsyncIterator[Served]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(served(**settings))


async def make(server: Served, *seats: games.SeatPlan) -> games.CreateGameResponse:
    """Make a game, for the maker."""
    request = games.CreateGameRequest(game="duel", seats=seats)
    made: games.CreateGameResponse = await GameServiceStub(server.channel).CreateGame(request, metadata=bearer(MAKER))
    return made


async def moved(server: Served, made: games.CreateGameResponse) -> None:
    """Wait until somebody has moved in a game."""
    request = games.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
    while True:
        seen = await GameServiceStub(server.channel).GetGame(request, metadata=bearer(MAKER))
        if seen.game.version > made.game.version:
            return
        await asyncio.sleep(0.02)


async def search_of_another(server: Served, slices: list[Slice]) -> tuple[list[Slice], list[Slice]]:
    """Return the slices of a second's search of another token, and all from its first to its last."""
    before = len(slices)
    asked = question(opening(game="duel"), time_budget=duration(1))
    await server.advisor.RecommendMove(asked, metadata=bearer(OTHER))  # which raises if it is refused
    makers = {live.kept.head.maker for live in server.app.keeper.cache.games.values()}
    assert len(makers) == 1
    its = [one for one in slices[before:] if one.demand.origin not in makers]
    return its, [one for one in slices[before:] if its[0].began <= one.began < its[-1].ended]


async def assert_half(server: Served, slices: list[Slice]) -> None:
    """Another's search gets half of what is searched meanwhile at least, and half of the time at most.

    On a machine that has other things to do a worker cannot search all the time.
    """
    its, all_of_them = await search_of_another(server, slices)
    seconds = sum(one.seconds for one in its)
    leeway = 2 * max(one.seconds for one in all_of_them)
    assert seconds >= sum(one.seconds for one in all_of_them) / 2 - leeway
    assert seconds <= (its[-1].ended - its[0].began) / 2 + leeway


# -- games -----------------------------------------------------------------------------------------


async def test_games_of_bots_only_leave_another_token_all_it_can_use(server: Served, slices: list[Slice]) -> None:
    for _ in range(MANY):
        await make(server, MINUTE, MINUTE)
    await until(lambda: any(one.demand.priority == Priority.BACKGROUND for one in slices))
    assert {one.demand.priority for one in slices} == {Priority.BACKGROUND}
    assert {one.demand.part for one in slices} == {"bots"}
    for _ in range(2):
        its, all_of_them = await search_of_another(server, slices)
        assert len(its) > 0.9 * len(all_of_them)


async def test_games_with_a_bot_and_a_seat_leave_another_token_its_half(server: Served, slices: list[Slice]) -> None:
    for _ in range(MANY):
        await make(server, MINUTE, PERSON)
    await until(lambda: len({one.demand.part for one in slices}) > 64)
    for _ in range(2):
        await assert_half(server, slices)


async def test_a_bot_that_a_person_plays_with_moves_though_games_of_bots_only_wait(server: Served) -> None:
    for _ in range(MANY):
        await make(server, MINUTE, MINUTE)
    await moved(server, await make(server, QUICK, PERSON))


async def test_games_of_bots_only_go_on_when_workers_are_idle(server: Served, slices: list[Slice]) -> None:
    made = [await make(server, QUICK, QUICK) for _ in range(3)]
    await asyncio.gather(*(moved(server, one) for one in made))


async def test_bots_are_their_makers_after_a_restart(
    settings: dict[str, Any], slices: list[Slice], tmp_path: Path
) -> None:
    settings |= {"store": str(tmp_path / "games")}
    async with served(**settings) as server:
        await make(server, MINUTE, PERSON)
        await until(lambda: bool(slices))
        origins = {one.demand.origin for one in slices}
    slices.clear()
    async with served(**settings) as server:
        await until(lambda: bool(slices))
    assert {one.demand.origin for one in slices} == origins


# -- seats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [60, pytest.param(MANY, marks=pytest.mark.slow)])
async def test_many_seats_that_ask_leave_another_token_its_half(server: Served, slices: list[Slice], many: int) -> None:
    """Each seat asks for a move, a hint and a review, again and again."""
    made = [await make(server, PERSON, PERSON) for _ in range(many // 2)]
    seats = [(SEAT, f"{one.game.game_id} {seat.token}") for one in made for seat in one.seat_tokens]
    record = "".join(f"{line}\n" for line in Record(random_game("duel", 2, 1)).lines())
    asking = [
        asyncio.ensure_future(insist(ask))
        for seat in seats
        for ask in questions(server, (*bearer(MAKER), seat), record)
    ]
    await until(lambda: len({one.demand.part for one in slices}) > 30)
    for _ in range(2):
        await assert_half(server, slices)
    for one in asking:
        one.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


def questions(server: Served, seat: Any, record: str) -> list[Callable[[], Any]]:
    """Return the calls of a seat: for a move, a hint and a review."""
    hint, review = AnalyzeRequest(question=long_question()), AnnotateGameRequest(record=record)
    return [
        lambda: server.advisor.RecommendMove(long_question(), metadata=seat),
        lambda: last(server.advisor.Analyze(hint, metadata=seat)),
        lambda: last(AnnotationServiceStub(server.channel).AnnotateGame(review, metadata=seat)),
    ]


async def last(stream: Any) -> None:
    """Read a stream to its end."""
    async for _ in stream:
        pass


async def insist(ask: Callable[[], Any]) -> None:
    """Ask again after each refusal."""
    while True:
        try:
            await ask()
        except grpc.aio.AioRpcError:
            await asyncio.sleep(5)
