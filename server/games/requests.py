"""Executes requests that change games exactly once, and repeats the same response for repeated requests."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from clerestory.refusals import Reason, Refusal, refuse
from clerestory.server.games import course
from clerestory.server.games.aside import aside
from clerestory.server.games.keeper import Keeper, typed
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.making import OWNER, NewGame, keys_of, make_game
from clerestory.server.games.store import Conflict, Key
from clerestory.server.games.tokens import Mint
from clerestory.server.games.viewer import Viewer, actor_of, digest_of

A = TypeVar("A")

NO_SEAT = (Reason.SEAT_TAKEN, Reason.GAME_OVER)  # why a seat cannot be taken, possibly because the request is repeated


class Requests:
    """Executes requests that change games.

    A caller-supplied function builds each response before the change is stored: if it fails, nothing has happened.

    Args:
        keeper: the game manager.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def create(self, plan: NewGame, maker: str, answer: Callable[[ServerGame, Mint], A]) -> A:
        """Create a game, once per request name; `maker` is the origin of the caller.

        Raises Refusal: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED, and those of a record to continue.
        """
        mint = Mint(self._keeper.store.secret, plan.request_id and f"create {plan.request_id}")
        game_id = await self._made_before(mint)
        if game_id is None:
            with suppress(Conflict):  # the same request, a moment ago or after its name has expired
                return await self._make(plan, mint, maker, answer)
        async with self._keeper.lend(game_id or mint.game_id()) as live:
            return answer(live.kept, mint)

    def rematch_id(self, kept: ServerGame, viewer: Viewer) -> str:
        """Return the request name of a game's rematch, which its players share; "" before its end, and for others.

        A repeated request returns the tokens, so onlookers must not learn its name.
        """
        if viewer.late or not kept.over:
            return ""
        return Mint(self._keeper.store.secret, f"rematch {kept.head.game_id}").token(OWNER)

    async def _made_before(self, mint: Mint) -> str | None:
        """Return the game of a repeated request; None for a new one."""
        if not mint.digest:
            return None
        with typed():
            found = await self._keeper.store.find([mint.digest])
        return found[mint.digest][0] if found else None

    async def _make(self, plan: NewGame, mint: Mint, maker: str, answer: Callable[[ServerGame, Mint], A]) -> A:
        kept = await aside(len(plan.played), make_game, plan, mint, maker, self._keeper.now())
        made = answer(kept, mint)
        await self._keeper.create(kept, keys_of(kept.head, mint))
        return made

    async def join(
        self, game_id: str, seat: int | None, name: str, request_id: str, answer: Callable[[ServerGame, int, str], A]
    ) -> A:
        """Take a seat, once per request name.

        Args:
            game_id: ID of the game.
            seat: the requested seat, None for any open one.
            name: name of the person, "" for none.
            request_id: name of the request, "" for one that is never repeated.
            answer: builds the response from the game, the seat and its token.

        Raises Refusal: NO_SUCH_GAME, STORE_FAILED, those of `course.join`, and WRONG_SEAT_TOKEN if the request took a
        seat that has been reassigned since.
        """
        mint = Mint(self._keeper.store.secret, request_id and f"join {game_id} {request_id}")
        token = mint.token("seat")

        def act(kept: ServerGame) -> tuple[int, A]:
            held = next((own for own, holder in enumerate(kept.seats) if holder.token == digest_of(token)), None)
            taken = course.join(kept, seat, name, digest_of(token), self._keeper.now()) if held is None else held
            return taken, answer(kept, taken, token)

        async with self._keeper.lend(game_id) as live:
            try:
                (_, made), _ = await self._keeper.change(live, act, lambda done: keys_to(done[0], token, mint))
            except (Conflict, Refusal) as error:
                if request_id and (isinstance(error, Conflict) or error.reason in NO_SEAT):
                    await self._require_new([mint.digest, digest_of(token)])
                raise
            return made

    async def _require_new(self, digests: Sequence[str]) -> None:
        """Raise Refusal, WRONG_SEAT_TOKEN, if a failed request to join has succeeded before."""
        with typed():
            if await self._keeper.store.find(digests):
                refuse(Reason.WRONG_SEAT_TOKEN, "request_id", "took a seat that has been given to somebody else since")

    async def act(
        self,
        game_id: str,
        tokens: Sequence[str],
        version: int,
        act: Callable[..., int],
        answer: Callable[[ServerGame, ServerGame, Viewer], A],
    ) -> A:
        """Run a command on a version of a game, once: a repetition gets the same response, even after later changes.

        Args:
            game_id: ID of the game.
            tokens: tokens of the acting viewer.
            version: the version that the command applies to.
            act: a command of `course`: takes the game, the viewer and the `moment`; returns the version after the
                change, which may have been made before.
            answer: builds the response from the game at the version, the game after the change, and the viewer.

        Raises Refusal: NO_SUCH_GAME, STORE_FAILED, DISK_FULL; and the errors of `act`.
        """
        async with self._keeper.lend(game_id) as live:
            near = await live.reach(min(version, live.kept.version))

            def told(kept: ServerGame, viewer: Viewer) -> A:
                after = act(kept, viewer, moment=self._keeper.now())  # read after any wait
                before = live.after(near, version)
                return answer(before, before.until(kept, after), viewer)

            return (await self._keeper.change(live, lambda kept: told(kept, actor_of(kept, tokens))))[0]

    async def change(
        self,
        game_id: str,
        tokens: Sequence[str],
        act: Callable[..., object],
        answer: Callable[[ServerGame], A],
    ) -> A:
        """Run a command on any version of a game; repeating it changes nothing more.

        `act` is a command of `course` as in `act`. Raises the same.
        """

        def told(kept: ServerGame) -> A:
            act(kept, actor_of(kept, tokens), moment=self._keeper.now())
            return answer(kept)

        async with self._keeper.lend(game_id) as live:
            return (await self._keeper.change(live, told))[0]


def keys_to(seat: int, token: str, mint: Mint) -> list[Key]:
    """Return the keys of a seat that was taken."""
    request = [Key(mint.digest, seat, request=True)] if mint.digest else []
    return [Key(digest_of(token), seat), *request]
