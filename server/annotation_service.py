"""The handler of AnnotationService."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import grpc

from clerestory.advice.caller import Caller
from clerestory.advice.reviewer import Pass, Reviewer, ReviewTarget
from clerestory.games.aside import aside
from clerestory.games.course import require_playable
from clerestory.games.keeper import Keeper
from clerestory.games.kept import ServerGame
from clerestory.games.log import Hints
from clerestory.games.store import Store, StoreError
from clerestory.games.viewer import Viewer, viewer_of
from clerestory.refusals import Reason, refuse
from clerestory.review import Annotation, PlyValuation, ReviewPlan
from clerestory.review.annotation import assemble
from clerestory.review.course import last_root, plies_of
from clerestory.review.deepen import those_that_matter
from clerestory.review.plan import ITERATIONS, LEAST
from clerestory.server.callers import Callers
from clerestory.server.translate_annotation import (
    MOST,
    ReviewRequest,
    digest_of_plan,
    read_annotation,
    read_plies,
    require_seat,
    write_plies,
    write_progress,
    write_review,
)
from clerestory.v1 import annotation_pb2 as api
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceServicer

SKETCH = 4 * LEAST  # iterations of each search of the sketch; its speed sets the iterations of the full review
SPARE = 0.9  # share of the time that is planned, as some searches are slower than in the sketch
EVERY = 0.25  # least seconds between two messages

Context = grpc.aio.ServicerContext[Any, Any]


class Annotations(AnnotationServiceServicer):
    """AnnotationService over a reviewer.

    Args:
        reviewer: whose threads search.
        keeper: of the games that the server keeps.
        callers: identifies the caller of a call.
    """

    def __init__(self, reviewer: Reviewer, keeper: Keeper, callers: Callers) -> None:
        self._reviewer = reviewer
        self._keeper = keeper
        self._callers = callers

    async def AnnotateGame(  # type: ignore[override]  # noqa: N802  # a coroutine that writes; its name in proto/
        self, request: api.AnnotateGameRequest, context: Context
    ) -> None:
        """Review a game. Raises Refusal."""
        began, caller = time.monotonic(), self._callers.player_of(context)
        self._reviewer.require_place(caller)
        wanted = await asyncio.to_thread(read_annotation, request)
        end, viewer = await self._game(wanted)
        plan = ReviewPlan(iterations=SKETCH, seed=wanted.seed, viewer=viewer)
        game = await asyncio.to_thread(game_of, end, viewer)
        store = PlyStore(self._keeper.store, stored_for(wanted, end), end)
        proper = replace(plan, iterations=iterations_of(wanted, 1.0)) if wanted.seconds is None else None
        if proper is None or not (proper == plan or await store.known(proper)):
            await self._pass(game, plan, caller, context, store, sketch=True)
        if proper is None:
            proper = replace(plan, iterations=iterations_of(wanted, time.monotonic() - began))
            store = PlyStore(self._keeper.store, "", end)  # another call will have time for other iterations
        done = await self._pass(game, proper, caller, context, store, sketch=False)
        review = await aside(game.total, assembled, end, proper, done)
        if wanted.deep is not None:
            review = await self._deepened(review, game, wanted.deep, caller, context)
        await self._conclude(done, review, context)

    async def _pass(
        self, game: ReviewTarget, plan: ReviewPlan, caller: Caller, context: Context, store: "PlyStore", *, sketch: bool
    ) -> Pass:
        """Go over a game once, sending and storing plies as they are done; those stored before are sent at once."""
        going = Pass.begun(game.total, await store.known(plan))
        work = asyncio.ensure_future(going.run(game, plan, self._reviewer, caller))
        try:
            while going.unsent or not work.done():
                await asyncio.wait([work], timeout=EVERY)
                if news := going.news():
                    await store.keep(plan, news)
                    message = aside(len(news), write_progress, going.done, going.total, news, sketch=sketch)
                    await context.write(await message)
            work.result()
        finally:
            work.cancel()
        return going

    async def _deepened(
        self, review: Annotation, game: ReviewTarget, seconds: float, caller: Caller, context: Context
    ) -> Annotation:
        """Return a review with rollouts of the worst errors, each with an equal part of the time; report progress."""
        matter, began = those_that_matter(review), time.monotonic()
        roots = {ply.number: ply.root for ply in game.plies}
        rollouts = {}
        for done, one in enumerate(matter):
            await context.write(api.AnnotateGameResponse(done=done, total=len(matter), deepening=True))
            root, deadline = roots[one.ply], began + seconds * (done + 1) / len(matter)
            if root is not None:
                rollouts[one.ply] = await self._reviewer.rolled_out(root, one, review.plan, deadline, caller)
        return replace(review, rollouts=rollouts)

    async def _conclude(self, proper: Pass, review: Annotation, context: Context) -> None:
        """Write the last message."""
        message = await aside(proper.total, write_review, review)
        await context.write(api.AnnotateGameResponse(done=proper.total, total=proper.total, review=message))

    async def _game(self, wanted: ReviewRequest) -> tuple[Any, int | None]:
        """Return the last position of a game, and the seat whose knowledge is used. Raises Refusal."""
        if wanted.record is not None:
            return wanted.record, wanted.viewer
        async with self._keeper.lend(wanted.game_id) as live:
            viewer = viewer_of(live.kept, wanted.tokens)
            judge = judge_of(live.kept, viewer, wanted.viewer)
            end = (await aside(live.kept.ply, live.kept.record, None)).state
        require_seat(end, judge)
        return end, judge


class PlyStore:
    """Stores the plies of a review of a kept game.

    Args:
        store: of the games.
        game_id: of the game, "" for one whose review is not stored.
        end: its last position.
    """

    def __init__(self, store: Store, game_id: str, end: Any) -> None:
        self._store, self._game_id, self._end = store, game_id, end

    async def known(self, plan: ReviewPlan) -> dict[int, PlyValuation]:
        """Return the stored plies; none if the store fails."""
        if not self._game_id:
            return {}
        with suppress(StoreError):
            kept = await self._store.reviewed(self._game_id, self._digest(plan))
            return await aside(len(kept), read_plies, kept)
        return {}

    async def keep(self, plan: ReviewPlan, plies: Sequence[PlyValuation]) -> None:
        """Store plies; if the store fails, they will be computed again."""
        if self._game_id:
            with suppress(StoreError):
                messages = await aside(len(plies), write_plies, plies)
                await self._store.keep_review(self._game_id, self._digest(plan), messages)

    def _digest(self, plan: ReviewPlan) -> str:
        return digest_of_plan(plan, self._end.game, self._end.seats)


def stored_for(wanted: ReviewRequest, end: Any) -> str:
    """Return the game whose review is stored: one that is over, searched with the usual seed; "" for no other.

    There are too many seeds to store a review for each.
    """
    return wanted.game_id if end.over and wanted.seed == ReviewPlan().seed else ""


def judge_of(kept: ServerGame, viewer: Viewer, wanted: int | None) -> int | None:
    """Return the seat whose knowledge is used to judge a kept game, None for each decision's own seat.

    Raises Refusal: FROZEN, NOT_STARTED, NO_HINTS_YET, and WRONG_SEAT_TOKEN for a viewer without the right.
    """
    require_playable(kept)
    if viewer.stranger:
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "send the token of a seat")
    if kept.over:
        return wanted
    if not kept.running:
        refuse(Reason.NOT_STARTED, "game_id", "the game has not begun: a seat is still open")
    if kept.head.options.hints != Hints.ALWAYS:
        refuse(Reason.NO_HINTS_YET, "game_id", "the game allows no hints before it is over")
    if not viewer.seats or wanted not in (None, *viewer.seats):
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "a running game can only be reviewed from a seat of your own")
    return viewer.seats[0] if wanted is None else wanted


def game_of(end: Any, viewer: int | None) -> ReviewTarget:
    """Return the part of a game that is to be reviewed."""
    plies = [ply for ply in plies_of(end, viewer) if ply.root is not None]
    return ReviewTarget(plies, last_root(end, viewer), len(end.history))


def iterations_of(wanted: ReviewRequest, took: float) -> int:
    """Return the iterations of the full review: as requested, or as many as fit at the speed of the sketch."""
    if wanted.seconds is None:
        return wanted.iterations or ITERATIONS
    return min(max(int(SKETCH * SPARE * (wanted.seconds - took) / took), LEAST), MOST)


def assembled(end: Any, plan: ReviewPlan, proper: Pass) -> Annotation:
    """Return the review of a game from a pass over it."""
    return assemble(end, plan, [proper.valuations[ply] for ply in sorted(proper.valuations)], proper.final)
