"""Each method of RulesService over a real socket: its answers and its errors."""

import json
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, PreconditionFailure

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, State
from clerestory.engine.tuning import CHARACTERS
from clerestory.i18n import say
from clerestory.server.analysis.question import MAX_ACTIONS
from clerestory.server.rpc.translate import MAX_PARTS, MAX_POSITION_BYTES, parts
from clerestory.service_errors import Reason
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.advisor_pb2 import PlannedUse, RecommendMoveRequest
from clerestory.v1.position_pb2 import Position
from clerestory.v1.toy_pb2 import ToyPosition
from tests.laws import walk
from tests.server.rpc.harness import Served, assert_reason, details, opening, refusal
from tests.server.rpc.rules import CASES, referee, turn_of, view, whole

TRUTH = opening()
SEEN = TRUTH.observe(0)
FINISHED = [*walk(GAMES["toy"], 2, 1)][-1]


async def test_the_games_are_those_there_are(rules: Any) -> None:
    answer = await rules.ListGames(api.ListGamesRequest())
    assert [game.name for game in answer.games] == sorted(GAMES)
    for game in answer.games:
        ours = GAMES[game.name]
        assert (game.min_seats, game.max_seats) == (ours.seats[0], ours.seats[-1])
        assert (game.rules_revision, game.catalogue) == (ours.rules_revision, ours.catalogue)
        assert list(game.features) == list(ours.new(ours.seats[0], 1).features(0))


@pytest.mark.parametrize(("language", "name"), [("en", "Mabel"), ("fr", "Mabel"), ("he", "מייבל")])
async def test_the_characters_have_names_and_manners_in_each_language(rules: Any, language: str, name: str) -> None:
    answer = await rules.ListCharacters(api.ListCharactersRequest(), metadata=[("accept-language", language)])
    assert {one.character: one.level for one in answer.characters} == CHARACTERS
    assert answer.characters[1].name == name
    assert answer.characters[1].about == say("characters", "mabel.about", language=language)


async def test_a_seed_that_was_drawn_is_told(rules: Any) -> None:
    drawn = await rules.StartPosition(api.StartPositionRequest(game="cathedral", seats=3))
    request = api.StartPositionRequest(game="cathedral", seats=3, seed=drawn.seed)
    assert await rules.StartPosition(request) == drawn
    other = await rules.StartPosition(api.StartPositionRequest(game="cathedral", seats=3, seed=drawn.seed + 1))
    assert other.referee != drawn.referee
    request_ = api.ApplyActionsRequest(position=api.AnyPosition(referee=drawn.referee), draw=True)
    applied = await rules.ApplyActions(request_)
    request_.seed = applied.seed
    assert await rules.ApplyActions(request_) == applied


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_the_actions_are_those_of_the_core(rules: Any, name: str, seats: int) -> None:
    states = [state.copy() for state in walk(GAMES[name], seats, 4)]
    for state in [*states[:8], *states[:: 1 + len(states) // 8], states[-1]]:
        seen = state.observe(0)
        for position, known in ((whole(state), state), (view(seen), seen)):
            answer = await rules.ListActions(api.ListActionsRequest(position=position))
            assert_lists(answer, known)


def assert_lists(answer: Any, state: State) -> None:
    assert answer.turn == turn_of(state)
    listed = [(legal.action.text, legal.action.label) for legal in answer.actions]
    assert listed == [(action.text, action.label) for action in state.legal_actions()]
    assert [" ".join([legal.kind, *legal.arguments]) for legal in answer.actions] == [text for text, _ in listed]
    chances = [legal.probability for legal in answer.actions if legal.HasField("probability")]
    assert chances == (state.odds() if answer.turn.kind == api.TURN_KIND_NATURE else [])


async def test_chance_events_are_drawn_only_if_that_is_asked_for_and_are_told_as_drawn(rules: Any) -> None:
    state = GAMES["toy"].new(2, 3)
    texts = [state.legal_actions()[-1].text]
    answer = await rules.ApplyActions(api.ApplyActionsRequest(position=whole(state), actions=texts, draw=True))
    assert answer.applied[0].action.text == texts[0]
    assert [(done.drawn, done.turn.kind) for done in answer.applied] == [
        (False, api.TURN_KIND_NATURE),
        (True, api.TURN_KIND_NATURE),
    ]
    assert not answer.HasField("outcome")
    answer = await rules.ApplyActions(api.ApplyActionsRequest(position=whole(state)))
    assert (answer.position, answer.turn, list(answer.applied)) == (whole(state), turn_of(state), [])


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_no_position_of_a_game_is_near_the_limit(name: str, seats: int) -> None:
    messages = [position_message(state) for state in [one.copy() for one in walk(GAMES[name], seats, 4)][::-5]]
    assert max(message.ByteSize() for message in messages) < MAX_POSITION_BYTES / 3
    assert max(sum(1 for _ in parts(message)) for message in messages) < MAX_PARTS / 3


@pytest.mark.parametrize("name", GAMES)
async def test_the_catalogue_is_told_with_its_sources(rules: Any, name: str) -> None:
    answer = await rules.DescribeCatalogue(api.DescribeCatalogueRequest(game=name))
    bare = {(entry.section, value.name) for entry in answer.entries for value in entry.values if not value.provenance}
    assert bare <= {("resource_cards", "type")}  # which follows from the order of the cards
    game = GAMES[name]
    assert (answer.catalogue, answer.rules_revision) == (game.catalogue, game.rules_revision)
    rows = [(section, row) for section, rows in game.cards().items() for row in rows]
    assert [(entry.section, entry.id, entry.name) for entry in answer.entries] == [
        (section, row["id"], row["name"]) for section, row in rows
    ]
    for entry, (_, row) in zip(answer.entries, rows, strict=True):
        values = [value for value in entry.values if not value.name.startswith("name_")]
        written = {value.name: json.loads(value.json) for value in values}
        assert written == {field: row[field] for field in written}
        assert set(row) - set(written) <= {"id", "name", "sources"}
        for value in values:
            assert value.source == row["sources"].get(value.name, "")
            assert value.source.startswith(value.provenance)
            assert value.provenance in ("stated", "found", "derived", "reconstructed") or not value.source


async def test_cards_have_names_by_language_with_their_sources(rules: Any) -> None:
    answer = await rules.DescribeCatalogue(api.DescribeCatalogueRequest(game="cathedral"))
    (mason,) = (entry for entry in answer.entries if entry.id == "mason_3")
    names = {value.name: (json.loads(value.json), value.provenance, value.source) for value in mason.values}
    assert mason.name == "Mason"
    assert names["name_it"] == ("Muratore", "stated", "stated R-IT")
    assert names["name_de"] == ("Maurer", "found", "found GLU")
    assert names["name_fr"] == ("Maçon", "reconstructed", "reconstructed, ours")
    assert [name for name in names if name.startswith("name_")] == [
        f"name_{code}" for code in ("de", "es", "fr", "he", "it")
    ]


def damaged(**fields: Any) -> Position:
    message = position_message(SEEN)
    for name, value in fields.items():
        holder = message if name in ("rules_revision", "catalogue") else message.toy
        setattr(holder, name, value)
    return message


FAULTY: list[tuple[api.AnyPosition, list[str]]] = [
    (api.AnyPosition(), ["position"]),
    (api.AnyPosition(position=Position()), ["position.position"]),
    (api.AnyPosition(referee=api.RefereePosition()), ["position.referee.truth"]),
    (api.AnyPosition(position=damaged(round=9)), ["position.position.toy.round"]),
    (api.AnyPosition(position=damaged(rules_revision=7)), ["position.position.rules_revision"]),
    (api.AnyPosition(position=damaged(catalogue="0123456789abcdef")), ["position.position.catalogue"]),
    (
        api.AnyPosition(position=damaged(rules_revision=7, catalogue="x", round=9, step="nap")),
        [f"position.position.{field}" for field in ("rules_revision", "catalogue", "toy.round", "toy.step")],
    ),
    (api.AnyPosition(referee=api.RefereePosition(truth=damaged(moved=9))), ["position.referee.truth.toy.moved"]),
    (api.AnyPosition(position=Position(rules_revision=1, toy=ToyPosition(seen=[1] * 9000))), ["position.position"]),
    (view(TRUTH), ["position.position"]),
    (api.AnyPosition(referee=referee(SEEN)), ["position.referee.truth"]),
]


@pytest.mark.parametrize(("position", "fields"), FAULTY)
async def test_all_faults_are_an_answer_here_and_an_error_elsewhere(
    rules: Any, position: api.AnyPosition, fields: list[str]
) -> None:
    answer = await rules.ValidatePosition(api.ValidatePositionRequest(position=position))
    error = await refusal(rules.ListActions(api.ListActionsRequest(position=position)))
    assert [fault.field for fault in answer.faults] == fields
    assert all(fault.description for fault in answer.faults)
    assert not answer.HasField("turn")
    assert_reason(error, Reason.BAD_POSITION)
    refused = [(fault.field, fault.description) for fault in details(error, BadRequest).field_violations]
    assert refused == [(fault.field, fault.description) for fault in answer.faults][: len(refused)]


@pytest.mark.parametrize("state", [TRUTH, FINISHED, opening(4, game="cathedral")], ids=["toy", "over", "cathedral"])
async def test_a_sound_position_says_who_is_to_act_or_how_it_ended(rules: Any, state: State) -> None:
    for position in (whole(state), view(state.observe(1))):
        answer = await rules.ValidatePosition(api.ValidatePositionRequest(position=position))
        assert (list(answer.faults), answer.turn) == ([], turn_of(state))
        assert answer.HasField("outcome") == state.over
        if state.over:
            assert tuple(answer.outcome.win_shares) == state.win_shares()
            assert tuple(answer.outcome.margins) == state.margins()


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_the_advisor_takes_no_referees_position(server: Served, name: str, seats: int) -> None:
    """The bytes of one kind are never read as the other."""
    state = opening(seats, game=name)
    mistaken = RecommendMoveRequest(
        position=Position.FromString(referee(state).SerializeToString()), iterations=1, early_stop=False
    )
    error = await refusal(server.advisor.RecommendMove(mistaken))
    assert_reason(error, Reason.BAD_POSITION)
    swapped = api.RefereePosition.FromString(position_message(state).SerializeToString())
    request = api.ObservePositionRequest(referee=swapped)
    error = await refusal(server.rules.ObservePosition(request))
    assert_reason(error, Reason.BAD_POSITION)


def planning(*uses: tuple[str, int]) -> api.PlanConversionsRequest:
    return api.PlanConversionsRequest(position=whole(TRUTH), uses=[PlannedUse(item=item, times=n) for item, n in uses])


def applying(*actions: str, state: State = TRUTH, **fields: Any) -> api.ApplyActionsRequest:
    return api.ApplyActionsRequest(position=whole(state), actions=actions, **fields)


REFUSED: list[tuple[str, Any, Reason, list[str]]] = [
    ("StartPosition", api.StartPositionRequest(game="chess", seats=2), Reason.BAD_GAME, ["game"]),
    ("StartPosition", api.StartPositionRequest(seats=2), Reason.BAD_GAME, ["game"]),
    ("StartPosition", api.StartPositionRequest(game="toy", seats=1), Reason.BAD_SEATS, ["seats"]),
    ("StartPosition", api.StartPositionRequest(game="cathedral", seats=2**32 - 1), Reason.BAD_SEATS, ["seats"]),
    ("DescribeCatalogue", api.DescribeCatalogueRequest(game="x" * 999), Reason.BAD_GAME, ["game"]),
    ("ObservePosition", api.ObservePositionRequest(referee=referee(TRUTH), seat=2), Reason.BAD_SEAT, ["seat"]),
    ("ObservePosition", api.ObservePositionRequest(), Reason.BAD_POSITION, ["referee.truth"]),
    ("ObservePosition", api.ObservePositionRequest(referee=referee(SEEN)), Reason.BAD_POSITION, ["referee.truth"]),
    ("ApplyActions", applying("dance", "fold", "", "x" * 999), Reason.BAD_ACTION, [f"actions[{i}]" for i in (0, 2, 3)]),
    ("ApplyActions", applying(*["fold"] * (MAX_ACTIONS + 1)), Reason.TOO_MANY_ACTIONS, ["actions"]),
    ("ApplyActions", api.ApplyActionsRequest(actions=["fold"]), Reason.BAD_POSITION, ["position"]),
    ("PlanConversions", planning(("mason_1", 2**32 - 1)), Reason.BAD_ACTION, ["uses[0].times"]),
    ("PlanConversions", planning(("mason_1", 1), ("mason_1", 1)), Reason.BAD_ACTION, ["uses[1].item"]),
    ("PlanConversions", planning(*[("", 0)] * 5000), Reason.TOO_MANY_ACTIONS, ["uses"]),
]


async def test_the_error_names_what_makes_no_sense(rules: Any) -> None:
    for method, request, reason, fields in REFUSED:
        error = await refusal(getattr(rules, method)(request))
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert_reason(error, reason)
        assert [fault.field for fault in details(error, BadRequest).field_violations] == fields


NOT_NOW: list[tuple[api.ApplyActionsRequest, Reason, str, str]] = [
    (applying("fair"), Reason.ILLEGAL_ACTION, "actions[0]", "'fair' is not legal; seat 0 is to decide: "),
    (applying("fold", "turn-up 1", draw=True), Reason.ILLEGAL_ACTION, "actions[1]", "seat 1 is to decide: "),
    (applying("fold", "fold", "fold"), Reason.ILLEGAL_ACTION, "actions[2]", "a chance event is due: turn-up "),
    (applying("fold", state=FINISHED), Reason.GAME_OVER, "actions[0]", "'fold' comes after the end of the game"),
    (applying(*["fold"] * 5, draw=True, seed=1), Reason.GAME_OVER, "actions[4]", "comes after the end"),
]


async def test_an_action_out_of_place_is_rejected(rules: Any) -> None:
    for request, reason, subject, says in NOT_NOW:
        error = await refusal(rules.ApplyActions(request))
        assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert_reason(error, reason)
        [failure] = details(error, PreconditionFailure).violations
        assert (failure.type, failure.subject) == (reason, subject)
        assert says in failure.description


async def test_a_rejection_names_legal_actions_only_as_far_as_they_fit(rules: Any) -> None:
    state = opening(2, game="cathedral")
    illegal = next(text for text in state.game.texts if text not in {legal.text for legal in state.legal_actions()})
    error = await refusal(rules.ApplyActions(applying(illegal, state=state)))
    [failure] = details(error, PreconditionFailure).violations
    assert f"{illegal!r} is not legal; red is to decide: {state.legal_actions()[0].text}" in failure.description
    assert failure.description.endswith(f" and {len(state.legal_codes()) - 6} more")
