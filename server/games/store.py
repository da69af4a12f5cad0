"""What a store of kept games does, whatever it is made of: SQLite for one server, PostgreSQL for several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clerestory.server.games.log import Entry, Head

DAY = 24 * 3600 * 1000  # milliseconds

Logged = tuple[Head, list[Entry]]


class StoreError(Exception):
    """The store failed; nothing was kept."""


class StoreFull(StoreError):
    """There is no room; nothing was kept."""


class Conflict(StoreError):
    """An entry of that number is there already, or a game or a key of that name."""


@dataclass(frozen=True, slots=True)
class Key:
    """What leads to a game: the digest of a token, or of the name of a request.

    Attributes:
        seat: that it is for, None for none.
        request: it is a request's.
    """

    digest: str
    seat: int | None = None
    request: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """What is looked for without reading a game.

    Attributes:
        status: `open`, `running` or `over`.
        shown: to everybody.
        due: when the server has to move, in milliseconds since 1970, 0 for at once; None for never.
    """

    status: str
    shown: bool
    due: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which games to list, the newest first.

    Attributes:
        game: of this name, "" for any.
        status: "" for any.
        tokens: digests, of which one leads to it; None for games that are shown to everybody.
        due: only those in which the server has to move, shown or not.
        before: (created, id) of the last game of the page before, None for the first page.
    """

    limit: int
    game: str = ""
    status: str = ""
    tokens: tuple[str, ...] | None = None
    due: bool = False
    before: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class News:
    """Something that another server has stored.

    Attributes:
        game_id: what it is about; "" for any game.
        mine: this server owns it.
        due: some server has to move in it, now or later.
    """

    game_id: str
    mine: bool
    due: bool


Heard = Callable[[News], None]


class Store(Protocol):
    """The things that a store does; each raises StoreError, StoreFull where there is no room.

    Where several servers share one, what they do by themselves in a game is its owner's to do; `own`, `adopt`, `later`
    and `listen` are about that. A store of one server owns all of it.
    """

    shared: bool  # by several servers
    secret: bytes  # drawn when the store was made
    unfinished: Mapping[str, int]  # games by maker that had not ended when it was opened

    async def create(self, head: Head, entries: Sequence[Entry], summary: Summary, keys: Sequence[Key]) -> None:
        """Keep a new game. Raises Conflict for one that is there, or a key that is."""

    async def append(
        self,
        game_id: str,
        number: int,
        entries: Sequence[Entry],
        summary: Summary,
        keys: Sequence[Key] = (),
        *,
        owned: bool = False,
    ) -> None:
        """Add entries, the first of this number from 0.

        Raises Conflict where that number is taken, and with `owned` where the game is no longer this server's.
        """

    async def load(self, game_id: str) -> Logged | None:
        """Return a game, None if there is none."""

    async def later(self, game_id: str, number: int) -> list[Entry]:
        """Return the entries of a game from a number on."""

    async def select(self, wanted: Wanted) -> list[tuple[str, int]]:
        """Return (id, created) of games, the newest first."""

    async def find(self, digests: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Return (game, seat) of the keys that there are, by digest."""

    async def count_unfinished(self) -> Mapping[str, int]:
        """Return `unfinished` as it is now."""

    async def own(self, game_id: str) -> bool:
        """Take a game, unless another server that lives has it; return whether it is this server's."""

    async def adopt(self, most: int) -> list[str]:
        """Take so many of the games in which some server has to move and none that lives does; return them."""

    def listen(self, heard: Heard) -> None:
        """Tell from now on what other servers store."""

    async def reviewed(self, game_id: str, plan: str) -> dict[int, bytes]:
        """Return what there is of a review, by ply."""

    async def keep_review(self, game_id: str, plan: str, plies: Mapping[int, bytes]) -> None:
        """Keep plies of a review; those that are there already stay."""

    async def close(self) -> None:
        """Finish what was begun."""


def query(wanted: Wanted) -> tuple[str, list[Any]]:
    """Return the question for games as SQL, with its values."""
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
