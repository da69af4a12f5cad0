"""Handles the calls of AdvisorService: recommendations, one by one or in batches, and analysis."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

import grpc

from clerestory.log_context import bind_contextvars
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.demand import Priority
from clerestory.server.rpc.batch import Batch
from clerestory.server.rpc.callers import Callers
from clerestory.server.rpc.chunks import write_each
from clerestory.server.rpc.translate_advisor import read_analysis, read_question, write_recommendation, write_update
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceServicer

PATH = "/clerestory.v1.AdvisorService/"

Context = grpc.aio.ServicerContext[Any, Any]


class AdvisorHandlers(AdvisorServiceServicer):
    """The gRPC handlers of AdvisorService.

    Args:
        analysis: the analysis engine.
        callers: identifies the caller of a call.
    """

    def __init__(self, analysis: AnalysisEngine, callers: Callers) -> None:
        self._analysis = analysis
        self._callers = callers

    @property
    def admissions(self) -> Mapping[str, Callable[[Context], Admission]]:
        """The functions that admit a call before its message is read, by method path."""
        priorities = {"RecommendMove": Priority.MOVE, "Analyze": Priority.HINT}
        return {f"{PATH}{name}": partial(self._admit, name, priority) for name, priority in priorities.items()}

    def _admit(self, name: str, priority: Priority, context: Context) -> Admission:
        """Admit a call of a method. Raises ServiceError: BUSY, FINISHING."""
        caller = self._callers.player_of(context)
        bind_contextvars(caller=caller.label)  # adds the seat to the log line of the call
        return self._analysis.admit(caller, priority, context.time_remaining(), name)

    async def RecommendMove(  # type: ignore[override]  # noqa: N802  # its name in proto/; serialized responses
        self, request: api.RecommendMoveRequest, context: Context
    ) -> bytes:
        """Search until the effective deadline, and respond with the result. Raises ServiceError."""
        admission = received(context)
        question = read_question(request, admission.caller, payload_of(context))
        answer = await self._analysis.ask(question, admission)
        message = write_recommendation(answer, request.max_lines)
        self._analysis.delivered(answer)
        return message

    async def BatchRecommend(  # type: ignore[override]  # noqa: N802  # its name in proto/; serialized responses
        self, requests: AsyncIterator[api.BatchRecommendRequest], context: Context
    ) -> AsyncGenerator[bytes, None]:
        """Answer each query of a stream as soon as its search has ended. Raises ServiceError: SLOW_REQUEST."""
        caller = self._callers.player_of(context)
        bind_contextvars(caller=caller.label)
        async with aclosing(Batch(self._analysis, caller, context.time_remaining).answers(requests)) as answers:
            async for answer in answers:
                yield answer

    async def Analyze(  # type: ignore[override]  # noqa: N802  # grpc.aio also accepts a coroutine that writes
        self, request: api.AnalyzeRequest, context: Context
    ) -> None:
        """Stream interim tables until the search ends, then the final one. Raises ServiceError."""
        admission = received(context)
        if request.background:
            admission = self._analysis.in_background(admission)
        answers = self._analysis.watch(read_analysis(request, admission.caller, payload_of(context)), admission)
        await write_each(answers, partial(self._write, request, context))

    async def _write(self, request: api.AnalyzeRequest, context: Context, answer: Answer) -> None:
        """Write one response of a stream."""
        message = write_update(answer, request.question.max_lines)
        if answer.final:
            self._analysis.delivered(answer)
        await context.write(message)


def received(context: Any) -> Admission:
    """Return the admission of a call whose message has arrived now."""
    admission: Admission = context.admission
    return admission.received(context.time_remaining())


def payload_of(context: Any) -> bytes:
    """Return the message of a call as it was received."""
    payload: bytes = context.payload
    return payload
