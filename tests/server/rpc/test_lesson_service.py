"""LessonService and PuzzleService over a real socket: every lesson played as written, tries of puzzles judged."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from clerestory.engine import GAMES, from_position
from clerestory.search.reasons import in_english
from clerestory.search.review.puzzle import PLAN_SEPARATOR, puzzle, puzzles
from clerestory.server.lessons import Lesson
from clerestory.server.rpc import lesson_service
from clerestory.service_errors import Reason
from clerestory.v1 import lessons_pb2 as api
from clerestory.v1 import puzzle_pb2
from clerestory.v1.lessons_pb2_grpc import LessonServiceStub
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceStub
from tests.server.lessons.pupil import ALL, TRANSCRIPTS, transcript
from tests.server.rpc.harness import Served, assert_reason, refusal, served
from tests.shipped import DUEL


@pytest.fixture
def stub(server: Served) -> Any:
    return LessonServiceStub(server.channel)


async def test_eight_lessons_of_the_board_game_and_three_of_the_duel_are_listed(stub: Any) -> None:
    listed = (await stub.ListLessons(api.ListLessonsRequest())).lessons
    assert [(one.game, one.number) for one in listed] == [
        *(("cathedral", number) for number in range(1, 9)),
        *(("duel", number) for number in range(1, 4)),
    ]
    assert all(one.title and one.about and one.minutes for one in listed)
    assert sum(one.minutes for one in listed) <= 30
    assert (await stub.ListLessons(api.ListLessonsRequest(game="duel"))).lessons == listed[8:]


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.name)
async def test_a_lesson_is_played_as_it_is_written_down(stub: Any, lesson: Lesson) -> None:
    """If a rule or a text changed, check that the lesson is still correct, then write the transcript again."""
    played = await transcript(stub, lesson)
    assert played == (TRANSCRIPTS / f"{lesson.name}.txt").read_text()
    assert played.endswith("\n3 stars\n")


async def test_a_mistake_is_answered_at_the_beginning_of_the_task(stub: Any) -> None:
    before = await stub.FollowLesson(api.FollowLessonRequest(lesson="goal", actions=["convert mortar_mixer 1"]))
    actions = ["convert mortar_mixer 1", "convert stonecutter 1"]
    answer = await stub.FollowLesson(api.FollowLessonRequest(lesson="goal", actions=actions))
    assert answer.scenes[-1].wrong
    assert "Stonecutter" in answer.scenes[-1].text
    assert answer.mistakes == 1
    assert (answer.task, answer.actions, answer.scenes[-1].position) == (
        before.task,
        before.actions,
        before.scenes[-1].position,
    )
    actions.append("convert mason_1 2")
    assert (await stub.FollowLesson(api.FollowLessonRequest(lesson="goal", actions=actions))).stars == 2


async def test_a_lesson_speaks_the_language_of_the_call(stub: Any) -> None:
    request = api.FollowLessonRequest(lesson="goal")
    answer = await stub.FollowLesson(request, metadata=(("accept-language", "de"),))
    assert "Mörtelmischer" in answer.actions[0].action.label


REFUSED = [
    (api.FollowLessonRequest(lesson="cooking"), Reason.NO_SUCH_LESSON, "lesson"),
    (api.FollowLessonRequest(lesson="goal", actions=["pass"]), Reason.ILLEGAL_ACTION, "actions[0]"),
    (
        api.FollowLessonRequest(lesson="goal", actions=["convert mortar_mixer 1", "convert mason_1 2", "pass"]),
        Reason.ILLEGAL_ACTION,
        "actions[2]: 'pass' comes after the end of the lesson",
    ),
    (api.FollowLessonRequest(lesson="goal", actions=["pass"] * 251), Reason.TOO_MANY_ACTIONS, "actions"),
]


async def test_the_error_names_what_is_wrong(stub: Any) -> None:
    for request, reason, field in REFUSED:
        error = await refusal(stub.FollowLesson(request))
        assert_reason(error, reason)
        assert f"{error.details()}: ".startswith(f"{field}: ")


FIRST = puzzle_pb2.PuzzleReference(game="duel", number=1)


@pytest.fixture
def puzzles_stub(server: Served) -> Any:
    return PuzzleServiceStub(server.channel)


async def test_the_list_is_what_is_shipped(puzzles_stub: Any) -> None:
    answer = await puzzles_stub.ListPuzzles(puzzle_pb2.ListPuzzlesRequest(game="duel"))
    assert not (await puzzles_stub.ListPuzzles(puzzle_pb2.ListPuzzlesRequest(game="toy"))).puzzles
    listed = [(one.number, one.level, one.seats, one.exact, one.step) for one in answer.puzzles]
    assert listed == [
        (one.number, one.level, one.seats, one.exact, one.state.to_position()["duel"]["step"]) for one in puzzles(DUEL)
    ]


async def test_the_first_call_loads_the_puzzles_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()
    monkeypatch.setattr(lesson_service, "load_puzzles", lambda: threads.append(threading.current_thread()))
    async with served() as server:
        stub: Any = PuzzleServiceStub(server.channel)
        assert not threads
        await asyncio.gather(*(stub.GetPuzzle(puzzle_pb2.GetPuzzleRequest(puzzle=FIRST)) for _ in range(3)))
        await stub.ListPuzzles(puzzle_pb2.ListPuzzlesRequest(game="cathedral"))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_a_puzzle_is_shown_without_its_answer(puzzles_stub: Any) -> None:
    known = puzzle(DUEL, 1)
    shown = await puzzles_stub.GetPuzzle(puzzle_pb2.GetPuzzleRequest(puzzle=FIRST))
    position = MessageToDict(
        shown.position, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert from_position(position) == known.state
    assert shown.seat == known.state.turn
    assert {field.name for field, _ in shown.ListFields()} <= {"summary", "position", "seat"}


async def test_a_wrong_action_is_judged_and_the_answer_kept(puzzles_stub: Any) -> None:
    known = puzzle(DUEL, 1)
    for text, loss in known.losses.items():
        verdict = await puzzles_stub.TryPuzzle(puzzle_pb2.TryPuzzleRequest(puzzle=FIRST, action=text))
        assert (verdict.right, verdict.loss) == (text == known.best, loss)
        assert verdict.HasField("answer") == verdict.right
        assert bool(verdict.principal_variation) == verdict.right


async def test_the_answer_is_shown_on_request(puzzles_stub: Any) -> None:
    known = puzzle(DUEL, 1)
    verdict = await puzzles_stub.TryPuzzle(puzzle_pb2.TryPuzzleRequest(puzzle=FIRST))
    assert not verdict.right
    assert [action.text for action in verdict.answer_actions] == [verdict.answer.text] == [known.best]
    assert verdict.reason == in_english(known.reasons, "duel") == " ".join(one.english for one in verdict.reasons)
    assert not verdict.plan
    assert tuple(verdict.principal_variation) == known.line
    assert verdict.next_best_loss == known.next_best_loss


REFUSED_TRIES = [
    (puzzle_pb2.TryPuzzleRequest(puzzle=FIRST, action="nonsense"), Reason.BAD_ACTION, "action"),
    (puzzle_pb2.TryPuzzleRequest(puzzle={"game": "duel"}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
    (puzzle_pb2.TryPuzzleRequest(puzzle={"game": "toy", "number": 1}), Reason.NO_SUCH_PUZZLE, "puzzle.number"),
    (puzzle_pb2.TryPuzzleRequest(), Reason.BAD_GAME, "puzzle.game"),
]


async def test_an_error_of_a_try_names_what_is_wrong(puzzles_stub: Any) -> None:
    for asked, reason, field in REFUSED_TRIES:
        calls = [puzzles_stub.TryPuzzle(asked)]
        if reason != Reason.BAD_ACTION:
            calls.append(puzzles_stub.GetPuzzle(puzzle_pb2.GetPuzzleRequest(puzzle=asked.puzzle)))
        for call in calls:
            error = await refusal(call)
            assert_reason(error, reason)
            assert error.details().startswith(f"{field}: ")


PLAN = next(one for one in puzzles(GAMES["cathedral"]) if one.is_plan and one.best.startswith("convert"))


async def tried(puzzles_stub: Any, *, action: str = "", actions: Sequence[str] = ()) -> puzzle_pb2.TryPuzzleResponse:
    reference = puzzle_pb2.PuzzleReference(game="cathedral", number=PLAN.number)
    verdict: puzzle_pb2.TryPuzzleResponse = await puzzles_stub.TryPuzzle(
        puzzle_pb2.TryPuzzleRequest(puzzle=reference, action=action, actions=actions)
    )
    return verdict


async def test_a_plan_is_judged_as_a_whole_in_any_order(puzzles_stub: Any) -> None:
    for best, loss in PLAN.losses.items():
        actions = best.split(PLAN_SEPARATOR)
        verdict = await tried(puzzles_stub, actions=actions)
        assert (verdict.loss, verdict.right) == (loss, best == PLAN.best)
        assert verdict == await tried(
            puzzles_stub, actions=[action for action in actions if action != "finish"] or ["finish"]
        )


async def test_the_answer_of_a_plan_is_all_of_it_and_an_action_the_best_that_goes_on_from_it(puzzles_stub: Any) -> None:
    verdict = await tried(puzzles_stub)
    assert [action.text for action in verdict.answer_actions] == PLAN.best.split(PLAN_SEPARATOR)
    assert {use.item: use.times for use in verdict.plan} == PLAN.plan(PLAN.best.split(PLAN_SEPARATOR))
    first = PLAN.best.split(PLAN_SEPARATOR)[0]
    assert (await tried(puzzles_stub, action=first)).right
    assert (await tried(puzzles_stub, action="finish")).loss == PLAN.losses["finish"]


async def test_a_plan_that_cannot_be_played_is_rejected(puzzles_stub: Any) -> None:
    error = await refusal(tried(puzzles_stub, actions=[PLAN.best.split(PLAN_SEPARATOR)[0], "redraw"]))
    assert_reason(error, Reason.ILLEGAL_ACTION)
    assert error.details().startswith("actions[1]: 'redraw' is not legal there in puzzle ")
    state = PLAN.state
    state.play(PLAN.best.split(PLAN_SEPARATOR)[0])
    assert f"; there are {state.legal_actions()[0].text}, " in error.details()
