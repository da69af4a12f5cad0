"""Games of bots whose reviews are measured."""

from dataclasses import dataclass
from functools import cache

from clerestory.engine import GAMES, Rng, State
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.match import decisions, derived_seed


@dataclass(frozen=True, slots=True)
class Setting:
    """The parameters of a measurement.

    Attributes:
        game: name of the game.
        seats: number of players.
        iterations: iterations of a search of the reviews.
        thinking: iterations of a decision in the games; None for the same number.
    """

    game: str
    seats: int
    iterations: int
    thinking: int | None = None


@cache
def played(setting: Setting, seed: int, bots: tuple[str, ...] = ("ismcts",)) -> State:
    """Return a finished game of bots, which rotate through the seats from seed to seed."""
    players = [parse_bot(text) for text in bots]
    state, rng = GAMES[setting.game].new(setting.seats, seed), Rng(derived_seed("figures", seed))
    for _ in decisions(state, rng):
        player = players[(state.turn + seed) % len(players)]
        most = None if "level=" in player.text else setting.thinking or setting.iterations  # a level defines its own
        state.play(player.choose(state, rng.below(1 << 30), Budget(iterations=most)).action)
    return state
