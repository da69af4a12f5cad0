"""The OpenSpiel games pass the library's own tests, follow the rules, and let its searches play whole games."""

import pickle
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from clerestory.engine import GAMES, NATURE, Rng
from tests.parts import missing

pytestmark = [pytest.mark.system, pytest.mark.slow]
if find_spec("pyspiel") is None:
    pytestmark.append(pytest.mark.usefixtures("without_openspiel"))
else:
    import pyspiel
    from open_spiel.python.algorithms import ismcts, mcts
    from open_spiel.python.algorithms.generate_playthrough import playthrough

    from clerestory.envs.openspiel import HIDDEN, SpielGame, SpielObserver, SpielState

CASES = [(name, seats) for name in ("cathedral", "duel") for seats in GAMES[name].seats]
ELLEN = "ellen"


@pytest.fixture
def without_openspiel() -> None:
    missing("OpenSpiel", "make test-extras")


def loaded(name: str, seats: int) -> Any:
    return pyspiel.load_game(f"clerestory_{name}(players={seats})")


def step(state: Any, luck: Rng, code: int | None = None) -> int:
    """Play an action or outcome, by default a random one; return it."""
    if code is None:
        codes = state.legal_actions()
        code = codes[luck.below(len(codes))]
    state.apply_action(code)
    return int(code)


def shown_positions(seats: int, count: int) -> list[Any]:
    """Return states in which one seat has been shown the coming event, from games in which a seat takes Ellen early."""
    found: list[Any] = []
    for seed in range(400):
        luck, state = Rng(seed), loaded("cathedral", seats).new_initial_state()
        while not state.is_terminal() and len(found) < count:
            step(state, luck, taking_ellen(state))
            if state.position.shown() is not None:
                found.append(state.clone())
                break
        if len(found) == count:
            return found
    raise AssertionError("nobody was shown an event")


def taking_ellen(state: Any) -> int | None:
    """Return the action that takes the card, if it is legal."""
    texts = {code: state.position.state.game.texts[code] for code in state.legal_actions()}
    return next((code for code, text in texts.items() if ELLEN in text), None)


# -- the library's tests ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_it_passes_the_random_simulations(name: str, seats: int) -> None:
    """Copies, serialization, legal actions, odds, tensors and returns, in whole games."""
    pyspiel.random_sim_test(loaded(name, seats), num_sims=2, serialize=False, verbose=False)
    pyspiel.random_sim_test(loaded(name, seats), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_playthrough_can_be_generated(name: str, seats: int) -> None:
    text = playthrough(f"clerestory_{name}(players={seats})", None, seed=3)
    assert "IsTerminal() = True" in text
    assert "PrivateObservationString(1)" in text


def test_a_playthrough_can_be_repeated() -> None:
    first, again = (playthrough("clerestory_duel", None, seed=3) for _ in range(2))
    assert first == again


# -- they are the games of the rules ---------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_game_follows_the_rules(name: str, seats: int) -> None:
    """Step by step: the same turns, actions, odds and end as in the rules, and a copy that stays behind."""
    for seed in range(3):
        luck, theirs = Rng(seed), loaded(name, seats).new_initial_state()
        ours = GAMES[name].new(seats, 1).observe(NATURE)
        while not theirs.is_terminal():
            looks = theirs.position.owner is not None
            if not looks:
                assert theirs.is_chance_node() == (ours.turn == NATURE)
                assert looks or theirs.is_chance_node() or theirs.current_player() == ours.turn
            if theirs.is_chance_node():
                assert sum(odds for _, odds in theirs.chance_outcomes()) == pytest.approx(1)
            else:
                assert theirs.legal_actions() == ours.legal_codes()
            before, seen = theirs.clone(), str(theirs)
            code = step(theirs, luck, taking_ellen(theirs) if not theirs.is_chance_node() else None)
            assert str(before) == seen
            if not looks:
                ours.play(code)
            assert theirs.position.state.observe(NATURE) == ours.observe(NATURE)
        assert tuple(theirs.returns()) == ours.win_shares()


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_state_is_restored_from_its_text(name: str, seats: int) -> None:
    game, luck = loaded(name, seats), Rng(1)
    state = game.new_initial_state()
    for _ in range(120):
        step(state, luck)
    for again in (game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))):
        assert again.history() == state.history()
        assert [again.information_state_string(seat) for seat in range(seats)] == [
            state.information_state_string(seat) for seat in range(seats)
        ]


# -- secrecy ---------------------------------------------------------------------------------------


def observed(state: Any, seat: int) -> list[Any]:
    return [
        state.information_state_string(seat),
        state.observation_string(seat),
        np.asarray(state.information_state_tensor(seat)).tobytes(),
        np.asarray(state.observation_tensor(seat)).tobytes(),
    ]


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_a_state_holds_no_hidden_card_but_a_shown_one(name: str, seats: int) -> None:
    """So nothing can be observed that an onlooker does not see, or, for the owner, the event."""
    shown = 0
    for seed in range(4):
        luck, state = Rng(seed), loaded(name, seats).new_initial_state()
        while not state.is_terminal():
            step(state, luck, taking_ellen(state) if not state.is_chance_node() else None)
            position, place = state.position, state.position.shown()
            shown += place is not None
            known = NATURE if place is None else position.looks[place]
            assert position.state == position.state.observe(known)
    assert (shown > 0) == (name == "cathedral")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_shown_event_is_seen_by_one_seat_only(seats: int) -> None:
    for state in shown_positions(seats, 3):
        place = state.position.shown()
        owner = state.position.looks[place]
        worlds = [state]
        for code, _ in replayed(state, place).chance_outcomes():
            worlds.append(replayed(state, place))
            worlds[-1].apply_action(code)
            for later in state.history()[place + 1 :]:
                worlds[-1].apply_action(later)
        for seat in range(seats):
            seen = {tuple(observed(world, seat)) for world in worlds}
            assert len(seen) == (len(worlds) - 1 if seat == owner else 1)
        assert HIDDEN in state.information_state_string((owner + 1) % seats).partition("history")[2]


def replayed(state: Any, plies: int) -> Any:
    """Return the state after the first plies of a history."""
    again = state.get_game().new_initial_state()
    for code in state.history()[:plies]:
        again.apply_action(code)
    return again


@pytest.mark.parametrize("seats", [2, 4])
def test_resampling_changes_only_what_the_seat_cannot_see(seats: int) -> None:
    luck = np.random.default_rng(3)
    for state in shown_positions(seats, 2):
        owner = state.position.looks[state.position.shown()]
        for seat in range(seats):
            worlds = [state.resample_from_infostate(seat, luck.random) for _ in range(40)]
            assert {tuple(observed(world, seat)) for world in worlds} == {tuple(observed(state, seat))}
            events = {world.history()[state.position.shown()] for world in worlds}
            assert (len(events) > 3) == (seat != owner)


def test_the_shown_event_comes_up() -> None:
    (state,) = shown_positions(3, 1)
    event, luck = state.history()[state.position.shown()], Rng(2)
    while True:
        if state.is_chance_node() and state.position.state.foresees(state.position.looks[max(state.position.looks)]):
            break
        step(state, luck)
    assert state.chance_outcomes() == [(event, 1.0)]
    state.apply_action(event)
    assert state.position.shown() is None


# -- wrong input -----------------------------------------------------------------------------------


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(ValueError, match="seats"):
        SpielGame("cathedral", {"players": 7})
    game = loaded("duel", 2)
    with pytest.raises(ValueError, match="params"):
        game.make_py_observer(None, {"size": 3})
    everything = pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="private_info"):
        SpielObserver(game.origin, everything)


@pytest.mark.parametrize("code", [0, 331, 10**6])
def test_an_illegal_action_is_rejected(code: int) -> None:
    state = loaded("duel", 2).new_initial_state()
    before = str(state)
    with pytest.raises(ValueError, match=r"not legal|no action code"):
        state.apply_action(code)
    assert str(state) == before


# -- their searches --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_their_search_plays_whole_games(name: str, seats: int) -> None:
    """OpenSpiel's ISMCTS in Python for one seat, with its own resampling, and random opponents."""
    game, luck = loaded(name, seats), np.random.RandomState(4)
    bot = ismcts.ISMCTSBot(game, Short(luck), 0.7, 6, random_state=luck)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() == 0:
            state.apply_action(bot.step(state))
        else:
            codes = state.legal_actions()
            state.apply_action(codes[luck.randint(len(codes))])
    assert sum(state.returns()) == pytest.approx(1)


class Short:
    """An evaluator that calls all positions even."""

    def __init__(self, luck: np.random.RandomState) -> None:
        self.uniform = mcts.RandomRolloutEvaluator(1, luck).prior

    def prior(self, state: Any) -> Any:
        return self.uniform(state)

    def evaluate(self, state: "SpielState") -> Any:
        return np.full(state.num_players(), 1 / state.num_players())
