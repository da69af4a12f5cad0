"""Result types of searches and reviews that the server and its clients share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outlook:
    """The expected value of a feature, for the seat to move, after a line is played.

    Attributes:
        feature: name of the feature.
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
        loss: estimated loss of the action played, as a share of a win; negative if it did better.
        error: standard error of the loss.
        plain_error: standard error without variance reduction by luck.
    """

    pairs: int
    loss: float
    error: float
    plain_error: float

    @property
    def at_most(self) -> float:
        """Upper bound of the loss: two standard errors above the estimate."""
        return self.loss + 2 * self.error
