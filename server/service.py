"""The handlers of clerestory.v1."""

import secrets
import time
from typing import Any

import grpc

from clerestory.search.errors import HiddenFromSeat
from clerestory.search.ismcts import Searcher
from clerestory.server.config import Settings
from clerestory.server.errors import Reason, refuse
from clerestory.server.pool import Pool
from clerestory.server.translate import Question, read_question, write_answer
from clerestory.v1.advisor_pb2 import RecommendMoveRequest, RecommendMoveResponse
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceServicer

SEED_BITS = 53  # of a drawn seed: every reader of JSON keeps it

Context = grpc.aio.ServicerContext[Any, Any]


class Advisor(AdvisorServiceServicer):
    """AdvisorService over a pool of searching threads."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._settings = settings

    async def RecommendMove(  # noqa: N802  # its name in proto/
        self, request: RecommendMoveRequest, context: Context
    ) -> RecommendMoveResponse:
        """Search until the effective deadline, and answer with what there is. Raises CallError."""
        arrival = time.monotonic()
        question = read_question(request)
        searcher = self._searcher(question)
        deadline = self._deadline(arrival, question.seconds, context)
        result = await self._pool.run(searcher, deadline=deadline, iterations=question.iterations)
        return write_answer(question.view, result)

    def _searcher(self, question: Question) -> Searcher:
        seed = secrets.randbits(SEED_BITS) if question.seed is None else question.seed
        try:
            return Searcher(question.view, question.seat, seed=seed, max_bytes=self._settings.max_tree_bytes)
        except HiddenFromSeat as error:
            refuse(Reason.HIDDEN_FROM_SEAT, "position", str(error))

    def _deadline(self, arrival: float, seconds: float | None, context: Context) -> float:
        longest = self._settings.max_time
        deadline = arrival + (longest if seconds is None else min(seconds, longest))
        remaining: float | None = context.time_remaining()  # None for a call without a deadline
        if remaining is None:
            return deadline
        return min(deadline, time.monotonic() + remaining - self._settings.margin)
