"""Players of a single game, which follow published advice and never change."""

from clerestory.engine.core import State
from clerestory.engine.games import LIST


def advised(name: str, view: State) -> tuple[str, int] | None:
    """Return the action that a player rates highest, and how many were rated; None if it does not play the game.

    Args:
        name: name of the player.
        view: view of the seat to decide.
    """
    script = LIST[view.game.name].scripts.get(name)
    return None if script is None else script(view)


def scripted(name: str) -> list[str]:
    """Return the names of the games that a player plays."""
    return [game for game, listing in LIST.items() if name in listing.scripts]
