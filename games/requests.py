"""Requests about games: each is carried out exactly once, however often it is repeated, and answered alike."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from clerestory.games import course
from clerestory.games.aside import aside
from clerestory.games.keeper import Keeper, typed
from clerestory.games.kept import ServerGame
from clerestory.games.making import OWNER, NewGame, keys_of, make_game
from clerestory.games.store import Conflict, Key
from clerestory.games.tokens import Mint
from clerestory.games.viewer import Viewer, actor_of, digest_of
from clerestory.refusals import Reason, Refusal, refuse

A = TypeVar("A")

NO_SEAT = (Reason.SEAT_TAKEN, Reason.GAME_OVER)  # why a seat cannot be taken, or not once more


class Requests:
    """Carries out requests that change games.

    Each answer is made by a function that the caller gives, before the change is stored: where none can be made,
    nothing has happened.

    Args:
        keeper: of the games.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def create(self, plan: NewGame, maker: str, answer: Callable[[ServerGame, Mint], A]) -> A:
        """Create a game, once per request name; `maker` is the origin of the caller.

        Raises Refusal: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED, and those of a record that it is to continue.
        """
        mint = Mint(self._keeper.store.secret, plan.request_id and f"create {plan.request_id}")
        game_id = await self._made_before(mint)
        if game_id is None:
            with suppress(Conflict):  # the same request, a moment before, or so long ago that its name is forgotten
                return await self._make(plan, mint, maker, answer)
        async with self._keeper.lend(game_id or mint.game_id()) as live:
            return answer(live.kept, mint)

    def rematch_id(self, kept: ServerGame, viewer: Viewer) -> str:
        """Return the request name that the players of a game have for the next one, "" before its end, or for others.

        Who names a request that was answered is told its tokens, so nobody who only looked on may know it.
        """
        if viewer.late or not kept.over:
            return ""
        return Mint(self._keeper.store.secret, f"rematch {kept.head.game_id}").token(OWNER)

    async def _made_before(self, mint: Mint) -> str | None:
        """Return the game of a request that was answered before, None for a new one."""
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
            game_id: of the game.
            seat: wanted, None for any open one.
            name: of the person, "" for none.
            request_id: name of the request, "" for one that is never repeated.
            answer: is given the game, the seat and its token.

        Raises Refusal: NO_SUCH_GAME, STORE_FAILED, those of `course.join`, and WRONG_SEAT_TOKEN if the seat was taken
        before and has been given to somebody else since.
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
        """Raise Refusal, WRONG_SEAT_TOKEN, if a request to join that was refused now has been answered before."""
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
        """Act on a version of a game, once: who repeats that is told the same again, also when more has happened.

        Args:
            game_id: of the game.
            tokens: of who acts.
            version: on which.
            act: of `course`: is given the game, who acts and the `moment`; returns the version after the change, which
                may have been made before.
            answer: is given the game at the version, the game after the change, and who sees it.

        Raises Refusal: NO_SUCH_GAME, STORE_FAILED, DISK_FULL, and what `act` raises.
        """
        async with self._keeper.lend(game_id) as live:
            near = await live.reach(min(version, live.kept.version))

            def told(kept: ServerGame, viewer: Viewer) -> A:
                after = act(kept, viewer, moment=self._keeper.now())  # of the next turn: after all waiting
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
        """Let the holder of tokens change a game whatever its version is; to repeat that changes nothing more.

        `act` is a function of `course` as above. Raises the same.
        """

        def told(kept: ServerGame) -> A:
            act(kept, actor_of(kept, tokens), moment=self._keeper.now())
            return answer(kept)

        async with self._keeper.lend(game_id) as live:
            return (await self._keeper.change(live, told))[0]


def keys_to(seat: int, token: str, mint: Mint) -> list[Key]:
    """Return the keys to a seat that was taken."""
    request = [Key(mint.digest, seat, request=True)] if mint.digest else []
    return [Key(digest_of(token), seat), *request]
