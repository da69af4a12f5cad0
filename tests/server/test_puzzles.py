"""PuzzleService over a real socket: positions without their answers, and tries that are judged."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.engine import GAMES, from_position
from clerestory.refusals import Reason
from clerestory.review.puzzle import puzzle, puzzles, read
from clerestory.v1 import puzzle_pb2 as api
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceStub
from tests.server.harness import assert_reason, refusal, served
from tests.shipped import DUEL

FIRST = api.PuzzleReference(game="duel", number=1)


@pytest.fixture
async def stub() -> AsyncIterator[Any]:
    async with served() as server:
        yield PuzzleServiceStub(server.channel)


async def test_the_list_is_what_is_shipped(stub: Any) -> None:
    answer = await stub.ListPuzzles(api.ListPuzzlesRequest(game="duel"))
    listed = [(one.number, one.level, one.seats, one.exact) for one in answer.puzzles]
    assert listed == [(one.number, one.level, one.seats, one.exact) for one in puzzles(DUEL)]


async def test_a_game_without_puzzles_has_none(stub: Any) -> None:
    assert not (await stub.ListPuzzles(api.ListPuzzlesRequest(game="toy"))).puzzles


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
        assert (verdict.right, verdict.loss) == (text == known.answer.text, loss)
        assert verdict.HasField("answer") == verdict.right
        assert bool(verdict.principal_variation) == verdict.right


async def test_the_answer_is_told_when_it_is_asked_for(stub: Any) -> None:
    known = puzzle(DUEL, 1)
    verdict = await stub.TryPuzzle(api.TryPuzzleRequest(puzzle=FIRST))
    assert not verdict.right
    assert (verdict.answer.text, verdict.reason) == (known.answer.text, known.reason)
    assert tuple(verdict.principal_variation) == known.line
    assert verdict.next_best_loss == known.next_best_loss


@pytest.mark.parametrize(
    ("asked", "reason", "field"),
    [
        (api.TryPuzzleRequest(puzzle=FIRST, action="nonsense"), Reason.ILLEGAL_ACTION, "action"),
        (api.TryPuzzleRequest(puzzle={"game": "duel"}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
        (api.TryPuzzleRequest(puzzle={"game": "toy", "number": 1}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
        (api.TryPuzzleRequest(), Reason.BAD_GAME, "puzzle.game"),
    ],
)
async def test_what_is_wrong_is_named(stub: Any, asked: api.TryPuzzleRequest, reason: Reason, field: str) -> None:
    calls = [stub.TryPuzzle(asked)]
    if reason != Reason.ILLEGAL_ACTION:
        calls.append(stub.GetPuzzle(api.GetPuzzleRequest(puzzle=asked.puzzle)))
    for call in calls:
        error = await refusal(call)
        assert_reason(error, reason)
        assert error.details().startswith(f"{field}: ")


async def test_a_plan_is_tried_by_its_first_action(stub: Any) -> None:
    """What follows it must be possible; the verdict is that of the first action."""
    one = next(one for one in puzzles(GAMES["cathedral"]) if one.answer.text.startswith("convert"))
    reference = api.PuzzleReference(game="cathedral", number=one.number)
    verdict = await stub.TryPuzzle(api.TryPuzzleRequest(puzzle=reference, actions=[one.answer.text, "finish"]))
    assert verdict.right
    assert verdict == await stub.TryPuzzle(api.TryPuzzleRequest(puzzle=reference, action=one.answer.text))
    error = await refusal(stub.TryPuzzle(api.TryPuzzleRequest(puzzle=reference, actions=["redraw"])))
    assert_reason(error, Reason.ILLEGAL_ACTION)
