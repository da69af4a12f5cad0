"""Handles the calls of RulesService on the event loop, because they are cheap; only plans are searched in a thread."""

from itertools import islice

from clerestory.seeds import random_seed
from clerestory.server.games.rulebook import GivenPosition, actions_named, carry_out, planned, play_all, set_up, view_of
from clerestory.server.rpc.chunks import Chunks
from clerestory.server.rpc.service import Context, payload_of
from clerestory.server.rpc.translate import (
    asked_any,
    asked_referee,
    given,
    write_any,
    write_outcome,
    write_position,
    write_referee,
    write_turn,
)
from clerestory.server.rpc.translate_rules import (
    read_game,
    read_uses,
    validate,
    write_actions,
    write_carried_out,
    write_catalogue,
    write_characters,
    write_games,
    write_plan,
    write_played,
)
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.rules_pb2_grpc import RulesServiceServicer

ACTIONS_PER_CHUNK = 8  # actions applied in one chunk: about a millisecond


class RulesHandlers(RulesServiceServicer):
    """The gRPC handlers of RulesService, which is stateless.

    Args:
        chunks: splits the work of long responses into chunks.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks

    async def ListGames(self, request: rules.ListGamesRequest, context: Context) -> rules.ListGamesResponse:
        """List the games."""
        return write_games()

    async def ListCharacters(
        self, request: rules.ListCharactersRequest, context: Context
    ) -> rules.ListCharactersResponse:
        """List the characters."""
        return write_characters()

    async def StartPosition(self, request: rules.StartPositionRequest, context: Context) -> rules.StartPositionResponse:
        """Set up a game. Raises ServiceError."""
        seed = seed_of(request)
        state = set_up(read_game(request.game), request.seats, seed)
        return rules.StartPositionResponse(referee=write_referee(state), seed=seed, turn=write_turn(state.turn))

    async def ObservePosition(
        self, request: rules.ObservePositionRequest, context: Context
    ) -> rules.ObservePositionResponse:
        """Remove hidden information from a position. Raises ServiceError."""
        view = view_of(asked_referee(request, payload_of(context)), given(request, "seat"))
        return rules.ObservePositionResponse(position=write_position(view))

    async def DealPosition(self, request: rules.DealPositionRequest, context: Context) -> rules.DealPositionResponse:
        """Deal at random what a position leaves unknown. Raises ServiceError."""
        given, seed = asked_any(request, payload_of(context)), seed_of(request)
        dealt = given.state.determinize(seed)
        return rules.DealPositionResponse(referee=write_referee(dealt), seed=seed, turn=write_turn(dealt.turn))

    async def ListActions(self, request: rules.ListActionsRequest, context: Context) -> rules.ListActionsResponse:
        """List the legal actions. Raises ServiceError."""
        return write_actions(asked_any(request, payload_of(context)).state)

    async def ApplyActions(self, request: rules.ApplyActionsRequest, context: Context) -> rules.ApplyActionsResponse:
        """Play actions, and draw chance events between them if requested. Raises ServiceError."""
        given, seed = asked_any(request, payload_of(context)), seed_of(request)
        actions = actions_named(given.state.game, request.actions)
        plays = play_all(given, actions, seed if request.draw else None)
        applied, more, turn = list[rules.AppliedAction](), True, self._chunks.of(context)
        while more:
            await turn()
            piece = [write_played(given.state.game, played) for played in islice(plays, ACTIONS_PER_CHUNK)]
            applied += piece
            more = len(piece) == ACTIONS_PER_CHUNK
        return write_applied(given, applied, seed)

    async def PlanConversions(
        self, request: rules.PlanConversionsRequest, context: Context
    ) -> rules.PlanConversionsResponse:
        """Find the best order of a plan. Raises ServiceError."""
        given, times = asked_any(request, payload_of(context)), read_uses(request.uses)
        plan = await self._chunks.run_in_thread(context, planned, given.state, times, finish=request.finish)
        if plan is None:
            return rules.PlanConversionsResponse()
        response = write_plan(given.state.game, plan, times)
        if not plan.faults:
            response.MergeFrom(write_carried_out(given, carry_out(given, plan)))
        return response

    async def ValidatePosition(
        self, request: rules.ValidatePositionRequest, context: Context
    ) -> rules.ValidatePositionResponse:
        """List everything that is wrong with a position."""
        return validate(request.position)

    async def DescribeCatalogue(
        self, request: rules.DescribeCatalogueRequest, context: Context
    ) -> rules.DescribeCatalogueResponse:
        """Describe the cards of a game. Raises ServiceError."""
        return write_catalogue(read_game(request.game))


def seed_of(request: rules.StartPositionRequest | rules.DealPositionRequest | rules.ApplyActionsRequest) -> int:
    """Return the seed of a request, or a random one if it gives none."""
    return request.seed if request.HasField("seed") else random_seed()


def write_applied(given: GivenPosition, applied: list[rules.AppliedAction], seed: int) -> rules.ApplyActionsResponse:
    """Return the outcome of actions as a message; the given state is the one after them."""
    return rules.ApplyActionsResponse(
        position=write_any(given),
        applied=applied,
        turn=write_turn(given.state.turn),
        outcome=write_outcome(given.state),
        seed=seed,
    )
