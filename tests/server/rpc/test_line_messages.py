"""The table of an answer is written straight from its lines, with the bytes that protobuf writes."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.i18n.languages import ENGLISH
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import FIELDS, Line, is_doubtful
from clerestory.search.options import shipped
from clerestory.server.analysis.analysis_engine import explain
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import validate_query
from clerestory.server.games.rulebook import held
from clerestory.server.rpc.locale import LOCALE, label_of
from clerestory.server.rpc.translate_advisor import write_outlook, write_plan, write_recommendation, write_update
from clerestory.v1 import advisor_pb2 as advisor
from tests.laws import walk


def answered(position: State, iterations: int, **fields: Any) -> Answer:
    """Return an answer; with enough iterations, it is explained."""
    question = validate_query(position, Limits(iterations=iterations, seed=1))
    searcher = Searcher(question.root, seed=1, **shipped(position.game, position.seats))
    result = searcher.run(iterations=iterations)
    return Answer(question, explain(question.view, searcher, result) if iterations > 100 else result, (), 0.0, 1.0, 0.5)


def as_message(line: Line, answer: Answer) -> advisor.Line:
    """Return a line as a message, field by field."""
    game = answer.question.view.game

    def action(text: str) -> advisor.Action:
        return advisor.Action(text=text, label=label_of(game, text, game.parse_action(text).label))

    same = {name: getattr(line, name) for name in advisor.Line.DESCRIPTOR.fields_by_name if name in FIELDS}
    return advisor.Line(
        **same
        | {
            "action": action(line.action),
            "variation": map(action, line.principal_variation),
            "margin_error": line.margin_error if isfinite(line.margin_error) else None,
            "outlook": map(write_outlook, line.outlook),
            "plan": write_plan(game, held(game, line.principal_variation)),
            "doubtful": not answer.question.chance and is_doubtful(line, answer.result.best),
        }
    )


@pytest.fixture(params=[ENGLISH, "he"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield a language, which calls ask for meanwhile."""
    before = LOCALE.set(request.param)
    yield request.param
    LOCALE.reset(before)


@pytest.mark.parametrize("name", GAMES)
def test_the_bytes_are_those_of_protobuf(name: str, language: str) -> None:
    found = set[str]()
    for number, state in enumerate(walk(GAMES[name], 2, 3)):
        if state.over or (number % 7 and state.turn != NATURE):
            continue
        answer = answered(state, (1, 60, 400)[number % 3])
        for most in (0, 2):
            message = advisor.RecommendMoveResponse.FromString(written := write_recommendation(answer, most))
            assert message.SerializeToString() == written
            assert list(message.lines) == [as_message(line, answer) for line in answer.lines[: most or None]]
            assert message.best.text == ("" if answer.best is None else answer.best.action)
        found |= {field.name for line in message.lines for field, _ in line.ListFields()}
    plan = {"plan"} if name == "cathedral" else set[str]()
    assert found >= {"outlook", "probability", "margin_error", "principal_variation", *plan}


def test_a_line_that_was_never_tried_leaves_out_what_it_lacks() -> None:
    figures = (0, 7, (0.0, 0.0), (0.5, 0.5), 0.0, float("inf"), 0.0, 0.5, -1.0, 0.0)
    line = Line("play 1", "play card 1", *figures, ("play 1",))
    for margin in (0.0, -0.0):
        answer = answered(GAMES["toy"].new(2, Rng(1)), 1)
        object.__setattr__(answer.result, "lines", (line.changed(margin=margin),))
        message = advisor.RecommendMoveResponse.FromString(written := write_recommendation(answer))
        assert message.SerializeToString() == written
        assert message.lines[0].HasField("margin_error") is False
        assert str(message.lines[0].margin) == str(margin)


def test_a_table_of_a_stream_contains_the_answer() -> None:
    answer = answered(GAMES["toy"].new(2, Rng(1)), 60)
    message = advisor.AnalyzeResponse.FromString(written := write_update(answer, 2))
    assert message.SerializeToString() == written
    assert message.recommendation.SerializeToString() == write_recommendation(answer, 2)
    assert message.final
