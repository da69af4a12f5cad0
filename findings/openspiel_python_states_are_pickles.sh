#!/usr/bin/env bash
# OpenSpiel 2.0.2 (CPython 3.11, Linux x86_64): a serialized state of a game in Python contains a pickle.
#
# Expected: `State.serialize` gives the history of the game, from which `Game.deserialize_state` plays it again, for games
# in Python as for those in C++.
# Seen: for a game in Python, the text also has the attributes of the state as a pickle in base64, from which
# `deserialize_state` and `pyspiel.deserialize_game_and_state` restore it. So such a text must come from a trusted source,
# it needs a state whose attributes can be pickled, and it does not outlive a change of the class.
#
#   kuhn_poker: '0\n1\n'
#   python_kuhn_poker: lines history, move_number, __dict__
#   the pickle: ['_game_over', '_next_player', 'bets', 'cards', 'pot']
#
# For Clerestory see clients/envs/openspiel.py, which warns of it. Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check open_spiel==2.0.2
cat > "$folder/observe.py" <<'PYTHON'
import base64
import pickletools
import re

import pyspiel
from open_spiel.python.games import kuhn_poker  # noqa: F401  # registers python_kuhn_poker


def serialized(name):
    state = pyspiel.load_game(name).new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    return state.serialize()


plain, python = serialized("kuhn_poker"), serialized("python_kuhn_poker")
print(f"kuhn_poker: {plain!r}")
names = re.findall(r"^(\w+)=", python, re.MULTILINE)
print(f"python_kuhn_poker: lines {', '.join(names)}")
pickled = base64.b64decode(python.partition("__dict__=")[2])
known = {"_game_over", "_next_player", "bets", "cards", "pot"}
found = sorted(known & {str(value) for _, value, _ in pickletools.genops(pickled)})
print(f"the pickle: {found}")
unchanged = plain.split() == ["0", "1"] and names == ["history", "move_number", "__dict__"] and set(found) == known
raise SystemExit(0 if unchanged else "the behaviour has changed")
PYTHON
"$folder/venv/bin/python" "$folder/observe.py"
