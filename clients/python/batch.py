"""Several positions in one call: their advice as it becomes ready."""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.clients.errors import AdvisorError, BadRequest, Busy, batch_error, error_of
from clerestory.clients.retries import BUSY_PAUSES, JITTER
from clerestory.clients.types import Recommendation
from clerestory.clients.wire import PositionLike, QuestionOptions, Time, check_size, read_answer, write_question
from clerestory.v1 import advisor_pb2 as api

LONGEST = 24 * 3600.0  # seconds that a batch may take

Send = Callable[[Iterable[api.BatchRecommendRequest]], Any]  # begins a call; returns the stream of its answers


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The advice for one of several positions.

    Attributes:
        number: of the position, from 0, in the order in which they were given.
        recommendation: the advice; None if there is none.
        error: why there is none; else None.
    """

    number: int
    recommendation: Recommendation | None
    error: AdvisorError | None


class Queries:
    """The queries of a batch, written as the server takes them.

    Queries that the server rejects as busy are sent again in a further call, as often as single ones are.

    Args:
        positions: as in `Client.recommend`.
        time: of each.
        options: of each.
        retries: whether rejected ones are sent again.

    Raises TypeError for a single position.
    """

    def __init__(
        self, positions: Iterable[PositionLike], time: Time | None, options: QuestionOptions, *, retries: bool
    ) -> None:
        if isinstance(positions, str | bytes | Mapping):
            raise TypeError("positions must be several, as in a list; recommend takes a single one")
        self._positions, self._time, self._options = positions, time, options
        self._unsent: deque[BatchAnswer] = deque()
        self._sent: dict[int, api.BatchRecommendRequest] = {}  # without an answer, by number
        self._rejected: list[api.BatchRecommendRequest] = []
        self._pauses = iter(BUSY_PAUSES if retries else ())
        self._pause = next(self._pauses, None)  # seconds before the next call; None if there is none
        self._failure: Exception | None = None

    def __iter__(self) -> Iterator[api.BatchRecommendRequest]:
        """Yield the messages, without those of positions that cannot be sent."""
        try:
            for number, position in enumerate(self._positions):
                try:
                    question, _ = write_question(position, self._time, self._options)
                    query = api.BatchRecommendRequest(number=number, question=question)
                    check_size(query)
                except BadRequest as error:
                    self._unsent.append(BatchAnswer(number, None, error))
                else:
                    self._sent[number] = query
                    yield query
        except Exception as error:  # of the program's own iterable, which gRPC would only log
            self._failure = error

    def read(self, message: api.BatchRecommendResponse) -> Iterator[BatchAnswer]:
        """Yield the errors of positions that could not be sent, and the answer unless its query will be sent again."""
        yield from self._take_unsent()
        query, answer = self._sent.pop(message.number, None), read_batch_answer(message)
        if self._pause is None or query is None or not isinstance(answer.error, Busy):
            yield answer
        else:
            self._pause = max(self._pause, answer.error.retry_after or 0.0)
            self._rejected.append(query)

    def _take_unsent(self) -> Iterator[BatchAnswer]:
        while self._unsent:
            yield self._unsent.popleft()

    def take_rejected(self) -> tuple[float, list[api.BatchRecommendRequest]]:
        """Return how many seconds to wait, and what to send then; nothing if all have been answered."""
        pause, rejected = (self._pause or 0.0) * random.uniform(1, 1 + JITTER), self._rejected
        self._pause, self._rejected = next(self._pauses, None), []
        self._sent |= {query.number: query for query in rejected}
        return pause, rejected

    def finish(self) -> Iterator[BatchAnswer]:
        """Yield the remaining errors of positions; raise what the iterable of positions raised."""
        yield from self._take_unsent()
        if self._failure is not None:
            raise self._failure


def answers(stream: Any, send: Send, queries: Queries, proxy: str) -> Iterator[BatchAnswer]:
    """Yield the answers of a stream, and of those in which queries are sent again.

    Raises AdvisorError if a whole call fails.
    """
    while True:
        try:
            for message in stream:
                yield from queries.read(message)
            yield from queries.finish()
        except grpc.RpcError as failure:
            raise error_of(failure, proxy) from None
        finally:
            stream.cancel()
        pause, rejected = queries.take_rejected()
        if not rejected:
            return
        time.sleep(pause)
        stream = send(rejected)


async def async_answers(stream: Any, send: Send, queries: Queries, proxy: str) -> AsyncGenerator[BatchAnswer, None]:
    """Yield the answers as `answers` does."""
    while True:
        try:
            async for message in stream:
                for answer in queries.read(message):
                    yield answer
            for answer in queries.finish():
                yield answer
        except grpc.RpcError as failure:
            raise error_of(failure, proxy) from None
        finally:
            stream.cancel()
        pause, rejected = queries.take_rejected()
        if not rejected:
            return
        await asyncio.sleep(pause)
        stream = send(rejected)


def read_batch_answer(message: api.BatchRecommendResponse) -> BatchAnswer:
    """Return one answer of a batch."""
    if message.HasField("error"):
        return BatchAnswer(message.number, None, batch_error(message.error))
    return BatchAnswer(message.number, read_answer(message.recommendation), None)
