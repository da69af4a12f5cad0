"""The parameters of a review: the iterations for each ply, and the options of the search."""

from dataclasses import dataclass, field
from typing import Any

from clerestory.engine.core import Game
from clerestory.search.errors import BadLimit
from clerestory.search.options import asks_learned, shipped

ITERATIONS = 16_000  # default iterations of a search
LEAST = 50  # fewer would be meaningless
MOST = 10_000_000
OUTCOME_SHARE = 20  # an outcome of a chance event gets at least the iterations of a search divided by this


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPlan:
    """The parameters of a review; equal records with equal plans have equal reviews.

    Attributes:
        iterations: iterations of each search, 50 to 10,000,000.
        seed: seed of all random choices, 0 to 2**64 - 1.
        viewer: the seat whose knowledge is used for everything; None for each seat's own.
        options: search options that override those of the review.

    Raises BadLimit, which names the field.
    """

    iterations: int = ITERATIONS
    seed: int = 0
    viewer: int | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the limits."""
        if type(self.iterations) is not int or not LEAST <= self.iterations <= MOST:
            raise BadLimit("iterations", f"{self.iterations!r} is not a whole number from {LEAST} to {MOST:,}")
        if type(self.seed) is not int or not 0 <= self.seed < 1 << 64:
            raise BadLimit("seed", f"{self.seed!r} is not a whole number from 0 to 2**64 - 1")

    def settings(self, game: Game, seats: int) -> dict[str, Any]:
        """Return the options of the search: the shipped ones, overridden by those of reviews, then by `options`."""
        of_reviews = game.tuning.review_learned if asks_learned(game) else game.tuning.review
        return {**shipped(game, seats), **of_reviews.get(seats, {}), **self.options}

    def seed_of(self, ply: int, search: int) -> int:
        """Return the seed of a search, derived from the ply and the number of the search there."""
        return (self.seed * 1_000_003 + 4 * ply + search) % (1 << 64)

    def outcome_iterations(self, outcomes: int) -> int:
        """Return the iterations of the search of a chance event, which grow with the number of outcomes."""
        return max(self.iterations, outcomes * (self.iterations // OUTCOME_SHARE))
