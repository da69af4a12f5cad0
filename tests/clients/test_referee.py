"""A referee asks for the rules, keeps what it was told, and shows seats no more than the server says they may see."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from clerestory.clients import Advisor, AdvisorError, BadRequest, FieldViolation
from clerestory.clients.referee import plain
from clerestory.clients.wire import position_message
from clerestory.engine import NATURE, State, from_position
from clerestory.engine.toy.rules import TOY
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.rules_pb2_grpc import RulesServiceServicer, add_RulesServiceServicer_to_server


def turn(state: State) -> api.Turn:
    if state.over:
        return api.Turn(kind=api.TURN_KIND_OVER)
    if state.turn == NATURE:
        return api.Turn(kind=api.TURN_KIND_NATURE)
    return api.Turn(kind=api.TURN_KIND_SEAT, seat=state.turn)


def action(given: Any) -> dict[str, str]:
    return {"text": given.text, "label": given.label}


def truth(state: State) -> api.RefereePosition:
    return api.RefereePosition(truth=position_message(state))


class ToyRules(RulesServiceServicer):
    """As much of the service as a game of `toy` takes."""

    def ListGames(self, request: Any, context: Any) -> Any:  # noqa: N802
        return api.ListGamesResponse(games=[api.GameDescription(name="toy", min_seats=2, max_seats=4)])

    def StartPosition(self, request: Any, context: Any) -> Any:  # noqa: N802
        state = TOY.new(request.seats, request.seed)
        return api.StartPositionResponse(referee=truth(state), seed=request.seed, turn=turn(state))

    def ObservePosition(self, request: Any, context: Any) -> Any:  # noqa: N802
        state = from_position(plain(request.referee.truth))
        seat = request.seat if request.HasField("seat") else NATURE
        return api.ObservePositionResponse(position=position_message(state.observe(seat)))

    def ListActions(self, request: Any, context: Any) -> Any:  # noqa: N802
        state = from_position(plain(request.position.referee.truth))
        odds = state.odds() if state.turn == NATURE else [None] * len(state.legal_codes())
        legal = [] if state.over else zip(state.legal_actions(), odds, strict=True)
        entries = [
            api.LegalAction(action=action(a), kind=a.text.split()[0], arguments=a.text.split()[1:], probability=p)
            for a, p in legal
        ]
        return api.ListActionsResponse(turn=turn(state), actions=entries)

    def ApplyActions(self, request: Any, context: Any) -> Any:  # noqa: N802
        state, applied, given = from_position(plain(request.position.referee.truth)), [], list(request.actions)
        while given or (request.draw and state.turn == NATURE):
            drawn = not given
            done = state.draw(request.seed) if drawn else state.game.parse_action(given.pop(0))
            if done not in state.legal_actions():
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "actions[0]: is not legal")
            applied.append(api.AppliedAction(action=action(done), turn=turn(state), drawn=drawn))
            state.play(done)
        outcome = api.Outcome(win_shares=state.returns(), margins=state.margins()) if state.over else None
        position = api.AnyPosition(referee=truth(state))
        return api.ApplyActionsResponse(position=position, applied=applied, turn=turn(state), outcome=outcome)

    def ValidatePosition(self, request: Any, context: Any) -> Any:  # noqa: N802
        fault = api.PositionFault(field="position.position.toy.round", description="is 9")
        return api.ValidatePositionResponse(faults=[fault] if request.position.position.toy.round == 9 else [])


@pytest.fixture
def advisor() -> Iterator[Advisor]:
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads)
        add_RulesServiceServicer_to_server(ToyRules(), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        with Advisor(f"localhost:{port}") as advisor:
            yield advisor
        server.stop(None).wait()


def test_a_game_to_its_end(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    assert (referee.seed, referee.chance, referee.seat, referee.over) == (4, True, None, False)
    assert all(entry.drawn and entry.seat is None for entry in referee.draw(seed=1))
    while not referee.over:
        first = referee.legal()[0]
        assert (first.kind, first.probability) == (first.text.split()[0], None)
        seat = referee.seat
        applied = referee.apply(first, draw=True, seed=1)
        assert (applied[0].action, applied[0].seat, applied[0].drawn) == (first.action, seat, False)
    assert referee.legal() == []
    assert referee.outcome is not None
    assert sum(referee.outcome.win_shares) == pytest.approx(1)


def test_a_view_hides_what_the_seat_cannot_know(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    whole = from_position(referee.truth)
    for seat in (None, 0, 1):
        assert from_position(plain(referee.view(seat))) == whole.observe(NATURE if seat is None else seat)
        assert plain(referee.view(seat)) != referee.truth


def test_outcomes_have_odds(advisor: Advisor) -> None:
    legal = advisor.rules.start("toy", 2, seed=4).legal()
    assert sum(outcome.probability or 0 for outcome in legal) == pytest.approx(1)


def test_a_game_that_was_kept_goes_on(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 3, seed=4)
    referee.draw(seed=1)
    again = advisor.rules.resume(referee.truth)
    assert (again.truth, again.seat, again.message) == (referee.truth, referee.seat, referee.message)


def test_an_illegal_action_changes_nothing(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", 2, seed=4)
    referee.draw(seed=1)
    before = referee.truth
    with pytest.raises(BadRequest, match="is not legal"):
        referee.apply("turn-up 1")
    assert referee.truth == before


def test_faults_games_and_what_cannot_be_sent(advisor: Advisor) -> None:
    assert [game["name"] for game in advisor.rules.games()] == ["toy"]
    position = TOY.new(2, 4).to_position()
    assert advisor.rules.faults(position) == []
    position["toy"]["round"] = 9
    assert advisor.rules.faults(position) == [FieldViolation("position.position.toy.round", "is 9")]
    with pytest.raises(AdvisorError, match=r"^seats: -1 is not a whole number"):
        advisor.rules.start("toy", -1)
