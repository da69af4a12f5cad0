"""Games played through RulesService alone are the games of the core; hidden information stays hidden."""

from typing import Any

import pytest

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, NATURE, Rng
from clerestory.v1 import rules_pb2 as api
from tests.laws import next_action, observers, walk
from tests.server.rpc.rules import CASES, referee, turn_of, view, whole

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
