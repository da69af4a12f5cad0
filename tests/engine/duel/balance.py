"""How fair Builders Duel is between equal searches: `python -m tests.engine.duel.balance --games 1000`.

Each deal is played twice: once as the rules begin, with the marker of power at red, once with it at blue. So the
difference between the two halves is the marker's worth, and the sum of them is the colours'.
"""

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.duel.rules import DUEL
from clerestory.search.bots import Budget, parse_bot
from clerestory.search.match import derived_seed

COLOURS = ("red", "blue")


@dataclass(frozen=True)
class Game:
    """One game: who had the marker first, who won, and whether a building was completed."""

    starter: int
    red_won: bool
    completed: bool


def opening(deal: int, starter: int) -> State:
    """The first position of a deal, its decks known, with the marker of power at a seat."""
    fields = DUEL.new(2, deal).to_position()
    fields["duel"]["power"] = fields["duel"]["first_player"] = COLOURS[starter]
    return DUEL.from_position(fields)


def play(deal: int, starter: int, bot: str, iterations: int, catalogue: str | None) -> Game:
    """Play one game between two of the bot."""
    if catalogue:
        DUEL.use_catalogue(catalogue)
    player, luck = parse_bot(bot), Rng(derived_seed("nature", deal))
    state, ply = opening(deal, starter), 0
    while not state.over:
        if state.turn == NATURE:
            state.play(state.draw(luck))
        else:
            seed = derived_seed("move", deal, starter, ply)
            state.play(player.choose(state.observe(state.turn), seed, Budget(iterations=iterations)).action)
        ply += 1
    sections = [
        [len(player[f"section_{number}"]) for number in (1, 2, 3)] for player in state.to_position()["duel"]["players"]
    ]
    return Game(starter, state.returns()[0] == 1, any(placed == [3, 3, 3] for placed in sections))


def games(count: int, bot: str, iterations: int, workers: int, catalogue: str | None) -> Iterator[Game]:
    """Play, on some processes."""
    run = partial(play, bot=bot, iterations=iterations, catalogue=catalogue)
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run, [i // 2 for i in range(count)], [i % 2 for i in range(count)], chunksize=4)


def share(games: list[Game]) -> dict[str, float]:
    """Red's share of wins with its 95 % interval (Wilson), and how many games ended by completion."""
    n, z = len(games), 1.96
    p = sum(game.red_won for game in games) / n
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return {
        "games": n,
        "red_wins": round(p, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "completed": round(sum(game.completed for game in games) / n, 4),
    }


def main() -> None:
    """Print what came of the games as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--bot", default="ismcts")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--catalogue", default=None)
    options = parser.parse_args()
    played = list(games(options.games, options.bot, options.iterations, options.workers, options.catalogue))
    report = {"bot": options.bot, "iterations": options.iterations, "all": share(played)}
    for starter, colour in enumerate(COLOURS):
        report[f"{colour} starts"] = share([game for game in played if game.starter == starter])
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
