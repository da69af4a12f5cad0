"""RecommendMove answers, on time, the same for the same question, and without looking at hidden cards."""

from pathlib import Path

import pytest

from clerestory.clients.wire import duration
from clerestory.engine import GAMES, NATURE, State, from_position
from clerestory.v1.advisor_pb2 import STOP_REASON_ITERATIONS, STOP_REASON_TIME, RecommendMoveResponse
from tests.server.harness import HOUR, Served, opening, question, served

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "positions").glob("*.json"))


async def ask(server: Served, position: State, **fields: object) -> RecommendMoveResponse:
    """Return the answer without the figures that depend on the clock."""
    answer: RecommendMoveResponse = await server.advisor.RecommendMove(question(position, **fields))
    answer.statistics.ClearField("elapsed")
    answer.statistics.ClearField("waited")
    return answer


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_an_answer_says_everything(seats: int) -> None:
    position = opening(seats)
    async with served() as server:
        answer = await server.advisor.RecommendMove(question(position, iterations=200, seed=2**64 - 1))
    assert {(line.action.text, line.action.label) for line in answer.lines} == {
        (action.text, action.label) for action in position.legal_actions()
    }
    assert answer.best == answer.lines[0].action
    assert answer.seat == position.turn
    assert answer.seed == 2**64 - 1
    assert (answer.rules_revision, answer.catalogue) == (position.game.rules_revision, "")
    assert sum(line.visits for line in answer.lines) == 200
    assert {line.availability for line in answer.lines} == {200}
    assert all(sum(line.win_shares) == pytest.approx(1) for line in answer.lines)
    assert {len(line.win_shares) for line in answer.lines} == {seats}
    assert answer.statistics.iterations == 200
    assert answer.statistics.nodes > 1
    assert answer.statistics.tree_bytes > 1
    assert answer.statistics.depth > 1
    assert answer.statistics.elapsed.ToNanoseconds() > 0
    assert answer.statistics.stop_reason == STOP_REASON_ITERATIONS
    assert not answer.statistics.memory_full


async def test_equal_questions_have_equal_answers() -> None:
    async with served(workers=2) as server:
        answers = [await ask(server, opening(), iterations=300, seed=seed) for seed in (1, 1, 2)]
    assert answers[0] == answers[1]
    assert answers[0].lines != answers[2].lines


async def test_a_drawn_seed_reproduces_the_answer() -> None:
    async with served() as server:
        first, second = [await ask(server, opening(), iterations=300) for _ in range(2)]
        again = await ask(server, opening(), iterations=300, seed=first.seed)
    assert again == first
    assert first.seed != second.seed


async def test_the_reported_iterations_reproduce_an_answer_by_time() -> None:
    async with served() as server:
        first = await ask(server, opening(), time_budget=duration(0.06))
        again = await ask(server, opening(), iterations=first.statistics.iterations, seed=first.seed)
    assert first.statistics.stop_reason == STOP_REASON_TIME
    assert again.lines == first.lines


async def test_the_seat_may_be_named() -> None:
    async with served() as server:
        answer = await ask(server, opening(), iterations=10, seat=opening().turn)
    assert answer.seat == opening().turn


async def test_a_budget_beyond_the_limit_is_cut() -> None:
    async with served(max_time=0.02) as server:
        answer = await ask(server, opening(), time_budget=HOUR)
    assert answer.statistics.stop_reason == STOP_REASON_TIME


async def test_the_caller_is_answered_before_its_deadline() -> None:
    async with served(margin=9.9) as server:
        answer = await server.advisor.RecommendMove(question(time_budget=HOUR), timeout=10)
    assert answer.statistics.stop_reason == STOP_REASON_TIME


@pytest.mark.parametrize(("game", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.seats])
@pytest.mark.parametrize("seed", range(3))
async def test_hidden_cards_do_not_change_the_answer(game: str, seats: int, seed: int) -> None:
    truth = opening(seats, seed, game)
    view = truth.observe(truth.turn)
    others = [view.deal(luck) for luck in range(3)]
    assert any(other != truth for other in others)
    async with served() as server:
        answers = [await ask(server, position, iterations=300, seed=5) for position in (truth, view, *others)]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
async def test_example_positions_are_answered(path: Path) -> None:
    position = from_position(path.read_text())
    async with served() as server:
        answer = await ask(server, position, iterations=100, seed=1)
    assert {line.action.text for line in answer.lines} == {action.text for action in position.legal_actions()}
    assert answer.catalogue == position.game.catalogue


async def test_every_decision_of_a_game_can_be_asked_about() -> None:
    position = opening()
    asked = 0
    async with served() as server:
        while not position.over:
            if position.turn == NATURE:
                position.play(position.draw(1))
                continue
            answer = await ask(server, position, iterations=50, seed=1)
            position.play(answer.best.text)
            asked += 1
    assert asked == 4
