"""Descriptions of a table: changes by each action, scores by source at the end, and plans of lines."""

import json
from pathlib import Path

from google.protobuf.json_format import ParseDict

from clerestory.server.games.log import EntryKind
from clerestory.server.games.viewer import Viewer
from clerestory.server.rpc.translate import write_outcome
from clerestory.server.rpc.translate_games import write_game, write_line
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position
from tests.search.review.games import random_game
from tests.server.games.table import hosted, play_one
from tests.server.rpc.harness import Served

EXAMPLES = Path(__file__).parents[3] / "examples" / "positions"
POSITION = ParseDict(json.loads((EXAMPLES / "cathedral-3p-round6-cathedral.json").read_text()), Position())


async def test_an_applied_action_says_what_it_changed(server: Served) -> None:
    given = rules.AnyPosition(position=POSITION)
    action = (await server.rules.ListActions(rules.ListActionsRequest(position=given))).actions[0].action.text
    answer = await server.rules.ApplyActions(rules.ApplyActionsRequest(position=given, actions=[action]))
    texts = [change.text for change in answer.applied[0].changes]
    assert texts
    assert {(change.cause, change.seat) for change in answer.applied[0].changes} == {
        ("craftsman", answer.applied[0].turn.seat)
    }
    assert any("point" in text for text in texts)


def test_a_finished_game_says_where_the_points_came_from_and_what_was_forced() -> None:
    game = hosted("cathedral", "pp", play_forced=True)
    while not game.over:
        play_one(game, game.ply)
    for listed in (False, True):
        outcome = write_game(game, listed=listed).end.outcome
        assert [score.score for score in outcome.scores] == list(game.position.final_scores())
        for score in outcome.scores:
            assert round(sum(part.points for part in score.parts), 6) == score.score
            assert listed or all(part.item for part in score.parts if part.source == "craftsman")
    forced = [entry.kind == EntryKind.FORCED for entry in game.line]
    assert [entry.forced for entry in write_line(game, 1, game.ply, Viewer((0,)))] == forced
    assert True in forced


def test_a_tie_is_explained() -> None:
    found = set()
    for seed in (6, 8, 12, 5):  # random games; three end with the best score shared
        state = random_game("cathedral", 4, seed)
        outcome = write_outcome(state)
        assert outcome is not None
        best = max(state.final_scores())
        tied = [seat for seat, score in enumerate(state.final_scores()) if score == best]
        assert outcome.HasField("tie_break") == (len(tied) > 1)
        if len(tied) > 1:
            found.add(outcome.tie_break.code)
            winners = [seat for seat, share in enumerate(outcome.win_shares) if share]
            assert (outcome.tie_break.code == "shared") == (len(winners) > 1)
    assert found


async def test_a_line_says_the_plan_that_it_holds(server: Served) -> None:
    answer = await server.advisor.RecommendMove(advisor.RecommendMoveRequest(position=POSITION, iterations=300, seed=1))
    for line in answer.lines:
        verb, *rest = line.action.text.split()
        if verb == "convert":
            assert line.plan[0].item == rest[0]
            assert line.plan[0].label.endswith(str(line.plan[0].times))
