"""Figures of a search and of a review that clients have in the same form."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outlook:
    """The expected value of one feature of the seat to decide after a line.

    Attributes:
        feature: its name, one of the game's.
        now: its value at the root.
        at_round_end: its mean at the end of the current round; in the last round, at the end of the game.
        at_game_end: its mean at the end of the game.
    """

    feature: str
    now: float
    at_round_end: float
    at_game_end: float


@dataclass(frozen=True, slots=True)
class Rollouts:
    """The result of rollouts of a decision.

    Attributes:
        pairs: number of pairs of games.
        loss: estimated share of a win that the action played loses; below 0 if it did better.
        error: standard error of the loss.
        plain_error: the standard error without luck subtracted.
    """

    pairs: int
    loss: float
    error: float
    plain_error: float

    @property
    def at_most(self) -> float:
        """Upper bound of the loss: two standard errors above the estimate."""
        return self.loss + 2 * self.error
