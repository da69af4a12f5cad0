"""AnnotateGame: the same review as in one process, after all other searches, for everybody who may see the game."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.advice.analyst import Analyst
from clerestory.advice.reviewer import Reviewer
from clerestory.advice.reviews import SKETCH
from clerestory.engine import GAMES, Record, Rng, State
from clerestory.games.bounds import MOST_REVIEWS
from clerestory.games.reviews import digest_of_plan
from clerestory.refusals import Reason
from clerestory.review import ReviewPlan, annotate
from clerestory.review.annotating import answered
from clerestory.review.course import plies_of
from clerestory.review.rollouts import FEWEST, estimate, paired
from clerestory.review.words import SHOWN
from clerestory.server.translate_annotation import (
    MOST,
    read_plies,
    write_plies,
    write_ply,
    write_review,
    write_rollouts,
)
from clerestory.v1 import annotation_pb2 as api
from clerestory.v1 import games_pb2 as games
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from tests.games.table import OPEN, PERSON, Table, table
from tests.review.games import cut, random_game
from tests.server.harness import assert_reason, long_question, refusal, served, until
from tests.shipped import DUEL

QUICK = 60  # iterations


def text(game: State) -> str:
    return "".join(f"{line}\n" for line in Record(game).lines())


def asked(game: State | None = None, **fields: Any) -> api.AnnotateGameRequest:
    """A request for the review of a record."""
    record = {} if game is None else {"record": text(game)}
    return api.AnnotateGameRequest(**{"iterations": QUICK} | record | fields)


async def reviewed(stub: Any, request: api.AnnotateGameRequest) -> list[api.AnnotateGameResponse]:
    return [message async for message in stub.AnnotateGame(request)]


@asynccontextmanager
async def annotating(**settings: Any) -> AsyncIterator[tuple[Any, Any]]:
    async with served(**settings) as server:
        yield AnnotationServiceStub(server.channel), server


def plies(messages: list[api.AnnotateGameResponse], *, sketch: bool) -> list[api.ReviewedPly]:
    return sorted(
        (one for message in messages if message.sketch == sketch for one in message.plies), key=lambda p: p.ply
    )


# -- the review ------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
async def test_it_is_the_review_of_one_process(workers: int) -> None:
    """The same plies and the same ledger, whoever runs the searches and on however many threads."""
    for game in (random_game("duel", 2, 1), cut(random_game("cathedral", 4, 1), 40)):
        expected = annotate(game, ReviewPlan(iterations=QUICK, seed=9))
        async with annotating(workers=workers) as (stub, _):
            messages = await reviewed(stub, asked(game, seed=9))
        assert plies(messages, sketch=False) == [write_ply(one, game.game) for one in expected.valuations]
        assert messages[-1].review == write_review(expected)


async def test_a_sketch_comes_first_and_the_ledger_last() -> None:
    game = random_game("toy", 3, 2)
    async with annotating() as (stub, _):
        messages = await reviewed(stub, asked(game))
    first, last = messages[0], messages[-1]
    assert first.sketch
    assert [message.HasField("review") for message in messages] == [False] * (len(messages) - 1) + [True]
    sketch = annotate(game, ReviewPlan(iterations=SKETCH))
    assert plies(messages, sketch=True) == [write_ply(one, game.game) for one in sketch.valuations]
    assert (last.done, last.total) == (len(sketch.valuations),) * 2


async def test_a_review_of_no_more_than_a_sketch_is_one_pass() -> None:
    async with annotating() as (stub, _):
        messages = await reviewed(stub, asked(random_game("toy", 2, 1), iterations=SKETCH))
    assert not any(message.sketch for message in messages)


async def test_the_ledger_adds_up_on_the_wire() -> None:
    async with annotating() as (stub, _):
        messages = await reviewed(stub, asked(random_game("cathedral", 2, 3), iterations=50))
    for seat in messages[-1].review.seats:
        luck = sum(one.luck for one in seat.luck)
        assert seat.start + luck + seat.errors + seat.gifts + seat.revaluation == seat.final
    for ply in plies(messages, sketch=False):
        assert sum(ply.before) == sum(ply.after) == 1_000_000


async def test_a_time_is_enough_for_a_review() -> None:
    async with annotating() as (stub, _):
        request = api.AnnotateGameRequest(record=text(random_game("toy", 2, 1)), time_budget=Duration(seconds=1))
        [*_, last] = await reviewed(stub, request)
    assert 50 <= last.review.iterations <= MOST


async def test_errors_are_played_on_as_in_one_process() -> None:
    """The worst errors have rollouts, equal to those of this process with as many pairs; the ledger stays the same."""
    game = random_game("toy", 2, 1)
    plan = ReviewPlan(iterations=QUICK)
    expected = annotate(game, plan)
    async with annotating() as (stub, _):
        *parts, last = await reviewed(stub, asked(game, deep_budget=Duration(seconds=1)))
    matter = expected.errors()[:SHOWN]
    assert matter, "a record without errors tests nothing"
    assert [part.done for part in parts if part.deepening] == list(range(len(matter)))
    roots = {ply.number: ply.root for ply in plies_of(game)}
    for one, error in zip(matter, last.review.errors, strict=False):
        root, seeds, said = roots[one.ply], Rng(plan.seed_of(one.ply, 2)), error.rollouts
        assert root is not None
        assert said.pairs >= FEWEST
        pairs = [answered(paired(root, one, plan, seeds.next())) for _ in range(said.pairs)]
        assert said == write_rollouts(estimate(pairs))
    for error in last.review.errors:
        error.ClearField("rollouts")
    assert last.review == write_review(expected)


# -- beside other searches -------------------------------------------------------------------------


async def test_it_waits_for_others_and_leaves_nothing_running() -> None:
    """Its searches have the lowest priority, and end when its caller leaves."""
    async with annotating() as (stub, server):
        call = stub.AnnotateGame(asked(random_game("duel", 2, 1), iterations=MOST))
        await until(lambda: server.app.scheduler.admitted > 0)
        move = asyncio.ensure_future(server.advisor.RecommendMove(long_question()))
        await until(lambda: server.app.scheduler.admitted > 1)
        call.cancel()
        await until(lambda: server.app.scheduler.admitted == 1)
        move.cancel()
        await until(lambda: server.app.scheduler.admitted == 0)


async def test_a_search_that_was_kept_waiting_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted repeatedly, it has the same result as one that ran in one go."""
    game = cut(random_game("duel", 2, 1), 14)
    expected = annotate(game, ReviewPlan(iterations=3000))
    monkeypatch.setattr("clerestory.advice.analyst.TURN", 0.004)
    turns = 0
    turn = Analyst._turn

    async def counted(self: Analyst, *arguments: Any) -> Any:
        nonlocal turns
        turns += 1
        return await turn(self, *arguments)

    monkeypatch.setattr(Analyst, "_turn", counted)
    async with annotating() as (stub, _):
        [*_, last] = await reviewed(stub, asked(game, iterations=3000))
    assert last.review == write_review(expected)
    assert turns > 4 * len(expected.valuations)


async def test_a_server_that_ends_says_so() -> None:
    async with annotating() as (stub, server):
        review = asyncio.ensure_future(reviewed(stub, asked(random_game("duel", 2, 1), iterations=MOST)))
        await until(lambda: server.app.scheduler.admitted > 0)
        server.app.scheduler.finish()
        assert_reason(await refusal(review), Reason.FINISHING)


async def test_no_room_is_said_at_once() -> None:
    async with annotating(max_searches=1) as (stub, server):
        move = asyncio.ensure_future(server.advisor.RecommendMove(long_question()))
        await until(lambda: server.app.scheduler.admitted > 0)
        assert_reason(await refusal(stub.AnnotateGame(asked(random_game("toy", 2, 1))).read()), Reason.BUSY)
        move.cancel()


# -- what makes no sense ---------------------------------------------------------------------------

GAME = random_game("toy", 2, 1)
WRONG: list[tuple[Reason, api.AnnotateGameRequest]] = [
    (Reason.BAD_GAME, asked()),
    (Reason.BAD_RECORD, asked(record="")),
    (Reason.BAD_RECORD, asked(record="no record\n")),
    (Reason.BAD_RECORD, asked(record=text(GAME).replace("fold", "dance").replace("play", "dance"))),
    (Reason.BAD_ITERATIONS, asked(GAME, iterations=49)),
    (Reason.BAD_ITERATIONS, asked(GAME, iterations=MOST + 1)),
    (Reason.BAD_TIME_BUDGET, asked(GAME, time_budget=Duration(seconds=9))),
    (Reason.BAD_TIME_BUDGET, api.AnnotateGameRequest(record=text(GAME), time_budget=Duration(nanos=1))),
    (Reason.BAD_TIME_BUDGET, asked(GAME, deep_budget=Duration(nanos=1))),
    (Reason.BAD_SEAT, asked(GAME, viewer_seat=2)),
    (Reason.NO_SUCH_GAME, asked(kept_game=api.KeptGameReference(game_id="none"))),
]


async def test_what_makes_no_sense_is_refused_by_name() -> None:
    async with annotating() as (stub, _):
        for reason, request in WRONG:
            assert_reason(await refusal(stub.AnnotateGame(request).read()), reason)


@pytest.mark.parametrize("end", ["", "\n"])
async def test_records_nested_too_deep_are_no_records(end: str) -> None:
    """Python reads about a thousand levels; which one is too many depends on how deep the reader is called."""
    async with annotating() as (stub, _):
        for depth in (30_000, *range(900, 1000, 3)):
            nested = "[" * depth + "]" * depth
            for line in (nested, f'{{"record":1,"seed":null,"position":{{"rules_revision":1,"toy":{nested}}}}}'):
                error = await refusal(stub.AnnotateGame(asked(record=line + end)).read())
                assert_reason(error, Reason.BAD_RECORD)


# -- kept games ------------------------------------------------------------------------------------


def of(kept: Table, *tokens: str, **fields: Any) -> api.AnnotateGameRequest:
    return asked(kept_game=api.KeptGameReference(game_id=kept.game_id, tokens=tokens), **fields)


async def finish(kept: Table) -> None:
    seen = await kept.look()
    while seen.game.status != games.GAME_STATUS_OVER:
        await kept.play_first()
        seen = await kept.look()


@asynccontextmanager
async def kept_game(*seats: games.SeatPlan, **fields: Any) -> AsyncIterator[tuple[Table, Any]]:
    async with table(*seats, **fields) as kept, grpc.aio.insecure_channel(kept.app.address) as channel:
        yield kept, AnnotationServiceStub(channel)


async def test_a_kept_game_that_is_over_is_reviewed_by_each_seats_own_knowledge() -> None:
    async with kept_game() as (kept, stub):
        await finish(kept)
        [*_, last] = await reviewed(stub, of(kept, *kept.tokens(0)))
        record = await kept.stub.GetRecord(games.GetRecordRequest(game_id=kept.game_id, tokens=kept.tokens(0)))
        [*_, same] = await reviewed(stub, asked(record=record.record))
    assert last.review == same.review
    assert last.review.ended
    assert not last.review.HasField("viewer_seat")


async def test_a_running_game_is_reviewed_by_what_ones_own_seat_knows() -> None:
    """The review is the same for all games that look the same to the seat."""
    async with kept_game() as (kept, stub):
        await kept.play_first()
        [*_, last] = await reviewed(stub, of(kept, *kept.tokens(1)))
        whole = kept.app.keeper.cache.games[kept.game_id].kept.record(None).state
    assert last.review.viewer_seat == 1
    assert not last.review.ended
    hidden = [annotate(other, ReviewPlan(iterations=QUICK, viewer=1)) for other in look_alikes(whole, 1)]
    assert len(hidden) == 3
    assert all(write_review(one) == last.review for one in hidden)


def look_alikes(game: State, seat: int) -> list[State]:
    """The game, and others of the same actions that a seat cannot tell from it."""
    found = [game]
    for seed in range(200):
        other = game.origin.observe(seat).deal(seed)
        if other.to_bytes() in {one.origin.to_bytes() for one in found}:
            continue
        try:
            for action in game.history:
                other.play(action)
        except ValueError:  # another hand, which could not have played this
            continue
        found.append(other)
    return found[:3]


async def test_a_review_that_was_left_goes_on_and_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its plies are in the store: the next call computes only the missing ones, and the one after that none."""
    searched: list[int] = []
    search = Reviewer.search

    async def counted(self: Reviewer, question: Any, caller: Any) -> Any:
        searched.append(question.seed)
        return await search(self, question, caller)

    monkeypatch.setattr(Reviewer, "search", counted)
    monkeypatch.setattr("clerestory.advice.reviews.EVERY", 0.001)
    settings = {"store": str(tmp_path / "games.sqlite")}
    async with kept_game(game="duel", settings=settings) as (kept, stub):
        await finish(kept)
        end = kept.app.keeper.cache.games[kept.game_id].kept.record(None).state
        request = of(kept, *kept.tokens(0), iterations=SKETCH)  # one pass
        call = stub.AnnotateGame(request)
        first = await call.read()
        call.cancel()
        await until(lambda: kept.app.scheduler.admitted == 0)
        left = len(searched)
        [*_, whole] = await reviewed(stub, request)
        done = len(searched)
        [*_, again] = await reviewed(stub, request)
        assert again.review == whole.review
    async with served(**settings) as server:
        [*_, later] = await reviewed(AnnotationServiceStub(server.channel), request)
        assert later.review == whole.review
    assert 0 < left < done == len(searched)
    anew = annotate(end, ReviewPlan(iterations=SKETCH))
    assert whole.review == write_review(anew)
    sent = {ReviewPlan().seed_of(ply.ply, 0) for ply in first.plies}
    assert sent
    assert sent <= set(searched[:left])
    assert not sent & set(searched[left:])  # what was done before it was left was not done again


async def test_onlookers_store_one_review_for_a_setting_and_none_for_a_seed_or_a_time() -> None:
    async with kept_game(options=games.GameOptions(onlookers=games.ONLOOKERS_ALL)) as (kept, stub):
        await finish(kept)
        store = kept.app.keeper.store

        async def size() -> int:
            return sum(tally.bytes for tally in (await store.tally()).values())

        async def review(**fields: Any) -> None:
            await reviewed(stub, of(kept, **fields))

        empty = await size()
        for seed in range(1, 4):
            await review(iterations=60, seed=seed)
        assert await size() == empty
        await review(iterations=SKETCH)
        sketch = await size()
        assert sketch > empty
        await review(iterations=SKETCH, seed=0)
        timed = api.AnnotateGameRequest(kept_game=of(kept).kept_game, time_budget=Duration(seconds=1))
        await reviewed(stub, timed)
        assert await size() == sketch
        sizes = list[int]()
        for iterations in range(50, 50 + 2 * MOST_REVIEWS):
            await review(iterations=iterations)
            sizes.append(await size())
        assert max(sizes) - empty < 1.2 * MOST_REVIEWS * (sketch - empty)


async def test_what_a_store_has_of_a_ply_is_all_of_it() -> None:
    plies = annotate(random_game("toy", 3, 1), ReviewPlan(iterations=QUICK)).valuations
    assert read_plies(write_plies(plies, GAMES["cathedral"])) == {one.ply: one for one in plies}


def test_a_review_by_other_settings_or_another_value_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [
        ReviewPlan(iterations=60),
        ReviewPlan(iterations=61),
        ReviewPlan(iterations=60, seed=1),
        ReviewPlan(iterations=60, viewer=0),
    ]
    plans.append(ReviewPlan(iterations=60, options={"horizon": 7}))
    digests = set()
    for value in (("hand", ""), ("net", "weights 1"), ("net", "weights 2")):
        monkeypatch.setattr("clerestory.games.reviews.value_in_use", lambda _, value=value: value)
        digests |= {digest_of_plan(plan, DUEL, 2) for plan in plans}
    assert len(digests) == 15


NOT_FOR = [
    ("a seat that is not one's own", {"viewer_seat": 0}, (1,), Reason.WRONG_SEAT_TOKEN),
    ("nobody's", {}, (), Reason.WRONG_SEAT_TOKEN),
]


@pytest.mark.parametrize(("what", "fields", "seats", "reason"), NOT_FOR, ids=[what for what, *_ in NOT_FOR])
async def test_a_running_game_is_for_its_players_alone(
    what: str, fields: dict[str, Any], seats: tuple[int, ...], reason: Reason
) -> None:
    async with kept_game() as (kept, stub):
        tokens = kept.tokens(*seats) if seats else [kept.made.owner_token]
        assert_reason(await refusal(stub.AnnotateGame(of(kept, *tokens, **fields)).read()), reason)
        assert_reason(await refusal(stub.AnnotateGame(of(kept)).read()), Reason.WRONG_SEAT_TOKEN)


@pytest.mark.parametrize("hints", [games.HINTS_NEVER, games.HINTS_AFTERWARDS])
async def test_a_game_without_hints_is_reviewed_once_it_is_over(hints: Any) -> None:
    async with kept_game(options=games.GameOptions(hints=hints)) as (kept, stub):
        assert_reason(await refusal(stub.AnnotateGame(of(kept, *kept.tokens(0))).read()), Reason.NO_HINTS_YET)
        await finish(kept)
        [*_, last] = await reviewed(stub, of(kept, *kept.tokens(0)))
        assert last.review.ended


async def test_a_game_that_waits_for_people_is_not_reviewed() -> None:
    async with kept_game(PERSON, OPEN) as (kept, stub):
        assert_reason(await refusal(stub.AnnotateGame(of(kept, *kept.tokens(0))).read()), Reason.NOT_STARTED)
        onlooker = stub.AnnotateGame(of(kept))
        assert_reason(await refusal(onlooker.read()), Reason.WRONG_SEAT_TOKEN)


PRODUCED = {
    *(reason for reason, _ in WRONG),
    Reason.NO_HINTS_YET,  # test_a_game_without_hints_is_reviewed_once_it_is_over
}
