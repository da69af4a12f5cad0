"""Hand-made values: files of weights beside the rules of a game."""

from __future__ import annotations

import tomllib
from array import array
from collections.abc import Callable
from importlib.resources import files
from typing import Any

FILES = {"hand": "value.toml", "hand-v1": "value-v1.toml"}  # the second never changes: pinned players use it


def read_hand_values(game: str, weights_of: Callable[[dict[str, Any]], array[float]]) -> dict[str, array[float]]:
    """Return the weights of each hand-made value of a game, by its name.

    Args:
        game: whose folder has the files.
        weights_of: converts the content of a file to the weights that the game's guide reads.
    """
    folder = files(f"clerestory.engine.{game}")
    return {name: weights_of(tomllib.loads((folder / file).read_text("utf-8"))) for name, file in FILES.items()}
