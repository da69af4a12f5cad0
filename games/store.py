"""The interface of a store of kept games: SQLite implements it for one server, PostgreSQL for several."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clerestory.games.bounds import CLOSING, ENTRY_BYTES
from clerestory.games.log import Entry, Head

DAY = 24 * 3600 * 1000  # milliseconds

GameLog = tuple[Head, list[Entry]]


class StoreError(Exception):
    """The store failed. What it was to store may be there all the same, and only the answer lost."""


class StoreFull(StoreError):
    """There is no space; nothing was stored."""


class StoreDamaged(StoreError):
    """The store's file is damaged, and stays so."""


def failed(what: str, game_id: str = "", kind: type[StoreError] = StoreError) -> StoreError:
    """Return the error of a job that failed, with the game that it was about."""
    return kind(f"the store failed{game_id and f' for game {game_id!r}'}: {what}")


class Unreadable(StoreError):
    """What is stored of a game cannot be read: it is damaged, or was written by a later version."""


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
        due: when the server has to move, in milliseconds since 1970, for a bot since when; None for never.
        bots_only: it has no person and no open seat.
    """

    status: str
    shown: bool
    due: int | None
    bots_only: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """A game in which the server has to move.

    Attributes:
        maker: who has made it.
        moment: as `Summary.due`.
    """

    game_id: str
    maker: str
    moment: int


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

    @property
    def bytes(self) -> int:
        """Size of the entries in the store, about."""
        return sum(ENTRY_BYTES + len(entry.text.encode()) for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a store has of one maker.

    Attributes:
        unfinished: number of games that have not ended.
        games: number of all games.
        bytes: size of them in the store, about.
    """

    unfinished: int = 0
    games: int = 0
    bytes: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Return the sums."""
        return Tally(self.unfinished + other.unfinished, self.games + other.games, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class GameFilter:
    """A query for games, the newest first.

    Attributes:
        game: its name, "" for any.
        status: "" for any.
        tokens: digests, one of which must be a key of the game; None for games that are shown to everybody.
        before: (created, id) of the last game of the previous page, None for the first page.
    """

    limit: int
    game: str = ""
    status: str = ""
    tokens: tuple[str, ...] | None = None
    before: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A notification that another server has stored something, or this one by a write that it reported as failed.

    Attributes:
        game_id: what it is about; "" for any game.
        mine: this server owns it.
        due: some server has to move in it, now or later.
        maker: who has made it, if it is new; else "".
    """

    game_id: str
    mine: bool
    due: bool
    maker: str = ""


NewsListener = Callable[[News], None]


class Store(Protocol):
    """A store of games; every method raises StoreError, or StoreFull if there is no space.

    If several servers share a store, only a game's owner moves in it by itself, which `own`, `due`, `release`, `later`
    and `listen` are for. A single server owns all games.
    """

    shared: bool  # by several servers
    secret: bytes  # drawn when the store was created

    @property
    def alive(self) -> bool:
        """Whether it has answered of late."""

    def now(self) -> int:
        """Return milliseconds since 1970 by the one clock of all servers that share the store."""

    # -- games

    async def create(self, head: Head, batch: Batch) -> None:
        """Store a new game. Raises Conflict if it or one of the keys exists already."""

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        """Add entries, the first with this number, counted from 0.

        Raises Conflict if the number is taken, if a shared store has lost the entry before, as it may in a failover to
        a replica that lags behind, or if `owned` is set and this server no longer owns the game.
        """

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game, None if there is none. Raises Unreadable."""

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries of a game from a number on. Raises Unreadable."""

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return (id, created) of games, the newest first."""

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return (game, seat) of those keys that exist, by digest."""

    # -- what it holds

    async def tally(self) -> dict[str, Tally]:
        """Return what there is of each maker, by one scan of an index: for the background, not for a call."""

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        """Record when games were last asked for."""

    async def delete_untouched(self, before: int, most: int) -> list[str]:
        """Delete games that nobody has asked for since a moment, the oldest first; return them.

        At most so many are deleted, and fewer if they are large; none means that there are none.
        """

    async def forget_requests(self, before: int, most: int) -> int:
        """Delete names of requests from before a moment, at most so many; return how many."""

    # -- moves of the server

    async def own(self, game_id: str) -> bool:
        """Take a game unless another live server owns it; return whether this server owns it now."""

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        """Take and return games in which a server has to move before a moment: first that longest due of each maker.

        Args:
            before: the moment.
            most: games returned; if so many are, there may be more.
            bots_only: games of bots only, beginning after the maker of the last that was returned; else all others.
            skip: not these.

        Returned are games that this server owns already, and games without a live owner.
        """

    async def release(self, game_id: str) -> None:
        """Let another server take a game that this one owns."""

    def listen(self, heard: NewsListener) -> None:
        """Report from now on what other servers store, and what this one reported as failed and has stored since."""

    # -- reviews

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored plies of a review."""

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review; those already stored stay. Of more than MOST_REVIEWS of a game the oldest go."""

    async def close(self, within: float = CLOSING) -> None:
        """Finish pending work and close, within so many seconds."""


def query(wanted: GameFilter) -> tuple[str, list[Any]]:
    """Return the query as SQL, with its values."""
    where: list[str] = ["TRUE"]
    values: list[Any] = []
    if wanted.tokens is not None:
        where.append(f"id IN (SELECT game FROM key WHERE digest IN ({', '.join('?' * len(wanted.tokens))}))")
        values += wanted.tokens
    else:
        where.append("shown")
    for column, value in (("name", wanted.game), ("status", wanted.status)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    if wanted.before is not None:
        where.append("(created, id) < (?, ?)")
        values += wanted.before
    text = f"SELECT id, created FROM game WHERE {' AND '.join(where)} ORDER BY created DESC, id DESC LIMIT ?"
    return text, [*values, wanted.limit]
