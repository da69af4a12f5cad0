"""Reviews of hosted games: the knowledge that they use, how they are stored, and who may request one."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.engine import GAMES, State
from clerestory.search.review import ReviewPlan, annotate
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import SKETCH
from clerestory.server.games.bounds import MOST_REVIEWS
from clerestory.server.games.reviews import PlyCache, digest_of_plan
from clerestory.server.games.store import Store
from clerestory.server.rpc.translate_annotation import read_plies, write_plies, write_review
from clerestory.service_errors import Reason
from clerestory.v1 import annotation_pb2 as api
from clerestory.v1 import games_pb2 as games
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from tests.search.review.games import random_game
from tests.server.games.table import OPEN, PERSON, Table, table
from tests.server.rpc.harness import assert_reason, refusal, served, until
from tests.server.rpc.test_annotation_service import QUICK, asked, reviewed
from tests.shipped import DUEL


def of(hosted: Table, *tokens: str, **fields: Any) -> api.AnnotateGameRequest:
    return asked(hosted_game=api.HostedGameReference(game_id=hosted.game_id, tokens=tokens), **fields)


async def finish(hosted: Table) -> None:
    seen = await hosted.look()
    while seen.game.status != games.GAME_STATUS_OVER:
        await hosted.play_first()
        seen = await hosted.look()


@asynccontextmanager
async def hosted_game(*seats: games.SeatPlan, **fields: Any) -> AsyncIterator[tuple[Table, Any]]:
    async with table(*seats, **fields) as hosted, grpc.aio.insecure_channel(hosted.app.address) as channel:
        yield hosted, AnnotationServiceStub(channel)


async def test_a_hosted_game_that_is_over_is_reviewed_by_each_seats_own_knowledge() -> None:
    async with hosted_game() as (hosted, stub):
        await finish(hosted)
        [*_, last] = await reviewed(stub, of(hosted, *hosted.tokens(0)))
        record = await hosted.stub.GetRecord(games.GetRecordRequest(game_id=hosted.game_id, tokens=hosted.tokens(0)))
        [*_, same] = await reviewed(stub, asked(record=record.record))
    assert last.review == same.review
    assert last.review.ended
    assert not last.review.HasField("viewer_seat")


async def test_a_running_game_is_reviewed_with_the_knowledge_of_the_callers_seat() -> None:
    """The review is the same for all games that look the same to the seat."""
    async with hosted_game() as (hosted, stub):
        await hosted.play_first()
        [*_, last] = await reviewed(stub, of(hosted, *hosted.tokens(1)))
        whole = hosted.app.manager.cache.games[hosted.game_id].hosted.record(None).state
    assert last.review.viewer_seat == 1
    assert not last.review.ended
    hidden = [annotate(other, ReviewPlan(iterations=QUICK, viewer=1)) for other in look_alikes(whole, 1)]
    assert len(hidden) == 3
    assert all(write_review(one) == last.review for one in hidden)


def look_alikes(game: State, seat: int) -> list[State]:
    """Return the game, and others with the same actions that a seat cannot distinguish from it."""
    found = [game]
    for seed in range(200):
        other = game.origin.observe(seat).determinize(seed)
        if other.to_bytes() in {one.origin.to_bytes() for one in found}:
            continue
        try:
            for action in game.history:
                other.play(action)
        except ValueError:  # another hand, which could not have played this
            continue
        found.append(other)
    return found[:3]


class Searches:
    """The searches of reviews: their seeds, as they begin. The one numbered `stuck` never ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seeds: list[int] = []
        self.stuck = 0
        search = Reviewer.search

        async def noted(reviewer: Reviewer, question: Any, caller: Any) -> Any:
            self.seeds.append(question.seed)
            if len(self.seeds) == self.stuck:
                await asyncio.Event().wait()
            return await search(reviewer, question, caller)

        monkeypatch.setattr(Reviewer, "search", noted)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    return Searches(monkeypatch)


async def test_a_review_that_was_left_goes_on(
    searches: Searches, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its plies are in the store: the next call computes only the missing ones, and the one after that none."""
    monkeypatch.setattr("clerestory.server.analysis.reviews.EVERY", 0.001)
    settings = {"store": str(tmp_path / "games.sqlite")}
    searches.stuck = 4
    async with hosted_game(settings=settings) as (hosted, stub):
        await finish(hosted)
        end = hosted.app.manager.cache.games[hosted.game_id].hosted.record(None).state
        request = of(hosted, *hosted.tokens(0), iterations=SKETCH)  # one pass
        call = stub.AnnotateGame(request)
        first = await call.read()
        await until(lambda: len(searches.seeds) == searches.stuck)
        call.cancel()
        await until(lambda: hosted.app.scheduler.admitted == 0)
        [*_, whole] = await reviewed(stub, request)
        done = len(searches.seeds)
        [*_, again] = await reviewed(stub, request)
        assert again.review == whole.review
    async with served(**settings) as server:
        [*_, later] = await reviewed(AnnotationServiceStub(server.channel), request)
        assert later.review == whole.review
    assert searches.stuck < done == len(searches.seeds)
    anew = annotate(end, ReviewPlan(iterations=SKETCH))
    assert whole.review == write_review(anew)
    sent = {ReviewPlan().seed_of(ply.ply, 0) for ply in first.plies}
    assert sent
    assert sent <= set(searches.seeds[: searches.stuck])
    assert not sent & set(searches.seeds[searches.stuck :])  # plies sent before the cancellation are not searched again


async def test_onlookers_store_one_review_for_a_setting_and_none_for_a_seed_or_a_time() -> None:
    async with hosted_game(options=games.GameOptions(onlookers=games.ONLOOKERS_ALL)) as (hosted, stub):
        await finish(hosted)
        store = hosted.app.manager.store

        async def size() -> int:
            return sum(tally.bytes for tally in (await store.tally()).values())

        async def review(**fields: Any) -> None:
            await reviewed(stub, of(hosted, **fields))

        empty = await size()
        for seed in range(1, 4):
            await review(iterations=60, seed=seed)
        assert await size() == empty
        await review(iterations=SKETCH)
        sketch = await size()
        assert sketch > empty
        await review(iterations=SKETCH, seed=0)
        reference = of(hosted).hosted_game
        await reviewed(stub, api.AnnotateGameRequest(hosted_game=reference, time_budget=Duration(seconds=1)))
        assert await size() == sketch
        sizes = list[int]()
        for iterations in range(50, 52 + MOST_REVIEWS):
            await review(iterations=iterations)
            sizes.append(await size())
        assert max(sizes) - empty < 1.2 * MOST_REVIEWS * (sketch - empty)


@pytest.mark.parametrize("reason", [games.END_REASON_RESIGNED, games.END_REASON_ABANDONED])
async def test_the_review_of_a_game_that_its_players_ended_is_stored(reason: Any, searches: Searches) -> None:
    needed = []
    async with hosted_game() as (hosted, stub):
        tokens = [hosted.made.owner_token, *hosted.tokens(0)]
        for _ in range(3):
            await hosted.play_first()
        for ends in (False, False, True, False):
            if ends:
                await hosted.stub.EndGame(games.EndGameRequest(game_id=hosted.game_id, tokens=tokens, reason=reason))
            searches.seeds.clear()
            await reviewed(stub, of(hosted, *tokens, viewer_seat=0))
            needed.append(len(searches.seeds))
    assert needed[0] == needed[1] == needed[2] > 1  # while it is played, none is kept
    assert needed[3] == 1  # that of the last position, which is no ply


async def test_a_stored_ply_is_complete() -> None:
    plies = annotate(random_game("toy", 3, 1), ReviewPlan(iterations=QUICK)).valuations
    assert read_plies(write_plies(plies, GAMES["cathedral"])) == {one.ply: one for one in plies}


class Damaged(Store):
    """A store with the review of one game, whatever it is asked for."""

    def __init__(self, hosted: Mapping[int, bytes]) -> None:
        self._kept = hosted

    async def reviewed(self, game_id: str, plan: str) -> Mapping[int, bytes]:
        return self._kept


async def test_damaged_plies_are_not_used_for_a_review() -> None:
    end, plan = random_game("toy", 2, 1), ReviewPlan(iterations=QUICK)
    plies = {one.ply: one for one in annotate(end, plan).valuations}
    write = partial(write_plies, game=end.game)
    hosted = write(list(plies.values()))
    hosted |= {1: b"\xff\xfe\xc3", 2: hosted[3], 7: b"", len(plies) + 1: hosted[1]}
    hosted |= write([replace(plies[4], before=plies[4].before[:1]), replace(plies[5], after=(1, 2, 3))])
    known = await PlyCache(Damaged(hosted), "game", end, True, write, read_plies).known(plan)
    assert known == {ply: one for ply, one in plies.items() if ply not in (1, 2, 4, 5, 7)}


def test_a_review_by_other_settings_or_another_value_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ({}, {"iterations": 61}, {"seed": 1}, {"viewer": 0}, {"options": {"horizon": 7}})
    plans, digests = [ReviewPlan(**{"iterations": 60} | one) for one in settings], set[str]()
    for value in (("hand", ""), ("net", "weights 1"), ("net", "weights 2")):
        monkeypatch.setattr("clerestory.server.games.reviews.value_in_use", lambda *_, value=value: value)
        digests |= {digest_of_plan(plan, DUEL, 2) for plan in plans}
    assert len(digests) == 15


async def test_a_running_game_is_for_its_players_alone() -> None:
    async with hosted_game() as (hosted, stub):
        for request in (of(hosted, *hosted.tokens(1), viewer_seat=0), of(hosted, *hosted.owner), of(hosted)):
            assert_reason(await refusal(stub.AnnotateGame(request).read()), Reason.WRONG_SEAT_TOKEN)


@pytest.mark.parametrize("hints", [games.HINTS_NEVER, games.HINTS_AFTERWARDS])
async def test_a_game_without_hints_is_reviewed_once_it_is_over(hints: Any) -> None:
    async with hosted_game(options=games.GameOptions(hints=hints)) as (hosted, stub):
        assert_reason(await refusal(stub.AnnotateGame(of(hosted, *hosted.tokens(0))).read()), Reason.NO_HINTS_YET)
        await finish(hosted)
        [*_, last] = await reviewed(stub, of(hosted, *hosted.tokens(0)))
        assert last.review.ended


async def test_a_game_that_waits_for_people_is_not_reviewed() -> None:
    async with hosted_game(PERSON, OPEN) as (hosted, stub):
        assert_reason(await refusal(stub.AnnotateGame(of(hosted, *hosted.tokens(0))).read()), Reason.NOT_STARTED)
        assert_reason(await refusal(stub.AnnotateGame(of(hosted)).read()), Reason.WRONG_SEAT_TOKEN)
