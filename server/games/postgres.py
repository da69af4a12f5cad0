"""A store shared by several servers: the log in PostgreSQL, and which server moves in which game.

Any server can serve any player: of two entries with the same number the second is refused, and its server
reloads the game. Moves by the server (for bots, and for people who run out of time) are made only by the owner of a
game. A server has a lease, a row that it renews; a game names its owner. Once the lease has expired another server
may take the game, and writes by the first one are then refused because the game no longer names it: the
name is the fencing token (M. Kleppmann, "How to do distributed locking", 2016). Times are the database's.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, LiteralString, Self, TypeVar

import psycopg
from psycopg import errors
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from clerestory.server.config import BadSettings
from clerestory.server.games.log import Entry, Head
from clerestory.server.games.postgres_schema import prepare
from clerestory.server.games.reading import entry_of, head_of
from clerestory.server.games.store import (
    DAY,
    ENTRY_BYTES,
    LOOKED_AT,
    MAKERS,
    Batch,
    Conflict,
    Due,
    GameFilter,
    GameLog,
    Key,
    Listener,
    News,
    StoreError,
    StoreFull,
    Summary,
    Tally,
    query,
)

LEASE = 6.0  # seconds without a heartbeat after which a server can lose its games
BEAT = 2.0  # seconds between heartbeats, and between checks for games without an owner
CONNECTIONS = 4
PATIENCE = 10.0  # seconds to wait for a connection
PAUSE = 1.0  # seconds before reconnecting
CHANNEL = "clerestory_games"
MADE = "clerestory_made"  # a channel of its own: earlier versions do not understand this news
DEPENDENT = ("review", "key", "entry")  # tables whose rows belong to a game
NOBODY = 0  # no server has this number
LIVES: LiteralString = (
    "EXISTS (SELECT FROM server WHERE server.id = game.owner AND seen > clock_timestamp() - %(lease)s * interval '1 s')"
)

MINE: LiteralString = f"(owner = %(me)s OR NOT {LIVES})"
DUE: LiteralString = f"""
    SELECT id, maker, due, owner, row_number() OVER (PARTITION BY maker ORDER BY due) AS turn, due AS place FROM (
        SELECT id, maker, owner, due FROM game
        WHERE due IS NOT NULL AND NOT bots_only AND due < %(before)s AND NOT id = ANY(%(skip)s) AND {MINE}
        ORDER BY due LIMIT %(all)s
    ) AS game ORDER BY turn, place LIMIT %(most)s
"""

logger = logging.getLogger(__name__)

T = TypeVar("T")
Cursor = psycopg.AsyncCursor[Any]


class PostgresStore:
    """A store that several servers share; `open` makes one."""

    shared = True

    def __init__(self, url: str, secret: bytes, number: int) -> None:
        self.secret = secret
        self.unfinished: Mapping[str, int] = {}
        self._url = url
        self._number = number  # of this server
        self._pool = AsyncConnectionPool(url, min_size=1, max_size=CONNECTIONS, open=False, timeout=PATIENCE)
        self._tasks: list[asyncio.Task[None]] = []
        self._turn: str | None = None  # maker of the last game of bots only that was taken

    @property
    def alive(self) -> bool:
        """Whether it has answered of late."""
        return True

    def now(self) -> int:
        """Return milliseconds since 1970."""
        return int(1000 * time.time())

    @classmethod
    async def open(cls, url: str) -> Self:
        """Register a new server and return its store, with the tables up to date. Raises BadSettings."""
        try:
            async with await psycopg.AsyncConnection.connect(url, connect_timeout=int(PATIENCE)) as connection:
                secret, number = await prepare(connection)
            store = cls(url, secret, number)
            await store._pool.open(wait=True, timeout=PATIENCE)
            store.unfinished = await store.count_unfinished()
        except (psycopg.Error, PoolTimeout) as error:
            what = str(error).partition("\n")[0].removesuffix(" FATAL")
            raise BadSettings(f"store: PostgreSQL cannot be opened: {what}") from None
        store._tasks.append(asyncio.create_task(store._live()))
        return store

    # -- games -----------------------------------------------------------------------------------------

    async def create(self, head: Head, batch: Batch) -> None:
        """Keep a new game."""
        text = head.to_json()
        row = (head.game_id, head.game, head.created, head.created, head.maker, text, *fields_of(batch.summary))
        size = len(text.encode()) + batch.bytes

        async def do(cursor: Cursor) -> None:
            columns = "id, name, created, touched, maker, head, status, shown, due, bots_only, bytes"
            marks = ", ".join(["%s"] * 11)
            await cursor.execute(f"INSERT INTO game ({columns}) VALUES ({marks})", (*row, size))
            await insert(cursor, head.game_id, 0, batch)
            await cursor.execute("SELECT pg_notify(%s, %s)", (MADE, f"{self._number} {head.maker} {head.game_id}"))

        await self._do(do)

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        """Add entries; `owned`: only if this server owns the game."""
        row = (*fields_of(batch.summary), batch.bytes, game_id, owned, self._number)

        async def do(cursor: Cursor) -> None:
            text: LiteralString = (
                "UPDATE game SET status = %s, shown = %s, due = %s, bots_only = %s, bytes = bytes + %s WHERE id = %s"
            )
            await cursor.execute(f"{text} AND NOT (%s AND owner IS DISTINCT FROM %s) RETURNING owner", row)
            found = await cursor.fetchone()
            if found is None:
                raise Conflict("there is no such game, or another server owns it")
            await insert(cursor, game_id, number, batch)
            await self._tell(cursor, found[0] or NOBODY, batch.summary.due is not None, game_id)

        await self._do(do)

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game."""
        [row] = await self._ask("SELECT head FROM game WHERE id = %s", (game_id,)) or [None]
        return None if row is None else (head_of(row[0]), await self.later(game_id, 0))

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries from a number on."""
        text: LiteralString = (
            "SELECT kind, seat, text, moment FROM entry WHERE game = %s AND number >= %s ORDER BY number"
        )
        return [entry_of(number + i, row) for i, row in enumerate(await self._ask(text, (game_id, number)))]

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return games."""
        text, values = query(wanted)
        return await self._ask(text.replace("?", "%s"), values)

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return keys."""
        rows = await self._ask("SELECT digest, game, seat FROM key WHERE digest = ANY(%s)", (list(digests),))
        return {digest: (game, seat) for digest, game, seat in rows}

    async def tally(self) -> dict[str, Tally]:
        """Return what there is of each maker."""
        unfinished: LiteralString = "count(*) FILTER (WHERE status <> 'over')"
        text: LiteralString = f"SELECT maker, {unfinished}, count(*), sum(bytes)::BIGINT FROM game GROUP BY maker"
        return {maker: Tally(*counts) for maker, *counts in await self._ask(text)}

    async def count_unfinished(self) -> Mapping[str, int]:
        """Return the numbers of games that have not ended, by maker."""
        return {maker: tally.unfinished for maker, tally in (await self.tally()).items() if tally.unfinished}

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        """Record when games were asked for."""
        await self._ask("UPDATE game SET touched = %s WHERE id = ANY(%s) RETURNING id", (moment, list(game_ids)))

    async def delete_untouched(self, before: int, most: int) -> list[str]:
        """Delete games that nobody has asked for."""

        async def do(cursor: Cursor) -> list[str]:
            text: LiteralString = "SELECT id FROM game WHERE touched < %s LIMIT %s FOR UPDATE SKIP LOCKED"
            found = [game for (game,) in await (await cursor.execute(text, (before, most))).fetchall()]
            for table in DEPENDENT:
                await cursor.execute(f"DELETE FROM {table} WHERE game = ANY(%s)", (found,))
            await cursor.execute("DELETE FROM game WHERE id = ANY(%s)", (found,))
            for game_id in found:
                await self._tell(cursor, NOBODY, False, game_id)
            return found

        return await self._do(do)

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored part of a review."""
        return dict(await self._ask("SELECT ply, message FROM review WHERE game = %s AND plan = %s", (game_id, plan)))

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review."""
        text: LiteralString = "INSERT INTO review VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"

        async def do(cursor: Cursor) -> None:
            added = 0
            for ply, message in plies.items():
                await cursor.execute(text, (game_id, plan, ply, message))
                added += cursor.rowcount * (ENTRY_BYTES + len(message))
            await cursor.execute("UPDATE game SET bytes = bytes + %s WHERE id = %s", (added, game_id))

        await self._do(do)

    # -- owners ----------------------------------------------------------------------------------------

    async def own(self, game_id: str) -> bool:
        """Take a game unless another live server owns it; return whether this server owns it now."""
        text: LiteralString = f"UPDATE game SET owner = %(me)s WHERE id = %(game)s AND (owner = %(me)s OR NOT {LIVES})"
        values = {"me": self._number, "game": game_id, "lease": LEASE}
        return bool(await self._ask(f"{text} RETURNING id", values))

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        """Take and return games that are due and are this server's or nobody's."""
        values = {"me": self._number, "lease": LEASE, "before": before, "most": most, "skip": list(skip)}
        if not bots_only:
            return await self._take(DUE, values | {"all": LOOKED_AT})
        values |= {"makers": max(most, MAKERS)}
        found = await self._take(waiting(after=self._turn is not None), values | {"after": self._turn})
        if self._turn is not None and len(found) < most:
            self._turn = None
            values |= {"skip": [*skip, *(one.game_id for one in found)], "most": most - len(found)}
            found += await self._take(waiting(after=False), values)
        self._turn = found[-1].maker if found else self._turn
        return found

    async def _take(self, text: LiteralString, values: Mapping[str, Any]) -> list[Due]:
        """Take the games that a query finds, except locked ones, and return them."""
        taken: LiteralString = (
            f"WITH found AS ({text}), taken AS (UPDATE game SET owner = %(me)s WHERE id IN ("
            f"SELECT id FROM game WHERE id IN (SELECT id FROM found) AND owner IS DISTINCT FROM %(me)s AND NOT {LIVES} "
            "FOR UPDATE SKIP LOCKED) RETURNING id) SELECT id, maker, due FROM found "
            "WHERE owner = %(me)s OR id IN (SELECT id FROM taken) ORDER BY turn, place"
        )
        return [Due(*row) for row in await self._ask(taken, values)]

    async def release(self, game_id: str) -> None:
        """Let another server take a game."""
        text: LiteralString = "UPDATE game SET owner = NULL WHERE id = %s AND owner = %s RETURNING id"
        if await self._ask(text, (game_id, self._number)):
            await self._do(lambda cursor: self._tell(cursor, NOBODY, True, game_id))

    async def adopt(self, most: int) -> list[str]:
        """Take and return games that are due and have no live owner."""
        orphans: LiteralString = (
            f"SELECT id FROM game WHERE due IS NOT NULL AND NOT {LIVES} ORDER BY due LIMIT %(most)s"
        )
        text: LiteralString = (
            f"UPDATE game SET owner = %(me)s WHERE id IN ({orphans} FOR UPDATE SKIP LOCKED) RETURNING id"
        )
        return [game for (game,) in await self._ask(text, {"me": self._number, "lease": LEASE, "most": most})]

    def listen(self, heard: Listener) -> None:
        """Report from now on what other servers store."""
        self._tasks.append(asyncio.create_task(self._listen(heard)))

    async def close(self) -> None:
        """Release the games to other servers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(StoreError):
            await self._do(self._leave)
        await self._pool.close()

    async def _leave(self, cursor: Cursor) -> None:
        await cursor.execute("DELETE FROM server WHERE id = %s", (self._number,))
        await self._tell(cursor, NOBODY, True, "")

    async def _live(self) -> None:
        """Renew the lease, and delete servers that have been dead for long."""
        alive: LiteralString = (
            "INSERT INTO server VALUES (%s, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()"
        )
        while True:
            await asyncio.sleep(BEAT)
            try:
                await self._do(lambda cursor: cursor.execute(alive, (self._number,)))
                await self._do(
                    lambda cursor: cursor.execute("DELETE FROM server WHERE seen < now() - interval '1 day'")
                )
            except StoreError as error:
                logger.warning("this server may lose its games to others: %s", error)

    # -- news ------------------------------------------------------------------------------------------

    async def _tell(self, cursor: Cursor, owner: int, due: bool, game_id: str) -> None:
        """Notify other servers when the transaction commits."""
        text = f"{self._number} {owner} {int(due)} {game_id}"
        await cursor.execute("SELECT pg_notify(%s, %s)", (CHANNEL, text))

    async def _listen(self, heard: Listener) -> None:
        while True:
            with suppress(psycopg.Error):
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    await connection.execute(f"LISTEN {MADE}")
                    heard(News("", mine=False, due=True))  # earlier notifications were missed
                    async for notice in connection.notifies():
                        self._hear(notice, heard)
            logger.warning("no news of other servers: PostgreSQL is unavailable")
            await asyncio.sleep(PAUSE)

    def _hear(self, notice: psycopg.Notify, heard: Listener) -> None:
        sender, *what, game_id = notice.payload.split(" ")
        if int(sender) == self._number:
            return
        if notice.channel == MADE:
            heard(News(game_id, mine=False, due=False, maker=what[0]))
        else:
            owner, due = what
            heard(News(game_id, mine=int(owner) == self._number, due=due == "1"))

    # -- the database ----------------------------------------------------------------------------------

    async def _ask(self, text: Any, values: Any = ()) -> list[Any]:
        async def do(cursor: Cursor) -> list[Any]:
            return await (await cursor.execute(text, values)).fetchall()

        return await self._do(do)

    async def _do(self, do: Callable[[Cursor], Awaitable[T]]) -> T:
        """Run something in its own transaction. Raises StoreError."""
        try:
            async with self._pool.connection() as connection, connection.cursor() as cursor:
                return await do(cursor)
        except (errors.UniqueViolation, errors.ForeignKeyViolation) as error:
            raise Conflict(str(error)) from None
        except errors.DiskFull:
            raise StoreFull("there is no space to store it") from None
        except (psycopg.Error, PoolTimeout) as error:
            raise StoreError(f"the store failed: {error}") from None


def waiting(*, after: bool) -> LiteralString:
    """Return the query for games of bots only, of all makers, or of those after one; it visits only those it needs."""
    following: LiteralString = "SELECT min(maker) FROM game WHERE due IS NOT NULL AND bots_only"
    first: LiteralString = "AND maker > %(after)s" if after else ""
    return f"""
        WITH RECURSIVE makers (maker, place) AS (
            SELECT ({following} {first}), 1
            UNION ALL
            SELECT ({following} AND maker > makers.maker), place + 1 FROM makers
            WHERE makers.maker IS NOT NULL AND place < %(makers)s
        )
        SELECT id, maker, due, owner, turn, place FROM makers JOIN LATERAL (
            SELECT id, due, owner, row_number() OVER (ORDER BY due) AS turn FROM game
            WHERE game.maker = makers.maker AND due IS NOT NULL AND bots_only AND due < %(before)s
                AND NOT id = ANY(%(skip)s) AND {MINE}
            ORDER BY due LIMIT %(most)s
        ) AS own ON TRUE ORDER BY turn, place LIMIT %(most)s
    """


def fields_of(summary: Summary) -> tuple[str, bool, int | None, bool]:
    """Return a summary as values of the columns status, shown, due and bots_only."""
    return summary.status, summary.shown, summary.due, summary.bots_only


async def insert(cursor: Cursor, game_id: str, number: int, batch: Batch) -> None:
    """Add entries, the first of this number, and what leads to the game."""
    await insert_entries(cursor, game_id, number, batch.entries)
    await insert_keys(cursor, game_id, batch.keys)


async def insert_entries(cursor: Cursor, game_id: str, number: int, entries: Sequence[Entry]) -> None:
    """Add entries, the first of this number."""
    rows = [(game_id, number + i, one.kind.value, one.seat, one.text, one.moment) for i, one in enumerate(entries)]
    await cursor.executemany("INSERT INTO entry VALUES (%s, %s, %s, %s, %s, %s)", rows)


async def insert_keys(cursor: Cursor, game_id: str, keys: Sequence[Key]) -> None:
    """Add keys of a game, and delete expired request names."""
    if keys:
        now = int(1000 * time.time())
        await cursor.execute("DELETE FROM key WHERE request AND moment < %s", (now - DAY,))
        rows = [(key.digest, game_id, key.seat, key.request, now) for key in keys]
        await cursor.executemany("INSERT INTO key VALUES (%s, %s, %s, %s, %s)", rows)
