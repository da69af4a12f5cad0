"""A position is equal in the engine, as a message, on the wire, and as the JSON of a message."""

import json
from math import inf
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson, Parse, ParseDict

from clerestory.clients.types import Line as AnsweredLine
from clerestory.clients.wire import position_message, read_answer
from clerestory.engine import GAMES, NATURE, State, from_position
from clerestory.engine.changes import Change
from clerestory.i18n import has
from clerestory.i18n.sentences import QuotedAction, QuotedItem, format_text, text
from clerestory.search.gains import Gain
from clerestory.search.ismcts import DEFAULT_MAX_BYTES, Searcher
from clerestory.search.lines import Line
from clerestory.search.options import shipped
from clerestory.search.reasons import in_english, named, sentences, stated, traded
from clerestory.search.result import StopReason
from clerestory.search.root import observe
from clerestory.server.analysis.analysis_engine import explain
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.games.log import EntryKind
from clerestory.server.games.viewer import Viewer
from clerestory.server.rpc import translate
from clerestory.server.rpc.translate_advisor import STOP_REASONS, read_question, write_plan
from clerestory.server.rpc.translate_games import write_game, write_line
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position
from tests.laws import walk
from tests.search.review.games import random_game
from tests.server.games.table import hosted, play_one
from tests.server.rpc.harness import Served, opening, question, served
from tests.server.rpc.rules import CASES

CHANGES = [
    ("cathedral", Change(0, "wood", "", 6, "production"), "+6 wood (production)"),
    ("cathedral", Change(0, "vp", "", 1, "craftsman", "mason_2"), "+1 point (Mason)"),
    ("cathedral", Change(0, "workers", "", -5, "to_mill"), "-5 workers (to the wool mill)"),
    ("cathedral", Change(0, "workers", "", 1, "from_mill"), "+1 worker (back from the wool mill)"),
    (
        "cathedral",
        Change(None, "event_deck", "cold_winter", 1, "advantage", "ellen"),
        "coming event: Cold winter (Ellen)",
    ),
    ("duel", Change(0, "supply", "stone", -1, "", ""), "-1 stone in the supply"),
    ("duel", Change(0, "camp", "wool", 2, "", ""), "+2 wool in the camp"),
    ("duel", Change(0, "cards", "mason", 1, "", ""), "+1 Mason"),
    ("duel", Change(0, "sum", "", 4, "conflict"), "+4 in the conflict"),
    ("duel", Change(0, "supply", "ore", -1, "card", "ore"), "-1 ore in the supply"),
    ("duel", Change(0, "cards", "volunteer_workers", -1, "card", "volunteer_workers"), "-1 Volunteer Workers"),
    ("duel", Change(0, "markers", "2.3", -1, "conflict"), "-1 marker on row 2, column 3 (conflict)"),
    ("toy", Change(0, "hand", "", -1, "play"), "-1 card (played)"),  # hidden
]


def positions(name: str, seats: int, seed: int, count: int) -> list[State]:
    """Return about `count` positions of a random game, and each as every seat knows it."""
    met = [state.copy() for state in walk(GAMES[name], seats, seed)]
    some = met[seed % 5 :: 1 + len(met) // count]
    return some + [position.observe(seat) for position in some for seat in range(seats)]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 9))])
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_round_trip(name: str, seats: int, seed: int) -> None:
    for state in positions(name, seats, seed, 50 if seed else 8):
        message = position_message(state)
        assert translate.read_position(Position.FromString(message.SerializeToString())) == state
        assert translate.read_position(Parse(state.to_json(), Position())) == state
        written = json.loads(
            MessageToJson(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
        )
        assert {field: value for field, value in written.items() if value != ""} == state.to_position()
        assert translate.position_fields(message) == written
        assert translate.write_position(state) == ParseDict(state.to_position(), Position())


@pytest.mark.parametrize("chance", [False, True])
@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_an_answer_is_what_the_search_found(name: str, seats: int, chance: bool) -> None:
    """Over a socket, and read by the client: every figure of the search is unchanged."""
    position = GAMES[name].new(seats, 7) if chance else opening(seats, 7, name)
    seat = 0 if chance else position.turn
    assert (position.turn == NATURE) == chance
    async with served(memory=1 << 34) as server:
        message = await server.advisor.RecommendMove(question(position, iterations=300, seed=3, seat=seat))
    options = shipped(position.game, position.seats)
    searcher = Searcher(observe(position, seat), seed=3, max_bytes=DEFAULT_MAX_BYTES, **options)
    expected = explain(position, searcher, searcher.run(iterations=300))
    answer = read_answer(message)
    for line, found in zip(answer.lines, expected.lines, strict=True):
        assert figures_of(line) == figures_of(found)
        assert (line.action.text, line.action.label) == (found.action, found.label)
        assert line.margin_error == (None if found.margin_error == inf else found.margin_error)
        assert tuple(action.text for action in line.variation) == tuple(found.principal_variation)
        assert all(action.label for action in line.variation)
    assert (message.rules_revision, message.catalogue) == (position.game.rules_revision, position.game.catalogue)
    assert (answer.seat, answer.seed, answer.reason) == (seat, expected.seed, expected.reason)
    assert (answer.iterations, answer.nodes, answer.depth) == (expected.iterations, expected.nodes, expected.depth)
    assert (answer.tree_bytes, answer.threads, answer.stop_reason) == (expected.tree_bytes, 1, expected.stop_reason)
    assert answer.certainty == (0 if chance else expected.certainty)


def figures_of(line: AnsweredLine | Line) -> list[Any]:
    figures = attrgetter("visits", "availability", "margin", "score", "lower_bound", "loss", "probability")(line)
    outlook = map(attrgetter("feature", "now", "at_round_end", "at_game_end"), line.outlook)
    return [*figures, *map(tuple, (line.win_shares, line.standard_errors, line.principal_variation)), *outlook]


def test_a_position_with_many_bytes_is_cached_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each field repeats, and the last value counts, so that the message is short but its bytes are not."""
    message, read = position_message(opening(2)), list[bytes]()
    received = b"\x08\x00" * translate.MAX_POSITION_BYTES + message.SerializeToString()
    monkeypatch.setattr(translate, "kept_position", lambda _, given: read.append(given))
    translate.asked_position(HERE, Position.FromString(received), received)
    assert read == [message.SerializeToString()]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_hidden_is_cached_from_a_question(seats: int) -> None:
    truth = opening(seats)
    asked = read_question(question(truth, iterations=1), HERE)
    assert asked.view == truth.observe(truth.turn)
    assert asked.view != truth


def test_a_position_is_read_once_for_each_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    read, reader = list[bytes](), translate.reader_of_positions()
    counting = SimpleNamespace(read=lambda message: read.append(message) or reader.read(message))
    monkeypatch.setattr(translate, "reader_of_positions", lambda: counting)
    truth, views = opening(2, 99), []
    for origin in ("ann", "ann", "ben"):
        asked = read_question(question(truth, iterations=1), Caller(origin))
        views.append(asked.view.copy())
        asked.view.play(asked.view.legal_actions()[0])
    assert len(read) == 2
    assert views == [truth.observe(truth.turn)] * 3


def test_a_position_can_hold_every_game() -> None:
    assert {field.name for field in Position.DESCRIPTOR.oneofs_by_name["game"].fields} == set(GAMES)


def test_every_stop_reason_has_its_message() -> None:
    named = {reason: api.StopReason.Name(number) for reason, number in STOP_REASONS.items()}
    unsaid = {StopReason.PAUSED: "STOP_REASON_UNSPECIFIED"}
    assert named == {reason: f"STOP_REASON_{reason.name}" for reason in StopReason} | unsaid


def test_a_position_has_so_many_parts_at_most() -> None:
    """Each of them takes two bytes, and as long to read as any; the game in the position is one."""
    most, more = (Position(duel={"players": [{}] * (translate.MAX_PARTS - 1 + beyond)}) for beyond in (0, 1))
    assert translate.size_fault(most) is None
    assert translate.size_fault(more) == text("fault.parts", most=translate.MAX_PARTS)


@pytest.mark.parametrize(("game", "change", "english"), CHANGES)
def test_a_change_in_words(game: str, change: Change, english: str) -> None:
    assert translate.worded(GAMES[game], change, "en") == english
    assert translate.worded(GAMES[game], change, "de")


def test_a_card_that_is_hidden_leaves_no_gap_in_other_languages() -> None:
    assert translate.worded(GAMES["toy"], Change(0, "hand", "", -1, "play"), "de") == "-1 Karte (gespielt)"


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
        outcome = translate.write_outcome(state)
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
    answer = await server.advisor.RecommendMove(api.RecommendMoveRequest(position=POSITION, iterations=300, seed=1))
    for line in answer.lines:
        verb, *rest = line.action.text.split()
        if verb == "convert":
            assert line.plan[0].item == rest[0]
            assert line.plan[0].label.endswith(str(line.plan[0].times))


BEGUN = GAMES["cathedral"].new(2, 1)
POSITIONS = sorted(EXAMPLES.glob("*.json"))


async def test_reasons_and_the_lead_are_codes_with_arguments(server: Served) -> None:
    told = 0
    for path in POSITIONS[::5]:
        position = from_position(path.read_text())
        answer = await server.advisor.RecommendMove(question(position, iterations=200, seed=1, seat=position.turn))
        assert answer.reason == " ".join(one.english for one in answer.reasons)
        for one in [*answer.reasons, answer.lead]:
            assert has("service", one.code) or has(position.game.name, one.code)
            assert translate.write_text(translate.read_text(one), position.game) == one
        told += len(answer.reasons)
        points = round(answer.lines[0].margin, 1)
        sign = "ahead" if points > 0 else "behind" if points < 0 else "even"
        assert answer.lead.code == f"lead.{sign}"
    assert told > 0


def gains(at_game_end: bool = False, **means: float) -> list[Gain]:
    return [Gain(feature, at_game_end, mean, 0.01, 50) for feature, mean in means.items()]


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (gains(vp=1.0, vp_craftsmen=1.0), "1 point more at the end of the round."),
        (gains(sand=4.0), "4 sand more at the end of the round."),
        (gains(metal=1.0, gold=-3.4), "1 metal more, but 3 gold less at the end of the round."),
        (
            gains(wood=4.2, vp=-2.0),
            "4 wood more, 2 points less at the end of the round; but the Woodworker needs wood.",
        ),
        (gains(stone=1.0, vp=2.4, gold=-8.0), "2.4 points and 1 stone more, but 8 gold less at the end of the round."),
        (gains(gold=-3.0), "3 gold less at the end of the round, which pays off later."),
        (gains(gold=0.4, wood=-0.3), ""),
        (gains(True, vp=1.25), "1.2 points more at the end of the game."),
        (gains(True, vp=-1.0, gold=4.0), ""),
        (gains(True, stone=3.0), ""),
        (gains(vp_priory=2.0), ""),
        ([], ""),
    ],
)
def test_a_trade_is_described_once_in_both_directions(found: list[Gain], sentence: str) -> None:
    """Whole things and tenths of points, and who needs what is gained; nothing of goods that are left at the end."""
    view = BEGUN.observe(0)
    assert in_english(traded(stated(found, view.game.tuning.explained), view, 0), "cathedral") == sentence


def test_goods_of_the_last_round_are_worth_nothing() -> None:
    found = [*gains(wood=3.0, vp=-1.0), *gains(True, wood=3.0, vp=-1.0)]
    assert stated(found, BEGUN.game.tuning.explained) == []


def test_points_are_not_named_twice() -> None:
    told = BEGUN.game.tuning.explained
    assert stated(gains(vp=2.0), told, scored=True) == []
    assert [one.feature for one in stated(gains(vp=2.0, gold=-3.0), told, scored=True)] == ["gold", "vp"]


def test_a_plan_is_named_as_a_whole() -> None:
    """Where conversions are advised, the sentence names the uses of all craftsmen, not only of the first."""
    variation = ("convert mortar_mixer 1", "convert woodworker 2", "finish", "discard wood")
    names = [in_english((named(line(one), BEGUN.game),), "cathedral") for one in (variation, variation[3:])]
    assert names == ["Mortar mixer 1 and Woodworker 2", "discard 1 wood"]
    assert named(line(("finish", "discard wood")), BEGUN.game) == QuotedAction("finish", "label")


def test_two_cards_of_one_name_are_distinguished_by_their_rounds() -> None:
    two = line(("convert carpenter_2 1", "convert carpenter_3 2", "finish"))
    one = line(("convert carpenter_3 2", "finish"))
    names = [
        in_english((named(*pair, other.principal_variation),), "cathedral")
        for *pair, other in ((two, BEGUN.game, one), (one, BEGUN.game, two), (one, BEGUN.game, one))
    ]
    assert names == ["Carpenter (round 2) 1 and Carpenter (round 3) 2", "Carpenter (round 3) 2", "Carpenter 2"]


def line(variation: tuple[str, ...]) -> Line:
    return Line(variation[0], "label", 9, 9, (0.5,), (0.1,), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, variation)


def test_a_plan_that_is_better_in_another_order_only_has_no_reason() -> None:
    one = line(("convert mortar_mixer 1", "convert woodworker 2"))
    other = line(("convert woodworker 2", "convert mortar_mixer 1", "finish"))
    assert sentences(one, other, gains(vp=1.0), BEGUN, 0) == ()
    assert sentences(one, line(other.principal_variation[:1]), gains(vp=1.0), BEGUN, 0)


def test_reasons_use_features_with_texts_and_the_score_first() -> None:
    for game in GAMES.values():
        features = list(game.new(2, 1).features(0))
        told = game.tuning.explained or features
        assert told[0] == features[0]
        assert set(told) <= set(features)
        assert all(has(game.name, f"amount.{feature}") for feature in told)


def test_the_parts_of_a_plan_say_once_how_often_and_what_is_discarded() -> None:
    game = GAMES["cathedral"]
    assert [use.label for use in write_plan(game, {"mason_1": 2, "mortar_mixer": 1})] == ["Mason 2", "Mortar mixer 1"]
    assert [use.label for use in write_plan(game, {"sand": 5, "wood": 1})] == ["discard 5 sand", "discard 1 wood"]
    rounds = ["Mason (round 1) 2", "Mason (round 2) 1"]
    assert [use.label for use in write_plan(game, {"mason_1": 2, "mason_2": 1})] == rounds


def test_a_text_is_read_as_it_was_written() -> None:
    use = text("plan.use", name=QuotedItem("carpenter_2", "Carpenter"), count=4.0)
    assert translate.read_text(translate.write_text(use, GAMES["cathedral"])) == use
    assert [format_text(use, "cathedral", language) for language in ("en", "de")] == ["Carpenter 4", "Zimmermann 4"]
    message = api.Text(code="lead.ahead", arguments=[api.TextArgument(name="count", number=2.1)])
    assert translate.read_text(message) == translate.read_text(
        translate.write_text(translate.read_text(message), GAMES["toy"])
    )
    assert (
        translate.write_text(translate.read_text(message), GAMES["toy"]).english
        == "Expected at the end: 2.1 points ahead."
    )
