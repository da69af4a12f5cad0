"""The Python clients reach every method of every service of a server."""

from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import MethodDescriptor

from clerestory.clients import Advisor, AsyncAdvisor, AsyncReferee, Referee
from clerestory.clients.streams import AsyncStream, Stream
from clerestory.engine import GAMES
from clerestory.search.review.puzzle import FINISH, PLAN_SEPARATOR, Puzzle, puzzles
from clerestory.server.app import SERVICES
from clerestory.v1 import rules_pb2
from tests.clients.python.fake import serving

METHODS = {
    f"{service}/{method.name}": method
    for service in SERVICES
    for method in descriptor_pool.Default().FindServiceByName(service).methods
    if not method.client_streaming  # test_batch.py
}
PLAN = next(one for one in puzzles(GAMES["cathedral"]) if one.is_plan and one.best.count(PLAN_SEPARATOR) > 1)
POSITION = {"rules_revision": 1, "toy": {}}
CALLS: dict[str, Callable[[Any], Any]] = {
    "AdvisorService/RecommendMove": lambda one: one.recommend(POSITION, "1s"),
    "AdvisorService/Analyze": lambda one: one.analyze(POSITION, "1s"),
    "AnnotationService/AnnotateGame": lambda one: one.annotate("{}"),
    "AnnotationService/SummarizeGames": lambda one: one.summarize("duel", []),
    "RulesService/ListGames": lambda one: one.rules.games(),
    "RulesService/ListCharacters": lambda one: one.rules.characters(),
    "RulesService/DescribeCatalogue": lambda one: one.rules.catalogue("duel"),
    "RulesService/ValidatePosition": lambda one: one.rules.faults(POSITION),
    "RulesService/StartPosition": lambda one: one.rules.start("toy", 2),
    "RulesService/DealPosition": lambda one: one.rules.deal(POSITION),
    "RulesService/ListActions": lambda one: one.rules.follow(POSITION),
    "RulesService/ObservePosition": lambda one: referee(one).view(0),
    "RulesService/ApplyActions": lambda one: referee(one).draw(),
    "RulesService/PlanConversions": lambda one: referee(one).plan(),
    "GameService/CreateGame": lambda one: one.games.create("toy", ["person", "bot"]),
    "GameService/JoinGame": lambda one: one.games.join("ABC"),
    "GameService/ListGames": lambda one: one.games.list(),
    "GameService/GetGame": lambda one: game(one).look(),
    "GameService/PlayAction": lambda one: game(one).play("pass"),
    "GameService/SetPrivateOutcome": lambda one: game(one).set_private_outcome(0, "show 1"),
    "GameService/TakeBack": lambda one: game(one).take_back(0),
    "GameService/SetSeat": lambda one: game(one).set_seat(0, "bot"),
    "GameService/EndGame": lambda one: game(one).resign(),
    "GameService/SendPhrase": lambda one: game(one).send_phrase("thanks"),
    "GameService/AddNoticeTarget": lambda one: game(one).add_webhook("https://example.org/"),
    "GameService/RemoveNoticeTarget": lambda one: game(one).remove_webhook("https://example.org/"),
    "GameService/GetNoticeTarget": lambda one: game(one).has_webhook("https://example.org/"),
    "GameService/WatchGame": lambda one: game(one).watch(),
    "GameService/GetRecord": lambda one: game(one).record(),
    "PuzzleService/ListPuzzles": lambda one: one.puzzles.list("duel"),
    "PuzzleService/GetPuzzle": lambda one: one.puzzles.pose("duel", 1),
    "PuzzleService/TryPuzzle": lambda one: one.puzzles.judge("duel", 1, "pass"),
    "LessonService/ListLessons": lambda one: one.lessons.list(),
    "LessonService/FollowLesson": lambda one: one.lessons.follow("goal"),
}


def game(advisor: Any) -> Any:
    return advisor.games.open("ABC", {0: "token"})


def referee(advisor: Any) -> Any:
    """A referee's game, as returned by `rules.start`."""
    kind = Referee if isinstance(advisor, Advisor) else AsyncReferee
    return kind(advisor._call, rules_pb2.AnyPosition(referee=rules_pb2.RefereePosition()), rules_pb2.Turn())


class Recorder(grpc.GenericRpcHandler):
    """Answers every method with an empty message, and records the methods called, as `SERVICE/METHOD`."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        name = str(handler_call_details.method).removeprefix("/")
        self.called.append(name)
        return emptily(METHODS[name])


def emptily(method: MethodDescriptor) -> grpc.RpcMethodHandler:
    asked, told = (message_factory.GetMessageClass(one) for one in (method.input_type, method.output_type))
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(
            lambda request, context: iter([told()]), asked.FromString, told.SerializeToString
        )
    return grpc.unary_unary_rpc_method_handler(
        lambda request, context: told(), asked.FromString, told.SerializeToString
    )


async def test_both_clients_reach_every_method_of_the_server() -> None:
    recorder = Recorder()
    with serving(recorder, lambda handler, server: server.add_generic_rpc_handlers((handler,))) as target:
        with Advisor(target) as advisor:
            for call in CALLS.values():
                answer = call(advisor)
                if isinstance(answer, Stream):
                    next(answer)
                    answer.close()
        async with AsyncAdvisor(target) as other:
            for call in CALLS.values():
                answer = call(other)
                if isinstance(answer, AsyncStream):
                    await anext(answer)
                    answer.close()
                else:
                    await answer
    assert recorder.called == 2 * [f"clerestory.v1.{name}" for name in CALLS]
    assert {f"clerestory.v1.{name}" for name in CALLS} == set(METHODS)


def test_a_puzzle_is_posed_and_judged_also_if_an_action_begins_a_plan(advisor: Advisor) -> None:
    numbers = [one["number"] for one in advisor.puzzles.list("duel")]
    posed = advisor.puzzles.pose("duel", numbers[0])
    legal = [one.text for one in advisor.rules.follow(posed.position).legal()]
    told = advisor.puzzles.judge("duel", posed.number)
    assert (told.right, told.loss, set(map(str, told.answer)) <= set(legal)) == (False, 0, True)
    assert (advisor.puzzles.judge("duel", posed.number, told.answer).right, bool(told.reason)) == (True, True)
    told = advisor.puzzles.judge("cathedral", PLAN.number)
    first, *rest = told.answer
    tries: list[Any] = [first, first.text, told.answer, [first]]
    assert rest
    assert [advisor.puzzles.judge("cathedral", PLAN.number, one).right for one in tries] == [True, True, True, False]


SHIPPED = [one for name in ("cathedral", "duel") for one in puzzles(GAMES[name])]


def forms(one: Puzzle) -> list[Any]:
    """Return all forms in which the answer of a puzzle may be given: its first action, or the whole plan."""
    texts = [action.text for action in one.answer]
    return [texts[0], one.answer[0], texts, list(one.answer), [text for text in texts if text != FINISH] or texts]


def test_each_shipped_puzzle_accepts_its_answer_in_every_form(advisor: Advisor) -> None:
    judged = {(one.game.name, one.number): [] for one in SHIPPED}
    for one in SHIPPED:
        for form in forms(one):
            verdict = advisor.puzzles.judge(one.game.name, one.number, form)
            judged[one.game.name, one.number].append((verdict.right, verdict.loss))
    assert {key: found for key, found in judged.items() if found != 5 * [(True, 0)]} == {}
    assert sum(one.is_plan for one in SHIPPED) > 10


def test_a_lesson_is_followed(advisor: Advisor) -> None:
    lesson = advisor.lessons.list("cathedral")[0]["lesson"]
    begun = advisor.lessons.follow(lesson)
    after = advisor.lessons.follow(lesson, [begun.actions[0]])
    assert (begun.mistakes, begun.stars, bool(begun.task), bool(begun.scenes[0]["text"])) == (0, 0, True, True)
    assert after.mistakes or after.done > begun.done


def test_opponents_and_cards_are_listed(advisor: Advisor) -> None:
    levels = [one["level"] for one in advisor.rules.characters()]
    cards = advisor.rules.catalogue("duel")
    assert (levels, bool(cards["catalogue"]), bool(cards["entries"])) == (sorted(levels), True, True)
