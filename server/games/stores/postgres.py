"""A store in PostgreSQL that several servers share, which also assigns each game to the server that moves in it.

Any server can serve any player: of two entries with the same number, the store rejects the second, and its server
reloads the game. Only the owner of a game makes automatic moves (for bots, and for people who are out of time). A
server has a lease, a row that it renews; a game names its owner. Once the lease has expired, another server may take
over the game. Writes by the first server then fail, because the game no longer names it: the name is the fencing token
(M. Kleppmann, "How to do distributed locking", 2016). Times are the database's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, LiteralString, Self, TypeVar

import psycopg

from clerestory.server.games.bounds import (
    CLOSING,
    DELETED_BYTES,
    ENTRY_BYTES,
    LOOKED_AT,
    MAKERS,
    MIGRATING,
    MOST_REVIEWS,
    MOST_TARGETS,
)
from clerestory.server.games.log import Entry, Head
from clerestory.server.games.store import (
    TARGET,
    UNTOLD_GAMES,
    Batch,
    Conflict,
    Due,
    GameFilter,
    GameLog,
    News,
    NewsListener,
    NoticeTarget,
    StoreError,
    Tally,
    query,
)
from clerestory.server.games.stores.heartbeat import Heartbeat
from clerestory.server.games.stores.postgres_link import (
    Address,
    Cursor,
    Pool,
    connect,
    limited,
    require_sessions,
    why_unusable,
)
from clerestory.server.games.stores.postgres_rows import (
    APPEND,
    CLAIM_TARGETS,
    CREATE,
    DUE,
    FORMER_TARGETS,
    KEEP_TARGET,
    LEFT_GAMES,
    LIVES,
    OLD_REQUESTS,
    OLD_REVIEWS,
    TALLY,
    TELL_TARGET,
    UNTOUCHED,
    WAITING,
    fields_of,
    rows_of,
)
from clerestory.server.games.stores.postgres_schema import prepare
from clerestory.server.games.stores.reading import RoundRobin, entries_of, head_of

LEASE = 6.0  # seconds without a heartbeat after which a server can lose its games
CHANNEL = "clerestory_games"
MADE = "clerestory_made"  # a separate channel, because earlier versions do not understand these notifications
DEPENDENT = ("review", "key", "entry")  # tables with rows of games
FETCH_BATCH = 1000  # rows that the event loop handles in one step
NOBODY = 0  # not the number of any server

T = TypeVar("T")


class PostgresStore:
    """A store that several servers share, as returned by `open`."""

    shared = True

    def __init__(self, address: Address, secret: bytes, number: int) -> None:
        self.secret = secret
        self._number = number  # number of this server
        self._pool = Pool(address)
        self._listener: NewsListener | None = None
        self._doubted: set[str] = set()  # games with a failed write that may still be stored
        self._heartbeat = Heartbeat(address, number, (CHANNEL, MADE), self._receive)
        self._ring = RoundRobin()

    @property
    def alive(self) -> bool:
        """Whether it has responded recently."""
        return self._heartbeat.alive

    def now(self) -> int:
        """Return milliseconds since 1970, by the database's clock."""
        return self._heartbeat.clock.now()

    @classmethod
    async def open(cls, url: str) -> Self:
        """Register a new server and return its store, with the tables migrated. Raises BadSettings, Unreachable."""
        address = Address.read(url)
        try:
            await require_sessions(address)
            async with await connect(address) as connection:
                with limited(connection, MIGRATING):
                    secret, number = await prepare(connection)
            store = cls(address, secret, number)
            await store._start()
        except (psycopg.Error, OSError, TimeoutError, StoreError) as error:
            raise why_unusable(error, address) from None
        return store

    async def _start(self) -> None:
        try:
            await self._heartbeat.start()
        except BaseException:
            await self.close()
            raise

    # -- games -----------------------------------------------------------------------------------------

    async def create(self, head: Head, batch: Batch) -> None:
        """Store a new game; if it is due, this server owns it."""
        text, summary = head.to_json(), batch.summary
        values = {
            "me": self._number,
            "channel": MADE,
            "id": head.game_id,
            "name": head.game,
            "created": head.created,
            "touched": head.created,
            "maker": head.maker,
            "head": text,
            "bytes": len(text.encode()) + batch.bytes,
            "owner": None if summary.due is None else self._number,
            **fields_of(summary),
        }
        await self._ask(CREATE, values | rows_of(0, batch, self.now()), head.game_id)

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        """Add entries, if `owned` only as the owner of the game. Take over the game if it is now due and has no owner.

        Changes that are not `owned` come from people, and update the last access immediately, because another server
        may be about to delete the game.
        """
        values = {"me": self._number, "channel": CHANNEL, "id": game_id, "number": number, "bytes": batch.bytes}
        values |= {"owned": owned, "lease": LEASE, **fields_of(batch.summary)}
        try:
            if not await self._ask(APPEND, values | rows_of(number, batch, self.now()), game_id):
                raise Conflict("there is no such game, it has lost entries, or another server owns it")
        except Conflict:
            raise
        except StoreError:
            self._doubted.add(game_id)
            raise

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game."""
        if "\0" in game_id:
            return None  # PostgreSQL text cannot contain it
        [row] = await self._ask("SELECT head FROM game WHERE id = %s", (game_id,), game_id) or [None]
        return None if row is None else (head_of(row[0]), await self.later(game_id, 0))

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries from a number on."""
        text: LiteralString = (
            "SELECT number, kind, seat, text, moment FROM entry WHERE game = %s AND number >= %s ORDER BY number"
        )
        rows = await self._ask(text, (game_id, number), game_id)
        if len(rows) < FETCH_BATCH:
            return entries_of(number, rows)
        return await asyncio.to_thread(entries_of, number, rows)

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return games."""
        text, values = query(wanted)
        if any("\0" in value for value in (wanted.game, *map(str, wanted.before or ()))):
            return []  # PostgreSQL text cannot contain it
        return await self._ask(text.replace("?", "%s"), values)

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return keys."""
        rows = await self._ask("SELECT digest, game, seat FROM key WHERE digest = ANY(%s)", (list(digests),))
        return {digest: (game, seat) for digest, game, seat in rows}

    async def tally(self) -> dict[str, Tally]:
        """Return the totals of each maker."""

        async def do(cursor: Cursor) -> dict[str, Tally]:
            await cursor.execute(TALLY)
            found: dict[str, Tally] = {}
            while rows := await cursor.fetchmany(FETCH_BATCH):
                found |= {maker: Tally(*counts) for maker, *counts in rows}
                await asyncio.sleep(0)  # let calls run
            return found

        return await self._do(do)

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        """Record when games were last accessed."""
        await self._ask("UPDATE game SET touched = %s WHERE id = ANY(%s) RETURNING id", (moment, list(game_ids)))

    async def delete_untouched(self, before: int, most: int) -> list[str]:
        """Delete games without recent access."""

        async def do(cursor: Cursor) -> list[str]:
            values = {"before": before, "most": most, "bytes": DELETED_BYTES}
            found = [game for (game,) in await (await cursor.execute(UNTOUCHED, values)).fetchall()]
            for table in DEPENDENT:
                await cursor.execute(f"DELETE FROM {table} WHERE game = ANY(%s)", (found,))
            await cursor.execute("DELETE FROM game WHERE id = ANY(%s)", (found,))
            for game_id in found:
                await self._notify(cursor, NOBODY, False, game_id)
            return found

        return await self._do(do)

    async def forget_requests(self, before: int, most: int) -> int:
        """Delete old request names."""
        return len(await self._ask(OLD_REQUESTS, (before, most)))

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored part of a review."""
        return dict(
            await self._ask("SELECT ply, message FROM review WHERE game = %s AND plan = %s", (game_id, plan), game_id)
        )

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review."""
        known: LiteralString = "SELECT 1 FROM review WHERE game = %s AND plan = %s LIMIT 1"
        text: LiteralString = "INSERT INTO review VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"

        async def do(cursor: Cursor) -> None:
            added, begun = 0, await (await cursor.execute(known, (game_id, plan))).fetchone()
            for ply, message in plies.items():
                await cursor.execute(text, (game_id, plan, ply, message, self.now()))
                added += cursor.rowcount * (ENTRY_BYTES + len(message))
            if begun is None:
                gone = await (await cursor.execute(OLD_REVIEWS, (game_id, game_id, MOST_REVIEWS))).fetchall()
                added -= sum(ENTRY_BYTES + size for (size,) in gone)
            await cursor.execute("UPDATE game SET bytes = bytes + %s WHERE id = %s", (added, game_id))

        await self._do(do, game_id)

    async def keep_target(self, game_id: str, target: NoticeTarget) -> bool:
        """Store a target."""
        values = {"game": game_id, "most": MOST_TARGETS, **asdict(target)}

        async def do(cursor: Cursor) -> bool:
            await cursor.execute(FORMER_TARGETS, values)
            return bool(await (await cursor.execute(KEEP_TARGET, values)).fetchall())

        return await self._do(do, game_id)

    async def targets(self, game_id: str, seat: int, holder: str) -> list[NoticeTarget]:
        """Return the targets of a seat's holder."""
        text: LiteralString = f"SELECT {TARGET} FROM notice_target WHERE game = %s AND seat = %s AND holder = %s"
        return [NoticeTarget(*row) for row in await self._ask(text, (game_id, seat, holder), game_id)]

    async def claim_targets(self, game_id: str, seat: int, holder: str, version: int) -> list[NoticeTarget]:
        """Return the targets that this server is to notify."""
        values = {"me": self._number, "lease": LEASE, "game": game_id, "seat": seat, "holder": holder}
        rows = await self._ask(CLAIM_TARGETS, values | {"version": version}, game_id)
        return [NoticeTarget(*row) for row in rows]

    async def tell_target(self, game_id: str, seat: int, url: str, version: int) -> None:
        """Record that a target was notified."""
        await self._ask(TELL_TARGET, (version, game_id, seat, url), game_id)

    async def drop_target(self, game_id: str, seat: int, url: str) -> None:
        """Delete a target."""
        text: LiteralString = "DELETE FROM notice_target WHERE game = %s AND seat = %s AND url = %s RETURNING 1"
        await self._ask(text, (game_id, seat, url), game_id)

    async def untold(self, *, claimed: bool = False) -> list[str]:
        """Return games with targets to notify."""
        values = {"me": self._number, "lease": LEASE}
        found = await (self._ask(LEFT_GAMES, values) if claimed else self._ask(UNTOLD_GAMES))
        return [*{game_id for (game_id,) in found}]

    # -- ownership -------------------------------------------------------------------------------------

    async def own(self, game_id: str) -> bool:
        """Take over a game, unless another live server owns it; return whether this server owns it."""
        text: LiteralString = f"UPDATE game SET owner = %(me)s WHERE id = %(game)s AND (owner = %(me)s OR NOT {LIVES})"
        values = {"me": self._number, "game": game_id, "lease": LEASE}
        return bool(await self._ask(f"{text} RETURNING id", values, game_id))

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        """Take over and return due games that this server owns or no live server does."""
        values = {"me": self._number, "lease": LEASE, "before": before, "makers": MAKERS, "all": LOOKED_AT}

        def read(after: str | None, count: int, but: list[str]) -> Awaitable[list[Due]]:
            limits = {"after": after, "most": count, "skip": but}
            return self._take(WAITING[after is not None], values | limits)

        if bots_only:
            return await self._ring.take(read, most, skip)
        return await self._take(DUE, values | {"most": most, "skip": list(skip)})

    async def _take(self, text: LiteralString, values: Mapping[str, Any]) -> list[Due]:
        """Take over the games that a query finds, except locked ones, and return them."""
        taken: LiteralString = (
            f"WITH found AS ({text}), taken AS (UPDATE game SET owner = %(me)s WHERE id IN ("
            f"SELECT id FROM game WHERE id IN (SELECT id FROM found) AND owner IS DISTINCT FROM %(me)s AND NOT {LIVES} "
            "FOR UPDATE SKIP LOCKED) RETURNING id) SELECT id, maker, due FROM found "
            "WHERE owner = %(me)s OR id IN (SELECT id FROM taken) ORDER BY turn, place"
        )
        found = await self._ask(taken, values)
        return [Due(game_id, maker, due, owned=True) for game_id, maker, due in found]

    async def release(self, game_id: str) -> None:
        """Let another server take over a game."""
        text: LiteralString = "UPDATE game SET owner = NULL WHERE id = %s AND owner = %s RETURNING id"
        if await self._ask(text, (game_id, self._number), game_id):
            await self._do(lambda cursor: self._notify(cursor, NOBODY, True, game_id))

    def listen(self, listener: NewsListener) -> None:
        """Report changes by other servers, and by uncertain writes of this one."""
        self._listener = listener

    async def close(self, within: float = CLOSING) -> None:
        """Release the games to other servers."""
        leaving = asyncio.create_task(self._do(self._leave))
        await asyncio.wait((leaving,), timeout=within / 2)
        await self._pool.close()  # so that a job without a response fails
        await asyncio.wait((leaving,), timeout=within / 8)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        await self._heartbeat.end(within / 4)

    async def _leave(self, cursor: Cursor) -> None:
        await cursor.execute("DELETE FROM server WHERE id = %s", (self._number,))
        await self._notify(cursor, NOBODY, True, "")

    # -- notifications ---------------------------------------------------------------------------------

    async def _notify(self, cursor: Cursor, owner: int, due: bool, game_id: str) -> None:
        """Notify other servers when the transaction commits."""
        text = f"{self._number} {owner} {int(due)} {game_id}"
        await cursor.execute("SELECT pg_notify(%s, %s)", (CHANNEL, text))

    def _receive(self, notice: psycopg.Notify | None) -> None:
        """Report a notification; None if some were missed."""
        if notice is None:
            self._pool.distrust()
            self._doubted.clear()
            self._report(News("", mine=False, due=True))
            return
        sender, *what, game_id = notice.payload.split(" ")
        if int(sender) == self._number and game_id not in self._doubted:
            return
        self._doubted.discard(game_id)
        if notice.channel == MADE:
            self._report(News(game_id, mine=False, due=False, maker=what[0]))
        else:
            owner, due = what
            self._report(News(game_id, mine=int(owner) == self._number, due=due == "1"))

    def _report(self, news: News) -> None:
        if self._listener is not None:
            self._listener(news)

    # -- jobs ------------------------------------------------------------------------------------------

    async def _ask(self, text: Any, values: Any = (), game_id: str = "") -> list[Any]:
        """Return the rows of a single statement. Raises StoreError."""

        async def do(cursor: Cursor) -> list[Any]:
            return await (await cursor.execute(text, values)).fetchall()

        return await self._pool.run(do, game_id, whole=False)

    async def _do(self, do: Callable[[Cursor], Awaitable[T]], game_id: str = "") -> T:
        """Run a function in a transaction. Raises StoreError."""
        return await self._pool.run(do, game_id)
