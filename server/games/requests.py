"""Executes requests that change games exactly once, and repeats the same response for repeated requests."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from clerestory.server.games import commands
from clerestory.server.games.background import run_in_thread
from clerestory.server.games.creation import OWNER, NewGame, keys_of, make_game
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.manager import GameManager, typed
from clerestory.server.games.store import Conflict, Key
from clerestory.server.games.viewer import TokenIssuer, Viewer, actor_of, digest_of
from clerestory.service_errors import Reason, ServiceError, raise_error

A = TypeVar("A")

NO_SEAT = (Reason.SEAT_TAKEN, Reason.GAME_OVER)  # why a seat cannot be taken, possibly because the request is repeated


class Requests:
    """Executes requests that change games.

    A caller-supplied function builds each response before the change is stored: if it fails, nothing has happened.

    Args:
        manager: the game manager.
    """

    def __init__(self, manager: GameManager) -> None:
        self._manager = manager

    async def create(self, plan: NewGame, maker: str, answer: Callable[[HostedGame, TokenIssuer], A]) -> A:
        """Create a game, once per request name; `maker` is the origin of the caller.

        Raises ServiceError: TOO_MANY_GAMES, DISK_FULL, STORE_FAILED, and those of a record to continue.
        """
        issuer = TokenIssuer(self._manager.store.secret, plan.request_id and f"create {plan.request_id}")
        game_id = await self._made_before(issuer)
        if game_id is None:
            with suppress(Conflict):  # the same request, a moment ago or after its name has expired
                return await self._make(plan, issuer, maker, answer)
        async with self._manager.lend(game_id or issuer.game_id()) as live:
            return answer(live.hosted, issuer)

    def rematch_id(self, hosted: HostedGame, viewer: Viewer) -> str:
        """Return the request name of a game's rematch, which its players share; "" before its end, and for others.

        A repeated request returns the tokens, so onlookers must not learn its name.
        """
        if viewer.late or not hosted.over:
            return ""
        return TokenIssuer(self._manager.store.secret, f"rematch {hosted.head.game_id}").token(OWNER)

    async def _made_before(self, issuer: TokenIssuer) -> str | None:
        """Return the game of a repeated request; None for a new one."""
        if not issuer.digest:
            return None
        with typed():
            found = await self._manager.store.find([issuer.digest])
        return found[issuer.digest][0] if found else None

    async def _make(
        self, plan: NewGame, issuer: TokenIssuer, maker: str, answer: Callable[[HostedGame, TokenIssuer], A]
    ) -> A:
        hosted = await run_in_thread(len(plan.played), make_game, plan, issuer, maker, self._manager.now())
        made = answer(hosted, issuer)
        await self._manager.create(hosted, keys_of(hosted.head, issuer))
        return made

    async def join(
        self, game_id: str, seat: int | None, name: str, request_id: str, answer: Callable[[HostedGame, int, str], A]
    ) -> A:
        """Take a seat, once per request name.

        Args:
            game_id: ID of the game.
            seat: the requested seat, None for any open one.
            name: name of the person, "" for none.
            request_id: name of the request, "" for one that is never repeated.
            answer: builds the response from the game, the seat and its token.

        Raises ServiceError: NO_SUCH_GAME, STORE_FAILED, those of `commands.join`, and WRONG_SEAT_TOKEN if the request
        took a seat that has been reassigned since.
        """
        issuer = TokenIssuer(self._manager.store.secret, request_id and f"join {game_id} {request_id}")
        token = issuer.token("seat")

        def act(hosted: HostedGame) -> tuple[int, A]:
            held = next((own for own, holder in enumerate(hosted.seats) if holder.token == digest_of(token)), None)
            taken = commands.join(hosted, seat, name, digest_of(token), self._manager.now()) if held is None else held
            return taken, answer(hosted, taken, token)

        async with self._manager.lend(game_id) as live:
            try:
                (_, made), _ = await self._manager.change(live, act, lambda done: keys_to(done[0], token, issuer))
            except (Conflict, ServiceError) as error:
                if request_id and (isinstance(error, Conflict) or error.reason in NO_SEAT):
                    await self._require_new([issuer.digest, digest_of(token)])
                raise
            return made

    async def _require_new(self, digests: Sequence[str]) -> None:
        """Raise ServiceError, WRONG_SEAT_TOKEN, if a failed request to join has succeeded before."""
        with typed():
            if await self._manager.store.find(digests):
                raise_error(
                    Reason.WRONG_SEAT_TOKEN, "request_id", "took a seat that has since been given to another player"
                )

    async def act(
        self,
        game_id: str,
        tokens: Sequence[str],
        version: int,
        act: Callable[..., int],
        answer: Callable[[HostedGame, HostedGame, Viewer], A],
    ) -> A:
        """Run a command on a version of a game, once: a repetition gets the same response, even after later changes.

        Args:
            game_id: ID of the game.
            tokens: tokens of the acting viewer.
            version: the version that the command applies to.
            act: a command of `commands`: takes the game, the viewer and the `moment`; returns the version after the
                change, which may have been made before.
            answer: builds the response from the game at the version, the game after the change, and the viewer.

        Raises ServiceError: NO_SUCH_GAME, STORE_FAILED, DISK_FULL; and the errors of `act`.
        """
        async with self._manager.lend(game_id) as live:
            near = await live.reach(min(version, live.hosted.version))

            def apply(hosted: HostedGame, viewer: Viewer) -> A:
                after = act(hosted, viewer, moment=self._manager.now())  # read after any wait
                after += self._manager.give_back(live.hosted, hosted)
                before = live.after(near, version)
                return answer(before, before.until(hosted, after), viewer)

            return (await self._manager.change(live, lambda hosted: apply(hosted, actor_of(hosted, tokens))))[0]

    async def change(
        self,
        game_id: str,
        tokens: Sequence[str],
        act: Callable[..., object],
        answer: Callable[[HostedGame], A],
    ) -> A:
        """Run a command on any version of a game; repeating it changes nothing more.

        `act` is a command of `commands` as in `act`. Raises the same.
        """
        async with self._manager.lend(game_id) as live:

            def apply(hosted: HostedGame) -> A:
                act(hosted, actor_of(hosted, tokens), moment=self._manager.now())
                self._manager.give_back(live.hosted, hosted)
                return answer(hosted)

            return (await self._manager.change(live, apply))[0]


def keys_to(seat: int, token: str, issuer: TokenIssuer) -> list[Key]:
    """Return the keys of a seat that was taken."""
    request = [Key(issuer.digest, seat, request=True)] if issuer.digest else []
    return [Key(digest_of(token), seat), *request]
