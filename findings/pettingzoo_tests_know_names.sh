#!/usr/bin/env bash
# PettingZoo 1.27.0, gymnasium 1.4.0 (CPython 3.11, Linux x86_64): the library's tests treat environments by their name.
#
# Expected: an environment whose observations are dictionaries with `observation` and `action_mask`, the form of the
# library's own classic games, passes `api_test` without warnings, whatever its name; and `render_test` makes it with the
# render modes of its metadata only.
# Seen: `api_test` warns of the dictionary and of its space unless the name is in a list of the library's own games; and
# `render_test` first makes every environment with render_mode="human", so one that refuses unknown modes fails.
#
#   guess_v0: Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete (2 times)
#   guess_v0: Observation is not a NumPy array (9 times)
#   tictactoe_v3: no warnings
#   render_test: render_mode 'human' is not one of ansi
#
# For Clerestory see tests/clients/envs/test_pettingzoo.py, which ignores these warnings only, and the render mode
# `human` of clients/envs/pettingzoo.py. Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pettingzoo==1.27.0 gymnasium==1.4.0
cat > "$folder/observe.py" <<'PYTHON'
import contextlib
import io
import warnings
from collections import Counter

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.test import api_test, render_test

DICTIONARY = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


class Guess(AECEnv):
    """Two agents guess a number in turn, four times each; the mask allows all numbers."""

    def __init__(self, name, render_mode=None):
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r} is not one of ansi")
        self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = ["player_0", "player_1"]
        space = Dict({"observation": Box(0, 9, (2,), np.int8), "action_mask": Box(0, 1, (3,), np.int8)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: Discrete(3) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.plies, self.agents = 0, self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent):
        return {"observation": np.array([1, self.plies], np.int8), "action_mask": np.ones(3, np.int8)}

    def step(self, action):
        if self.terminations[self.agent_selection]:
            return self._was_dead_step(action)
        self.plies += 1
        if self.plies == 8:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self.plies % 2]

    def render(self):
        return str(self.plies)

    def close(self):
        pass


def warned(name):
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        api_test(Guess(name), num_cycles=10)
    return Counter(str(one.message) for one in caught)


unchanged = True
for name, expected in [("guess_v0", DICTIONARY), ("tictactoe_v3", set())]:
    found = warned(name)
    for message, times in found.items():
        print(f"{name}: {message} ({times} times)")
    if not found:
        print(f"{name}: no warnings")
    unchanged &= set(found) == expected
try:
    render_test(lambda render_mode=None: Guess("guess_v0", render_mode))
    unchanged = False
    print("render_test: passed")
except ValueError as error:
    print(f"render_test: {error}")
raise SystemExit(0 if unchanged else "the behaviour has changed")
PYTHON
"$folder/venv/bin/python" "$folder/observe.py"
