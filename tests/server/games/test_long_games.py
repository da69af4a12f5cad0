"""Games with more entries than any honest one: no call about them stops the others or takes much memory."""

import asyncio
import threading
from typing import Any
from unittest.mock import Mock, patch

import pytest

from clerestory.engine.games import GAMES
from clerestory.server.games import commands, takebacks
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.session import CHUNK as MOST
from clerestory.server.rpc import game_service, translate, translate_games
from clerestory.server.rpc import watch as watches
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.position_pb2 import Position
from clerestory.v1.toy_pb2 import ToyPosition
from tests.laws import walk
from tests.server.games.table import BOTH, PERSON, Table, play_out, table
from tests.server.rpc.harness import assert_reason, question, refusal, served, until
from tests.server.rpc.rules import CASES

ALL = games.GameOptions(take_backs=games.TAKE_BACKS_ALL, onlookers=games.ONLOOKERS_ALL)
LATE = games.GameOptions(take_backs=games.TAKE_BACKS_ALL, onlookers=games.ONLOOKERS_ALL, delay_plies=1)


def back_and_forth(hosted: HostedGame, version: int) -> None:
    """Play and take back until a game has `version` entries."""
    while hosted.version < version:
        commands.play(hosted, BOTH, hosted.version, hosted.position.legal_actions()[0].text, 5)
        takebacks.take_back(hosted, BOTH, hosted.version, 0, False, 5)


async def lengthen(played: Table, version: int) -> None:
    async with played.app.manager.lend(played.game_id) as live:
        await played.app.manager.change(live, lambda hosted: back_and_forth(hosted, version))


def counted() -> Any:
    """Count the entries that are added to states of games meanwhile, in whatever thread."""
    return patch.object(HostedGame, "add", autospec=True, side_effect=HostedGame.add)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_the_limit_is_far_above_games_that_are_played(name: str, seats: int) -> None:
    assert sum(1 for _ in walk(GAMES[name], seats, 1)) < commands.MAX_ENTRIES / 5


async def test_a_long_log_is_watched_in_messages_of_bounded_size_and_can_be_resumed_at_each() -> None:
    async with table(PERSON, PERSON, options=ALL) as played:
        await lengthen(played, 4 * MOST)
        last = (await played.look()).game.version
        versions, since = list[int](), 0
        with counted() as added:
            watching = played.watch(from_version=0)
            while (await watching.read()).game.version < last:
                pass
            watching.cancel()
        assert added.call_count <= 2 * last, "once for the states, once for what the entries say"
        while since < last:
            watching = played.watch(from_version=since)
            for _ in range(2):
                state = await watching.read()
                assert state.ByteSize() < 100_000
                assert 0 < len(state.entries) <= MOST
                versions += [entry.version for entry in state.entries]
                assert state.game.version == versions[-1]
                if state.game.version == last:
                    break
            since = state.game.version
            watching.cancel()
        assert versions == list(range(1, last + 1))
        assert state.views == (await played.look()).views


async def test_the_past_is_sent_in_messages_that_all_newcomers_share() -> None:
    write = patch.object(watches, "write_state", wraps=watches.write_state)
    write_entry = patch.object(watches, "entry_message", wraps=watches.entry_message)
    async with table(PERSON, PERSON, options=ALL) as played:
        await lengthen(played, 3 * MOST)
        last = (await played.look()).game.version
        stays = played.watch(from_version=last)
        await stays.read()

        async def read_all() -> list[bytes]:
            states, watching = list[games.WatchGameResponse](), played.watch(from_version=0)
            while not states or states[-1].game.version < last:
                states.append(await watching.read())
                states[-1].ClearField("presence")
            watching.cancel()
            return [state.SerializeToString() for state in states if state.HasField("game")]

        with counted() as added, write as made, write_entry as entries:
            told = await asyncio.gather(*(read_all() for _ in range(20)))
        assert told == told[:1] * 20
        assert [call.args[0].version for call in made.call_args_list] == [*range(MOST, last, MOST)]  # but the latest
        assert [call.args[1].version for call in entries.call_args_list] == list(range(1, last + 1))
        assert added.call_count <= 2 * last
        stays.cancel()


async def test_no_message_is_stored_for_viewers_who_left() -> None:
    async with table(PERSON, PERSON, options=ALL) as played:
        await lengthen(played, 2 * MOST)
        async with played.app.manager.lend(played.game_id) as live:
            stays = played.watch()
            await stays.read()
            for since in range(0, live.hosted.version, 20):
                watching = played.watch(0, from_version=since)
                await watching.read()
                watching.cancel()
            await until(lambda: len(live.watchers) == 1)
            assert len(live.states) == len({viewer for viewer, *_ in live.states}) == 2
            assert len(live.earlier_states) == live.hosted.version // MOST
            assert len(live.entries) == live.hosted.version
            stays.cancel()
            await until(lambda: not live.watchers)
            assert (live.states, live.earlier_states, live.entries) == ({}, {}, {})


@pytest.mark.parametrize("method", ["GetGame", "GetRecord", "ListGames"])
async def test_a_delayed_game_is_replayed_once_for_all_onlookers(method: str) -> None:
    async with table(PERSON, PERSON, options=LATE) as played:
        await lengthen(played, 1000)

        def call() -> Any:
            listed = games.GameServiceListGamesRequest()
            return played.stub.ListGames(listed) if method == "ListGames" else played.call(method)

        with counted() as added:
            answers = await asyncio.gather(*(call() for _ in range(10)))
            assert 0 < added.call_count < (await played.look()).game.version
        assert answers == [answers[0]] * 10
        await played.play_first()
        with counted() as added:
            after = await call()
        assert added.call_count <= 10  # only the new plies
        assert after != answers[0] or method == "GetRecord"


async def test_a_repeated_take_back_replays_the_game_once() -> None:
    async with table(PERSON, PERSON, options=ALL) as played:
        await lengthen(played, 500)
        version = (await played.play_first()).game.version
        back = {"tokens": played.tokens(), "version": version, "ply": 0}
        first = await played.call("TakeBack", **back)
        await lengthen(played, 1000)
        with counted() as added:
            assert await played.call("TakeBack", **back) == first
        assert added.call_count < version + 20


@pytest.mark.parametrize(
    ("work", "method", "fields"),
    [("write_line", "GetGame", {"entries_from_ply": 1}), ("write_record", "GetRecord", {})],
)
async def test_long_work_leaves_the_event_loop(
    work: str, method: str, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done, threads = getattr(game_service, work), list[threading.Thread]()
    monkeypatch.setattr(
        game_service, work, lambda *given: (threads.append(threading.current_thread()), done(*given))[1]
    )
    monkeypatch.setattr("clerestory.server.games.background.INLINE_LIMIT", 3)
    async with table(PERSON, PERSON, options=ALL) as played:
        await play_out(played)
        await played.call(method, **fields)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


TOY = ToyPosition(players=[{}] * 20_000)  # type: ignore[list-item]
TOO_LONG = [
    (Reason.BAD_POSITION, RecommendMoveRequest(position=Position(rules_revision=1, toy=TOY), iterations=1)),
    (Reason.BAD_CONSIDER_ACTIONS, question(iterations=1, consider_actions=[""] * 30_000)),
    (Reason.BAD_AVOID_ACTIONS, question(iterations=1, avoid_actions=[""] * 30_000)),
    (Reason.BAD_SEATS, games.CreateGameRequest(game="toy", seats=[games.SeatPlan()] * 15_000)),
]


@pytest.mark.parametrize(("reason", "request_"), TOO_LONG, ids=[reason for reason, _ in TOO_LONG])
async def test_requests_of_too_many_parts_are_rejected_unread(
    reason: Reason, request_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = Mock(side_effect=AssertionError("it was read"))
    if reason == Reason.BAD_POSITION:
        monkeypatch.setattr(translate, "position_fields", unread)
    monkeypatch.setattr("clerestory.server.analysis.question.code_of", unread)
    monkeypatch.setattr(translate_games, "read_holder", unread)
    async with served() as server:
        makes = isinstance(request_, games.CreateGameRequest)
        call: Any = GameServiceStub(server.channel).CreateGame if makes else server.advisor.RecommendMove
        assert_reason(await refusal(call(request_)), reason)
