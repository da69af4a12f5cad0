"""LessonService over a real socket: every lesson is played, and agrees with its texts and the rules."""

from typing import Any

import pytest

from clerestory.server.lessons import Lesson
from clerestory.service_errors import Reason
from clerestory.v1 import lessons_pb2 as api
from clerestory.v1.lessons_pb2_grpc import LessonServiceStub
from tests.server.lessons.pupil import ALL, TRANSCRIPTS, transcript
from tests.server.rpc.harness import Served, assert_reason, refusal


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
