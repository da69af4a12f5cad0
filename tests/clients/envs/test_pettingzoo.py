"""The PettingZoo environments pass the library's own tests, play the rules, and show an agent nothing hidden."""

import pickle
import warnings
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pettingzoo
import pytest

from clerestory.engine import GAMES, Rng
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.envs import GameEnv, env
from clerestory.envs.pettingzoo import RENDER_MODES
from clerestory.search import Searcher, observe

with warnings.catch_warnings():  # where pygame is installed, this imports a game in the way that the library deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

CASES = [(name, seats) for name in ("cathedral", "duel") for seats in GAMES[name].seats]
WITH_HANDS = [*CASES, ("toy", 2), ("toy", 3), ("toy", 4)]


def made(name: str, seats: int, **options: Any) -> Any:
    return env(name, seats=seats, **{"observation": "view" if name == "toy" else "features"} | options)


def play(env: Any, seed: int) -> dict[str, float]:
    """Play a game at random; return the rewards of the agents, as `last` reports them."""
    luck, earned = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        earned[agent] += reward
        env.step(None if terminated else luck.choice(np.flatnonzero(seen["action_mask"])))
    return earned


# -- the library's tests ---------------------------------------------------------------------------


@pytest.mark.parametrize("observation", ["features", "view"])
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_it_passes_the_api_test(name: str, seats: int, observation: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its warnings about dictionaries are for all environments but those of a list (findings/)."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(made(name, seats, observation=observation), num_cycles=500)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_it_passes_the_seed_test(name: str, seats: int) -> None:
    seed_test(partial(made, name, seats), num_cycles=300)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_it_passes_the_render_test(name: str, seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    """In all modes: prints, texts, and pictures, which it checks to be RGB arrays of bytes."""
    checked: Counter[str] = Counter()
    render_test(partial(made, name, seats), {mode: partial(counted, checked, mode) for mode in RENDER_MODES})
    assert checked == dict.fromkeys(RENDER_MODES, 5)
    assert "red" in capsys.readouterr().out


def counted(checked: Counter[str], mode: str, rendered: Any) -> bool:
    """Count a rendering; return whether it is of its mode."""
    checked[mode] += 1
    return isinstance(rendered, {"human": type(None), "ansi": str, "rgb_array": np.ndarray}[mode])


# -- they are the games of the rules ---------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), WITH_HANDS)
def test_random_agents_play_whole_games_for_the_win_shares(name: str, seats: int) -> None:
    environment = made(name, seats)
    for seed in range(3):
        earned = play(environment, seed)
        assert sum(earned.values()) == pytest.approx(1)
        assert environment.agents == []
        assert tuple(earned.values()) == environment.unwrapped._state.win_shares()


def test_a_seed_gives_the_game_of_the_rules_with_that_seed() -> None:
    environment, luck = GameEnv("cathedral", seats=3), Rng(5)
    environment.reset(seed=5)
    state = GAMES["cathedral"].new(3, luck)
    for _ in range(60):
        state.play_nature(luck)
        agent = environment.agent_selection
        assert agent == f"player_{state.turn}"
        assert environment.view(agent) == state.observe(state.turn)
        code = state.legal_codes()[-1]
        state.play(code)
        environment.step(code)


def test_the_mask_is_that_of_the_agent_to_act_and_empty_for_others() -> None:
    environment = made("cathedral", 4)
    environment.reset(seed=3)
    for _ in range(40):
        selected = environment.agent_selection
        for agent in environment.agents:
            mask = environment.observe(agent)["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any() == (agent == selected)
            np.testing.assert_array_equal(mask, environment.infos[agent]["action_mask"])
        environment.step(np.flatnonzero(environment.observe(selected)["action_mask"])[0])


def test_the_registry_makes_it() -> None:
    made = pettingzoo.make("aec", "clerestory/cathedral-v0", seats=3)
    assert (str(made.unwrapped), made.possible_agents) == ("cathedral_v0", ["player_0", "player_1", "player_2"])
    assert isinstance(pettingzoo.make("aec", "clerestory/duel-v0").unwrapped, GameEnv)


def test_a_search_of_this_package_advises_an_agent() -> None:
    environment = GameEnv("duel")
    environment.reset(seed=1)
    advice = Searcher(observe(environment.view(environment.agent_selection)), seed=1).run(iterations=50).best.action
    environment.step(environment.game.parse_action(advice).code)


# -- secrecy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seats", "observation"),
    [*[(*case, "features") for case in CASES], *[(*case, "view") for case in WITH_HANDS]],
)
def test_an_agent_cannot_distinguish_another_deal_from_the_truth(name: str, seats: int, observation: str) -> None:
    """Redeal the hidden cards consistently with the knowledge of each seat; its view must be equal, byte for byte."""
    environment, luck, changed = GameEnv(name, seats=seats, observation=observation, render_mode="ansi"), Rng(9), 0
    environment.reset(seed=4)
    while not all(environment.terminations.values()):
        truth = environment._state
        assert truth is not None
        for agent in environment.agents:
            environment._state = truth
            before = seen_by(environment, agent)
            environment._state = truth.observe(environment._seats[agent]).determinize(luck)
            changed += environment._state != truth
            assert seen_by(environment, agent) == before
        environment._state = truth
        environment.step(int(luck_of(environment, luck)))
    assert changed > 0  # there was something to hide


def seen_by(environment: GameEnv, agent: str) -> tuple[bytes, bytes, bytes, Any]:
    seen = environment.observe(agent)
    mask = environment.infos[agent]["action_mask"]
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), mask.tobytes(), environment.render()


def luck_of(environment: GameEnv, luck: Rng) -> int:
    codes = np.flatnonzero(environment.infos[environment.agent_selection]["action_mask"])
    return int(codes[luck.below(len(codes))])


# -- pictures --------------------------------------------------------------------------------------


def test_pictures_have_one_size_and_change() -> None:
    environment = GameEnv("cathedral", seats=4, render_mode="rgb_array")
    environment.reset(seed=1)
    pictures = []
    for _ in range(30):
        pictures.append(environment.render())
        environment.step(int(np.flatnonzero(environment.infos[environment.agent_selection]["action_mask"])[0]))
    assert len({picture.shape for picture in pictures if isinstance(picture, np.ndarray)}) == 1
    assert len({picture.tobytes() for picture in pictures if isinstance(picture, np.ndarray)}) > 5


# -- wrong input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "error"), [(-1, BadText), (10**6, BadText), (1.0, BadText), (None, IllegalAction), (0, IllegalAction)]
)
def test_an_illegal_action_is_rejected_and_changes_nothing(action: Any, error: type[Exception]) -> None:
    environment = made("cathedral", 2)
    environment.reset(seed=1)
    before = environment.unwrapped.view("player_0")
    assert not environment.infos[environment.agent_selection]["action_mask"][0]
    with pytest.raises(error):
        environment.step(action)
    assert environment.unwrapped.view("player_0") == before


@pytest.mark.parametrize(
    ("options", "message"),
    [({"render_mode": "video"}, "render_mode: 'video' is not one of human, ansi, rgb_array"), ({"seats": 7}, "seats")],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        env("cathedral", **options)


def test_a_game_must_begin_before_it_is_played() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        GameEnv().step(0)
    with pytest.raises(AttributeError, match="reset"):
        _ = env().agents


def test_an_environment_can_be_pickled_in_the_middle_of_a_game() -> None:
    environment = GameEnv("duel")
    environment.reset(seed=2)
    again = pickle.loads(pickle.dumps(environment))
    for one in (environment, again):
        for _ in range(50):
            one.step(int(np.flatnonzero(one.infos[one.agent_selection]["action_mask"])[0]))
    assert again._state == environment._state
