"""Reviews of hosted games: who may see them, and which plies of them are stored."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from clerestory.engine.core import Game, State
from clerestory.engine.values.value import value_in_use
from clerestory.search.review import PlyValuation, ReviewPlan
from clerestory.search.review.study import LONGER
from clerestory.server.games.background import run_in_thread
from clerestory.server.games.commands import require_playable
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Hints
from clerestory.server.games.manager import GameManager
from clerestory.server.games.store import Store, StoreError
from clerestory.server.games.viewer import Viewer, viewer_of
from clerestory.service_errors import Reason, raise_error
from clerestory.spans import part

JUDGEMENT = "0.1.0"  # to change when a stored review would differ from a new one

Plies = dict[int, PlyValuation]


async def game_to_review(
    manager: GameManager, game_id: str, tokens: Sequence[str], wanted: int | None
) -> tuple[State, int | None, bool]:
    """Return the last position of a hosted game with its history, the judging seat, and whether the game is over.

    Args:
        manager: the game manager.
        game_id: ID of the game.
        tokens: tokens of the caller.
        wanted: the requested judging seat; None for the seat of each decision.

    Raises ServiceError: NO_SUCH_GAME, and as `judge_of` does.
    """
    async with manager.lend(game_id) as live:
        judge = judge_of(live.hosted, viewer_of(live.hosted, tokens), wanted)
        return (await run_in_thread(live.hosted.ply, live.hosted.record, None)).state, judge, live.hosted.over


def judge_of(hosted: HostedGame, viewer: Viewer, wanted: int | None) -> int | None:
    """Return the seat whose knowledge is used to judge a hosted game; None for the seat of each decision.

    Raises ServiceError: FROZEN, NOT_STARTED, NO_HINTS_YET, and WRONG_SEAT_TOKEN for a viewer without access.
    """
    require_playable(hosted)
    if viewer.stranger:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "send the token of a seat")
    if hosted.over:
        return wanted
    if not hosted.running:
        raise_error(Reason.NOT_STARTED, "game_id", "the game has not begun: a seat is still open")
    if hosted.head.options.hints != Hints.ALWAYS:
        raise_error(Reason.NO_HINTS_YET, "game_id", "the game allows no hints before it is over")
    if not viewer.seats or wanted not in (None, *viewer.seats):
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "a running game can only be reviewed from a seat of your own")
    return viewer.seats[0] if wanted is None else wanted


@dataclass(frozen=True, slots=True)
class PlyCache:
    """The reviewed plies of a hosted game in the store of games; a `PlyStore`.

    It stores only reviews that many callers may request: of finished games, with the default seed.

    Attributes:
        store: the store of games.
        game_id: ID of the game.
        end: the last position of the game.
        over: whether the game has ended, by its rules or early.
        write: serializes plies for the store.
        read: parses stored plies, skipping unreadable ones.
    """

    store: Store
    game_id: str
    end: State
    over: bool
    write: Callable[[Sequence[PlyValuation]], Mapping[int, bytes]]
    read: Callable[[Mapping[int, bytes]], Plies]

    async def known(self, plan: ReviewPlan) -> Plies:
        """Return the stored plies, without those that cannot belong to this game; {} if the store fails."""
        if self._stores(plan):
            with suppress(StoreError):
                hosted = await self.store.reviewed(self.game_id, self._digest(plan))
                found = await run_in_thread(len(hosted), self.read, hosted)
                return {ply: one for ply, one in found.items() if self._may_have(ply, one)}
        return {}

    def _may_have(self, ply: int, one: PlyValuation) -> bool:
        """Return whether a stored valuation fits its ply; a disk may have damaged it."""
        shares = len(one.before), len(one.after)
        return one.ply == ply <= self.end.plies and shares == (self.end.seats, self.end.seats)

    async def keep(self, plan: ReviewPlan, plies: Sequence[PlyValuation]) -> None:
        """Store plies; if the store fails, they will be computed again."""
        if self._stores(plan):
            with suppress(StoreError):
                written = await run_in_thread(len(plies), self.write, plies)
                with part("store") as span:
                    span.note(plies=len(written))
                    await self.store.keep_review(self.game_id, self._digest(plan), written)

    def _stores(self, plan: ReviewPlan) -> bool:
        return self.over and plan.seed == ReviewPlan().seed

    def _digest(self, plan: ReviewPlan) -> str:
        return digest_of_plan(plan, self.end.game, self.end.seats)


def digest_of_plan(plan: ReviewPlan, game: Game, seats: int) -> str:
    """Return the digest of everything that determines a review, including the judging rules and the value in use."""
    value, settings = value_in_use(game, seats), sorted(plan.settings(game, seats).items())
    made_by = [JUDGEMENT, value, settings, LONGER, plan.iterations, plan.seed, plan.viewer]
    return hashlib.sha256(json.dumps(made_by).encode()).hexdigest()
