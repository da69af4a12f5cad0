"""A fake server that rejects a set number of calls, and records the requests."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceServicer, add_AdvisorServiceServicer_to_server


def answer(**fields: Any) -> api.RecommendMoveResponse:
    line = api.Line(action=api.Action(text="play 4", label="play card 4"), visits=7, win_shares=[0.5, 0.5])
    statistics = api.SearchStatistics(iterations=7)
    return api.RecommendMoveResponse(seat=0, best=line.action, lines=[line], statistics=statistics, **fields)


@dataclass(eq=False)
class Scripted(AdvisorServiceServicer):
    """Answers after a set number of rejections; streams a set number of tables."""

    refusals: list[tuple[grpc.StatusCode, int | None]] = field(default_factory=list)  # with pushback in ms
    tables: int = 3  # per stream; the last one is final
    breaks_after: int | None = None  # number of tables after which a stream breaks
    holds_after: int | None = None  # number of tables after which a call waits until its caller leaves
    calls: list[Any] = field(default_factory=list)  # requests so far
    metadata: dict[str, Any] = field(default_factory=dict)  # of the last call
    left: threading.Event = field(default_factory=threading.Event)  # set once a call has ended

    def __post_init__(self) -> None:
        self.refusals = list(self.refusals)

    def hear(self, request: Any, context: Any) -> None:
        context.add_callback(self.left.set)
        self.metadata = dict(context.invocation_metadata())
        self.calls.append(request)
        if self.refusals:
            code, pushback = self.refusals.pop(0)
            if pushback is not None:
                context.set_trailing_metadata((("grpc-retry-pushback-ms", str(pushback)),))
            context.abort(code, "refused")
        if self.holds_after == 0:
            self.left.wait()

    def RecommendMove(self, request: Any, context: Any) -> api.RecommendMoveResponse:  # noqa: N802
        self.hear(request, context)
        return answer(seed=request.seed)

    def Analyze(self, request: Any, context: Any) -> Iterator[api.AnalyzeResponse]:  # noqa: N802
        self.hear(request, context)
        for sequence in range(1, self.tables + 1):
            yield api.AnalyzeResponse(recommendation=answer(), sequence=sequence, final=sequence == self.tables)
            if sequence == self.breaks_after:
                context.abort(grpc.StatusCode.UNAVAILABLE, "broken")
            if sequence == self.holds_after:
                self.left.wait()


@contextmanager
def serving(servicer: Any, add: Callable[[Any, Any], None] = add_AdvisorServiceServicer_to_server) -> Iterator[str]:
    with ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads)
        add(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"localhost:{port}"
        finally:
            server.stop(None).wait()
