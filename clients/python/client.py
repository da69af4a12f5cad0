"""The common part of the sync and the async client: everything except waiting."""

from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack

import grpc

from clerestory.clients.batch import LONGEST, Queries, Send
from clerestory.clients.connection import SILENCE, Tls, dial
from clerestory.clients.errors import Unavailable, telling
from clerestory.clients.hosted import SERVICE
from clerestory.clients.hosted_wire import GameSnapshot
from clerestory.clients.referee import plain
from clerestory.clients.retries import RejoinPolicy, RetryPolicy
from clerestory.clients.review_wire import (
    HasTokens,
    ReviewProgress,
    SeatReview,
    read_progress,
    write_annotation,
    write_summary_request,
)
from clerestory.clients.streams import Begin
from clerestory.clients.types import Recommendation, Update
from clerestory.clients.unary_call import Answer, UnaryCall, unary
from clerestory.clients.wire import (
    PositionLike,
    QuestionOptions,
    Time,
    check_size,
    read_answer,
    read_update,
    write_analysis,
    write_question,
)
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.lessons_pb2_grpc import LessonServiceStub
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceStub
from clerestory.v1.rules_pb2_grpc import RulesServiceStub

Analysis = TypeVar("Analysis")
P = ParamSpec("P")


class Client:
    """A server's advice.

    Args:
        target: `HOST:PORT`, `unix:PATH`, or any other gRPC name of a server.
        token: bearer token for the server; never sent to another machine in plaintext.
        tls: how to trust the server; True for the usual authorities, None for plaintext.
        retries: whether a call that the server rejected or never received is retried, within its time.
        patience: seconds that a call waits for a server that is down; None: until its deadline.
        language: of labels, reasons and other texts for people, as a BCP 47 tag; None for English.
        silence: seconds without a sign of the server after which a watched game is asked for again.

    Raises BadConnection.
    """

    _grpc: Any  # where channels come from

    def __init__(
        self,
        target: str,
        token: str | None = None,
        tls: Tls | bool | None = None,
        *,
        retries: bool = True,
        patience: float | None = None,
        language: str | None = None,
        silence: float = SILENCE,
    ) -> None:
        self._dialled = dial(target, token, tls, retries, patience, language, silence)
        self._open_channel()

    def _open_channel(self) -> None:
        """Make the channel, and what calls the methods of all services over it."""
        self._channel = self._dialled.channel(self._grpc)
        kept = {SERVICE + name: method for name, method in vars(GameServiceStub(self._channel)).items()}
        stubs = (AdvisorServiceStub, RulesServiceStub, AnnotationServiceStub, PuzzleServiceStub, LessonServiceStub)
        self._methods = {name: method for stub in stubs for name, method in vars(stub(self._channel)).items()} | kept

    def _begin(self, call: UnaryCall[Any], seconds: float) -> Any:
        """Return what a method of a stub returns. Raises grpc.RpcError, BadRequest, Unavailable if closed."""
        check_size(call.request)
        return self._send(call.method, call.request, seconds)

    def _send(self, method: str, request: Any, seconds: float) -> Any:
        """Return what a method of a stub returns for a message, or an iterator of them. Raises as `_begin` does."""
        try:
            return self._methods[method](request, timeout=seconds, metadata=self._dialled.metadata)
        except (ValueError, grpc.aio.UsageError) as failure:
            raise Unavailable(str(failure)) from None

    @unary
    def recommend(
        self, position: PositionLike, time: Time | None = None, **options: Unpack[QuestionOptions]
    ) -> UnaryCall[Recommendation]:
        """Return the advice for a position; `time`, `iterations`, `level`, `character` or `limits` is required.

        Args:
            position: a dictionary, its JSON text, a message, or an object with `to_position()`.
            time: until the answer leaves the server: "500ms", "2s", seconds, or a timedelta.
            options: see `QuestionOptions`.

        Raises AdvisorError.
        """
        request, seconds = write_question(position, time, options)
        return UnaryCall("RecommendMove", request, read_answer, seconds)

    @unary
    def summarize(self, game: str, seats: Iterable[SeatReview]) -> UnaryCall[dict[str, Any]]:
        """Return a summary of the play of one player over reviewed games, as a dictionary.

        Args:
            game: name of the game.
            seats: the review of the player's seat in each game, the oldest first; 1 to 100.

        Raises AdvisorError.
        """
        return UnaryCall("SummarizeGames", write_summary_request(game, seats), plain)

    def _recommend_each(
        self, positions: Iterable[PositionLike], time: Time | None = None, **options: Unpack[QuestionOptions]
    ) -> Queries:
        """Yield the advice for each of several positions, in one call, in the order in which it becomes ready.

        An answer has the error of its position, if there is one. Positions are sent again if the server has no room for
        them. Leaving the loop ends the call.

        Args:
            positions: as in `recommend`; read while answers arrive, a few ahead of them.
            time: for each, from the beginning of its search.
            options: of each, as in `recommend`.

        Raises AdvisorError if the whole call fails, TypeError for a single position, and what iterating over the
        positions raises.
        """
        return Queries(positions, time, options, retries=self._dialled.retries)

    def _analyze(
        self,
        position: PositionLike,
        time: Time | None = None,
        *,
        every: Time | None = None,
        certainty: float | None = None,
        background: bool = False,
        observer: int | None = None,
        **options: Unpack[QuestionOptions],
    ) -> UnaryCall[Update]:
        """Return the tables of an analysis as they arrive; the last one is final. Closing them ends the search.

        Args:
            position: as in `recommend`.
            time: as in `recommend`.
            every: time between two tables, at least 10 ms.
            certainty: end once the answer's `certainty` is this, above 0.5 and below 1.
            background: search only when nothing else is waiting.
            observer: use the knowledge of this seat, or of an onlooker (ONLOOKER, -1), regardless of who is to decide;
                the answer ranks the actions of the seat to decide, by the knowledge of the observer.
            options: see `QuestionOptions`.

        Raises AdvisorError: here if the request cannot be sent, otherwise where the tables are read.
        """
        request, seconds = write_analysis(
            position, time, every, certainty, background=background, observer=observer, options=options
        )
        return UnaryCall("Analyze", request, read_update, seconds)

    def _annotate(
        self,
        game: str | HasTokens,
        time: Time | None = None,
        *,
        iterations: int | None = None,
        viewer: int | None = None,
        seed: int | None = None,
        deep: Time | None = None,
    ) -> UnaryCall[ReviewProgress]:
        """Return the parts of a review as they are made; the last one has the ledger. Leaving the loop ends the review.

        Args:
            game: a record as text, or a hosted game.
            time: for the whole review, at least 1 s; not together with iterations.
            iterations: of each search, 50 to 200,000; None, without a time: 16,000.
            viewer: every decision is judged by the knowledge of this seat; None: by that of the deciding seat.
            seed: of the searches; None: 0.
            deep: time for rollouts of the most expensive errors after the rest, at least 1 s; None for none.

        Raises AdvisorError: here if the request cannot be sent, otherwise where the parts are read.
        """
        request, seconds = write_annotation(game, time, iterations, viewer, seed, deep)
        return UnaryCall("AnnotateGame", request, read_progress, seconds)

    def _states(
        self,
        watching: Callable[[Any, Begin, Callable[[Any], Any], RetryPolicy], Analysis],
        ask: Callable[[], UnaryCall[GameSnapshot | None]],
    ) -> Analysis:
        """Return the states of a watched game; a resumed stream requests what happened since the last state."""
        with telling(self._dialled.language):
            retries = RejoinPolicy(self._dialled, ask().seconds)
            return watching(
                self._begin(ask(), retries.left), lambda left: self._begin(ask(), left), ask().read, retries
            )


def streaming(
    write: Callable[Concatenate[Client, P], UnaryCall[Answer]],
    analysis: Callable[[Any, Begin, Callable[[Any], Answer], RetryPolicy], Analysis],
) -> Callable[Concatenate[Client, P], Analysis]:
    """Return a method that begins a call with a stream of answers and returns them as an analysis."""

    @wraps(write)
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Analysis:
        with telling(self._dialled.language):
            call = write(self, *args, **kwargs)
            begin, retries = partial(self._begin, call), RetryPolicy(self._dialled, call.seconds)
            return analysis(begin(retries.left), begin, call.read, retries)

    return method


def batching(
    write: Callable[Concatenate[Client, P], Queries], begin: Callable[[Any, Send, Queries, str], Analysis]
) -> Callable[Concatenate[Client, P], Analysis]:
    """Return a method that sends queries in one call, and returns their answers."""

    @wraps(write)
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Analysis:
        queries = write(self, *args, **kwargs)

        def send(requests: Iterable[Any]) -> Any:
            return self._send("BatchRecommend", iter(requests), LONGEST)

        return begin(send(queries), send, queries, self._dialled.proxy)

    return method
