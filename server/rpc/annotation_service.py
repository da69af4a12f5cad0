"""Handles the calls of AnnotationService: reviews of games, and summaries of many."""

from dataclasses import replace
from functools import partial
from typing import Any

import grpc

from clerestory.search.review.summary import summarize
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import PlyStore, ReviewStep, ReviewTerms, review
from clerestory.server.games.background import run_in_thread
from clerestory.server.games.manager import GameManager
from clerestory.server.games.reviews import PlyCache, game_to_review
from clerestory.server.hardening.in_progress import InProgress
from clerestory.server.rpc.callers import Callers
from clerestory.server.rpc.chunks import write_each
from clerestory.server.rpc.translate_annotation import (
    ReviewRequest,
    read_annotation,
    read_plies,
    write_plies,
    write_step,
)
from clerestory.server.rpc.translate_summary import read_summary, write_summary
from clerestory.turns import Turns
from clerestory.v1 import annotation_pb2 as api
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceServicer

MOST_REVIEWS = 256  # in progress, for all callers; one caller may hold half of what the others leave free

Context = grpc.aio.ServicerContext[Any, Any]


class Annotations(AnnotationServiceServicer):
    """The gRPC handlers of AnnotationService.

    Args:
        reviewer: runs the searches of reviews.
        manager: the game manager.
        callers: identifies the caller of a call.
    """

    def __init__(self, reviewer: Reviewer, manager: GameManager, callers: Callers) -> None:
        self._reviewer = reviewer
        self._manager = manager
        self._callers = callers
        self._turns, self._reviews = Turns(), InProgress(MOST_REVIEWS)

    async def AnnotateGame(  # type: ignore[override]  # noqa: N802  # a coroutine that writes; its name in proto/
        self, request: api.AnnotateGameRequest, context: Context
    ) -> None:
        """Review a game. Raises ServiceError."""
        caller = self._callers.player_of(context)
        self._reviewer.require_place(caller)
        with self._reviews.taken(caller.origin):
            await self._review(request, caller, context)

    async def SummarizeGames(  # noqa: N802  # its name in proto/
        self, request: api.SummarizeGamesRequest, context: Context
    ) -> api.SummarizeGamesResponse:
        """Summarize the reviewed games of a player. Raises ServiceError."""
        return await self._turns.run_in_thread(self._callers.player_of(context).origin, summarized, request)

    async def _review(self, request: api.AnnotateGameRequest, caller: Caller, context: Context) -> None:
        """Review a game for a caller. Raises ServiceError."""
        # One request of each caller at a time; otherwise a burst of one caller's requests would occupy all threads.
        wanted = await self._turns.run_in_thread(caller.origin, read_annotation, request)
        end, terms, store = await self._game(wanted)

        async def write(step: ReviewStep) -> None:
            size = len(step.plies) if step.review is None else step.total
            await context.write(await run_in_thread(size, write_step, step, end.game))

        await write_each(review(self._reviewer, end, terms, caller, store), write)

    async def _game(self, wanted: ReviewRequest) -> tuple[Any, ReviewTerms, PlyStore | None]:
        """Return the last position of a game, the terms of its review, and the store of its reviewed plies.

        Raises ServiceError.
        """
        if wanted.record is not None:
            return wanted.record, wanted.terms, None
        end, judge, over = await game_to_review(self._manager, wanted.game_id, wanted.tokens, wanted.terms.viewer)
        write = partial(write_plies, game=end.game)
        store = PlyCache(self._manager.store, wanted.game_id, end, over, write, read_plies)
        return end, replace(wanted.terms, viewer=judge), store


def summarized(request: api.SummarizeGamesRequest) -> api.SummarizeGamesResponse:
    """Return the summary of reviewed games. Raises ServiceError."""
    game, games = read_summary(request)
    return write_summary(summarize(game.name, games))
