"""The calls that GameService rejects, each with its reason."""

from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from clerestory.server.rpc.errors import CODES
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from tests.server.games.table import BOT, PERSON, table
from tests.server.rpc.harness import assert_reason, details, refusal


def plan(kind: int, **fields: Any) -> games.SeatPlan:
    return games.SeatPlan(kind=kind, **fields)  # type: ignore[arg-type]


SEATS: list[tuple[Reason, str, list[games.SeatPlan]]] = [
    (Reason.BAD_SEATS, "seats", [BOT]),
    (Reason.BAD_OPTIONS, "seats[1].kind", [BOT, games.SeatPlan()]),
    (Reason.BAD_OPTIONS, "seats[0].name", [plan(2, name="x" * 41), BOT]),
    (Reason.BAD_OPTIONS, "seats[0].name", [plan(2, name="a\nb"), BOT]),
    (Reason.BAD_OPTIONS, "seats[0].name", [plan(1, name="x"), BOT]),
    (Reason.BAD_OPTIONS, "seats[0].bot", [plan(1, bot=games.Bot()), BOT]),
    (Reason.BAD_LEVEL, "seats[1].bot.level", [BOT, plan(3, bot=games.Bot(level=9))]),
    (Reason.BAD_CHARACTER, "seats[1].bot.character", [BOT, plan(3, bot=games.Bot(level=3, character="mabel"))]),
    (Reason.BAD_TIME_BUDGET, "seats[1].bot.time_budget", [BOT, plan(3, bot=games.Bot(time_budget=Duration()))]),
]
FIELDS: list[tuple[Reason, str, dict[str, Any]]] = [
    (Reason.BAD_OPTIONS, "options.hints", {"options": games.GameOptions(hints=9)}),  # type: ignore[arg-type]
    (Reason.BAD_OPTIONS, "options.delay_plies", {"options": games.GameOptions(delay_plies=1001)}),
    (Reason.BAD_OPTIONS, "seed", {"seed": 1 << 53}),
    (Reason.BAD_OPTIONS, "seed", {"seed": 1, "options": games.GameOptions(table=True)}),
    (Reason.BAD_OPTIONS, "request_id", {"request_id": "short"}),
]
CREATE = [
    (Reason.BAD_GAME, "game", games.CreateGameRequest(game="chess")),
    *((reason, field, games.CreateGameRequest(game="toy", seats=seats)) for reason, field, seats in SEATS),
    *((reason, field, games.CreateGameRequest(game="toy", seats=[BOT, BOT], **more)) for reason, field, more in FIELDS),
]


async def test_an_invalid_game_is_not_made() -> None:
    async with table() as played:
        for reason, field, request in CREATE:
            error = await refusal(played.stub.CreateGame(request))
            assert_reason(error, reason)
            assert [fault.field for fault in details(error, BadRequest).field_violations] == [field]
        assert played.app.manager.unfinished == 1


CALLS: list[tuple[Reason, str, type[Any], dict[str, Any]]] = [
    (Reason.NO_SUCH_GAME, "SetSeat", games.SetSeatRequest, {"game_id": "none", "plan": BOT}),
    (Reason.NO_SUCH_GAME, "EndGame", games.EndGameRequest, {"game_id": "none", "reason": 2}),
    (Reason.WRONG_SEAT_TOKEN, "PlayAction", games.PlayActionRequest, {"tokens": ["x"]}),
    (Reason.WRONG_SEAT_TOKEN, "GetGame", games.GetGameRequest, {}),
    (Reason.SEAT_TAKEN, "JoinGame", games.JoinGameRequest, {}),
    (Reason.BAD_OPTIONS, "JoinGame", games.JoinGameRequest, {"name": "x" * 41}),
    (Reason.BAD_OPTIONS, "EndGame", games.EndGameRequest, {"reason": 1}),
    (Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest, {"page_size": 101}),
    (Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest, {"page_token": "x"}),
    (Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest, {"tokens": ["x"] * 101}),
    (Reason.BAD_PAGE, "ListGames", games.GameServiceListGamesRequest, {"status": games.GAME_STATUS_FROZEN}),
]


async def test_calls_that_are_rejected() -> None:
    async with table(PERSON, BOT) as played:
        for reason, method, kind, fields in CALLS:
            named = {} if "page" in str(fields) or method == "ListGames" else {"game_id": played.game_id}
            error = await refusal(getattr(played.stub, method)(kind(**named | fields)))
            assert_reason(error, reason)
            assert error.code() == CODES[reason]


async def test_an_onlooker_who_acts_learns_nothing() -> None:
    """Neither how far the game is, nor whose turn it is, nor which outcome was entered."""
    for onlookers in (games.ONLOOKERS_NONE, games.ONLOOKERS_LINK, games.ONLOOKERS_ALL):
        options = games.GameOptions(onlookers=onlookers, delay_plies=1000, table=True)
        async with table(PERSON, PERSON, options=options, seed=None) as played:
            told = set()
            for _ in range(4):
                seen = await played.look()
                text, other = [one.action.text for view in seen.views for one in view.actions][:2]
                version = (await played.play(text, seen.game.version)).game.version
                for number in (0, version - 1, version, version + 1):
                    for method, fields in (
                        ("PlayAction", {"action": text}),
                        ("PlayAction", {"action": other}),
                        ("TakeBack", {"ply": 0}),
                        ("SetPrivateOutcome", {"seat": 0, "outcome": text}),
                    ):
                        error = await refusal(played.call(method, version=number, **fields))
                        assert_reason(error, Reason.WRONG_SEAT_TOKEN)
                        told.add(error.details())
            assert len(told) == 1


async def test_onlookers_leave_room_for_players_who_watch() -> None:
    options = games.GameOptions(onlookers=games.ONLOOKERS_ALL)
    async with table(PERSON, PERSON, options=options, settings={"max_watchers": 1}) as played:
        for tokens in ([], played.tokens(0), played.tokens(1), [played.made.owner_token]):
            watching = played.call("WatchGame", tokens=tokens)
            await watching.read()
            assert_reason(await refusal(played.call("WatchGame", tokens=tokens).read()), Reason.TOO_MANY_WATCHERS)


async def test_each_caller_has_a_limit_of_its_own() -> None:
    """Also each name that a caller acts for."""
    plan = games.CreateGameRequest(game="toy", seats=[PERSON, BOT])
    async with table(PERSON, BOT, settings={"max_games_each": 1}) as played:
        await played.stub.CreateGame(plan, metadata=[("x-on-behalf-of", "Ada")])
        for metadata in ([], [("x-on-behalf-of", "Ada")]):
            error = await refusal(played.stub.CreateGame(plan, metadata=metadata))
            assert_reason(error, Reason.TOO_MANY_GAMES)
            assert dict(details(error, ErrorInfo).metadata) == {"limit": "max_games_each", "most": "1"}
