"""The plan of training, and the players of each generation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clerestory.engine.core import Game
from clerestory.engine.values.value import value_in_use, value_of
from clerestory.engine.values.weights import Weights, signature
from clerestory.search.options import LEARNING, write_options
from clerestory.search.training.chunks import GAMES_PER_CHUNK
from clerestory.search.training.errors import BadPlan
from clerestory.search.training.fit import Schedule
from clerestory.search.training.selfplay import RECIPE, Habits, SelfPlay


@dataclass(frozen=True, slots=True)
class OnePlyHabits:
    """How games of one ply are played, and which of their positions are used.

    Attributes:
        rounds: number of rounds of games; 0 for none.
        games: games per round for each number of players, above 0.
        straying: share of moves that are a uniformly random legal action, 0 to 1.
        noise: largest difference in log odds that noise makes between two actions, at least 0.
        trace: lambda of TD(lambda), 0 to 1; 1 learns from results only.
        kept: share of the positions that are used, above 0, at most 1.
    """

    rounds: int = 0
    games: int = 20_000
    straying: float = 0.03
    noise: float = 0.2
    trace: float = 0.9
    kept: float = 0.15

    def __post_init__(self) -> None:
        """Check every setting. Raises BadPlan."""
        if self.games < 1:
            raise BadPlan(f"games: {self.games} is not a whole number above 0")
        for name in ("straying", "trace", "kept"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadPlan(f"{name}: {getattr(self, name)} is not between 0 and 1")
        if not self.noise >= 0 or not self.kept:
            raise BadPlan(f"noise, kept: are {self.noise} and {self.kept}; must be 0 or more, and above 0")


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """Everything that training depends on, except its length.

    Attributes:
        load: returns the game, as for Match.
        seats: numbers of players, ascending.
        chunks: number of chunks of games for each number of players, in each generation.
        seed: seed of all random choices.
        habits: how games are played.
        schedule: schedule of the fits.
        fits: number of fits per generation with different seeds, above 0; the best one is its candidate.
        search: options of the search that uses a learned value.
        one_ply: games without a search before the first generation.
    """

    load: Callable[[], Game]
    seats: tuple[int, ...]
    chunks: int
    seed: int
    habits: Habits
    schedule: Schedule
    search: Mapping[str, Any] = field(default_factory=lambda: dict(LEARNING))
    one_ply: OnePlyHabits = OnePlyHabits()
    fits: int = 1

    def __post_init__(self) -> None:
        """Check that the game can be learned. Raises BadPlan."""
        game = self.load()
        if not any(map(len, game.input_names)):
            raise BadPlan(f"game: {game.name} has no features to learn from")
        if not self.seats or any(seats not in game.seats for seats in self.seats):
            raise BadPlan(f"seats: {list(self.seats)}; they must be of {', '.join(map(str, game.seats))}")

    @property
    def games(self) -> int:
        """Number of games for each number of players in a generation."""
        return self.chunks * GAMES_PER_CHUNK

    def header(self) -> dict[str, Any]:
        """Return the header that identifies a folder: the fields that the data of two runs must share."""
        game = self.load()
        return {
            "learn": 1,
            "selfplay": RECIPE,
            **game.identity(),
            "features": signature(game),
            "seed": self.seed,
        }

    def weights(self, value: Path | None, seats: int | None = None) -> Weights | None:
        """Return the weights of a value (None: the shipped one); None for a hand-made value.

        Args:
            value: file of the value.
            seats: number of players of the shipped value; by default that of the plan if it has only one.

        Raises BadWeights for a file that is not a value of this game.
        """
        game = self.load()
        if seats is None and len(self.seats) == 1:
            [seats] = self.seats
        return value_of(game, value_in_use(game, seats)[0] if value is None else str(value)).weights

    def selfplay(self, generation: int, seats: int, value: Path | None) -> SelfPlay:
        """Return the self-play of a generation: the search with the best value so far, or None for the shipped one.

        Raises BadWeights for a file that is not a value of this game.
        """
        weights = self.weights(value, seats)
        named = {} if weights is None else {"value": weights.checksum}
        search = {} if value is None else dict(self.search)
        options = search if value is None else {**search, "value": str(value)}
        return SelfPlay(self.load, seats, generation, self.seed, options, self.habits, {**search, **named})

    def bot(self, value: Path | None) -> str:
        """Return the text of the bot that plays with a value, None for the shipped one."""
        if value is None:
            return "ismcts"
        return f"ismcts:{write_options({'value': value, **self.search})}"
