"""PuzzleService over a real socket: positions without their answers, and tries that are judged."""

from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.engine import GAMES, from_position
from clerestory.search.reasons import in_english
from clerestory.search.review.puzzle import PLAN_SEPARATOR, puzzle, puzzles, read
from clerestory.service_errors import Reason
from clerestory.v1 import puzzle_pb2 as api
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceStub
from tests.server.rpc.harness import Served, assert_reason, refusal
from tests.shipped import DUEL

FIRST = api.PuzzleReference(game="duel", number=1)


@pytest.fixture
def stub(server: Served) -> Any:
    return PuzzleServiceStub(server.channel)


async def test_the_list_is_what_is_shipped(stub: Any) -> None:
    answer = await stub.ListPuzzles(api.ListPuzzlesRequest(game="duel"))
    assert not (await stub.ListPuzzles(api.ListPuzzlesRequest(game="toy"))).puzzles
    listed = [(one.number, one.level, one.seats, one.exact, one.step) for one in answer.puzzles]
    assert listed == [
        (one.number, one.level, one.seats, one.exact, one.state.to_position()["duel"]["step"]) for one in puzzles(DUEL)
    ]


async def test_no_call_reads_files(stub: Any) -> None:
    before = read.cache_info().misses
    await stub.GetPuzzle(api.GetPuzzleRequest(puzzle=FIRST))
    await stub.ListPuzzles(api.ListPuzzlesRequest(game="cathedral"))
    assert read.cache_info().misses == before


async def test_a_puzzle_is_shown_without_its_answer(stub: Any) -> None:
    known = puzzle(DUEL, 1)
    shown = await stub.GetPuzzle(api.GetPuzzleRequest(puzzle=FIRST))
    position = MessageToDict(
        shown.position, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert from_position(position) == known.state
    assert shown.seat == known.state.turn
    assert {field.name for field, _ in shown.ListFields()} <= {"summary", "position", "seat"}


async def test_a_wrong_action_is_judged_and_the_answer_kept(stub: Any) -> None:
    known = puzzle(DUEL, 1)
    for text, loss in known.losses.items():
        verdict = await stub.TryPuzzle(api.TryPuzzleRequest(puzzle=FIRST, action=text))
        assert (verdict.right, verdict.loss) == (text == known.best, loss)
        assert verdict.HasField("answer") == verdict.right
        assert bool(verdict.principal_variation) == verdict.right


async def test_the_answer_is_told_when_it_is_asked_for(stub: Any) -> None:
    known = puzzle(DUEL, 1)
    verdict = await stub.TryPuzzle(api.TryPuzzleRequest(puzzle=FIRST))
    assert not verdict.right
    assert [action.text for action in verdict.answer_actions] == [verdict.answer.text] == [known.best]
    assert verdict.reason == in_english(known.reasons, "duel") == " ".join(one.english for one in verdict.reasons)
    assert not verdict.plan
    assert tuple(verdict.principal_variation) == known.line
    assert verdict.next_best_loss == known.next_best_loss


REFUSED = [
    (api.TryPuzzleRequest(puzzle=FIRST, action="nonsense"), Reason.BAD_ACTION, "action"),
    (api.TryPuzzleRequest(puzzle={"game": "duel"}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
    (api.TryPuzzleRequest(puzzle={"game": "toy", "number": 1}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
    (api.TryPuzzleRequest(), Reason.BAD_GAME, "puzzle.game"),
]


async def test_the_error_names_what_is_wrong(stub: Any) -> None:
    for asked, reason, field in REFUSED:
        calls = [stub.TryPuzzle(asked)]
        if reason != Reason.BAD_ACTION:
            calls.append(stub.GetPuzzle(api.GetPuzzleRequest(puzzle=asked.puzzle)))
        for call in calls:
            error = await refusal(call)
            assert_reason(error, reason)
            assert error.details().startswith(f"{field}: ")


PLAN = next(one for one in puzzles(GAMES["cathedral"]) if one.is_plan and one.best.startswith("convert"))


async def tried(stub: Any, *, action: str = "", actions: Sequence[str] = ()) -> api.TryPuzzleResponse:
    reference = api.PuzzleReference(game="cathedral", number=PLAN.number)
    verdict: api.TryPuzzleResponse = await stub.TryPuzzle(
        api.TryPuzzleRequest(puzzle=reference, action=action, actions=actions)
    )
    return verdict


async def test_a_plan_is_judged_as_a_whole_in_any_order(stub: Any) -> None:
    for best, loss in PLAN.losses.items():
        actions = best.split(PLAN_SEPARATOR)
        verdict = await tried(stub, actions=actions)
        assert (verdict.loss, verdict.right) == (loss, best == PLAN.best)
        assert verdict == await tried(stub, actions=[action for action in actions if action != "finish"] or ["finish"])


async def test_the_answer_of_a_plan_is_all_of_it_and_an_action_the_best_that_goes_on_from_it(stub: Any) -> None:
    verdict = await tried(stub)
    assert [action.text for action in verdict.answer_actions] == PLAN.best.split(PLAN_SEPARATOR)
    assert {use.item: use.times for use in verdict.plan} == PLAN.plan(PLAN.best.split(PLAN_SEPARATOR))
    first = PLAN.best.split(PLAN_SEPARATOR)[0]
    assert (await tried(stub, action=first)).right
    assert (await tried(stub, action="finish")).loss == PLAN.losses["finish"]


async def test_a_plan_that_cannot_be_played_is_rejected(stub: Any) -> None:
    error = await refusal(tried(stub, actions=[PLAN.best.split(PLAN_SEPARATOR)[0], "redraw"]))
    assert_reason(error, Reason.ILLEGAL_ACTION)
    assert error.details().startswith("actions[1]: 'redraw' is not legal there in puzzle ")
    state = PLAN.state
    state.play(PLAN.best.split(PLAN_SEPARATOR)[0])
    assert f"; there are {state.legal_actions()[0].text}, " in error.details()
