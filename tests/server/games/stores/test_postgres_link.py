"""Errors in a database address are reported in one line that quotes nothing of the address."""

import logging
import sys
from contextlib import nullcontext
from unittest.mock import AsyncMock, MagicMock

import pytest
from psycopg import errors

from clerestory.declared import BadSettings, Unreachable
from clerestory.server.games.stores import postgres_link
from clerestory.server.games.stores.postgres_link import POOL_LOOKS, Address, require_sessions, why_unusable
from clerestory.server.games.stores.store_location import open_store

MALFORMED = [
    "postgresql://ann:hunter2 secret@db.example/games",
    "postgresql://ann:hunter2%zzsecret@db.example/games",
    "postgresql://ann:hunter2secret@[::1/games",
    "postgresql://ann:hunter2secret@db.example/games?no=such",
    "postgresql://ann:hunter2secret\udcff@db.example/games",
    "postgresql:/ann:hunter2secret@db.example/games",
    "POSTGRES:hunter2secret",
]
AWAY = [
    "postgresql:///games?host=/nowhere/hunter2secret",
    "postgresql://ann:hunter2secret@127.0.0.1:1/games",
    "postgresql://ann:hunter2@secret@127.0.0.1:1/games",  # the @ makes a part of the password a host
    "postgresql://ann:hunter2secret@127.0.0.1:99999999/games",
]


@pytest.mark.parametrize("name", [*MALFORMED, *AWAY])
async def test_an_address_of_no_database_is_rejected_without_quoting_it(name: str) -> None:
    """A database that is away may be there soon, unlike a malformed address: its error is another one."""
    with pytest.raises(BadSettings) as caught:
        await open_store(name)
    [line] = str(caught.value).splitlines()
    text = line.removeprefix("store: PostgreSQL cannot be opened: ")
    assert text != line
    assert ("%" in text) == (name in MALFORMED)
    assert not [part for part in ("hunter2", "secret", "ann", "db.example", "games", "nowhere") if part in text]
    assert isinstance(caught.value, Unreachable) == (name in AWAY)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (errors.ConnectionTimeout, True),
        (errors.IdleInTransactionSessionTimeout, True),
        (errors.ReadOnlySqlTransaction, True),  # until the other server takes over
        (TimeoutError, True),
        (errors.InsufficientPrivilege, False),
        (errors.UndefinedColumn, False),
    ],
)
def test_an_error_that_may_pass_is_no_wrong_setting(error: type[Exception], passes: bool) -> None:
    address = Address.read("postgresql://db.example/games")
    assert isinstance(why_unusable(error("refused"), address), Unreachable) == passes


def pooled(numbers: list[int]) -> MagicMock:
    """Return a connection whose statements are answered by one process of a database after another."""
    connection = MagicMock(execute=AsyncMock())
    connection.execute.return_value.fetchone.side_effect = [[number] for number in numbers]
    connection.__aenter__.return_value = connection
    return connection


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [([7] * 4, [8] * 4, False), ([7] * 4, [7] * 4, True), ([7, 9, 7, 7], [8] * 4, True), ([7] * 4, [8, 8, 8, 7], True)],
)
async def test_a_pool_that_changes_sessions_is_rejected(
    one: list[int], other: list[int], changes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_link, "connect", AsyncMock(side_effect=[pooled(other), pooled(one)]))
    monkeypatch.setattr(postgres_link, "limited", lambda *_: nullcontext())
    assert len(one) == POOL_LOOKS
    with pytest.raises(BadSettings, match="pool_mode=session") if changes else nullcontext():
        await require_sessions(Address.read("postgresql://db.example/games"))


async def test_without_its_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clerestory.server.games.stores.postgres", None)
    with pytest.raises(BadSettings, match=r"pip install 'clerestory\[postgres\]'"):
        await open_store("postgresql:///games")


@pytest.mark.parametrize("name", ["psycopg", "psycopg.transaction"])
def test_what_the_driver_does_to_a_lost_connection_is_not_logged(name: str, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger(name).warning("query cancellation interrupted: closing connection")
    assert not caplog.records
