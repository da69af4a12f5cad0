"""Numbers, times and texts out of range are rejected on reading; nothing of them is stored, and nothing breaks."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from clerestory.search.limits import LONGEST_TIME
from clerestory.server.analysis.limits import LONGEST_INTERVAL
from clerestory.server.games.creation import LONGEST_MOVE
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Holder, Onlookers, SeatKind
from clerestory.server.games.manager import summary_of
from clerestory.server.games.store import Batch, Unreadable
from clerestory.server.rpc import game_service
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2, annotation_pb2, puzzle_pb2, rules_pb2
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.faults.world import page_token
from tests.server.games.table import BOT, OPEN, PERSON, Table, head, seated, table
from tests.server.rpc.harness import Served, assert_reason, question, refusal

SERVICES = (advisor_pb2, annotation_pb2, games, puzzle_pb2, rules_pb2)
EXTREME = [
    Duration(seconds=(1 << 63) - 1),
    Duration(seconds=-(1 << 63)),
    Duration(seconds=315_576_000_001),
    Duration(seconds=315_576_000_000),
    Duration(nanos=-1),
    Duration(seconds=1, nanos=(1 << 31) - 1),
]
SHOWN = games.GameOptions(onlookers=games.ONLOOKERS_ALL, listed=True)
REQUESTS: dict[str, Message] = {  # requests with times: a valid one for each method, before a time is added
    "RecommendMove": question(),
    "Analyze": advisor_pb2.AnalyzeRequest(question=question(iterations=1)),
    "AnnotateGame": annotation_pb2.AnnotateGameRequest(record="x"),
    "CreateGame": games.CreateGameRequest(game="toy", seats=[PERSON, BOT], options=games.GameOptions()),
    "SetSeat": games.SetSeatRequest(seat=0, plan=BOT),
}
OPTIONS = ("time_per_move", "time_per_game", "increment")
REASONS = {  # else BAD_TIME_BUDGET
    "update_interval": Reason.BAD_UPDATE_INTERVAL,
    **dict.fromkeys(OPTIONS, Reason.BAD_OPTIONS),
}
MOST = {"update_interval": LONGEST_INTERVAL, **dict.fromkeys(OPTIONS, LONGEST_MOVE)}  # seconds; else LONGEST_TIME


def durations(kind: Descriptor, path: str = "") -> Iterator[str]:
    """Yield the path of every time in a message and in those inside it, positions excepted."""
    for field in kind.fields:
        inner = field.message_type
        if inner is not None and inner.full_name == Duration.DESCRIPTOR.full_name:
            yield f"{path}{field.name}"
        elif inner is not None and "osition" not in inner.name:
            yield from durations(inner, f"{path}{field.name}.")


def with_time(method: str, path: str, time: Duration) -> Any:
    """Return a request with a time at a path; of a list, in its last element."""
    request = copy.deepcopy(REQUESTS[method])
    *parents, name = path.split(".")
    message: Any = request
    for parent in parents:
        message = getattr(message, parent)
        message = message if isinstance(message, Message) else message[-1]
    getattr(message, name).CopyFrom(time)
    return request


TIMES = [
    (method.name, path)
    for module in SERVICES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if method.name != "BatchRecommend"  # its queries have other errors: tests/server/rpc/test_batch.py
    for path in durations(method.input_type)
]


async def test_times_beyond_all_limits_are_rejected_and_change_nothing(server: Served) -> None:
    """Every time of every request of every service."""
    assert len(TIMES) >= 9
    stubs = [stub(server.channel) for stub in (AdvisorServiceStub, AnnotationServiceStub, GameServiceStub)]
    played = await seated(stubs[-1], server.app, PERSON, PERSON, options=SHOWN)
    before = await played.stub.ListGames(games.GameServiceListGamesRequest())
    for method, path in TIMES:
        call, field = next(getattr(stub, method) for stub in stubs if hasattr(stub, method)), path.split(".")[-1]
        over = Duration(seconds=int(MOST.get(field, LONGEST_TIME)), nanos=1)
        for time in (*EXTREME, over):
            error = await refusal(begun(call, with_time(method, path, time), played))
            assert_reason(error, REASONS.get(field, Reason.BAD_TIME_BUDGET))
    assert await played.stub.ListGames(games.GameServiceListGamesRequest()) == before
    assert (await played.look()).game == before.games[0]


LIMITS = "must be from 1 s to 720 h"
INVALID = [
    (Duration(nanos=10**9), "is no valid duration"),  # Protobuf does not check nanoseconds
    (Duration(seconds=-1, nanos=1), "is no valid duration"),
    (Duration(seconds=1, nanos=-1), "is no valid duration"),
    (Duration(nanos=999_999_999), f"is 0.999999999 s; {LIMITS}"),
    (Duration(seconds=int(LONGEST_MOVE), nanos=1), f"is 2592000.000000001 s; {LIMITS}"),
]


async def test_an_invalid_time_is_rejected_and_not_rounded(server: Served) -> None:
    for time, text in INVALID:
        request = with_time("CreateGame", "options.time_per_move", time)
        error = await refusal(GameServiceStub(server.channel).CreateGame(request))
        assert (error.details() or "").startswith(f"options.time_per_move: {text}")


async def test_the_longest_times_are_stored_and_shown() -> None:
    longest, move = Duration(seconds=int(LONGEST_TIME)), Duration(seconds=int(LONGEST_MOVE))
    bot = games.Bot(time_budget=longest)
    asked = games.GameOptions(play_on=bot, time_per_move=move, time_per_game=move, increment=move)
    async with table(PERSON, PERSON, options=asked) as played:
        options = (await played.look()).game.options
        assert options.play_on.time_budget == longest
        assert [getattr(options, name) for name in OPTIONS] == [move] * 3


async def begun(call: Any, request: Any, played: Table) -> None:
    """Call a method about a game, and read its first answer."""
    if isinstance(request, games.SetSeatRequest):
        request.game_id, request.tokens[:] = played.game_id, played.tokens(0)
    answer = call(request)
    await (answer.read() if hasattr(answer, "read") else answer)


async def stored(played: Table, game_id: str, **changed: Any) -> None:
    """Store a game that no caller can make."""
    made = HostedGame(replace(head(seats="pb", onlookers=Onlookers.ALL), game_id=game_id, **changed))
    await played.app.manager.store.create(made.head, Batch((), summary_of(made)))


async def test_a_stored_time_beyond_all_limits_is_cut() -> None:
    async with table(PERSON, PERSON, options=SHOWN) as played:
        endless = Holder(SeatKind.BOT, bot=BotSettings(None, 9.3e18))
        await stored(played, "endless", seats=(endless, endless))
        listed = await played.stub.ListGames(games.GameServiceListGamesRequest())
        assert {game.game_id for game in listed.games} == {"endless", played.game_id}
        seen = await played.stub.GetGame(games.GetGameRequest(game_id="endless"))
        assert [seat.bot.time_budget.seconds for seat in seen.game.seats] == [LONGEST_TIME, LONGEST_TIME]


async def test_a_game_that_cannot_be_shown_is_listed_alone_as_frozen() -> None:
    async with table(PERSON, PERSON, options=SHOWN) as played:
        await stored(played, "later", created=1 << 62)  # after the year 9999, the last that a message can hold
        listed = await played.stub.ListGames(games.GameServiceListGamesRequest())
        status = {game.game_id: game.status for game in listed.games}
        assert status == {"later": games.GAME_STATUS_FROZEN, played.game_id: games.GAME_STATUS_RUNNING}
        assert "this server cannot" in listed.games[0].frozen_reason


async def test_a_game_that_cannot_be_read_is_shown_as_frozen_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, PERSON, options=SHOWN) as played:
        await stored(played, "damaged")
        monkeypatch.setattr(played.app.manager.store, "load", AsyncMock(side_effect=Unreadable("its head is damaged")))
        listed = await played.stub.ListGames(games.GameServiceListGamesRequest())
        [frozen] = [game for game in listed.games if game.game_id != played.game_id]
        why = "this server cannot read the game: its head is damaged"
        assert frozen == games.Game(game_id="damaged", status=games.GAME_STATUS_FROZEN, frozen_reason=why)
        seen = await played.stub.GetGame(games.GetGameRequest(game_id="damaged", tokens=["any"]))
        assert seen == games.GetGameResponse(game=frozen)
        acting = games.PlayActionRequest(game_id="damaged", tokens=["any"], action="play 1")
        assert_reason(await refusal(played.stub.PlayAction(acting)), Reason.FROZEN)


async def test_a_game_with_other_rules_is_listed_with_its_reason() -> None:
    async with table(PERSON, PERSON, options=SHOWN) as played:
        await stored(played, "older", rules_revision=99)
        listed = await played.stub.ListGames(games.GameServiceListGamesRequest())
        reasons = {game.game_id: game.frozen_reason for game in listed.games}
        assert reasons[played.game_id] == ""
        assert "revision 99 of the rules" in reasons["older"]
        asked = games.GameServiceListGamesRequest()
        german = await played.stub.ListGames(asked, metadata=[("accept-language", "de")])
        [told] = [game.frozen_reason for game in german.games if game.game_id == "older"]
        assert told.startswith("die Partie hat Fassung 99 der Regeln")
        for call in (
            played.stub.GetRecord(games.GetRecordRequest(game_id="older")),
            played.stub.PlayAction(games.PlayActionRequest(game_id="older", tokens=["seat 0"], action="fold")),
        ):
            assert_reason(await refusal(call), Reason.FROZEN)
        running = games.GameServiceListGamesRequest(status=games.GAME_STATUS_RUNNING)
        listed = await played.stub.ListGames(running)
        assert [game.game_id for game in listed.games] == [played.game_id]


async def test_nothing_is_stored_if_its_answer_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, OPEN) as played:
        named = {"game_id": played.game_id, "tokens": played.owner}
        before = await played.look()
        with monkeypatch.context() as patched:
            patched.setattr(game_service, "write_game", None)
            for method, request in (
                ("CreateGame", games.CreateGameRequest(game="toy", seats=[PERSON, PERSON])),
                ("JoinGame", games.JoinGameRequest(game_id=played.game_id)),
                ("SetSeat", games.SetSeatRequest(**named, seat=1, plan=BOT)),
                ("EndGame", games.EndGameRequest(**named, reason=games.END_REASON_ABANDONED)),
            ):
                assert_reason(await refusal(getattr(played.stub, method)(request)), Reason.INTERNAL)
        assert await played.look() == before
        assert played.app.manager.unfinished == 1


NUL = "a\0b"
ID = "A" * 22
PAGES = [
    *(f"{number} {ID}" for number in (1 << 63, 10**19, 10**300, -1, "", "nan", "٣", "1.0", "+1", "1 1")),
    *("1", "1 ", f"1 {ID} ", f"1  {ID}", f"1 {ID}A", f"1 {NUL}", f"1 {ID}\0", f"1\0 {ID}", "1 '; --", "1 ä"),
]
REFUSED: list[tuple[Reason, str, Any]] = [
    *((Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest(page_token=page_token(text))) for text in PAGES),
    *((Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest(page_token=text)) for text in (NUL, "A", "ä")),
    (Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest(page_size=(1 << 32) - 1)),
    (Reason.BAD_GAME, "ListGames", games.GameServiceListGamesRequest(game=NUL)),
    (Reason.BAD_GAME, "CreateGame", games.CreateGameRequest(game=NUL)),
    *(
        (Reason.NO_SUCH_GAME, method, kind(game_id=game_id))
        for game_id in (NUL, f"{ID}\0", "ä" * 11, "a" * 60_000)
        for method, kind in (
            ("GetGame", games.GetGameRequest),
            ("JoinGame", games.JoinGameRequest),
            ("PlayAction", games.PlayActionRequest),
            ("SetPrivateOutcome", games.SetPrivateOutcomeRequest),
            ("TakeBack", games.TakeBackRequest),
            ("GetRecord", games.GetRecordRequest),
            ("WatchGame", games.WatchGameRequest),
        )
    ),
]


async def test_impossible_keys_are_rejected_before_the_store_is_asked(
    played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("load", "select"):
        monkeypatch.setattr(played.app.manager.store, name, None)
    for reason, method, request in REFUSED:
        assert_reason(await refusal(begun(getattr(played.stub, method), request, played)), reason)


async def test_a_nul_in_a_request_about_a_game_is_rejected() -> None:
    async with table(PERSON, OPEN) as played:
        for reason, method, fields in (
            (Reason.WRONG_SEAT_TOKEN, "GetGame", {"tokens": [NUL]}),
            (Reason.BAD_OPTIONS, "JoinGame", {"name": NUL}),
            (Reason.BAD_OPTIONS, "JoinGame", {"request_id": f"{ID}\0"}),
            (Reason.NOT_STARTED, "PlayAction", {"tokens": played.tokens(), "version": 0, "action": NUL}),
        ):
            assert_reason(await refusal(played.call(method, **fields)), reason)
        assert (await played.look()).game == played.made.game
