"""The interface of a store of kept games: SQLite implements it for one server, PostgreSQL for several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clerestory.server.games.log import Entry, Head

DAY = 24 * 3600 * 1000  # milliseconds

GameLog = tuple[Head, list[Entry]]


class StoreError(Exception):
    """The store failed; nothing was stored."""


class StoreFull(StoreError):
    """There is no space; nothing was stored."""


class Conflict(StoreError):
    """An entry with that number, or a game or key with that name, exists already."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that finds a game: the digest of a token, or of a request name.

    Attributes:
        seat: that it belongs to, or None.
        request: whether it is a request name.
    """

    digest: str
    seat: int | None = None
    request: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """What the store needs for finding games without reading them.

    Attributes:
        status: `open`, `running` or `over`.
        shown: to everybody.
        due: when the server has to move, in milliseconds since 1970, 0 for at once; None for never.
    """

    status: str
    shown: bool
    due: int | None


@dataclass(frozen=True, slots=True)
class Batch:
    """What is stored of a game at once, or not at all.

    Attributes:
        entries: to add.
        summary: of the game with them.
        keys: to add.
    """

    entries: Sequence[Entry]
    summary: Summary
    keys: Sequence[Key] = ()


@dataclass(frozen=True, slots=True)
class GameFilter:
    """A query for games, the newest first.

    Attributes:
        game: its name, "" for any.
        status: "" for any.
        tokens: digests, one of which must be a key of the game; None for games that are shown to everybody.
        due: only those in which the server has to move, shown or not.
        before: (created, id) of the last game of the previous page, None for the first page.
    """

    limit: int
    game: str = ""
    status: str = ""
    tokens: tuple[str, ...] | None = None
    due: bool = False
    before: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A notification that another server has stored something.

    Attributes:
        game_id: what it is about; "" for any game.
        mine: this server owns it.
        due: some server has to move in it, now or later.
    """

    game_id: str
    mine: bool
    due: bool


Listener = Callable[[News], None]


class Store(Protocol):
    """A store of games; every method raises StoreError, or StoreFull if there is no space.

    If several servers share a store, only a game's owner moves in it by itself, which `own`, `adopt`, `later`
    and `listen` are for. A single server owns all games.
    """

    shared: bool  # by several servers
    secret: bytes  # drawn when the store was created
    unfinished: Mapping[str, int]  # unfinished games by maker when it was opened

    async def create(self, head: Head, batch: Batch) -> None:
        """Store a new game. Raises Conflict if it or one of the keys exists already."""

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        """Add entries, the first with this number, counted from 0.

        Raises Conflict if the number is taken, or if `owned` is set and this server no longer owns the game.
        """

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game, None if there is none."""

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries of a game from a number on."""

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return (id, created) of games, the newest first."""

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return (game, seat) of those keys that exist, by digest."""

    async def count_unfinished(self) -> Mapping[str, int]:
        """Return the current value of `unfinished`."""

    async def own(self, game_id: str) -> bool:
        """Take a game unless another live server owns it; return whether this server owns it now."""

    async def adopt(self, most: int) -> list[str]:
        """Take and return at most so many games in which a server has to move and that have no live owner."""

    def listen(self, heard: Listener) -> None:
        """Report from now on what other servers store."""

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored plies of a review."""

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review; those already stored stay."""

    async def close(self) -> None:
        """Finish pending work and close."""


def query(wanted: GameFilter) -> tuple[str, list[Any]]:
    """Return the query as SQL, with its values."""
    where: list[str] = ["TRUE"]
    values: list[Any] = []
    if wanted.tokens is not None:
        where.append(f"id IN (SELECT game FROM key WHERE digest IN ({', '.join('?' * len(wanted.tokens))}))")
        values += wanted.tokens
    elif not wanted.due:
        where.append("shown")
    if wanted.due:
        where.append("due IS NOT NULL")
    for column, value in (("name", wanted.game), ("status", wanted.status)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    if wanted.before is not None:
        where.append("(created, id) < (?, ?)")
        values += wanted.before
    text = f"SELECT id, created FROM game WHERE {' AND '.join(where)} ORDER BY created DESC, id DESC LIMIT ?"
    return text, [*values, wanted.limit]
