"""Hand-made values: files of weights beside the rules of a game."""

from __future__ import annotations

import tomllib
from array import array
from collections.abc import Callable
from importlib.resources import files
from typing import Any


def read_hand_values(game: str, weights_of: Callable[[dict[str, Any]], array[float]]) -> dict[str, array[float]]:
    """Return the weights of the hand-made values of a game, by name.

    Args:
        game: name of the game, which is also its folder.
        weights_of: converts the content of the file to the weights of the game's guide.
    """
    text = files(f"clerestory.engine.{game}").joinpath("value.toml").read_text("utf-8")
    return {"hand": weights_of(tomllib.loads(text))}
