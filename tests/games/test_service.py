"""GameService over a real server: games of every kind to their end, seats, take-backs, lists."""

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.engine import GAMES, NATURE, read_records
from clerestory.games.bots import Bots
from clerestory.refusals import Reason, Refusal
from clerestory.server.translate_rules import write_position, write_referee
from clerestory.v1 import games_pb2 as games
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import BOT, OPEN, PERSON, Table, first_action, play_out, seated, table
from tests.server.harness import assert_reason, details, refusal, served

REQUEST = "a-name-that-nobody-guesses"


# -- whole games -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "seats"),
    [("toy", (PERSON, BOT)), ("toy", (BOT, PERSON, BOT)), ("cathedral", (PERSON, BOT, BOT)), ("duel", (BOT, PERSON))],
)
async def test_a_game_against_bots_is_played_to_its_end(game: str, seats: tuple[games.SeatPlan, ...]) -> None:
    async with table(*seats, game=game) as played:
        last = await play_out(played)
        assert last.game.status == games.GAME_STATUS_OVER
        assert sum(last.game.end.outcome.win_shares) == pytest.approx(1)
        answer = await played.stub.GetRecord(games.GetRecordRequest(game_id=played.game_id, tokens=played.tokens()))
    [record] = read_records(answer.record.splitlines())
    assert answer.whole
    assert (record.seed, len(record.state.history)) == (7, last.game.ply)
    assert record.state.returns() == tuple(last.game.end.outcome.win_shares)


async def test_two_people_at_one_screen_play_with_both_tokens() -> None:
    async with table() as played:
        last = await play_out(played, 0, 1)
        assert [view.HasField("seat") for view in last.views] == [False, True, True]
        assert last.game.end.reason == games.END_REASON_PLAYED


async def test_a_bot_is_somebody_with_a_name_a_level_and_a_manner() -> None:
    mabel = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(character="mabel"))
    async with table(PERSON, mabel, BOT) as played:
        seats = (await played.look(0)).game.seats
        assert [seat.name for seat in seats] == ["", "Mabel", ""]
        assert [(seat.bot.character, seat.bot.level) for seat in seats[1:]] == [("mabel", 2), ("", 1)]
        spoken = await played.stub.GetGame(
            games.GetGameRequest(game_id=played.game_id, tokens=played.tokens(0)),
            metadata=[("accept-language", "he")],
        )
        assert spoken.game.seats[1].name == "מייבל"
        assert (await play_out(played)).game.status == games.GAME_STATUS_OVER


async def test_bots_alone_play_by_themselves() -> None:
    async with table(BOT, BOT) as played:
        owner = [played.made.owner_token]
        states = [
            state async for state in played.stub.WatchGame(games.WatchGameRequest(game_id=played.game_id, tokens=owner))
        ]
        assert states[-1].game.status == games.GAME_STATUS_OVER


async def test_at_a_table_what_comes_up_is_entered() -> None:
    options = games.GameOptions(table=True)
    async with table(PERSON, BOT, game="cathedral", seed=None, options=options) as played:
        for _ in range(30):
            seen = await played.look(0)
            if seen.game.turn.kind == rules.TURN_KIND_NATURE:
                assert sum(action.probability for action in seen.views[0].actions) == pytest.approx(1)
            if seen.views[0].actions:
                await played.play(first_action(seen), seen.game.version, 0)
            else:
                await asyncio.sleep(0.01)
        assert not seen.game.commitment
        assert len({entry.applied.drawn for entry in (await played.look(0, entries_from_ply=1)).entries}) == 1


async def test_a_game_begins_when_the_last_seat_is_taken() -> None:
    async with table(PERSON, OPEN, BOT) as played:
        assert played.made.game.status == games.GAME_STATUS_OPEN
        watching = played.watch(0)
        first = await watching.read()
        assert not first.views[0].actions
        request = games.JoinGameRequest(game_id=played.game_id, name=" Ann ", request_id=REQUEST)
        joined = await played.stub.JoinGame(request)
        assert (joined.game.seats[1].name, joined.seat_token.seat) == ("Ann", 1)
        assert await played.stub.JoinGame(request) == joined
        state = await watching.read()
        assert state.entries[0].seat.name == "Ann"
        opened = games.SetSeatRequest(game_id=played.game_id, tokens=[joined.seat_token.token], seat=1, plan=OPEN)
        await played.stub.SetSeat(opened)
        assert_reason(await refusal(played.stub.JoinGame(request)), Reason.WRONG_SEAT_TOKEN)


# -- games that go on from a record ----------------------------------------------------------------


async def beginning_of(played: Table, plies: int) -> games.Beginning:
    """A record of a game up to a ply, from its opening."""
    answer = await played.stub.GetRecord(games.GetRecordRequest(game_id=played.game_id, tokens=played.tokens()))
    [record] = read_records(answer.record.splitlines())
    opening = rules.AnyPosition(referee=write_referee(record.state.origin))
    return games.Beginning(opening=opening, actions=[action.text for action in record.state.history[:plies]])


@pytest.mark.parametrize("game", ["toy", "cathedral", "duel"])
async def test_a_game_goes_on_from_a_record(game: str) -> None:
    async with table(BOT, PERSON, game=game) as played:
        last = await play_out(played)
        record = await beginning_of(played, last.game.ply // 2)
        again = await seated(played.stub, played.app, PERSON, PERSON, game=game, seed=None, beginning=record)
        seen = await again.look(entries_from_ply=1)
        assert [entry.applied.action.text for entry in seen.entries][: len(record.actions)] == list(record.actions)
        assert not any(entry.applied.drawn for entry in seen.entries[: len(record.actions)])
        assert seen.game.seed_chosen
        end = await play_out(again, 0, 1)
        answer = await again.stub.GetRecord(games.GetRecordRequest(game_id=again.game_id, tokens=again.tokens()))
    [whole] = read_records(answer.record.splitlines())
    assert (whole.seed, len(whole.state.history)) == (None, end.game.ply)
    assert write_referee(whole.state.origin) == record.opening.referee


async def test_a_whole_record_is_a_game_that_is_over() -> None:
    async with table(BOT, PERSON) as played:
        last = await play_out(played)
        before = played.app.keeper.unfinished
        again = await seated(
            played.stub, played.app, PERSON, BOT, seed=None, beginning=await beginning_of(played, last.game.ply)
        )
        assert again.made.game.status == games.GAME_STATUS_OVER
        assert again.made.game.end.outcome == last.game.end.outcome
        assert played.app.keeper.unfinished == before


async def test_luck_of_a_record_is_not_taken_back() -> None:
    async with table(BOT, PERSON) as played:
        await play_out(played)
        again = await seated(
            played.stub, played.app, PERSON, PERSON, seed=None, beginning=await beginning_of(played, 3)
        )
        request = games.TakeBackRequest(
            game_id=again.game_id, tokens=again.tokens(), version=again.made.game.version, ply=0
        )
        assert_reason(await refusal(again.stub.TakeBack(request)), Reason.TAKE_BACK_REFUSED)


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


@pytest.mark.parametrize(("beginning", "reason", "field"), BAD_BEGINNINGS)
async def test_a_beginning_that_is_none_is_refused(beginning: games.Beginning, reason: Reason, field: str) -> None:
    async with served() as server:
        stub = GameServiceStub(server.channel)
        error = await refusal(seated(stub, server.app, PERSON, PERSON, game="duel", seed=None, beginning=beginning))
        assert_reason(error, reason)
        assert field in str(error.details())
        assert server.app.keeper.unfinished == 0


# -- exactly once ----------------------------------------------------------------------------------


async def test_an_action_that_is_repeated_has_the_same_answer() -> None:
    async with table() as played:
        seen = await played.look(0)
        answers = await asyncio.gather(*(played.play(first_action(seen), seen.game.version, 0) for _ in range(8)))
        assert all(answer == answers[0] for answer in answers)
        await played.play_first(1)
        assert await played.play(first_action(seen), seen.game.version, 0) == answers[0]
        assert [entry.applied.turn.seat for entry in answers[0].entries] == [0]


async def test_a_stale_version_is_refused_with_the_present_one() -> None:
    async with table() as played:
        seen = await played.look(0)
        first, other = (action.action.text for action in seen.views[0].actions[:2])
        answer = await played.play(first, seen.game.version, 0)
        error = await refusal(played.play(other, seen.game.version, 0))
        assert_reason(error, Reason.STALE_VERSION)
        assert dict(details(error, ErrorInfo).metadata) == {"version": str(answer.game.version)}


async def test_a_game_is_made_once_for_each_name_of_a_request() -> None:
    async with table(PERSON, BOT, request_id=REQUEST, options=games.GameOptions(onlookers=2)) as played:
        again = await seated(played.stub, played.app, PERSON, BOT, request_id=REQUEST)
        assert (again.tokens(), again.made.owner_token) == (played.tokens(), played.made.owner_token)
        assert again.made.onlooker_token == played.made.onlooker_token != ""
        assert again.game_id == played.game_id
        fresh = [await seated(played.stub, played.app, PERSON, BOT) for _ in range(2)]
        assert len({played.game_id, *(one.game_id for one in fresh)}) == 3
        made = [seated(played.stub, played.app, PERSON, BOT, request_id=REQUEST[::-1]) for _ in range(4)]
        assert len({one.game_id for one in await asyncio.gather(*made)}) == 1


async def test_of_two_who_take_the_last_seat_one_gets_it() -> None:
    async with table(PERSON, OPEN) as played:
        asked = [played.stub.JoinGame(games.JoinGameRequest(game_id=played.game_id, seat=1)) for _ in range(5)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        refused = [one for one in found if isinstance(one, grpc.aio.AioRpcError)]
        assert len(refused) == 4
        for error in refused:
            assert_reason(error, Reason.SEAT_TAKEN)


async def test_a_seat_is_taken_once_for_each_name_of_a_request_however_late_it_is_repeated() -> None:
    async with table(PERSON, OPEN, OPEN) as played:
        request = games.JoinGameRequest(game_id=played.game_id, seat=1, request_id=REQUEST)
        joined, again = await asyncio.gather(*[played.stub.JoinGame(request) for _ in "ab"])
        assert again == joined
        store = played.app.keeper.store
        assert await store.forget_requests(1 << 62, 9) == 1
        for seat in ({"seat": 1}, {}):
            request = games.JoinGameRequest(game_id=played.game_id, request_id=REQUEST, **seat)
            assert await played.stub.JoinGame(request) == joined
        opened = games.SetSeatRequest(game_id=played.game_id, tokens=[joined.seat_token.token], seat=1, plan=OPEN)
        await played.stub.SetSeat(opened)
        assert_reason(await refusal(played.stub.JoinGame(request)), Reason.WRONG_SEAT_TOKEN)
        for _ in range(2):
            await played.stub.JoinGame(games.JoinGameRequest(game_id=played.game_id))
        error = await refusal(played.stub.JoinGame(request))
        assert_reason(error, Reason.WRONG_SEAT_TOKEN)
        assert (error.details() or "").startswith("request_id: ")


# -- looking ---------------------------------------------------------------------------------------


async def test_every_ply_can_be_looked_at() -> None:
    async with table() as played:
        for seat in (0, 1):
            await played.play_first(seat)
        seen = await played.look(0, entries_from_ply=1)
        assert [entry.ply for entry in seen.entries] == list(range(1, seen.game.ply + 1))
        texts = [entry.applied.action.text for entry in seen.entries]
        assert texts[0].startswith("turn-up")
        assert all(entry.applied.action.label for entry in seen.entries)
        opening = await played.look(0, ply=0)
        assert (opening.ply, opening.views[0].position.toy.step) == (0, "turn-up")
        assert not opening.views[0].actions
        assert not opening.entries
        assert opening.game == seen.game
        assert_reason(await refusal(played.look(0, ply=99)), Reason.BAD_PLY)


async def test_onlookers_come_as_the_game_allows() -> None:
    for onlookers, with_token, without in (
        (games.ONLOOKERS_NONE, False, False),
        (games.ONLOOKERS_LINK, True, False),
        (games.ONLOOKERS_ALL, True, True),
    ):
        async with table(PERSON, BOT, options=games.GameOptions(onlookers=onlookers)) as played:
            token = played.made.onlooker_token
            assert bool(token) == (onlookers == games.ONLOOKERS_LINK)
            for tokens, allowed in (([token] if token else [], with_token), ([], without)):
                request = games.GetGameRequest(game_id=played.game_id, tokens=tokens)
                if allowed:
                    [view] = (await played.stub.GetGame(request)).views
                    assert not view.HasField("seat")
                    assert not view.actions
                else:
                    assert_reason(await refusal(played.stub.GetGame(request)), Reason.WRONG_SEAT_TOKEN)


async def test_the_players_of_a_finished_game_name_the_next_one_alike_and_nobody_else_does() -> None:
    """Who repeats a request that made a game is told its tokens, with which hands can be seen."""
    async with table(PERSON, PERSON, options=games.GameOptions(onlookers=games.ONLOOKERS_LINK)) as played:

        async def named(*tokens: str) -> str:
            seen = await played.stub.GetGame(games.GetGameRequest(game_id=played.game_id, tokens=tokens))
            return str(seen.rematch_id)

        players = [*played.tokens(), played.made.owner_token]
        assert {await named(token) for token in players} == {""}
        end = games.EndGameRequest(game_id=played.game_id, tokens=played.tokens(1), reason=games.END_REASON_RESIGNED)
        await played.stub.EndGame(end)
        assert await named(played.made.onlooker_token) == ""
        [name] = {await named(token) for token in players}
        plan = games.CreateGameRequest(game="toy", seats=[OPEN, OPEN], request_id=name)
        made, found = [await played.stub.CreateGame(plan) for _ in range(2)]
        assert made == found
        assert made.game.game_id != played.game_id


async def test_whoever_is_invited_sees_that_there_is_a_seat_and_no_more() -> None:
    async with table(PERSON, OPEN) as played:
        seen = await played.stub.GetGame(games.GetGameRequest(game_id=played.game_id, entries_from_ply=0))
        assert seen.game.status == games.GAME_STATUS_OPEN
        assert not seen.views
        for call in (
            played.stub.GetRecord(games.GetRecordRequest(game_id=played.game_id)),
            played.stub.WatchGame(games.WatchGameRequest(game_id=played.game_id)).read(),
        ):
            assert_reason(await refusal(call), Reason.WRONG_SEAT_TOKEN)


async def test_the_list_shows_what_is_open_to_all_and_what_tokens_belong_to() -> None:
    async with table(PERSON, BOT) as mine:
        made = [await seated(mine.stub, mine.app, PERSON, OPEN, options=games.GameOptions(listed=True)) for _ in "abc"]
        shown = await seated(mine.stub, mine.app, BOT, PERSON, game="duel", options=games.GameOptions(onlookers=3))
        request = games.GameServiceListGamesRequest
        listed = await mine.stub.ListGames(request())
        assert [game.game_id for game in listed.games] == [shown.game_id, *(one.game_id for one in reversed(made))]
        first = await mine.stub.ListGames(request(page_size=3))
        second = await mine.stub.ListGames(request(page_size=3, page_token=first.next_page_token))
        paged = [game.game_id for game in (*first.games, *second.games)]
        assert paged == [game.game_id for game in listed.games]  # in one of them a bot moves meanwhile
        assert (len(first.games), second.next_page_token) == (3, "")
        own = await mine.stub.ListGames(request(tokens=[*mine.tokens(), made[0].made.owner_token, "x"]))
        assert {game.game_id for game in own.games} == {mine.game_id, made[0].game_id}
        assert [game.game for game in (await mine.stub.ListGames(request(game="duel"))).games] == ["duel"]
        running = await mine.stub.ListGames(request(status=games.GAME_STATUS_RUNNING))
        assert [game.game_id for game in running.games] == [shown.game_id]


async def test_the_list_shows_no_game_of_which_a_token_has_become_invalid() -> None:
    async with table(PERSON, PERSON) as played:
        bobs = played.tokens(1)
        opened = games.SetSeatRequest(game_id=played.game_id, tokens=bobs, seat=1, plan=OPEN)
        await played.stub.SetSeat(opened)
        await played.stub.JoinGame(games.JoinGameRequest(game_id=played.game_id, name="Cleo"))
        request = games.GameServiceListGamesRequest
        assert not (await played.stub.ListGames(request(tokens=bobs))).games
        assert len((await played.stub.ListGames(request(tokens=[*bobs, *played.tokens(0)]))).games) == 1


async def test_a_game_that_is_deleted_while_it_is_listed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, PERSON) as played:
        other = await seated(played.stub, played.app, PERSON, PERSON)
        keeper = played.app.keeper
        select = keeper.store.select

        async def selected(wanted: Any) -> Any:
            found = await select(wanted)
            keeper.cache.drop(await keeper.store.delete_untouched(1 << 62, 1))
            return found

        monkeypatch.setattr(keeper.store, "select", selected)
        listed = await played.stub.ListGames(games.GameServiceListGamesRequest(tokens=played.tokens() + other.tokens()))
        assert len(listed.games) == 1


async def test_an_abandoned_game_with_an_open_seat_leaves_the_list() -> None:
    async with table(PERSON, OPEN, options=games.GameOptions(listed=True)) as played:
        request = games.GameServiceListGamesRequest()
        assert len((await played.stub.ListGames(request)).games) == 1
        await played.stub.EndGame(
            games.EndGameRequest(game_id=played.game_id, tokens=[played.made.owner_token], reason=3)
        )
        assert not (await played.stub.ListGames(request)).games


async def test_a_record_of_a_running_game_is_what_the_seat_knows() -> None:
    async with table() as played:
        await played.play_first(0)
        answer = await played.stub.GetRecord(games.GetRecordRequest(game_id=played.game_id, tokens=played.tokens(1)))
    [record] = read_records(answer.record.splitlines())
    assert not answer.whole
    assert record.seed is None
    assert record.state.origin == record.state.origin.observe(1)


# -- seats, take-backs, the end --------------------------------------------------------------------


async def test_a_take_back_is_asked_for_and_agreed_to() -> None:
    async with table() as played:
        before = await played.look(0)
        after = await played.play_first(0)
        request = {"game_id": played.game_id, "ply": before.game.ply}
        asked = await played.stub.TakeBack(
            games.TakeBackRequest(**request, tokens=played.tokens(0), version=after.game.version)
        )
        assert (asked.game.take_back.seat, list(asked.game.take_back.missing)) == (0, [1])
        agreed = games.TakeBackRequest(**request, tokens=played.tokens(1), version=asked.game.version)
        done = await played.stub.TakeBack(agreed)
        assert done.game.ply == before.game.ply
        assert [entry.WhichOneof("what") for entry in done.entries] == ["take_back_answered", "taken_back"]
        assert done.entries[1].taken_back.from_ply == after.game.ply
        assert done.views[0].position == (await played.look(1)).views[0].position
        assert await played.stub.TakeBack(agreed) == done


async def test_a_person_leaves_a_bot_goes_on_and_the_person_comes_back() -> None:
    async with table(PERSON, PERSON) as played:
        bot = games.SetSeatRequest(game_id=played.game_id, tokens=played.tokens(0), seat=0, plan=BOT)
        await played.stub.SetSeat(bot)
        async for state in played.watch(1):
            if state.game.turn.seat == 1:
                break
        person = games.SetSeatRequest(game_id=played.game_id, tokens=played.tokens(0), seat=0, plan=PERSON)
        back = await played.stub.SetSeat(person)
        assert back.game.seats[0].kind == games.SEAT_KIND_PERSON


async def test_the_server_moves_for_a_person_whose_time_is_over() -> None:
    options = games.GameOptions(time_per_move=Duration(seconds=1), play_on=games.Bot(level=1))
    async with table(PERSON, BOT, options=options) as played:
        assert played.made.game.HasField("move_deadline")
        entries = [entry async for state in played.watch(0) for entry in state.entries]
    moves = [entry for entry in entries if entry.HasField("applied")]
    assert {(entry.applied.turn.seat, entry.played_on) for entry in moves if entry.applied.turn.kind == 1} == {
        (0, True),
        (1, False),
    }


async def test_of_two_the_other_wins_and_the_owner_can_abandon() -> None:
    async with table() as played:
        request = games.EndGameRequest(game_id=played.game_id, tokens=played.tokens(1), reason=2)
        ended = await played.stub.EndGame(request)
        assert list(ended.game.end.outcome.win_shares) == [1, 0]
        assert ended.game.HasField("seed")
        assert await played.stub.EndGame(request) == ended
        other = await seated(played.stub, played.app, PERSON, BOT)
        abandon = games.EndGameRequest(game_id=other.game_id, tokens=[other.made.owner_token], reason=3)
        assert not (await played.stub.EndGame(abandon)).game.end.HasField("outcome")


# -- bots ------------------------------------------------------------------------------------------


async def test_a_busy_server_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    choose, tries = Bots.choose, []

    async def busy(*arguments: Any) -> str:
        tries.append(len(tries))
        if len(tries) < 3:
            raise Refusal(Reason.BUSY, [("", "full")], retry=0.01)
        return await choose(*arguments)

    monkeypatch.setattr(Bots, "choose", busy)
    async with table(BOT, PERSON) as played:
        async for state in played.watch(1):
            if state.game.turn.seat == 1:
                break
        assert len(tries) >= 3


async def test_a_bot_stops_thinking_when_the_game_changes() -> None:
    thinker = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(seconds=3600)))
    async with table(thinker, PERSON, settings={"max_time": 3600.0}) as played:
        while not played.app.scheduler.admitted:
            await asyncio.sleep(0.002)
        request = games.EndGameRequest(game_id=played.game_id, tokens=[played.made.owner_token], reason=3)
        await played.stub.EndGame(request)
        while played.app.scheduler.admitted:
            await asyncio.sleep(0.002)
