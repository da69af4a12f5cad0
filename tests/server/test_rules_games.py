"""Games played through RulesService alone are the games of the core; hidden information stays hidden."""

from typing import Any

import pytest

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, NATURE, Rng
from clerestory.v1 import rules_pb2 as api
from tests.laws import next_action, observers, walk
from tests.server.rules import CASES, referee, turn_of, view, whole

SEED = 2026


def choice(names: list[str], ply: int) -> str:
    return names[(7 * ply + 3) % len(names)]


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_whole_game_equals_the_game_of_the_core(rules: Any, name: str, seats: int) -> None:
    """A front end needs no rules: it lists actions, applies the chosen one, and is told when the game is over."""
    start = await rules.StartPosition(api.StartPositionRequest(game=name, seats=seats, seed=SEED))
    state = GAMES[name].new(seats, SEED)
    assert (start.seed, start.referee, start.turn) == (SEED, referee(state), turn_of(state))
    position, turn, played = api.AnyPosition(referee=start.referee), start.turn, []
    while turn.kind != api.TURN_KIND_OVER:
        listed = await rules.ListActions(api.ListActionsRequest(position=position))
        seat_acts = listed.turn.kind == api.TURN_KIND_SEAT
        chosen = [choice([legal.action.text for legal in listed.actions], len(played))] if seat_acts else []
        request = api.ApplyActionsRequest(position=position, actions=chosen, draw=True, seed=len(played))
        answer = await rules.ApplyActions(request)
        rng, expected = Rng(len(played)), []
        for text in chosen:
            expected.append(state.game.parse_action(text))
            state.play(text)
        expected += state.play_nature(rng)
        assert [done.action.text for done in answer.applied] == [action.text for action in expected]
        assert [done.drawn for done in answer.applied] == [False] * len(chosen) + [True] * (len(expected) - len(chosen))
        played += expected
        position, turn = answer.position, answer.turn
        assert (position, turn) == (whole(state), turn_of(state))
    assert tuple(answer.outcome.win_shares) == state.returns()
    assert tuple(answer.outcome.margins) == state.margins()


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_whole_record_is_one_call(rules: Any, name: str, seats: int) -> None:
    """Every action and outcome is given: a game played at a real table, entered in one call."""
    *_, last = walk(GAMES[name], seats, SEED)
    request = api.ApplyActionsRequest(position=whole(last.origin), actions=[action.text for action in last.history])
    answer = await rules.ApplyActions(request)
    assert (answer.position, answer.turn) == (whole(last), turn_of(last))
    assert [done.action.label for done in answer.applied] == [action.label for action in last.history]
    assert not any(done.drawn for done in answer.applied)


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_decisions_alone_are_filled_up_with_the_draws_of_the_seed(rules: Any, name: str, seats: int) -> None:
    rng = Rng(5)
    state, decisions = GAMES[name].new(seats, SEED), []
    origin = state.copy()
    while not state.over:
        action = state.draw(rng) if state.turn == NATURE else state.legal_actions()[-1]
        if state.turn != NATURE:
            decisions.append(action.text)
        state.play(action)
    request = api.ApplyActionsRequest(position=whole(origin), actions=decisions, draw=True, seed=5)
    answer = await rules.ApplyActions(request)
    assert answer.position == whole(state)
    assert [done.action.text for done in answer.applied] == [action.text for action in state.history]


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_what_is_hidden_never_shows(rules: Any, name: str, seats: int) -> None:
    """A seat gets the same bytes, whatever the decks and hands that it cannot see."""
    states = [state.copy() for state in walk(GAMES[name], seats, SEED)]
    for state in states[:: 1 + len(states) // 6]:
        for seat in observers(state):
            seen = state.observe(seat)
            worlds = [state, *(seen.deal(seed) for seed in range(3))]
            given = {} if seat == NATURE else {"seat": seat}
            answers = [
                await rules.ObservePosition(api.ObservePositionRequest(referee=referee(world), **given))
                for world in worlds
            ]
            assert {answer.SerializeToString() for answer in answers} == {answers[0].SerializeToString()}
            assert answers[0].position == position_message(seen)


def test_worlds_do_differ() -> None:
    """Otherwise the test above could not fail."""
    for name, seats in CASES:
        state = GAMES[name].new(seats, SEED)
        assert len({state.observe(NATURE).deal(seed).to_bytes() for seed in range(3)}) == 3


@pytest.mark.parametrize("kind", ["position", "referee"])
@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_position_stays_of_its_kind(rules: Any, name: str, seats: int, kind: str) -> None:
    """What one seat knows, after any action and any draw, is still what that seat knows."""
    state, rng = GAMES[name].new(seats, SEED), Rng(3)
    while not state.over:
        action = next_action(state, rng)
        if rng.below(4) == 0 or len(state.history) < 12:
            given = whole(state) if kind == "referee" else view(state.observe(seats - 1))
            answer = await rules.ApplyActions(
                api.ApplyActionsRequest(position=given, actions=[action.text], draw=True, seed=rng.below(99))
            )
            assert answer.position.WhichOneof("kind") == kind
            sound = await rules.ValidatePosition(api.ValidatePositionRequest(position=answer.position))
            assert (list(sound.faults), sound.turn) == ([], answer.turn)
        state.play(action)


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_a_referees_draw_is_off_the_deck_and_anyone_elses_by_odds(rules: Any, name: str, seats: int) -> None:
    """With a known deck the seed changes nothing; without one, every possible outcome occurs."""
    state = GAMES[name].new(seats, SEED)
    while state.turn != NATURE:
        state.play(state.legal_actions()[0])
    possible = {action.text for action in state.legal_actions()}

    async def first(position: api.AnyPosition, seed: int) -> str:
        answer = await rules.ApplyActions(api.ApplyActionsRequest(position=position, draw=True, seed=seed))
        return str(answer.applied[0].action.text)

    of_deck = {await first(whole(state), seed) for seed in range(8)}
    by_odds = {await first(view(state.observe(NATURE)), seed) for seed in range(60)}
    assert len(of_deck) == 1
    assert by_odds <= possible
    assert len(by_odds) > len(possible) / 2


async def test_a_draw_knows_the_hand_of_the_seat(rules: Any) -> None:
    """In `toy` a card in a seat's hand cannot turn up, although onlookers consider it possible."""
    state = GAMES["toy"].new(2, SEED)
    mine = {f"turn-up {card}" for card in state.to_position()["toy"]["players"][0]["hand"]}
    requests = [api.ApplyActionsRequest(position=view(state.observe(0)), draw=True, seed=seed) for seed in range(60)]
    up = {(await rules.ApplyActions(request)).applied[0].action.text for request in requests}
    assert mine & {action.text for action in state.legal_actions()} == mine
    assert len(up) == 4
    assert not up & mine
