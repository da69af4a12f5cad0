"""Rows damaged by a disk, by hand or by another version stop only their own game."""

import logging
import sqlite3
from typing import Any

import grpc
import pytest

from clerestory.v1 import games_pb2 as games
from tests.server.games.damage import spoil
from tests.server.games.table import BOT, seated_at
from tests.server.rpc.harness import served

HEAD, OPENING = "UPDATE game SET head = {} WHERE id = :id", "json_extract(head, '$.opening')"
ENTRY = "UPDATE entry SET {} WHERE game = :id AND number = 1"
DAMAGE = {
    "a torn head": HEAD.format("substr(head, 1, 200)"),
    "no head": HEAD.format("''"),
    "a head that is a list": HEAD.format("'[]'"),
    "a head with more behind it": HEAD.format("head || '}'"),
    "a head of another game": HEAD.format("json_set(head, '$.game', 'chess')"),
    "other rules": HEAD.format("json_set(head, '$.rules_revision', 99)"),
    "a seed that is no number": HEAD.format("json_set(head, '$.seed', char(0))"),
    "a strange time": HEAD.format("json_set(head, '$.created', 9223372036854775807)"),
    "no seats": HEAD.format("json_remove(head, '$.seats')"),
    "a seat less": HEAD.format("json_remove(head, '$.seats[1]')"),
    "a seat of nobody": HEAD.format("json_set(head, '$.seats[0].kind', 7)"),
    "options that are a list": HEAD.format("json_set(head, '$.options', json('[]'))"),
    "no opening": HEAD.format("json_remove(head, '$.opening')"),
    "a torn opening": HEAD.format(f"json_set(head, '$.opening', substr({OPENING}, 1, 50))"),
    "an empty opening": HEAD.format("json_set(head, '$.opening', '{}')"),
    "an opening without a step": HEAD.format(f"json_set(head, '$.opening', json_remove({OPENING}, '$.toy.step'))"),
    "an opening without players": HEAD.format(f"json_set(head, '$.opening', json_set({OPENING}, '$.toy.players', 1))"),
    "a lost entry": "DELETE FROM entry WHERE game = :id AND number = 1",
    "a gap": "UPDATE entry SET number = number + 1099511627776 WHERE game = :id AND number > 1",
    "a doubled entry": (
        "INSERT INTO entry SELECT game, (SELECT count(*) FROM entry WHERE game = :id), kind, seat, text, moment "
        "FROM entry WHERE game = :id AND number = 1"
    ),
    "exchanged entries": "UPDATE entry SET text = (SELECT max(text) FROM entry WHERE game = :id) WHERE game = :id",
    "a strange kind": ENTRY.format("kind = 'frozen'"),
    "another kind": ENTRY.format("kind = 'seated'"),
    "an early end": ENTRY.format("kind = 'ended'"),
    "an action of no game": ENTRY.format("text = 'a' || char(0) || 'b'"),
    "an endless action": ENTRY.format("text = hex(zeroblob(50000))"),
    "a seat that is none": ENTRY.format("seat = -9223372036854775808"),
    "no seat": ENTRY.format("seat = NULL"),
    "an entry of the far future": ENTRY.format("moment = 9223372036854775807"),
    "a strange status": "UPDATE game SET status = 'frozen', name = 'chess', created = -1 WHERE id = :id",
    "due since ever": "UPDATE game SET due = -9223372036854775808, bots_only = 1 WHERE id = :id",
    "keys of no seat": "UPDATE key SET seat = 2147483648, request = 7 WHERE game = :id",
}
NO_TEXT = [("game", "head"), ("game", "name"), ("game", "maker"), ("entry", "text"), ("entry", "kind")]
CALLS: dict[str, dict[str, Any]] = {
    "GetGame": {"entries_from_ply": 1},
    "GetRecord": {},
    "WatchGame": {"from_version": 0},
    "JoinGame": {"seat": 1},
    "PlayAction": {"version": 3, "action": "fold"},
    "TakeBack": {"version": 3, "ply": 0},
    "SetSeat": {"seat": 1, "plan": BOT},
    "EndGame": {"reason": games.END_REASON_ABANDONED},
}
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS}


@pytest.mark.parametrize("damage", [*DAMAGE, *NO_TEXT], ids=str)
async def test_an_unreadable_row_stops_only_its_own_game(damage: Any, caplog: pytest.LogCaptureFixture) -> None:
    async with served() as server:
        broken, sound = [await seated_at(server) for _ in range(2)]
        for one in (broken, sound):
            await one.play_first()
        store, named = server.app.manager.store, {"id": broken.game_id}
        if damage in DAMAGE:
            await store._ask(lambda connection: execute(connection, DAMAGE[damage], named))
        else:
            [table, column] = damage
            await spoil(store, table, column, f"{'id' if table == 'game' else 'game'} = '{broken.game_id}'")
        server.app.manager.cache.drop([broken.game_id])
        for method, fields in CALLS.items():
            tokens = {} if method == "JoinGame" else {"tokens": [*broken.owner, *broken.tokens()]}
            assert await ending(broken.call(method, **tokens, **fields)) not in FAULTS, method
        await sound.play_first()
        request = games.GameServiceListGamesRequest(tokens=[*sound.owner, *broken.owner])
        assert sound.game_id in [game.game_id for game in (await sound.stub.ListGames(request)).games]
        assert server.app.manager.healthy
    assert [record for record in caplog.records if record.levelno >= logging.ERROR and record.exc_info] == []


def execute(connection: sqlite3.Connection, text: str, values: dict[str, str]) -> None:
    connection.execute("PRAGMA defer_foreign_keys=ON")
    assert connection.execute(text, values).rowcount > 0


async def ending(call: Any) -> grpc.StatusCode:
    """Return how a call ended; of a stream, its first answer."""
    try:
        await (call.read() if hasattr(call, "read") else call)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK
