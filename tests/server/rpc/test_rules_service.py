"""RulesService over a real socket: answers, errors, and whole games, in which hidden cards never show."""

import json
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, PreconditionFailure

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.engine.tuning import CHARACTERS
from clerestory.i18n import say
from clerestory.server.analysis.question import MAX_ACTIONS
from clerestory.server.rpc.translate import MAX_PARTS, MAX_POSITION_BYTES, parts
from clerestory.service_errors import Reason
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.advisor_pb2 import PlannedUse, RecommendMoveRequest
from clerestory.v1.position_pb2 import Position
from clerestory.v1.toy_pb2 import ToyPosition
from tests.laws import next_action, observers, walk
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


async def test_a_drawn_seed_is_returned(rules: Any) -> None:
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
            assert_lists(await rules.ListActions(api.ListActionsRequest(position=position)), known)


def assert_lists(answer: Any, state: State) -> None:
    assert answer.turn == turn_of(state)
    listed = [(legal.action.text, legal.action.label) for legal in answer.actions]
    assert listed == [(action.text, action.label) for action in state.legal_actions()]
    assert [" ".join([legal.kind, *legal.arguments]) for legal in answer.actions] == [text for text, _ in listed]
    chances = [legal.probability for legal in answer.actions if legal.HasField("probability")]
    assert chances == (state.odds() if answer.turn.kind == api.TURN_KIND_NATURE else [])


async def test_chance_events_are_drawn_only_on_request_and_marked_as_drawn(rules: Any) -> None:
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
async def test_the_catalogue_is_returned_with_its_sources(rules: Any, name: str) -> None:
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
async def test_faults_are_an_answer_here_an_error_elsewhere(rules: Any, position: Any, fields: list[str]) -> None:
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


async def test_a_position_without_conversions_has_nothing_to_plan(rules: Any) -> None:
    asked = api.PlanConversionsRequest(position=whole(GAMES["cathedral"].new(2, 1)))
    assert await rules.PlanConversions(asked) == api.PlanConversionsResponse()


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
    ("DealPosition", api.DealPositionRequest(), Reason.BAD_POSITION, ["position"]),
    ("ApplyActions", applying("dance", "fold", "", "x" * 999), Reason.BAD_ACTION, [f"actions[{i}]" for i in (0, 2, 3)]),
    ("ApplyActions", applying(*["fold"] * (MAX_ACTIONS + 1)), Reason.TOO_MANY_ACTIONS, ["actions"]),
    ("ApplyActions", api.ApplyActionsRequest(actions=["fold"]), Reason.BAD_POSITION, ["position"]),
    ("PlanConversions", planning(("mason_1", 2**32 - 1)), Reason.BAD_ACTION, ["uses[0].times"]),
    ("PlanConversions", planning(("mason_1", 1), ("mason_1", 1)), Reason.BAD_ACTION, ["uses[1].item"]),
    ("PlanConversions", planning(*[("", 0)] * 5000), Reason.TOO_MANY_ACTIONS, ["uses"]),
]


async def test_an_error_names_the_invalid_field(rules: Any) -> None:
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


SEED = 2026


def sampled(name: str, seats: int, count: int) -> list[Any]:
    states = [state.copy() for state in walk(GAMES[name], seats, SEED)]
    return states[:: 1 + len(states) // count]


LONG = [
    pytest.param(name, seats, marks=pytest.mark.slow if name == "cathedral" and seats > 2 else ())
    for name, seats in CASES
]


@pytest.mark.parametrize(("name", "seats"), LONG)
async def test_a_whole_game_equals_the_game_of_the_core(rules: Any, name: str, seats: int) -> None:
    """A client needs no rules: it lists actions, applies the chosen one, and reads whether the game is over."""
    start = await rules.StartPosition(api.StartPositionRequest(game=name, seats=seats, seed=SEED))
    state = GAMES[name].new(seats, SEED)
    assert (start.seed, start.referee, start.turn) == (SEED, referee(state), turn_of(state))
    position, turn, ply = api.AnyPosition(referee=start.referee), start.turn, 0
    while turn.kind != api.TURN_KIND_OVER:
        listed = await rules.ListActions(api.ListActionsRequest(position=position))
        names = [legal.action.text for legal in listed.actions] if listed.turn.kind == api.TURN_KIND_SEAT else []
        chosen = [names[(7 * ply + 3) % len(names)]] if names else []
        request = api.ApplyActionsRequest(position=position, actions=chosen, draw=True, seed=ply)
        answer = await rules.ApplyActions(request)
        expected = [state.game.parse_action(text) for text in chosen]
        for text in chosen:
            state.play(text)
        expected += state.play_nature(Rng(ply))
        assert [done.action.text for done in answer.applied] == [action.text for action in expected]
        assert [done.drawn for done in answer.applied] == [number >= len(chosen) for number in range(len(expected))]
        position, turn, ply = answer.position, answer.turn, ply + len(expected)
        assert (position, turn) == (whole(state), turn_of(state))
    assert tuple(answer.outcome.win_shares) == state.win_shares()
    assert tuple(answer.outcome.margins) == state.margins()


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_whole_record_is_one_call(rules: Any, name: str, seats: int) -> None:
    """As a game at a real table is entered; of decisions alone, the seed draws what is missing."""
    state, rng, decisions = GAMES[name].new(seats, SEED), Rng(5), []
    while not state.over:
        action = state.draw(rng) if state.turn == NATURE else state.legal_actions()[-1]
        decisions += [] if state.turn == NATURE else [action.text]
        state.play(action)
    played = [(action.text, action.label) for action in state.history]
    request = api.ApplyActionsRequest(position=whole(state.origin), actions=[text for text, _ in played])
    record = await rules.ApplyActions(request)
    request = api.ApplyActionsRequest(position=whole(state.origin), actions=decisions, draw=True, seed=5)
    filled = await rules.ApplyActions(request)
    for answer in (record, filled):
        assert (answer.position, answer.turn) == (whole(state), turn_of(state))
        assert [(done.action.text, done.action.label) for done in answer.applied] == played
    assert not any(done.drawn for done in record.applied)


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_hidden_cards_never_show(rules: Any, name: str, seats: int) -> None:
    """A seat gets the same bytes, whatever the decks and hands that it cannot see."""
    begun = GAMES[name].new(seats, SEED).observe(NATURE)
    assert len({begun.determinize(seed).to_bytes() for seed in range(3)}) == 3
    for state in sampled(name, seats, 6):
        for seat in observers(state):
            seen, given = state.observe(seat), {} if seat == NATURE else {"seat": seat}
            answers = [
                await rules.ObservePosition(api.ObservePositionRequest(referee=referee(world), **given))
                for world in (state, seen.determinize(0), seen.determinize(1))
            ]
            assert {answer.SerializeToString() for answer in answers} == {answers[0].SerializeToString()}
            assert answers[0].position == position_message(seen)


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_what_a_seat_does_not_know_is_dealt_from_the_seed(rules: Any, name: str, seats: int) -> None:
    state = GAMES[name].new(seats, SEED)
    seen = state.observe(0)
    dealt = await rules.DealPosition(api.DealPositionRequest(position=view(seen), seed=5))
    assert dealt.referee == referee(seen.determinize(5))
    assert (dealt.seed, dealt.turn) == (5, turn_of(seen))
    drawn = await rules.DealPosition(api.DealPositionRequest(position=view(seen)))
    assert drawn.referee == referee(seen.determinize(drawn.seed))
    same = await rules.DealPosition(api.DealPositionRequest(position=whole(state)))
    assert same.referee == referee(state)


@pytest.mark.parametrize("kind", ["position", "referee"])
@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_position_stays_of_its_kind(rules: Any, name: str, seats: int, kind: str) -> None:
    """What one seat knows, after any action and any draw, is still what that seat knows."""
    rng = Rng(3)
    for state in [one for one in sampled(name, seats, 20) if not one.over]:
        given = whole(state) if kind == "referee" else view(state.observe(seats - 1))
        actions = [next_action(state, rng).text]
        request = api.ApplyActionsRequest(position=given, actions=actions, draw=True, seed=rng.below(99))
        answer = await rules.ApplyActions(request)
        assert answer.position.WhichOneof("kind") == kind
        sound = await rules.ValidatePosition(api.ValidatePositionRequest(position=answer.position))
        assert (list(sound.faults), sound.turn) == ([], answer.turn)


async def drawn(rules: Any, position: api.AnyPosition, seeds: int) -> set[str]:
    requests = [api.ApplyActionsRequest(position=position, draw=True, seed=seed) for seed in range(seeds)]
    return {(await rules.ApplyActions(request)).applied[0].action.text for request in requests}


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_referees_draw_is_off_the_deck_and_anyone_elses_by_odds(rules: Any, name: str, seats: int) -> None:
    """With a known deck the seed changes nothing; without one, every possible outcome occurs."""
    state = GAMES[name].new(seats, SEED)
    while state.turn != NATURE:
        state.play(state.legal_actions()[0])
    possible = {action.text for action in state.legal_actions()}
    by_odds = await drawn(rules, view(state.observe(NATURE)), 60)
    assert len(await drawn(rules, whole(state), 8)) == 1
    assert by_odds <= possible
    assert len(by_odds) > len(possible) / 2


async def test_a_draw_knows_the_hand_of_the_seat(rules: Any) -> None:
    """In `toy` a card in a seat's hand cannot turn up, although onlookers consider it possible."""
    state = GAMES["toy"].new(2, SEED)
    mine = {f"turn-up {card}" for card in state.to_position()["toy"]["players"][0]["hand"]}
    up = await drawn(rules, view(state.observe(0)), 60)
    assert mine <= {action.text for action in state.legal_actions()}
    assert len(up) == 4
    assert not up & mine
