#!/usr/bin/env bash
# gymnasium 1.4.0 (CPython 3.11, Linux x86_64): its vector wrappers of observations accept no environment that restarts
# in the same step.
#
# Expected: `FlattenObservation` and the others of `gymnasium.wrappers.vector` accept an environment whose autoreset mode
# is SAME_STEP, as `VectorizeTransformObservation.step` also transforms `final_obs` in this mode.
# Seen: their base class `VectorObservationWrapper` rejects it, so that code is never reached. Wrappers of rewards and
# `RecordEpisodeStatistics` accept it.
#
#   NEXT_STEP: FlattenObservation accepted
#   SAME_STEP: ValueError: Expected autoreset_mode to be NEXT_STEP or DISABLED, got AutoresetMode.SAME_STEP
#   SAME_STEP: RecordEpisodeStatistics accepted
#
# For Clerestory see clients/envs/gymnasium.py, and tests/clients/envs/test_gymnasium.py. Fails if the behaviour has
# changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check gymnasium==1.4.0
cat > "$folder/observe.py" <<'PYTHON'
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector


def wrapped(mode, wrapper):
    try:
        wrapper(SyncVectorEnv([CartPoleEnv], autoreset_mode=mode))
    except ValueError as error:
        return f"ValueError: {error}"
    return f"{wrapper.__name__} accepted"


found = [
    ("NEXT_STEP", wrapped(AutoresetMode.NEXT_STEP, vector.FlattenObservation)),
    ("SAME_STEP", wrapped(AutoresetMode.SAME_STEP, vector.FlattenObservation)),
    ("SAME_STEP", wrapped(AutoresetMode.SAME_STEP, vector.RecordEpisodeStatistics)),
]
for mode, seen in found:
    print(f"{mode}: {seen}")
unchanged = [seen.endswith("accepted") for _, seen in found] == [True, False, True]
raise SystemExit(0 if unchanged else "the behaviour has changed")
PYTHON
"$folder/venv/bin/python" "$folder/observe.py"
