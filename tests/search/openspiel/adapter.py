"""Any game of the package as an OpenSpiel game, so that OpenSpiel's algorithms can play and check it.

Actions are our codes, chance has our odds, utilities are win shares, and an information state is the position as its
seat knows it. `resample` is our determinizer in the form required by OpenSpiel's ISMCTS.
"""

from typing import Any

import numpy as np
import pyspiel

from clerestory.engine import NATURE, Rng, State


class Held:
    """Holds a position; OpenSpiel makes deep copies of a state's attributes."""

    def __init__(self, state: State) -> None:
        self.state = state

    def __deepcopy__(self, _: Any) -> "Held":
        return Held(self.state.copy())


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    def __init__(self, origin: State) -> None:
        game = origin.game
        kind = pyspiel.GameType(
            short_name=f"clerestory_{game.name}",
            long_name=game.name,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.CONSTANT_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=max(game.seats),
            min_num_players=min(game.seats),
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=False,
        )
        size = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=game.num_actions,
            num_players=origin.seats,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            max_game_length=game.max_plies,
        )
        super().__init__(kind, size, {})
        self.origin = origin

    def new_initial_state(self, _: Any = None) -> "SpielState":
        return SpielState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer":
        return Observer()


class SpielState(pyspiel.State):  # type: ignore[misc]
    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.held = Held(game.origin.copy())

    def current_player(self) -> Any:
        if self.held.state.over:
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.held.state.turn == NATURE else self.held.state.turn

    def _legal_actions(self, player: int) -> list[int]:
        return self.held.state.legal_codes() if player == self.held.state.turn else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(zip(self.held.state.legal_codes(), self.held.state.odds(), strict=True))

    def _apply_action(self, action: int) -> None:
        self.held.state.play(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.held.state.game.texts[action]

    def is_terminal(self) -> bool:
        return self.held.state.over

    def returns(self) -> list[float]:
        return list(self.held.state.win_shares()) if self.held.state.over else [0.0] * self.held.state.seats

    def __str__(self) -> str:
        return str(self.held.state)


class Observer:
    def __init__(self) -> None:
        self.tensor = np.zeros(0, np.float32)
        self.dict: dict[str, Any] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: SpielState, player: int) -> str:
        return state.held.state.observe(player).to_bytes().hex()


def resampler(rng: Rng) -> Any:
    """Return our determinizer, for `ISMCTSBot.set_resampler`."""

    def resample(state: SpielState, player: int) -> SpielState:
        world = state.clone()
        world.held = Held(state.held.state.observe(player).determinize(rng))
        return world

    return resample
