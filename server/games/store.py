"""The interface of a store of hosted games, implemented with SQLite for one server and PostgreSQL for several."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, Protocol

from clerestory.server.games.bounds import CLOSING, ENTRY_BYTES
from clerestory.server.games.log import Entry, Head

DAY = 24 * 3600 * 1000  # milliseconds

GameLog = tuple[Head, list[Entry]]


class StoreError(Exception):
    """The store failed. A write may nevertheless have succeeded, with only its response lost."""


class StoreFull(StoreError):
    """There is no space; nothing was stored."""


class StoreDamaged(StoreError):
    """The store's file is permanently damaged."""


def failed(what: str, game_id: str = "", kind: type[StoreError] = StoreError) -> StoreError:
    """Return the error of a failed job, with the game that it concerned."""
    return kind(f"the store failed{game_id and f' for game {game_id!r}'}: {what}")


class Unreadable(StoreError):
    """A stored game cannot be read: it is damaged, or a later version wrote it."""


class Conflict(StoreError):
    """An entry with that number, or a game or key with that name, already exists."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that finds a game: the digest of a token, or of a request name.

    Attributes:
        seat: the seat of the token, or None.
        request: whether it is a request name.
    """

    digest: str
    seat: int | None = None
    request: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """The columns that the store uses to find games without reading them.

    Attributes:
        status: `open`, `running` or `over`.
        shown: whether everyone may find it.
        due: when the server has to move, in milliseconds since 1970, for a bot since when; None for never.
        bots_only: whether it has no person and no open seat.
    """

    status: str
    shown: bool
    due: int | None
    bots_only: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """A game in which the server has to move.

    Attributes:
        maker: origin of its creator.
        moment: as `Summary.due`.
        owned: whether this server has taken it over.
    """

    game_id: str
    maker: str
    moment: int
    owned: bool = False


@dataclass(frozen=True, slots=True)
class NoticeTarget:
    """A target for the notices of a seat's turns: a webhook, or a push subscription of a browser.

    Attributes:
        holder: digest of the seat's token with which it was added; it is valid as long as the seat has that token.
        url: its address.
        keys: of a push subscription, its public key and its authentication secret, concatenated; empty for a webhook.
        told: version of the last turn that it accepted or rejected a notice of, or of the game when it was added.
    """

    seat: int
    holder: str
    url: str
    keys: bytes
    told: int


@dataclass(frozen=True, slots=True)
class Batch:
    """An atomic change of a stored game.

    Attributes:
        entries: entries to add.
        summary: the new summary.
        keys: keys to add.
    """

    entries: Sequence[Entry]
    summary: Summary
    keys: Sequence[Key] = ()

    @property
    def bytes(self) -> int:
        """The approximate size of the entries in the store."""
        return sum(ENTRY_BYTES + len(entry.text.encode()) for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Tally:
    """The totals of one maker in a store.

    Attributes:
        unfinished: number of unfinished games.
        games: number of all games.
        bytes: their approximate size in the store.
    """

    unfinished: int = 0
    games: int = 0
    bytes: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Return the sums."""
        return Tally(self.unfinished + other.unfinished, self.games + other.games, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class GameFilter:
    """A query for games, newest first.

    Attributes:
        game: name of the game, "" for any.
        status: "" for any.
        tokens: digests, at least one of them a key of the game; None for publicly listed games.
        before: (created, id) of the last game of the previous page, None for the first page.
    """

    limit: int
    game: str = ""
    status: str = ""
    tokens: tuple[str, ...] | None = None
    before: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A notification that another server, or a write of this one that was reported as failed, has stored something.

    Attributes:
        game_id: the game; "" for any game.
        mine: whether this server owns it.
        due: whether a server has to move in it, now or later.
        maker: origin of its creator, if it is new; otherwise "".
    """

    game_id: str
    mine: bool
    due: bool
    maker: str = ""


NewsListener = Callable[[News], None]


class Store(Protocol):
    """A store of games. Every method raises StoreError, or StoreFull if there is no space.

    If several servers share a store, only a game's owner makes automatic moves in it, coordinated by `own`, `due`,
    `release`, `later` and `listen`. A single server owns all games.
    """

    shared: bool  # whether several servers can use it
    secret: bytes  # drawn when the store was created

    @property
    def alive(self) -> bool:
        """Whether it has responded recently."""

    def now(self) -> int:
        """Return milliseconds since 1970 by the clock that all servers of the store share."""

    # -- games

    async def create(self, head: Head, batch: Batch) -> None:
        """Store a new game. Raises Conflict if it or one of the keys already exists."""

    async def append(self, game_id: str, number: int, batch: Batch, *, owned: bool = False) -> None:
        """Add entries, beginning with this number, counted from 0.

        Raises Conflict if the number is taken, or if `owned` is set and this server does not own the game. A shared
        store also raises it if the preceding entry is lost, for example in a failover to a lagging replica.
        """

    async def load(self, game_id: str) -> GameLog | None:
        """Return a game; None if it does not exist. Raises Unreadable."""

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries of a game from a number on. Raises Unreadable."""

    async def select(self, wanted: GameFilter) -> list[tuple[str, int]]:
        """Return (id, created) of games, newest first."""

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return (game, seat) of existing keys, by digest."""

    # -- totals and cleanup

    async def tally(self) -> dict[str, Tally]:
        """Return the totals of each maker with an index scan, which is too slow for a call."""

    async def touch(self, game_ids: Sequence[str], moment: int) -> None:
        """Record when games were last accessed."""

    async def delete_untouched(self, before: int, most: int) -> list[str]:
        """Delete games that were last accessed before a moment, oldest first; return them.

        At most `most` games are deleted, fewer if they are large; [] means that there are none.
        """

    async def forget_requests(self, before: int, most: int) -> int:
        """Delete request names from before a moment, at most `most`; return how many."""

    # -- automatic moves

    async def own(self, game_id: str) -> bool:
        """Take over a game, unless another live server owns it; return whether this server owns it."""

    async def due(self, before: int, most: int, *, bots_only: bool, skip: Collection[str] = ()) -> list[Due]:
        """Take over and return games in which a server has to move before a moment: first each maker's longest due one.

        Args:
            before: the moment.
            most: maximum number of games; if there are as many, there may be more.
            bots_only: whether to return games of bots only, beginning after the last returned maker; otherwise all
                others.
            skip: games to skip.

        It returns games that this server already owns, and games without a live owner.
        """

    async def release(self, game_id: str) -> None:
        """Let another server take over a game that this one owns."""

    def listen(self, listener: NewsListener) -> None:
        """Report changes by other servers, and by writes of this one that were reported as failed but succeeded."""

    # -- reviews

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return the stored plies of a review."""

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Store plies of a review, keeping those already stored. Delete the oldest reviews beyond MOST_REVIEWS."""

    # -- targets of notices

    async def keep_target(self, game_id: str, target: NoticeTarget) -> bool:
        """Store a target of an existing game, or replace the one with the same seat and URL.

        Targets of earlier holders of the seat are deleted. Returns False if it already has MOST_TARGETS others.
        """

    async def targets(self, game_id: str, seat: int, holder: str) -> list[NoticeTarget]:
        """Return the targets of a seat's holder."""

    async def claim_targets(self, game_id: str, seat: int, holder: str, version: int) -> list[NoticeTarget]:
        """Return the targets of a seat's holder that this server is to notify of the turn that began with a version.

        They have not been notified since others acted before that turn, and no other live server has claimed them for
        this turn or a later one.
        """

    async def tell_target(self, game_id: str, seat: int, url: str, version: int) -> None:
        """Record that a target was notified of the turn that began with a version, or rejected the notice."""

    async def drop_target(self, game_id: str, seat: int, url: str) -> None:
        """Delete a target, if it exists."""

    async def untold(self, *, claimed: bool = False) -> list[str]:
        """Return running games with a target that may not have been notified of the turn.

        With `claimed`, only those whose target was claimed by a server that is no longer alive. This server claims it
        instead, so that no other one gets the same game while this one lives.
        """

    async def close(self, within: float = CLOSING) -> None:
        """Finish pending work and close, within `within` seconds."""


def untold(until: LiteralString) -> LiteralString:
    """Return whether others have acted since a target was last notified, until a version, as SQL.

    `notice_target` is its row.
    """
    return f"""EXISTS (
        SELECT 1 FROM entry WHERE entry.game = notice_target.game AND number >= told AND number < {until}
            AND coalesce(entry.seat, -1) <> notice_target.seat
            AND kind IN ('played', 'played on', 'seated', 'taken back')
    )"""


UNTOLD_GAMES: LiteralString = f"""
    SELECT DISTINCT notice_target.game FROM notice_target JOIN game ON game.id = notice_target.game
    WHERE status = 'running' AND {untold("2147483647")}
"""
TARGET: LiteralString = "seat, holder, url, keys, told"  # columns in the order of `NoticeTarget`


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
