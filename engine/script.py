"""Players of a single game, which follow published rules of thumb and never change."""

from clerestory.engine.core import State
from clerestory.engine.games import LIST


def advised(view: State) -> tuple[str, int] | None:
    """Return the action that the game's rules of thumb rate highest, and how many were rated; None without rules.

    Args:
        view: view of the seat to decide.
    """
    script = LIST[view.game.name].script
    return None if script is None else script(view)


def scripted() -> list[str]:
    """Return the names of the games that have such a player."""
    return [name for name, listing in LIST.items() if listing.script is not None]
