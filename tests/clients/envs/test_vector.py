"""Games stepped together are the games of the rules, hold nothing hidden, and reject invalid input."""

import pickle
import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from clerestory.engine import GAMES, Rng
from clerestory.engine.errors import BadPosition, GameError, IllegalAction
from clerestory.envs import Observer, VectorGame
from clerestory.envs.observing import action_mask

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def kind_of(name: str) -> str:
    return "view" if name == "toy" else "features"


def started(name: str = "cathedral", count: int = 3, **options: Any) -> VectorGame:
    games = VectorGame(name, count, **options)
    games.reset(seed=7)
    return games


# -- they are the games of the rules ---------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_game_is_that_of_the_rules_with_its_seed(name: str, seats: int) -> None:
    """Through the end of a game, and into the next one of the same row."""
    games = VectorGame(name, 3, seats=seats, observation=kind_of(name))
    observer, luck, ended = games.observer, Rng(12), 0
    observed, infos = games.reset(seed=10)
    state = GAMES[name].new(seats, luck)
    while ended < 2:
        state.play_nature(luck)
        seat = state.turn
        assert infos["turn"][2] == seat
        np.testing.assert_array_equal(infos["action_mask"][2], action_mask(state))
        np.testing.assert_array_equal(observed[2], observer.observe(state, seat))
        assert games.state(2) == state
        actions = games.sample()
        state.play(int(actions[2]))
        state.play_nature(luck)
        observed, rewards, terminations, truncations, infos = games.step(actions)
        assert not truncations.any()
        assert terminations[2] == state.over
        if not state.over:
            assert not rewards[2].any()
            continue
        assert tuple(rewards[2]) == state.win_shares()
        assert tuple(infos["final_scores"][2]) == state.final_scores()
        state, ended = GAMES[name].new(seats, luck), ended + 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_only_the_named_games_are_stepped(name: str, seats: int) -> None:
    games, together = (VectorGame(name, 3, seats=seats, observation=kind_of(name)) for _ in range(2))
    games.reset(seed=4)
    together.reset(seed=4)
    for step in range(300):
        actions = together.sample()
        expected = together.step(actions)
        for row in (step % 3, (step + 1) % 3, (step + 2) % 3):
            only = np.arange(3) == row
            observed, rewards, terminations, _, infos = games.step(np.where(only, actions, -1), only=only)
            np.testing.assert_array_equal(terminations, expected[2] & only)
            np.testing.assert_array_equal(rewards, np.where(only[:, None], expected[1], 0))
        for found, wanted in (
            (observed, expected[0]),
            *((infos[key], expected[-1][key]) for key in ("turn", "action_mask")),
        ):
            np.testing.assert_array_equal(found, wanted)


def test_the_end_of_the_last_game_is_kept() -> None:
    games = started("toy", 3, seats=3, observation="none")
    with pytest.raises(ValueError, match="no game of row 1 has ended"):
        games.final_state(1)
    ended = np.zeros(3, np.bool_)
    while not ended.all():
        _, rewards, terminations, _, infos = games.step(games.sample())
        ended |= terminations
        for row in np.flatnonzero(terminations):
            assert games.final_state(row).win_shares() == tuple(rewards[row])
            assert games.final_state(row).final_scores() == tuple(infos["final_scores"][row])
    with pytest.raises(ValueError, match="index"):
        games.final_state(3)


def test_equal_seeds_give_equal_games_and_others_do_not() -> None:
    first, second, other = (VectorGame("duel", 8) for _ in range(3))
    for games, seed in ((first, 3), (second, 3), (other, 4)):
        games.reset(seed=seed)
        for _ in range(200):
            games.step(games.sample())
    assert [first.state(i) for i in range(8)] == [second.state(i) for i in range(8)]
    assert [first.state(i) for i in range(8)] != [other.state(i) for i in range(8)]


def test_a_reset_without_a_seed_continues_the_luck() -> None:
    games = started()
    openings = [games.state(0)]
    for _ in range(3):
        games.reset()
        openings.append(games.state(0))
    assert len({opening.to_bytes() for opening in openings}) == 4
    games.reset(seed=7)
    assert games.state(0) == openings[0]


def test_final_scores_are_there_only_when_a_game_ends() -> None:
    games = started("toy", 4, observation="none")
    for _ in range(40):
        *_, ended, _, infos = games.step(games.sample())
        assert ("final_scores" in infos) == ended.any()
        if ended.any():
            np.testing.assert_array_equal(infos["_final_scores"], ended)


def test_sampled_actions_are_legal_and_all_come_up() -> None:
    games = started(count=1)
    _, infos = games.reset(seed=1)
    drawn = {int(games.sample()[0]) for _ in range(300)}
    assert drawn == set(np.flatnonzero(infos["action_mask"][0]).tolist())


# -- afterstates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_afterstates_are_observed_by_the_seat_that_acts(name: str, seats: int) -> None:
    games = VectorGame(name, 3, seats=seats, observation=kind_of(name))
    games.reset(seed=2)
    for _ in range(30):
        observed, indices, codes = games.afterstates()
        row = 0
        for i in range(3):
            state = games.state(i)
            for code in state.legal_codes():
                after = state.copy()
                after.play(code)
                assert (indices[row], codes[row]) == (i, code)
                np.testing.assert_array_equal(observed[row], games.observer.observe(after, state.turn))
                row += 1
        assert row == len(observed) == len(indices) == len(codes)
        games.step(games.sample())


# -- secrecy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seats", "kind"),
    [(*case, kind) for case in CASES for kind in ("features", "view") if (case[0], kind) != ("toy", "features")],
)
def test_positions_that_a_seat_cannot_distinguish_look_the_same(name: str, seats: int, kind: str) -> None:
    """The truth, what the seat knows, and two other deals of it: equal bytes for each seat, all through a game."""
    observer, luck, hidden = Observer(GAMES[name], seats, kind), Rng(seats), 0
    for seed in range(3):
        state = GAMES[name].new(seats, seed)
        while not state.over:
            for seat in range(seats):
                known = state.observe(seat)
                others = [known, known.determinize(luck), known.determinize(luck)]
                seen = {observer.observe(one, seat).tobytes() for one in (state, *others)}
                hidden += state not in others
                assert len(seen) == 1
            state.play_nature(luck)
            if not state.over:
                state.play(state.legal_codes()[luck.below(len(state.legal_codes()))])
    assert hidden > 0  # there was something to hide


def test_a_view_has_what_only_the_seat_knows() -> None:
    state, observer = GAMES["toy"].new(3, 1), Observer(GAMES["toy"], 3, "view")
    state.play_nature(1)
    assert len({observer.observe(state, seat).tobytes() for seat in range(3)}) == 3


# -- arrays ----------------------------------------------------------------------------------------


def test_copies_stay_and_shared_arrays_change() -> None:
    for copy in (True, False):
        games = VectorGame("duel", 4, copy=copy)
        observed, infos = games.reset(seed=1)
        before = observed.copy(), infos["turn"].copy()
        for _ in range(10):
            games.step(games.sample())
        same = np.array_equal(observed, before[0]) and np.array_equal(infos["turn"], before[1])
        assert same == copy


def test_a_caller_cannot_make_an_action_legal_by_changing_the_mask() -> None:
    games = VectorGame("duel", 2, copy=False)
    _, infos = games.reset(seed=1)
    infos["action_mask"][:] = 1
    illegal = next(code for code in range(games.game.num_actions) if code not in games.state(0).legal_codes())
    with pytest.raises(IllegalAction, match=r"actions\[0\]"):
        games.step([illegal, games.sample()[1]])


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_results_are_elements_of_the_spaces(name: str, seats: int) -> None:
    games = VectorGame(name, 3, seats=seats, observation=kind_of(name))
    observed, _ = games.reset(seed=1)
    assert games.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert games.single_observation_space.contains(observed[0])
    assert games.observation_space.contains(observed)
    assert games.action_space.contains(games.sample())


def test_observers_can_be_pickled() -> None:
    observer = Observer(GAMES["cathedral"], 3, "view")
    again = pickle.loads(pickle.dumps(observer))
    assert (again.game, again.seats, again.kind, again.size) == (observer.game, 3, "view", observer.size)


# -- wrong input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"game": "chess"}, KeyError, "chess"),
        ({"seats": 5}, BadPosition, "seats"),
        ({"seats": True}, BadPosition, "seats"),
        ({"observation": "everything"}, ValueError, "observation: 'everything' is not one of features, view, none"),
        ({"game": "toy"}, GameError, "toy has no features"),
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"num_envs": 2.5}, ValueError, "num_envs"),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        VectorGame(**{"game": "cathedral", "num_envs": 2} | options)


@pytest.mark.parametrize(
    "actions",
    [None, 3, [1], [1, 2, 3], [[1, 2]], [1.0, 2.0], [True, False], ["pass", "pass"], [None, None]],
    ids=repr,
)
def test_actions_of_another_shape_or_type_are_rejected(actions: Any) -> None:
    with pytest.raises(ValueError, match="actions: "):
        started(count=2).step(actions)


@pytest.mark.parametrize("only", [True, [True], [1, 1], [[True, True]], ["yes", "no"]], ids=repr)
def test_games_to_step_of_another_shape_or_type_are_rejected(only: Any) -> None:
    games = started(count=2)
    with pytest.raises(ValueError, match="only: "):
        games.step(games.sample(), only=only)


@pytest.mark.parametrize("code", [-1, 10**6, 2**62])
def test_nothing_is_played_if_one_action_is_illegal(code: int) -> None:
    games = started(count=3)
    before, actions = [games.state(i) for i in range(3)], games.sample()
    actions[1] = code
    with pytest.raises(IllegalAction, match=r"actions\[1\]: .* is not legal; legal there: ") as caught:
        games.step(actions)
    assert [games.state(i) for i in range(3)] == before
    assert list(caught.value.legal) == [action.text for action in before[1].legal_actions()]


def test_an_unsigned_action_is_named_as_given() -> None:
    with pytest.raises(IllegalAction, match=rf"actions\[0\]: {2**64 - 1} \(no action code\)"):
        started(count=1).step(np.array([2**64 - 1], np.uint64))


@pytest.mark.parametrize("seed", [-1, 2**64 - 1, 2**64, 1.5, True, "1"])
def test_a_seed_out_of_range_is_rejected(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        VectorGame("duel", 2).reset(seed=seed)


@pytest.mark.parametrize(
    "call",
    [lambda games: games.step([0]), lambda games: games.state(0), VectorGame.sample, VectorGame.afterstates],
)
def test_no_game_has_begun_before_a_reset(call: Any) -> None:
    with pytest.raises(ValueError, match="call reset first"):
        call(VectorGame("duel", 1))


def test_a_position_of_another_game_is_not_observed() -> None:
    observer = Observer(GAMES["cathedral"], 2)
    for state in (GAMES["duel"].new(2, 1), GAMES["cathedral"].new(3, 1)):
        with pytest.raises(ValueError, match="not a position of cathedral with 2 players"):
            observer.observe(state, 0)
    with pytest.raises(ValueError, match="seat: -1"):
        observer.observe(GAMES["cathedral"].new(2, 1), -1)


def test_another_thread_can_run_but_not_use_the_same_games() -> None:
    """A step releases the GIL: this thread sees the other one in the middle of a step."""
    games, over = VectorGame("cathedral", 20_000, observation="none", copy=False), threading.Event()
    games.reset(seed=1)

    def step() -> None:
        while not over.is_set():
            try:
                games.step(games.sample())
            except RuntimeError:
                continue

    other = threading.Thread(target=step)
    other.start()
    try:
        with pytest.raises(RuntimeError, match="another thread"):
            while True:
                games.sample()
    finally:
        over.set()
        other.join()


def test_a_reset_that_another_thread_prevents_changes_no_seed() -> None:
    games, over, seed = VectorGame("cathedral", 20_000, observation="none", copy=False), threading.Event(), 1
    games.reset(seed=seed)

    def look() -> None:
        while not over.is_set():
            with suppress(RuntimeError):
                games.afterstates()

    other = threading.Thread(target=look)
    other.start()
    try:
        with pytest.raises(RuntimeError, match="another thread"):
            while True:
                games.reset(seed=seed + 1)
                seed += 1
    finally:
        over.set()
        other.join()
    alone = VectorGame("cathedral", 20_000, observation="none")
    alone.reset(seed=seed)
    assert list(games.sample()) == list(alone.sample())
