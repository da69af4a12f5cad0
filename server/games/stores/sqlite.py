"""The store of a single server: a log in SQLite, with one connection on one thread, and group commit.

The connection is in exclusive mode, which rejects a second server on the same file. It also avoids a bug of SQLite up
to 3.51.2, in which two connections can corrupt a WAL.
"""

import logging
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from clerestory.declared import BadSettings
from clerestory.server.games.bounds import CLOSING, LITTLE, MEMORY, USER
from clerestory.server.games.log import Entry, Head
from clerestory.server.games.store import (
    UNTOLD_GAMES,
    Batch,
    Due,
    GameFilter,
    GameLog,
    NewsListener,
    NoticeTarget,
    StoreError,
    Tally,
    query,
)
from clerestory.server.games.stores import sqlite_rows as rows
from clerestory.server.games.stores.committer import Committer
from clerestory.server.games.stores.reading import RoundRobin
from clerestory.server.games.stores.schema import damage

logger = logging.getLogger(__name__)

SHORTENED = {"memory": MEMORY, "user": USER, "postgresql": "postgresql://...", "postgres": "postgresql://..."}
CONNINFO = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=")  # of PostgreSQL
SCHEME = re.compile(r"[A-Za-z][\w+.-]+:")  # not the beginning of a usual file name

T = TypeVar("T")


class SqliteStore:
    """A store in a file; `user:` is a file in the user's data folder, `memory:` keeps games in memory only.

    Raises BadSettings for a file that cannot be opened, is in use by another server, or is not a store.
    """

    shared = False

    def __init__(self, path: str) -> None:
        file = file_of(path)
        self._committer = Committer(":memory:" if file is None else str(file))
        self._ring = RoundRobin()
        self.secret = self._read_secret(path)
        self._clock = ForwardClock(self._committer.run_at_once(rows.latest_turn))
        if file is not None and shutil.disk_usage(file.parent).free < LITTLE:
            logger.warning("no space on the disk of %s: games can be shown, but not changed until there is", file)

    def _read_secret(self, path: str) -> bytes:
        """Return the store's secret. Raises BadSettings for a damaged store."""
        try:
            return self._committer.run_at_once(rows.read_secret)
        except StoreError as error:
            self._committer.end()
            raise BadSettings(f"store: {path} {damage(str(error))}") from None

    @property
    def alive(self) -> bool:
        """Whether the store works and responds."""
        return self._committer.alive

    def now(self) -> int:
        """Return milliseconds since 1970."""
        return self._clock.now()

    # -- methods of Store ------------------------------------------------------------------------------

    async def create(self, head: Head, batch: Batch) -> None:
        """Store a new game."""
        await self._ask(lambda connection: rows.create(connection, head, batch), head.game_id)

    async def append(
        self,
        game_id: str,
        number: int,
        batch: Batch,
        *,
        owned: bool = False,  # noqa: ARG002  # this server owns all games of its store
    ) -> None:
        """Add entries."""
        await self._ask(lambda connection: rows.append(connection, game_id, number, batch), game_id)

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game."""
        return await self._ask(lambda connection: rows.read_game(connection, game_id), game_id)

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return entries."""
        return await self._ask(lambda connection: rows.read_entries(connection, game_id, number), game_id)

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return games."""
        text, values = query(wanted)
        return await self._ask(lambda connection: rows.read_all(connection, text, values))

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return keys."""
        return await self._ask(lambda connection: rows.read_keys(connection, digests))

    async def tally(self) -> dict[str, Tally]:
        """Return the totals of each maker."""
        return await self._ask(rows.read_tally)

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        """Record when games were last accessed."""
        values = [(moment, game_id) for game_id in game_ids]
        text = "UPDATE game SET touched = ? WHERE id = ?"
        await self._ask(lambda connection: connection.executemany(text, values) and None)

    async def delete_untouched(self, before: int, most: int) -> list[str]:
        """Delete games without recent access."""
        return await self._ask(lambda connection: rows.delete_untouched(connection, before, most))

    async def forget_requests(self, before: int, most: int) -> int:
        """Delete old request names."""
        return await self._ask(lambda connection: rows.forget_requests(connection, before, most))

    async def own(self, game_id: str) -> bool:  # noqa: ARG002
        """Return True: this server owns every game."""
        return True

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        """Return the games in which this server has to move."""

        def read(after: str | None, count: int, but: list[str]) -> Awaitable[list[Due]]:
            return self._ask(lambda connection: rows.read_waiting(connection, before, after, count, but))

        if bots_only:
            return await self._ring.take(read, most, skip)
        return await self._ask(lambda connection: rows.read_due(connection, before, most, skip))

    async def release(self, game_id: str) -> None:
        """Do nothing: there is no other server."""

    def listen(self, listener: NewsListener) -> None:
        """Do nothing: there is no other server."""

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored part of a review."""
        text = "SELECT ply, message FROM review WHERE game = ? AND plan = ?"
        return dict(await self._ask(lambda connection: connection.execute(text, (game_id, plan)).fetchall(), game_id))

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review."""
        await self._ask(lambda connection: rows.insert_review(connection, game_id, plan, plies), game_id)

    async def keep_target(self, game_id: str, target: NoticeTarget) -> bool:
        """Store a target."""
        return await self._ask(lambda connection: rows.insert_target(connection, game_id, target), game_id)

    async def targets(self, game_id: str, seat: int, holder: str) -> list[NoticeTarget]:
        """Return the targets of a seat's holder."""
        return await self._ask(lambda connection: rows.read_targets(connection, game_id, seat, holder), game_id)

    async def claim_targets(self, game_id: str, seat: int, holder: str, version: int) -> list[NoticeTarget]:
        """Return the targets to notify; there is no other server to do it."""
        return await self._ask(
            lambda connection: rows.read_targets(connection, game_id, seat, holder, version), game_id
        )

    async def tell_target(self, game_id: str, seat: int, url: str, version: int) -> None:
        """Record that a target was notified."""
        text = "UPDATE notice_target SET told = max(told, ?) WHERE game = ? AND seat = ? AND url = ?"
        await self._ask(lambda connection: connection.execute(text, (version, game_id, seat, url)) and None, game_id)

    async def drop_target(self, game_id: str, seat: int, url: str) -> None:
        """Delete a target."""
        text = "DELETE FROM notice_target WHERE game = ? AND seat = ? AND url = ?"
        await self._ask(lambda connection: connection.execute(text, (game_id, seat, url)) and None, game_id)

    async def untold(self, *, claimed: bool = False) -> list[str]:
        """Return games with targets to notify."""
        if claimed:
            return []
        found = await self._ask(lambda connection: rows.read_all(connection, UNTOLD_GAMES))
        return [game_id for (game_id,) in found]

    async def close(self, within: float = CLOSING) -> None:
        """Finish pending jobs, and close."""
        await self._committer.close(within)

    async def _ask(self, do: Callable[[sqlite3.Connection], T], game_id: str = "") -> T:
        return await self._committer.run(do, game_id)


def file_of(name: str) -> Path | None:
    """Return the file of a store that is not a database; None for memory. Raises BadSettings for an invalid name."""
    if name == MEMORY:
        return None
    if name != USER:
        require_file_name(name)
    file = followed(user_file() if name == USER else Path(name))
    require_no_folder(file)
    return file


def followed(file: Path) -> Path:
    """Return the target of a link, because SQLite keeps the log in the target's folder."""
    return Path(os.path.realpath(file)) if file.is_symlink() else file


def require_file_name(name: str) -> None:
    """Raise BadSettings for a name that is probably not a file, without quoting a URL, which may have a password."""
    if not name.strip():
        raise BadSettings("store: is empty, and games would be lost; give --store a FILE, memory: or postgresql://...")
    if name in SHORTENED:
        raise BadSettings(f"store: give --store {SHORTENED[name]}, or ./{name} for a file of that name")
    if CONNINFO.match(name):
        way = "a database is postgresql://USER@HOST:PORT/DATABASE"
        raise BadSettings(f"store: is a list of KEYWORD=VALUE; {way}, and ./NAME a file of such a name")
    if scheme := SCHEME.match(name):
        ways = f"a FILE, user:, memory: or postgresql://..., or ./{scheme[0]}... for a file of such a name"
        raise BadSettings(f"store: {scheme[0]}... names no store; give --store {ways}")


def require_no_folder(file: Path) -> None:
    """Raise BadSettings if a path is a folder."""
    if file.is_dir():
        raise BadSettings(f"store: {file} is a folder; name a file in it, such as {file / user_file().name}")


def user_file() -> Path:
    """Return the default file of a user's games (XDG Base Directory Specification 0.8)."""
    data = os.environ.get("XDG_DATA_HOME", "")
    return (Path(data) if data.startswith("/") else Path.home() / ".local" / "share") / "clerestory" / "games.sqlite"


class ForwardClock:
    """The system's clock in milliseconds since 1970, which follows forward jumps but never goes back.

    If the system's clock is set back, time continues at a steady rate, so that a turn of 20 seconds takes 20 seconds.

    Args:
        least: the first reading, unless the system's clock is ahead of it.
    """

    def __init__(self, least: int = 0) -> None:
        self._ahead = least - 1000 * time.monotonic()  # ahead of the steady clock

    def now(self) -> int:
        """Return the time. Thread-safe."""
        steady = 1000 * time.monotonic()
        self._ahead = max(self._ahead, 1000 * time.time() - steady)
        return int(self._ahead + steady)
