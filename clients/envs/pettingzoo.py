"""The games as PettingZoo environments, in which agents act in turn (AEC).

Importing this module registers `clerestory/cathedral-v0` and `clerestory/duel-v0` for `pettingzoo.make`.
"""

import secrets
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv, register
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.core import Game
from clerestory.engine.errors import IllegalAction
from clerestory.engine.games import game as game_named
from clerestory.envs.drawing import picture_of
from clerestory.envs.observing import Observer, action_mask
from clerestory.envs.spaces import masked

VERSION = 0  # increased when results of equal seeds and actions change
RENDER_MODES = ("human", "ansi", "rgb_array")
Observation = dict[str, NDArray[Any]]


def env(game: str | Game = "cathedral", **options: Any) -> AECEnv:
    """Return a GameEnv that raises helpful errors for calls in the wrong order, as PettingZoo's own `env` functions do.

    Args:
        game: as in GameEnv.
        options: the other arguments of GameEnv.
    """
    return OrderEnforcingWrapper(GameEnv(game, **options))


class GameEnv(AECEnv):  # type: ignore[misc]
    """A game as a PettingZoo environment, without wrappers. Chance events are played for the agents.

    Agents are `player_0` and so on, by seat. An observation is a dictionary: `observation` is what Observer writes for
    the seat; `action_mask` is int8 (num_actions,), 1 for legal actions, and 0 everywhere for seats that are not to act.
    The mask is in the info as well. Rewards are the win shares at the end, which sum to 1, and otherwise 0.

    Args:
        game: a name of clerestory.engine.GAMES, or a Game.
        seats: number of players.
        observation: as in Observer: `features` or `view`.
        render_mode: what `render` does with the position as an onlooker sees it: `ansi` returns a text, `rgb_array` a
            uint8 picture (height, width, 3), `human` prints the text. None: it returns None.

    Raises the errors of Observer, KeyError for an unknown game, ValueError for another render mode.
    """

    def __init__(
        self,
        game: str | Game = "cathedral",
        *,
        seats: int = 2,
        observation: str = "features",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode: {render_mode!r} is not one of {', '.join(RENDER_MODES)}")
        self.game = game if isinstance(game, Game) else game_named(game)
        self.observer = Observer(self.game, seats, observation)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{self.game.name}_v{VERSION}",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.observer.seats)]
        self.observation_spaces = {agent: masked(self.observer) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.game.num_actions) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._no_action = np.zeros(self.game.num_actions, np.int8)
        self._luck: Rng | None = None
        self._state: State | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of action codes; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game.

        Args:
            seed: 0 to 2**64 - 1. None continues the random numbers of the games before; at first, it is random.
            options: ignored.

        Raises ValueError for another seed.
        """
        if seed is not None or self._luck is None:
            self._luck = Rng(secrets.randbits(63) if seed is None else seed)
        self._state = self.game.new(self.observer.seats, self._luck)
        self._state.play_nature(self._luck)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_action.copy()} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, and the chance events that follow; None if the agent's game is over.

        Raises IllegalAction or BadText, leaving the position unchanged.
        """
        state = self._position()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalAction(f"action: None, but the game of {agent} is not over")
        state.play(action)
        state.play_nature(self._luck)  # type: ignore[arg-type]
        self.infos[agent] = {"action_mask": self._no_action.copy()}
        self._cumulative_rewards[agent] = 0.0
        if state.over:
            self._finish()
        else:
            self._select()

    def _select(self) -> None:
        """Let the seat act that is to decide."""
        state = self._position()
        self.agent_selection = self.possible_agents[state.turn]
        self.infos[self.agent_selection] = {"action_mask": action_mask(state)}

    def _finish(self) -> None:
        """Give out the rewards; each agent still has to make a step without an action."""
        self.rewards = dict(zip(self.agents, self._position().win_shares(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        observed = self.observer.observe(self._position(), self._seats[agent])
        info = self.infos.get(agent)
        mask = self._no_action.copy() if info is None else info["action_mask"]
        return {"observation": observed, "action_mask": mask}

    def view(self, agent: str) -> State:
        """Return the position as an agent knows it, for programs of this package such as a Searcher."""
        return self._position().observe(self._seats[agent])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return or print the position as an onlooker sees it, as `render_mode` says."""
        seen = self._position().observe(NATURE)
        if self.render_mode == "human":
            print(seen)
        if self.render_mode == "rgb_array":
            return picture_of(seen)
        return str(seen) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _position(self) -> State:
        if self._state is None:
            raise RuntimeError("call reset first")
        return self._state


for each in ("cathedral", "duel"):
    register("aec", f"clerestory/{each}-v{VERSION}", entry_point=f"{__name__}:env", kwargs={"game": each})
