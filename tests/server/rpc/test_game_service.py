"""GameService over a real server: games of every kind to their end, seats, take-backs, lists and rejections."""

import asyncio
from itertools import count
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from clerestory.engine import GAMES, NATURE, read_records
from clerestory.server.games import commands
from clerestory.server.games.viewer import steps_since
from clerestory.server.rpc.errors import CODES
from clerestory.server.rpc.translate import write_position, write_referee
from clerestory.server.rpc.translate_games import write_entries, write_state
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.games.table import (
    BOT,
    BOTH,
    NOW,
    OPEN,
    PERSON,
    STORED,
    Table,
    at,
    first,
    first_action,
    hosted,
    play_out,
    seated,
    table,
)
from tests.server.rpc.harness import Served, assert_reason, details, refusal

REQUEST = "a-name-that-nobody-guesses"
LISTED = games.GameOptions(listed=True)
RESIGNED, ABANDONED = games.END_REASON_RESIGNED, games.END_REASON_ABANDONED


async def listed(played: Table, **fields: Any) -> list[str]:
    found = await played.stub.ListGames(games.GameServiceListGamesRequest(**fields))
    return [game.game_id for game in found.games]


# -- whole games -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "seats"),
    [("toy", (BOT, PERSON, BOT)), ("cathedral", (PERSON, BOT)), ("duel", (BOT, PERSON))],
)
async def test_a_game_against_bots_is_played_to_its_end(game: str, seats: tuple[games.SeatPlan, ...]) -> None:
    async with table(*seats, game=game) as played:
        last = await play_out(played)
        assert last.game.status == games.GAME_STATUS_OVER
        assert sum(last.game.end.outcome.win_shares) == pytest.approx(1)
        answer = await played.record()
    [record] = read_records(answer.record.splitlines())
    assert answer.whole
    assert (record.seed, len(record.state.history)) == (7, last.game.ply)
    assert record.state.win_shares() == tuple(last.game.end.outcome.win_shares)


async def test_a_bot_is_somebody_with_a_name_a_level_and_a_manner() -> None:
    mabel = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(character="mabel"))
    async with table(PERSON, mabel, BOT) as played:
        seats = (await played.look(0)).game.seats
        assert [seat.name for seat in seats] == ["", "Mabel", ""]
        assert [(seat.bot.character, seat.bot.level) for seat in seats[1:]] == [("mabel", 2), ("", 1)]
        request = games.GetGameRequest(game_id=played.game_id, tokens=played.tokens(0))
        spoken = await played.stub.GetGame(request, metadata=[("accept-language", "he")])
        assert spoken.game.seats[1].name == "מייבל"
        assert (await play_out(played)).game.status == games.GAME_STATUS_OVER


async def test_at_a_table_chance_events_are_entered() -> None:
    async with table(game="cathedral", seed=None, options=games.GameOptions(table=True)) as played:
        for _ in range(30):
            seen = await played.look()
            if seen.game.turn.kind == rules.TURN_KIND_NATURE:
                assert sum(action.probability for action in seen.views[0].actions) == pytest.approx(1)
            await played.play(first_action(seen), seen.game.version)
        assert not seen.game.commitment
        assert {entry.applied.drawn for entry in (await played.look(entries_from_ply=1)).entries} == {False}


def test_an_entry_shows_that_the_server_moved_for_a_person() -> None:
    game = hosted(seconds_per_move=2.0)
    commands.play_bot(game, game.version, first(game), NOW)
    commands.play(game, BOTH, game.version, first(game), NOW)
    entries = write_entries(game, steps_since(at(game, 0), game, BOTH))
    assert [entry.played_on for entry in entries if not entry.applied.drawn] == [True, False]


def test_a_game_with_a_clock_says_what_is_left_and_what_was_given_back() -> None:
    game = hosted(seconds_per_game=60.0, increment=0.5)
    before, seat = game.copy(), game.turn or 0
    commands.play(game, BOTH, game.version, first(game), STORED + 20_000)
    commands.give_back(before, game, STORED + 5_000, STORED + 20_000)
    state = write_state(game, BOTH)
    left = [time.ToMilliseconds() for time in state.game.time_left]
    assert (left[seat], left[1 - seat]) == (45_500, 60_000)
    given_back = write_entries(game, steps_since(before, game, BOTH))[-1].time_given_back
    assert (given_back.seat, given_back.time.ToMilliseconds()) == (seat, 5_000)
    assert (state.game.options.time_per_game.seconds, state.game.options.increment.nanos) == (60, 500_000_000)
    assert not write_state(hosted(), BOTH).game.time_left


# -- games that go on from a record ----------------------------------------------------------------


async def beginning_of(played: Table, plies: int) -> games.Beginning:
    """A record of a game up to a ply, from its opening."""
    [record] = read_records((await played.record()).record.splitlines())
    opening = rules.AnyPosition(referee=write_referee(record.state.origin))
    return games.Beginning(opening=opening, actions=[action.text for action in record.state.history[:plies]])


@pytest.mark.parametrize("game", ["toy", "duel"])
async def test_a_game_goes_on_from_a_record(game: str) -> None:
    async with table(PERSON, PERSON, game=game) as played:
        last = await play_out(played)
        record = await beginning_of(played, last.game.ply // 2)
        again = await seated(played.stub, played.app, PERSON, PERSON, game=game, seed=None, beginning=record)
        seen = await again.look(entries_from_ply=1)
        assert [entry.applied.action.text for entry in seen.entries][: len(record.actions)] == list(record.actions)
        assert not any(entry.applied.drawn for entry in seen.entries[: len(record.actions)])
        assert seen.game.seed_chosen
        end = await play_out(again, 0, 1)
        [whole] = read_records((await again.record()).record.splitlines())
    assert (whole.seed, len(whole.state.history)) == (None, end.game.ply)
    assert write_referee(whole.state.origin) == record.opening.referee


async def test_a_record_continued_is_over_at_its_end_and_its_luck_is_not_taken_back(played: Table) -> None:
    last = await play_out(played)
    before = played.app.manager.unfinished
    whole, begun = [
        await seated(played.stub, played.app, PERSON, PERSON, seed=None, beginning=await beginning_of(played, plies))
        for plies in (last.game.ply, 3)
    ]
    assert whole.made.game.status == games.GAME_STATUS_OVER
    assert whole.made.game.end.outcome == last.game.end.outcome
    assert played.app.manager.unfinished == before + 1
    back = begun.call("TakeBack", tokens=begun.tokens(), version=begun.made.game.version, ply=0)
    assert_reason(await refusal(back), Reason.TAKE_BACK_REFUSED)


async def test_a_game_at_a_table_goes_on_from_what_a_seat_knows() -> None:
    state = GAMES["cathedral"].new(2, 3).observe(0)
    record = games.Beginning(opening=rules.AnyPosition(position=write_position(state)))
    options = games.GameOptions(table=True)
    async with table(PERSON, BOT, game="cathedral", seed=None, options=options, beginning=record) as played:
        assert (await played.look(0)).views[0].position == write_position(state.observe(NATURE))


WHOLE, KNOWN = (
    rules.AnyPosition(referee=write_referee(GAMES["duel"].new(2, 1))),
    rules.AnyPosition(position=write_position(GAMES["duel"].new(2, 1).observe(0))),
)
TOY = games.Beginning(opening=rules.AnyPosition(referee=write_referee(GAMES["toy"].new(2, 1))))
BAD_BEGINNINGS = [
    (games.Beginning(), Reason.BAD_POSITION, "beginning.opening"),
    (games.Beginning(opening=KNOWN), Reason.BAD_POSITION, "beginning.opening"),
    (TOY, Reason.BAD_OPTIONS, "beginning.opening"),
    (games.Beginning(opening=WHOLE, actions=["castle"]), Reason.BAD_ACTION, "beginning.actions[0]"),
    (games.Beginning(opening=WHOLE, actions=["end"]), Reason.ILLEGAL_ACTION, "beginning.actions[0]"),
    (games.Beginning(opening=WHOLE, actions=["end"] * 1001), Reason.TOO_MANY_ACTIONS, "beginning.actions"),
]


async def test_an_invalid_beginning_is_rejected(server: Served) -> None:
    stub = GameServiceStub(server.channel)
    for beginning, reason, field in BAD_BEGINNINGS:
        error = await refusal(seated(stub, server.app, PERSON, PERSON, game="duel", seed=None, beginning=beginning))
        assert_reason(error, reason)
        assert field in str(error.details())
    assert server.app.manager.unfinished == 0


# -- exactly once ----------------------------------------------------------------------------------


async def test_an_action_that_is_repeated_has_the_same_answer(played: Table) -> None:
    seen = await played.look(0)
    chosen, other = (action.action.text for action in seen.views[0].actions[:2])
    answers = await asyncio.gather(*(played.play(chosen, seen.game.version, 0) for _ in range(8)))
    assert answers == [answers[0]] * 8
    error = await refusal(played.play(other, seen.game.version, 0))
    assert_reason(error, Reason.STALE_VERSION)
    assert dict(details(error, ErrorInfo).metadata) == {"version": str(answers[0].game.version)}
    await played.play_first(1)
    assert await played.play(chosen, seen.game.version, 0) == answers[0]
    assert [entry.applied.turn.seat for entry in answers[0].entries] == [0]


async def test_a_game_is_made_once_for_each_request_id() -> None:
    async with table(PERSON, BOT, request_id=REQUEST, options=games.GameOptions(onlookers=2)) as played:
        again = await seated(played.stub, played.app, PERSON, BOT, request_id=REQUEST)
        assert (again.tokens(), again.owner) == (played.tokens(), played.owner)
        assert again.made.onlooker_token == played.made.onlooker_token != ""
        assert again.game_id == played.game_id
        fresh = [await seated(played.stub, played.app, PERSON, BOT) for _ in range(2)]
        assert len({played.game_id, *(one.game_id for one in fresh)}) == 3
        made = [seated(played.stub, played.app, PERSON, BOT, request_id=REQUEST[::-1]) for _ in range(4)]
        assert len({one.game_id for one in await asyncio.gather(*made)}) == 1


async def test_a_seat_is_taken_once_for_each_request_id_however_late_it_is_repeated() -> None:
    async with table(PERSON, OPEN, OPEN) as played:
        assert played.made.game.status == games.GAME_STATUS_OPEN
        join = {"seat": 1, "request_id": REQUEST, "name": " Ann "}
        joined, again = await asyncio.gather(*[played.call("JoinGame", **join) for _ in "ab"])
        assert again == joined
        assert (joined.game.seats[1].name, joined.seat_token.seat) == ("Ann", 1)
        assert await played.app.manager.store.forget_requests(1 << 62, 9) == 1
        assert await played.call("JoinGame", **join) == joined
        assert await played.call("JoinGame", request_id=REQUEST, name=" Ann ") == joined
        await played.call("SetSeat", tokens=[joined.seat_token.token], seat=1, plan=OPEN)
        assert_reason(await refusal(played.call("JoinGame", **join)), Reason.WRONG_SEAT_TOKEN)
        for _ in range(2):
            await played.call("JoinGame")
        error = await refusal(played.call("JoinGame", request_id=REQUEST))
        assert_reason(error, Reason.WRONG_SEAT_TOKEN)
        assert (error.details() or "").startswith("request_id: ")


# -- looking ---------------------------------------------------------------------------------------


async def test_every_ply_can_be_looked_at(played: Table) -> None:
    for seat in (0, 1):
        await played.play_first(seat)
    seen = await played.look(0, entries_from_ply=1)
    assert [entry.ply for entry in seen.entries] == list(range(1, seen.game.ply + 1))
    assert seen.entries[0].applied.action.text.startswith("turn-up")
    assert all(entry.applied.action.label for entry in seen.entries)
    opening = await played.look(0, ply=0)
    assert (opening.ply, opening.views[0].position.toy.step) == (0, "turn-up")
    assert not opening.views[0].actions
    assert not opening.entries
    assert opening.game == seen.game
    assert_reason(await refusal(played.look(0, ply=99)), Reason.BAD_PLY)


@pytest.mark.parametrize(
    ("onlookers", "with_token", "without"),
    [
        (games.ONLOOKERS_NONE, False, False),
        (games.ONLOOKERS_LINK, True, False),
        (games.ONLOOKERS_ALL, True, True),
    ],
)
async def test_onlookers_come_as_the_game_allows(onlookers: Any, with_token: bool, without: bool) -> None:
    async with table(PERSON, BOT, options=games.GameOptions(onlookers=onlookers)) as played:
        token = played.made.onlooker_token
        assert bool(token) == (onlookers == games.ONLOOKERS_LINK)
        for tokens, allowed in (([token] if token else [], with_token), ([], without)):
            if allowed:
                [view] = (await played.call("GetGame", tokens=tokens)).views
                assert not view.HasField("seat")
                assert not view.actions
            else:
                assert_reason(await refusal(played.call("GetGame", tokens=tokens)), Reason.WRONG_SEAT_TOKEN)


async def test_a_stranger_sees_that_there_is_an_open_seat_and_no_more() -> None:
    async with table(PERSON, OPEN) as played:
        seen = await played.call("GetGame", entries_from_ply=0)
        assert (seen.game.status, len(seen.views)) == (games.GAME_STATUS_OPEN, 0)
        for call in (played.call("GetRecord"), played.call("WatchGame").read()):
            assert_reason(await refusal(call), Reason.WRONG_SEAT_TOKEN)
        asked = [played.call("JoinGame", seat=1) for _ in range(5)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(not isinstance(one, Exception) for one in found) == 1, "one of several gets the last seat"


async def test_the_players_of_a_finished_game_alone_share_the_id_of_its_rematch() -> None:
    """Repeating the request that made a game returns its seat tokens, which give access to hands."""
    async with table(PERSON, PERSON, options=games.GameOptions(onlookers=games.ONLOOKERS_LINK)) as played:

        async def rematch(token: str) -> str:
            return str((await played.call("GetGame", tokens=[token])).rematch_id)

        players = [*played.tokens(), *played.owner]
        assert {await rematch(token) for token in players} == {""}
        await played.call("EndGame", tokens=played.tokens(1), reason=RESIGNED)
        assert await rematch(played.made.onlooker_token) == ""
        [name] = {await rematch(token) for token in players}
        plan = games.CreateGameRequest(game="toy", seats=[OPEN, OPEN], request_id=name)
        made, found = [await played.stub.CreateGame(plan) for _ in range(2)]
        assert made == found
        assert made.game.game_id != played.game_id


# -- lists -----------------------------------------------------------------------------------------


async def test_the_list_shows_what_is_open_to_all_and_what_tokens_belong_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, PERSON) as mine:
        moments = count(mine.app.manager.now() + 1)
        monkeypatch.setattr(mine.app.manager.store, "now", lambda: next(moments))  # no two are made in one millisecond
        made = [await seated(mine.stub, mine.app, PERSON, OPEN, options=LISTED) for _ in "abc"]
        shown = await seated(mine.stub, mine.app, BOT, PERSON, game="duel", options=games.GameOptions(onlookers=3))
        everything = await listed(mine)
        assert everything == [shown.game_id, *(one.game_id for one in reversed(made))]
        request = games.GameServiceListGamesRequest
        page = await mine.stub.ListGames(request(page_size=3))
        rest = await mine.stub.ListGames(request(page_size=3, page_token=page.next_page_token))
        assert [game.game_id for game in (*page.games, *rest.games)] == everything  # in one a bot moves meanwhile
        assert (len(page.games), rest.next_page_token) == (3, "")
        assert {*await listed(mine, tokens=[*mine.tokens(), *made[0].owner, "x"])} == {mine.game_id, made[0].game_id}
        assert await listed(mine, game="duel") == [shown.game_id]
        assert await listed(mine, status=games.GAME_STATUS_RUNNING) == [shown.game_id]
        await made[0].call("EndGame", tokens=made[0].owner, reason=ABANDONED)
        assert made[0].game_id not in await listed(mine)


async def test_the_list_shows_no_game_of_which_a_token_has_become_invalid(played: Table) -> None:
    bobs = played.tokens(1)
    await played.call("SetSeat", tokens=bobs, seat=1, plan=OPEN)
    await played.call("JoinGame", name="Cleo")
    assert await listed(played, tokens=bobs) == []
    assert await listed(played, tokens=[*bobs, *played.tokens(0)]) == [played.game_id]


async def test_a_game_that_is_deleted_while_it_is_listed_is_left_out(
    played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await seated(played.stub, played.app, PERSON, PERSON)
    manager = played.app.manager
    select = manager.store.select

    async def selected(wanted: Any) -> Any:
        found = await select(wanted)
        manager.cache.drop(await manager.store.delete_untouched(1 << 62, 1))
        return found

    monkeypatch.setattr(manager.store, "select", selected)
    assert len(await listed(played, tokens=played.tokens() + other.tokens())) == 1


# -- seats, take-backs, the end --------------------------------------------------------------------


async def test_a_take_back_is_asked_for_and_agreed_to(played: Table) -> None:
    ply = (await played.look(0)).game.ply
    after = await played.play_first(0)
    asked = await played.call("TakeBack", tokens=played.tokens(0), version=after.game.version, ply=ply)
    assert (asked.game.take_back.seat, list(asked.game.take_back.missing)) == (0, [1])
    agreed = {"tokens": played.tokens(1), "version": asked.game.version, "ply": ply}
    done = await played.call("TakeBack", **agreed)
    assert done.game.ply == ply
    assert [entry.WhichOneof("what") for entry in done.entries] == ["take_back_answered", "taken_back"]
    assert not done.entries[0].take_back_answered.declined
    assert done.entries[1].taken_back.from_ply == after.game.ply
    assert done.views[0].position == (await played.look(1)).views[0].position
    assert await played.call("TakeBack", **agreed) == done


# -- rejections ------------------------------------------------------------------------------------


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
MINUTE, BACK = Duration(seconds=60), Duration(seconds=-1)
FIELDS: list[tuple[Reason, str, dict[str, Any]]] = [
    (Reason.BAD_OPTIONS, "options.hints", {"options": games.GameOptions(hints=9)}),  # type: ignore[arg-type]
    (Reason.BAD_OPTIONS, "options.delay_plies", {"options": games.GameOptions(delay_plies=1001)}),
    (Reason.BAD_OPTIONS, "options.increment", {"options": games.GameOptions(increment=Duration(nanos=1))}),
    (Reason.BAD_OPTIONS, "options.increment", {"options": games.GameOptions(time_per_game=MINUTE, increment=BACK)}),
    (Reason.BAD_OPTIONS, "seed", {"seed": 1 << 53}),
    (Reason.BAD_OPTIONS, "seed", {"seed": 1, "options": games.GameOptions(table=True)}),
    (Reason.BAD_OPTIONS, "request_id", {"request_id": "short"}),
]
CREATE = [
    (Reason.BAD_GAME, "game", games.CreateGameRequest(game="chess")),
    *((reason, field, games.CreateGameRequest(game="toy", seats=seats)) for reason, field, seats in SEATS),
    *((reason, field, games.CreateGameRequest(game="toy", seats=[BOT, BOT], **more)) for reason, field, more in FIELDS),
]


async def test_an_invalid_game_is_not_made(played: Table) -> None:
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


async def test_each_caller_has_a_separate_limit() -> None:
    """Also each name that a caller acts for."""
    plan = games.CreateGameRequest(game="toy", seats=[PERSON, BOT])
    async with table(PERSON, BOT, settings={"max_games_each": 1}) as played:
        await played.stub.CreateGame(plan, metadata=[("x-on-behalf-of", "Ada")])
        for metadata in ([], [("x-on-behalf-of", "Ada")]):
            error = await refusal(played.stub.CreateGame(plan, metadata=metadata))
            assert_reason(error, Reason.TOO_MANY_GAMES)
            assert dict(details(error, ErrorInfo).metadata) == {"limit": "max_games_each", "most": "1"}
