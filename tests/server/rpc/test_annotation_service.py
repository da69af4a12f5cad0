"""AnnotateGame: the same review as in one process, after all other searches, for all who may see the game."""

import asyncio
import threading
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.engine import Record, State
from clerestory.search.review import ReviewPlan, annotate
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import SKETCH
from clerestory.server.rpc import annotation_service
from clerestory.server.rpc.callers import ON_BEHALF
from clerestory.server.rpc.translate_annotation import (
    MOST,
    ReviewRequest,
    read_annotation,
    write_ply,
    write_review,
)
from clerestory.service_errors import Reason
from clerestory.v1 import annotation_pb2 as api
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from tests.search.review.games import cut, random_game
from tests.server.rpc.harness import Served, assert_reason, full_server, refusal, served, until

QUICK = 60  # iterations


def text(game: State) -> str:
    return "".join(f"{line}\n" for line in Record(game).lines())


def asked(game: State | None = None, **fields: Any) -> api.AnnotateGameRequest:
    record = {} if game is None else {"record": text(game)}
    return api.AnnotateGameRequest(**{"iterations": QUICK} | record | fields)


async def reviewed(stub: Any, request: api.AnnotateGameRequest) -> list[api.AnnotateGameResponse]:
    return [message async for message in stub.AnnotateGame(request)]


@pytest.fixture
def stub(server: Served) -> Any:
    return AnnotationServiceStub(server.channel)


def plies(messages: list[api.AnnotateGameResponse], *, sketch: bool) -> list[api.ReviewedPly]:
    return sorted(
        (one for message in messages if message.sketch == sketch for one in message.plies), key=lambda p: p.ply
    )


GAME = random_game("toy", 2, 1)


@pytest.mark.parametrize(
    "game", [cut(random_game("duel", 2, 1), 8), cut(random_game("cathedral", 4, 1), 16)], ids=["duel", "cathedral"]
)
async def test_it_is_the_review_of_one_process_after_a_sketch(game: State, stub: Any) -> None:
    messages = await reviewed(stub, asked(game, seed=9))
    for sketch, iterations in ((True, SKETCH), (False, QUICK)):
        expected = annotate(game, ReviewPlan(iterations=iterations, seed=9))
        assert plies(messages, sketch=sketch) == [write_ply(one, game.game) for one in expected.valuations]
    assert messages[0].sketch
    assert [message.HasField("review") for message in messages] == [False] * (len(messages) - 1) + [True]
    assert messages[-1].review == write_review(expected)
    assert messages[-1].done == messages[-1].total >= len(expected.valuations)


async def test_a_server_that_ends_gives_the_reason(stub: Any, server: Served) -> None:
    review = asyncio.ensure_future(reviewed(stub, asked(random_game("duel", 2, 1), iterations=MOST)))
    await until(lambda: server.app.scheduler.admitted > 0)
    server.app.scheduler.finish()
    assert_reason(await refusal(review), Reason.FINISHING)


async def test_a_review_waits_and_is_not_rejected_where_searches_have_all_places() -> None:
    async with full_server(workers=2) as server:
        short = asked(random_game("toy", 2, 1), iterations=50)
        assert (await AnnotationServiceStub(server.channel).AnnotateGame(short).read()).total


async def test_reviews_of_one_caller_leave_places_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotation_service, "MOST_REVIEWS", 2)
    async with served() as server:
        stub = AnnotationServiceStub(server.channel)
        first = stub.AnnotateGame(asked(GAME, iterations=MOST))
        await until(lambda: server.app.scheduler.admitted > 0)
        assert_reason(await refusal(stub.AnnotateGame(asked(GAME, iterations=MOST)).read()), Reason.BUSY)
        other = stub.AnnotateGame(asked(GAME, iterations=50), metadata=[(ON_BEHALF, "another")])
        assert (await other.read()).total
        for call in (first, other):
            call.cancel()


async def test_records_are_read_one_at_a_time(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many come at once, there are threads for the long answers to others."""
    reading, most, admission, came = list[str](), list[int](), threading.Event(), list[Caller]()

    def read(request: api.AnnotateGameRequest) -> ReviewRequest:
        reading.append(request.record)
        most.append(len(reading))
        admission.wait()
        reading.pop()
        return read_annotation(request)

    monkeypatch.setattr(annotation_service, "read_annotation", read)
    monkeypatch.setattr(Reviewer, "require_place", lambda _, caller: came.append(caller))
    calls = [asyncio.ensure_future(reviewed(stub, asked(random_game("toy", 2, 1)))) for _ in range(3)]
    try:
        await until(lambda: len(came) == len(calls) and bool(most))
    finally:
        admission.set()
    assert all(messages[-1].HasField("review") for messages in await asyncio.gather(*calls))
    assert most == [1, 1, 1]


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
    (Reason.NO_SUCH_GAME, asked(hosted_game=api.HostedGameReference(game_id="none"))),
]


async def test_an_invalid_request_for_a_review_names_the_field(stub: Any) -> None:
    for reason, request in WRONG:
        error = await refusal(stub.AnnotateGame(request).read())
        assert_reason(error, reason)
        assert reason != Reason.NO_SUCH_GAME or str(error.details()).startswith("hosted_game.game_id: ")


async def test_records_nested_too_deep_are_rejected(stub: Any) -> None:
    """Python reads about a thousand levels; which one is too many depends on how deep the reader is called."""
    for depth in (30_000, *range(900, 1000, 9)):
        nested = "[" * depth + "]" * depth
        for line in (nested, f'{{"record":1,"seed":null,"position":{{"rules_revision":1,"toy":{nested}}}}}\n'):
            assert_reason(await refusal(stub.AnnotateGame(asked(record=line)).read()), Reason.BAD_RECORD)
