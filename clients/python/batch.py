"""Several positions in one call: their advice as it becomes ready."""

from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.clients.errors import AdvisorError, BadRequest, batch_error, error_of
from clerestory.clients.types import Recommendation
from clerestory.clients.wire import PositionLike, QuestionOptions, Time, check_size, read_answer, write_question
from clerestory.v1 import advisor_pb2 as api

LONGEST = 24 * 3600.0  # seconds that a batch may take


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

    Args:
        positions: as in `Client.recommend`.
        time: of each.
        options: of each.

    Raises TypeError for a single position.
    """

    def __init__(self, positions: Iterable[PositionLike], time: Time | None, options: QuestionOptions) -> None:
        if isinstance(positions, str | bytes | Mapping):
            raise TypeError("positions must be several, as in a list; recommend takes a single one")
        self._positions, self._time, self._options = positions, time, options
        self._unsent: deque[BatchAnswer] = deque()
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
                    yield query
        except Exception as error:  # of the program's own iterable, which gRPC would only log
            self._failure = error

    def unsent(self) -> Iterator[BatchAnswer]:
        """Yield the errors of positions that could not be sent."""
        while self._unsent:
            yield self._unsent.popleft()

    def finish(self) -> None:
        """Raise what the iterable of positions raised."""
        if self._failure is not None:
            raise self._failure


def answers(stream: Any, queries: Queries, proxy: str) -> Iterator[BatchAnswer]:
    """Yield the answers of a stream. Raises AdvisorError if the whole call fails."""
    try:
        for message in stream:
            yield from queries.unsent()
            yield read_batch_answer(message)
        yield from queries.unsent()
        queries.finish()
    except grpc.RpcError as failure:
        raise error_of(failure, proxy) from None
    finally:
        stream.cancel()


async def async_answers(stream: Any, queries: Queries, proxy: str) -> AsyncGenerator[BatchAnswer, None]:
    """Yield the answers of a stream. Raises AdvisorError if the whole call fails."""
    try:
        async for message in stream:
            for answer in queries.unsent():
                yield answer
            yield read_batch_answer(message)
        for answer in queries.unsent():
            yield answer
        queries.finish()
    except grpc.RpcError as failure:
        raise error_of(failure, proxy) from None
    finally:
        stream.cancel()


def read_batch_answer(message: api.BatchRecommendResponse) -> BatchAnswer:
    """Return one answer of a batch."""
    if message.HasField("error"):
        return BatchAnswer(message.number, None, batch_error(message.error))
    return BatchAnswer(message.number, read_answer(message.recommendation), None)
