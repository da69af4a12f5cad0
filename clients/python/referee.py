"""The rules from a server, for a referee, who knows everything, or a follower, who has the view of one seat."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from google.protobuf.json_format import MessageToDict

from clerestory.clients.errors import FieldViolation
from clerestory.clients.plans import Change, ConversionPlan, read_changes, read_conversions
from clerestory.clients.types import Action
from clerestory.clients.unary_call import AsyncCalls, MakeUnaryCall, SyncCalls, UnaryCall, unary
from clerestory.clients.wire import (
    Actions,
    PositionLike,
    action_texts,
    filled,
    position_message,
    read_action,
    set_field,
)
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.position_pb2 import Position

R = TypeVar("R", bound="RefereeBase")


@dataclass(frozen=True, slots=True)
class LegalAction:
    """An action that is legal, or an outcome that is possible.

    Attributes:
        action: the action.
        kind: what sort it is: the first word of its text.
        arguments: the other words of its text.
        probability: by what everyone can see; None except for the outcomes of chance events.
    """

    action: Action
    kind: str
    arguments: tuple[str, ...]
    probability: float | None

    @property
    def text(self) -> str:
        """Its name in positions, records and requests."""
        return self.action.text

    @property
    def label(self) -> str:
        """The same for people, in the language of the client."""
        return self.action.label


@dataclass(frozen=True, slots=True)
class AppliedAction:
    """An action or chance outcome that was applied.

    Attributes:
        action: the action or outcome.
        seat: who acted; None for a chance event.
        drawn: the server drew it.
        changes: the changes that are public.
    """

    action: Action
    seat: int | None
    drawn: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        win_shares: by seat; they add up to 1.
        margins: own score minus the best other score, by seat, in points; () for a game that was ended early.
        message: the original message, with scores and tie-breaks.
    """

    win_shares: tuple[float, ...]
    margins: tuple[float, ...]
    message: api.Outcome = field(repr=False, compare=False)


class RefereeBase:
    """A game and its current position; the base of `Referee` and `AsyncReferee`.

    Attributes:
        seed: of its shuffles; None if it was not started here.
        outcome: how it ended; None until `apply` or `draw` has ended it.
    """

    def __init__(self, call: MakeUnaryCall, position: api.AnyPosition, turn: api.Turn, seed: int | None = None) -> None:
        self._call = call
        self._position = position
        self._turn = turn
        self.seed = seed
        self.outcome: Outcome | None = None

    @property
    def message(self) -> api.AnyPosition:
        """The position as a message, of either kind."""
        return self._position

    @property
    def truth(self) -> dict[str, Any]:
        """The position as a dictionary, with all that this referee knows; do not show it to players."""
        kept = self._position.referee.truth if self._position.HasField("referee") else self._position.position
        return plain(kept)

    @property
    def seat(self) -> int | None:
        """The seat to decide; None at a chance event and at the end."""
        return self._turn.seat if self._turn.kind == api.TURN_KIND_SEAT else None

    @property
    def chance(self) -> bool:
        """Whether a chance event is due."""
        return self._turn.kind == api.TURN_KIND_NATURE

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._turn.kind == api.TURN_KIND_OVER

    def _take(self, answer: api.ApplyActionsResponse) -> list[AppliedAction]:
        """Move to the position after actions; return what was applied."""
        self._position, self._turn = answer.position, answer.turn
        if answer.HasField("outcome"):
            self.outcome = outcome_of(answer.outcome)
        return [read_applied(applied) for applied in answer.applied]

    @unary
    def view(self, seat: int | None = None) -> UnaryCall[Position]:
        """Return the view of a seat, for `recommend`; None for the public view. Raises AdvisorError.

        A followed game is its own view, for any seat.
        """
        if self._position.HasField("position"):
            return UnaryCall("", None, lambda _: self._position.position)
        return UnaryCall("ObservePosition", ask_for_view(self._position, seat), lambda answer: answer.position)

    @unary
    def legal(self) -> UnaryCall[list[LegalAction]]:
        """Return the legal actions, or the possible outcomes; none when the game is over. Raises AdvisorError."""
        request = api.ListActionsRequest(position=self._position)
        return UnaryCall("ListActions", request, lambda answer: [read_legal(action) for action in answer.actions])

    @unary
    def apply(self, actions: Actions, *, draw: bool = False, seed: int | None = None) -> UnaryCall[list[AppliedAction]]:
        """Apply actions and outcomes in order, and return all that were applied.

        Args:
            actions: texts, or actions.
            draw: whether the server draws the chance events that are due after them.
            seed: of what is drawn.

        Raises AdvisorError; the game is then unchanged.
        """
        return self._go_on(actions, draw, seed)

    @unary
    def draw(self, seed: int | None = None) -> UnaryCall[list[AppliedAction]]:
        """Let the server draw the chance events that are due, and return them. Raises AdvisorError."""
        return self._go_on([], True, seed)

    @unary
    def plan(self, uses: Mapping[str, int] | None = None, *, finish: bool = False) -> UnaryCall[ConversionPlan]:
        """Return the best order of conversions or discards; without `uses`, the possible uses.

        Args:
            uses: how often each craftsman is used, or how many cubes of each type are discarded.
            finish: whether the conversions end with the plan.

        Raises AdvisorError.
        """
        request = api.PlanConversionsRequest(position=self._position)
        set_field(request, "finish", finish)
        for place, (item, times) in enumerate((uses or {}).items()):
            use = request.uses.add()
            set_field(use, "item", item, f"uses[{place}].item")
            set_field(use, "times", times, f"uses[{place}].times")
        return UnaryCall("PlanConversions", request, read_conversions)

    def _go_on(self, actions: Actions, draw: bool, seed: int | None) -> UnaryCall[list[AppliedAction]]:
        return UnaryCall("ApplyActions", ask_to_apply(self._position, actions, draw, seed), self._take)


class RulesBase(Generic[R]):
    """The games that a server knows. Every method raises AdvisorError.

    Args:
        call: makes a call, and returns the message that comes back.
    """

    _referee: Callable[..., R]

    def __init__(self, call: MakeUnaryCall) -> None:
        self._call = call

    @unary
    def games(self) -> UnaryCall[list[dict[str, Any]]]:
        """Return the games: name, seats, revision of the rules, catalogue, features."""
        return UnaryCall("ListGames", api.ListGamesRequest(), lambda answer: [plain(game) for game in answer.games])

    @unary
    def characters(self) -> UnaryCall[list[dict[str, Any]]]:
        """Return the opponents, the weakest first: character, level, name, about."""
        request = api.ListCharactersRequest()
        return UnaryCall("ListCharacters", request, lambda answer: [plain(one) for one in answer.characters])

    @unary
    def catalogue(self, game: str) -> UnaryCall[dict[str, Any]]:
        """Return the cards of a game: hash of the catalogue, revision of the rules, entries."""
        return UnaryCall("DescribeCatalogue", filled(api.DescribeCatalogueRequest, game=game), plain)

    @unary
    def start(self, game: str, seats: int, seed: int | None = None) -> UnaryCall[R]:
        """Return a new game, shuffled and dealt from its `seed`."""

        def read(answer: api.StartPositionResponse) -> R:
            return self._referee(self._call, api.AnyPosition(referee=answer.referee), answer.turn, answer.seed)

        return UnaryCall("StartPosition", ask_to_start(game, seats, seed), read)

    @unary
    def deal(self, position: PositionLike, seed: int | None = None) -> UnaryCall[R]:
        """Return a game from `position`, with what it leaves unknown dealt at random from `seed`."""

        def read(answer: api.DealPositionResponse) -> R:
            return self._referee(self._call, api.AnyPosition(referee=answer.referee), answer.turn, answer.seed)

        request = api.DealPositionRequest(position=as_known(position))
        if seed is not None:
            set_field(request, "seed", seed)
        return UnaryCall("DealPosition", request, read)

    @unary
    def follow(self, position: PositionLike) -> UnaryCall[R]:
        """Return a game as far as `position` knows it; chance outcomes may be given to `apply`."""
        return self._go_on_from(as_known(position))

    @unary
    def resume(self, truth: PositionLike) -> UnaryCall[R]:
        """Return the game of a saved `truth`."""
        return self._go_on_from(as_truth(truth))

    def _go_on_from(self, position: api.AnyPosition) -> UnaryCall[R]:
        request = api.ListActionsRequest(position=position)
        return UnaryCall("ListActions", request, lambda answer: self._referee(self._call, position, answer.turn))

    @unary
    def faults(self, position: PositionLike) -> UnaryCall[list[FieldViolation]]:
        """Return everything that is wrong with a position; empty for a valid one."""
        return UnaryCall("ValidatePosition", api.ValidatePositionRequest(position=as_known(position)), read_faults)


class Referee(SyncCalls, RefereeBase):
    """A game that goes on; not for several threads at once."""


class Rules(SyncCalls, RulesBase[Referee]):
    """The games that a server knows; `Advisor.rules` is one."""

    _referee = Referee


class AsyncReferee(AsyncCalls, RefereeBase):
    """A game that goes on; one call after the other, each to be awaited."""


class AsyncRules(AsyncCalls, RulesBase[AsyncReferee]):
    """The games that a server knows; `AsyncAdvisor.rules` is one."""

    _referee = AsyncReferee


# -- requests and answers --------------------------------------------------------------------------


def as_known(position: PositionLike) -> api.AnyPosition:
    """Return a position as a seat knows it, as a message. Raises BadRequest."""
    return api.AnyPosition(position=position_message(position))


def as_truth(position: PositionLike) -> api.AnyPosition:
    """Return a referee's position as a message. Raises BadRequest."""
    return api.AnyPosition(referee=api.RefereePosition(truth=position_message(position)))


def ask_to_start(game: str, seats: int, seed: int | None) -> api.StartPositionRequest:
    """Return the request for a new game. Raises BadRequest."""
    request = filled(api.StartPositionRequest, game=game)
    set_field(request, "seats", seats)
    if seed is not None:
        set_field(request, "seed", seed)
    return request


def ask_for_view(position: api.AnyPosition, seat: int | None) -> api.ObservePositionRequest:
    """Return the request for a seat's view. Raises BadRequest."""
    request = api.ObservePositionRequest(referee=position.referee)
    if seat is not None:
        set_field(request, "seat", seat)
    return request


def ask_to_apply(position: api.AnyPosition, actions: Actions, draw: bool, seed: int | None) -> api.ApplyActionsRequest:
    """Return the request to apply actions. Raises BadRequest."""
    request = filled(api.ApplyActionsRequest, position=position, actions=action_texts(actions))
    set_field(request, "draw", draw)
    if seed is not None:
        set_field(request, "seed", seed)
    return request


def read_faults(answer: api.ValidatePositionResponse) -> list[FieldViolation]:
    """Return what is wrong with a position."""
    return [FieldViolation(fault.field, fault.description) for fault in answer.faults]


def plain(message: Any) -> dict[str, Any]:
    """Return a message as a dictionary, its fields by their names, defaults included."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def outcome_of(message: api.Outcome) -> Outcome:
    """Return how a game ended."""
    return Outcome(tuple(message.win_shares), tuple(message.margins), message)


def read_legal(action: api.LegalAction) -> LegalAction:
    """Return a legal action of an answer."""
    probability = action.probability if action.HasField("probability") else None
    return LegalAction(read_action(action.action), action.kind, tuple(action.arguments), probability)


def read_applied(applied: api.AppliedAction) -> AppliedAction:
    """Return what was applied."""
    seat = applied.turn.seat if applied.turn.kind == api.TURN_KIND_SEAT else None
    return AppliedAction(read_action(applied.action), seat, applied.drawn, read_changes(applied.changes))
