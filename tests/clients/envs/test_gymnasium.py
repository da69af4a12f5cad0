"""The gymnasium environment keeps the library's conventions, plays the rules, and shows a seat nothing hidden."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.wrappers import vector as wrappers

from clerestory.engine import GAMES, Rng
from clerestory.engine.errors import BadPosition, IllegalAction
from clerestory.envs import SeatVectorEnv, VectorGame

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def made(name: str = "cathedral", count: int = 4, **options: Any) -> SeatVectorEnv:
    return SeatVectorEnv(name, count, **{"observation": "view" if name == "toy" else "features"} | options)


def sampled(environment: VectorEnv[Any, Any, Any], infos: dict[str, Any]) -> Any:
    return environment.action_space.sample(mask=tuple(infos["action_mask"]))


# -- the library's conventions ---------------------------------------------------------------------


class MaskedActions(VectorWrapper[Any, Any, Any, Any, Any]):
    """Replaces actions, which the library's tools draw without regard to masks, by legal ones."""

    def reset(self, **options: Any) -> Any:
        seen, self.infos = self.env.reset(**options)
        return seen, self.infos

    def step(self, actions: Any) -> Any:
        *results, self.infos = self.env.step(sampled(self.env, self.infos))
        return *results, self.infos


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_results_are_elements_of_the_spaces(name: str, seats: int) -> None:
    environment = made(name, seats=seats)
    assert environment.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = environment.reset(seed=1)
    for _ in range(60):
        assert environment.observation_space.contains(seen)
        actions = sampled(environment, infos)
        assert environment.action_space.contains(actions)
        seen, rewards, terminations, truncations, infos = environment.step(actions)
        assert [one.dtype for one in (rewards, terminations, truncations)] == [np.float64, np.bool_, np.bool_]
        assert {one.shape for one in (rewards, terminations, truncations)} == {(4,)}
        assert infos["action_mask"].any(axis=1).all()


def test_the_registry_makes_it() -> None:
    environment = gymnasium.make_vec("clerestory/cathedral-v0", num_envs=3, seats=4)
    assert isinstance(environment.unwrapped, SeatVectorEnv)
    assert (environment.num_envs, environment.unwrapped.games.seats) == (3, 4)
    assert str(environment) == "SeatVectorEnv(clerestory/cathedral-v0, num_envs=3)"


def test_the_statistics_of_the_library_are_those_of_whole_games() -> None:
    environment = wrappers.RecordEpisodeStatistics(MaskedActions(made("toy", 8)))
    environment.reset(seed=2)
    ended = 0
    while ended < 20:
        _, rewards, terminations, _, infos = environment.step(np.zeros(8, np.int64))
        if not terminations.any():
            continue
        ended += int(terminations.sum())
        np.testing.assert_array_equal(infos["_episode"], terminations)
        np.testing.assert_allclose(infos["episode"]["r"][terminations], rewards[terminations])
        assert (infos["episode"]["l"][terminations] == 2).all()  # each seat of this game decides twice


# -- they are the games of the rules ---------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_game_is_that_of_a_vector_game_with_the_same_seed(name: str, seats: int) -> None:
    """Step by step, with the first legal action of every seat, through the end of a game and into the next."""
    environment = made(name, seats=seats, opponents=lambda seen, masks: masks.argmax(axis=1))
    games = VectorGame(name, 4, seats=seats, observation=environment.games.observer.kind)
    _, infos = environment.reset(seed=5)
    games.reset(seed=5)
    ended = np.zeros(4, np.bool_)
    while ended.sum() < 4:
        for row in range(4):
            follow(games, row, environment.learners[row])
            assert games.state(row) == environment.games.state(row)
        actions = infos["action_mask"].argmax(axis=1)
        games.step(actions)
        _, rewards, terminations, _, infos = environment.step(actions)
        ended |= terminations
        for row in np.flatnonzero(terminations):
            final = environment.games.final_state(row)
            assert rewards[row] == final.win_shares()[environment.learners[row]]
            assert tuple(infos["final_info"]["scores"][row]) == final.final_scores()
        assert not rewards[~terminations].any()


def follow(games: VectorGame, row: int, learner: int) -> None:
    """Play the first legal action of the other seats in a row."""
    only = np.arange(games.num_envs) == row
    while (state := games.state(row)).turn != learner:
        games.step(np.full(games.num_envs, state.legal_codes()[0]), only=only)


def test_the_learning_seats_take_turns_unless_one_is_named() -> None:
    assert made(count=5, seats=3).learners.tolist() == [0, 1, 2, 0, 1]
    assert made(count=3, seats=3, seat=2).learners.tolist() == [2, 2, 2]


def test_results_are_not_overwritten_by_the_next_step() -> None:
    environment = made()
    results = environment.reset(seed=1)
    before = results[0].copy(), results[1]["action_mask"].copy()
    environment.step(results[1]["action_mask"].argmax(axis=1))
    np.testing.assert_array_equal(results[0], before[0])
    np.testing.assert_array_equal(results[1]["action_mask"], before[1])


# -- secrecy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seats", "kind"),
    [(*case, kind) for case in CASES for kind in ("features", "view") if (case[0], kind) != ("toy", "features")],
)
def test_a_seat_cannot_distinguish_another_deal_from_the_truth(name: str, seats: int, kind: str) -> None:
    """Observations, those of the other seats, and final ones: equal for each deal that the seat cannot rule out."""
    shown: list[Any] = []
    environment = made(name, seats=seats, observation=kind, opponents=lambda *given: first_of(shown, *given))
    observe, luck, hidden = environment.games.observer.observe, Rng(seats), 0
    seen, infos = environment.reset(seed=6)
    ended = 0
    while ended < 4:
        for row, learner in enumerate(environment.learners):
            truth = environment.games.state(row)
            assert truth.turn == learner
            other = truth.observe(learner).determinize(luck)
            hidden += other != truth
            assert observe(other, learner).tobytes() == seen[row].tobytes()
        seen, _, terminations, _, infos = environment.step(infos["action_mask"].argmax(axis=1))
        for row in np.flatnonzero(terminations):
            ended += 1
            final, learner = environment.games.final_state(row), environment.learners[row]
            other = final.observe(learner).determinize(luck)
            assert observe(other, learner).tobytes() == infos["final_obs"][row].tobytes()
    assert hidden > 0  # there was something to hide
    assert all(len(observed) == len(masks) and masks.any(axis=1).all() for observed, masks in shown)


def first_of(shown: list[Any], observed: Any, masks: Any) -> Any:
    """Return the first legal actions, and remember what was shown."""
    shown.append((observed, masks))
    return masks.argmax(axis=1)


# -- wrong input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seats": 5}, BadPosition, "seats"),
        ({"seat": 2}, ValueError, "seat: 2 is not a number from 0 to 1"),
        ({"seat": True}, ValueError, "seat: True"),
        ({"count": 0}, ValueError, "num_envs"),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        made(**options)


def test_an_illegal_action_changes_nothing() -> None:
    environment = made()
    _, infos = environment.reset(seed=1)
    before, actions = [environment.games.state(row) for row in range(4)], infos["action_mask"].argmax(axis=1)
    actions[2] = infos["action_mask"][2].argmin()
    with pytest.raises(IllegalAction, match=r"actions\[2\]"):
        environment.step(actions)
    assert [environment.games.state(row) for row in range(4)] == before


@pytest.mark.parametrize("answer", [0, [1.5] * 4, [True] * 4, [0] * 5], ids=repr)
def test_what_opponents_return_is_checked(answer: Any) -> None:
    environment = made(seat=1, opponents=lambda seen, masks: answer)
    with pytest.raises(ValueError, match="opponents: "):
        environment.reset(seed=1)
