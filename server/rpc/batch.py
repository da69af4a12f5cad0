"""Answers a stream of queries with searches of one caller, each as soon as it is ready."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable

from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.question import Question
from clerestory.server.rpc.errors import CODES, described
from clerestory.server.rpc.translate import duration
from clerestory.server.rpc.translate_advisor import read_question, write_batch_answer
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import advisor_pb2 as api

NAME, METHOD = "BatchRecommend", "AdvisorService/RecommendMove"  # in metrics; the method whose fields errors name


class Batch:
    """The queries of one call.

    At most one search per worker is under way. The scheduler divides the workers between callers, so a batch gets the
    share of its caller, however many queries it has. The next query is read once a search has ended, so the client
    waits while the server is busy.

    Args:
        analysis: the analysis engine.
        caller: the caller.
        remaining: returns the seconds to the deadline of the call; None for no deadline.
    """

    def __init__(self, analysis: AnalysisEngine, caller: Caller, remaining: Callable[[], float | None]) -> None:
        self._analysis, self._caller, self._remaining = analysis, caller, remaining
        self._slots = asyncio.Semaphore(analysis.workers)
        self._answers: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._searching, self._done, self._ended = 0, 0, asyncio.Condition()

    async def answers(self, requests: AsyncIterator[api.BatchRecommendRequest]) -> AsyncGenerator[bytes, None]:
        """Yield the answers of queries, each a serialized BatchRecommendResponse.

        Raises what reading the queries raises, after the answers to earlier ones.
        """
        reading = asyncio.create_task(self._read(requests))
        reading.add_done_callback(lambda _: self._answers.put_nowait(None))
        try:
            while (answer := await self._answers.get()) is not None:
                yield answer
                self._slots.release()
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, requests: AsyncIterator[api.BatchRecommendRequest]) -> None:
        """Begin to answer each query when there is a slot; wait for all answers."""
        failure: ServiceError | None = None
        async with asyncio.TaskGroup() as tasks:
            try:
                await self._slots.acquire()
                async for request in requests:
                    tasks.create_task(self._answer(request))
                    await self._slots.acquire()
            except ServiceError as error:
                failure = error
        if failure is not None:
            raise failure

    async def _answer(self, request: api.BatchRecommendRequest) -> None:
        """Answer a query, by its error if it has one."""
        try:
            answer = await self._search(read_question(request.question, self._caller))
        except ServiceError as error:
            message = api.BatchRecommendResponse(number=request.number, error=write_error(error)).SerializeToString()
        else:
            message = write_batch_answer(request.number, answer, request.question.max_lines)
            self._analysis.delivered(answer)
        self._answers.put_nowait(message)

    async def _search(self, question: Question) -> Answer:
        """Search a query; if the caller has no slot, wait for another search of the batch. Raises ServiceError."""
        while True:
            done = self._done
            try:
                return await self._ask(question)
            except ServiceError as error:
                if error.reason != Reason.BUSY or not self._searching:
                    raise
            async with self._ended:
                await self._ended.wait_for(lambda: self._done > done)  # noqa: B023  # called within this round

    async def _ask(self, question: Question) -> Answer:
        """Search a query, whose time begins now. Raises ServiceError."""
        admission = self._analysis.admit(self._caller, Priority.MOVE, self._remaining(), NAME)
        self._searching += 1
        try:
            return await self._analysis.ask(question, admission)
        finally:
            self._searching, self._done = self._searching - 1, self._done + 1
            async with self._ended:
                self._ended.notify_all()


def write_error(error: ServiceError) -> api.BatchError:
    """Return an error as a message."""
    faults, words = described(error, METHOD)
    message = api.BatchError(
        code=CODES[error.reason].value[0],
        reason=error.reason,
        message=words,
        violations=[api.FieldFault(field=field, description=text) for field, text in faults],
    )
    if error.retry is not None:
        message.retry_delay.CopyFrom(duration(error.retry))
    return message
