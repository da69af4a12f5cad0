"""The games as a gymnasium vector environment: one seat of each game learns, and a policy plays the others.

Importing this module registers `clerestory/cathedral-v0` and `clerestory/duel-v0` for `gymnasium.make_vec`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import register
from gymnasium.vector import VectorEnv
from numpy.typing import ArrayLike, NDArray

from clerestory.engine.core import Game
from clerestory.envs.vector import VectorGame

VERSION = 0  # increased when results of equal seeds and actions change

Policy = Callable[[NDArray[Any], NDArray[np.int8]], ArrayLike]
Infos = dict[str, Any]
Results = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]


class SeatVectorEnv(VectorEnv[NDArray[Any], ArrayLike, NDArray[Any]]):
    """Many games, each stepped at the decisions of one seat; the autoreset mode is SAME_STEP.

    The reward is the seat's win share in the step that ends a game, and otherwise 0. Infos have `action_mask`, int8
    (N, num_actions): sample with `action_space.sample(mask=tuple(infos["action_mask"]))`. In a step that ends a game,
    `final_obs` has what the seat observed at its end, and `final_info` the `scores` of all seats.

    Args:
        game: a name of clerestory.engine.GAMES, or a Game.
        num_envs: N, the number of games.
        seats: number of players of each.
        seat: the seat that learns. None: all in turn, seat i % seats in game i.
        opponents: chooses for the other seats: given the observations (M, size) and masks (M, num_actions) of the
            seats to decide in M games, it returns M action codes. None: uniformly random.
        observation: as in VectorGame.

    Attributes:
        games: the VectorGame.
        learners: the seat of each game that learns, int64 (N,).

    Raises the errors of VectorGame, ValueError for a seat that does not exist.
    """

    def __init__(
        self,
        game: str | Game = "cathedral",
        num_envs: int = 1,
        *,
        seats: int = 2,
        seat: int | None = None,
        opponents: Policy | None = None,
        observation: str = "features",
    ) -> None:
        self.games = VectorGame(game, num_envs, seats=seats, observation=observation, copy=False)
        self.num_envs, self.metadata, self.opponents = self.games.num_envs, self.games.metadata, opponents
        self.single_observation_space = self.games.single_observation_space
        self.single_action_space = self.games.single_action_space
        self.observation_space, self.action_space = self.games.observation_space, self.games.action_space
        if seat is not None and (isinstance(seat, bool) or seat not in range(self.games.seats)):
            raise ValueError(f"seat: {seat!r} is not a number from 0 to {self.games.seats - 1}")
        self._rows = np.arange(self.num_envs)
        self.learners = self._rows % self.games.seats if seat is None else np.full(self.num_envs, seat)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], Infos]:
        """Begin N new games; return the observations and the infos. The arguments are those of VectorGame.reset."""
        super().reset(seed=seed)
        seen, infos = self.games.reset(seed=seed, options=options)
        seen, *_, infos = self._until_ours(seen, np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_), infos)
        return seen, infos

    def step(self, actions: ArrayLike) -> Results:
        """Play an action of the learning seat in each game, and all that follows until its next decision.

        Raises the errors of VectorGame.step, and then nothing is played. If the answer of `opponents` is at fault, the
        games cannot go on: call reset.
        """
        seen, rewards, ended, _, infos = self.games.step(actions)
        return self._until_ours(seen, self._own(rewards), ended.copy(), infos)

    def _until_ours(
        self, seen: NDArray[Any], rewards: NDArray[np.float64], ended: NDArray[np.bool_], infos: Infos
    ) -> Results:
        """Let the other seats act until the learners are to decide; return the results of all, which are new arrays."""
        while (theirs := infos["turn"] != self.learners).any():
            codes = self._choices(theirs, seen, infos["action_mask"])
            seen, earned, over, _, infos = self.games.step(codes, only=theirs)
            rewards += self._own(earned)
            ended |= over
        found = {"action_mask": infos["action_mask"].copy()} | (self._finals(ended) if ended.any() else {})
        return seen.copy(), rewards, ended, np.zeros_like(ended), found

    def _own(self, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rewards of the learning seats."""
        own: NDArray[np.float64] = rewards[self._rows, self.learners]
        return own

    def _choices(self, theirs: NDArray[np.bool_], seen: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the actions of the other seats, in the rows where these are to decide."""
        if self.opponents is None:
            return self.games.sample()
        given = np.asarray(self.opponents(seen[theirs], masks[theirs]))
        if given.shape != (theirs.sum(),) or given.dtype.kind not in "iu":
            raise ValueError(f"opponents: {given.dtype} {given.shape}; needed: integers of shape ({theirs.sum()},)")
        codes = np.zeros(self.num_envs, np.int64)
        codes[theirs] = given
        return codes

    def _finals(self, ended: NDArray[np.bool_]) -> Infos:
        """Return the infos about games that have ended."""
        seen, scores = np.full(self.num_envs, None, object), np.zeros((self.num_envs, self.games.seats))
        for row in np.flatnonzero(ended):
            final = self.games.final_state(int(row))
            seen[row] = self.games.observer.observe(final, int(self.learners[row]))
            scores[row] = final.final_scores()
        return {
            "final_obs": seen,
            "_final_obs": ended.copy(),
            "final_info": {"scores": scores, "_scores": ended.copy()},
            "_final_info": ended.copy(),
        }


for each in ("cathedral", "duel"):
    register(f"clerestory/{each}-v{VERSION}", vector_entry_point=f"{__name__}:SeatVectorEnv", kwargs={"game": each})
