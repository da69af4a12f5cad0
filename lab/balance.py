"""Measures how fair Builders Duel is between equal searches: `python -m lab.balance --games 1000`.

Each deal is played twice: once as in the rules, with the marker of power at red, once with it at blue. The
difference between the two halves is the value of the marker, and their sum that of the colours. With `--out FILE` games
are stored as they end, and the same command resumes from them.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from math import sqrt
from pathlib import Path

from clerestory.arena.bots import Budget, parse_bot
from clerestory.arena.match import decisions, derived_seed
from clerestory.engine import GAMES, Rng, State
from clerestory.engine.colours import COLOURS
from clerestory.engine.duel.catalogue import DuelCatalogue
from clerestory.engine.games import game_of_catalogue

BOT = "ismcts:max_bytes=8388608"  # enough for 2,000 iterations; otherwise clearing memory takes most of the time


@dataclass(frozen=True)
class BalanceGame:
    """One game: its deal, who had the marker first, who won, and whether a building was completed."""

    deal: int
    starter: int
    red_won: bool
    completed: bool


def opening(deal: int, starter: int) -> State:
    """The first position of a deal, its decks known, with the marker of power at a seat."""
    duel = GAMES["duel"]
    fields = duel.new(2, deal).to_position()
    fields["duel"]["power"] = fields["duel"]["first_player"] = COLOURS[starter]
    return duel.from_position(fields)


def play(deal: int, starter: int, bot: str, iterations: int, catalogue: Path | None) -> BalanceGame:
    """Play one game between two of the bot."""
    if catalogue:
        game_of_catalogue(catalogue)
    player, luck = parse_bot(bot), Rng(derived_seed("nature", deal))
    state = opening(deal, starter)
    for ply in decisions(state, luck):
        seed = derived_seed("move", deal, starter, ply)
        state.play(player.choose(state.observe(state.turn), seed, Budget(iterations=iterations)).action)
    sections = [
        [len(player[f"section_{number}"]) for number in (1, 2, 3)] for player in state.to_position()["duel"]["players"]
    ]
    return BalanceGame(deal, starter, state.returns()[0] == 1, any(placed == [3, 3, 3] for placed in sections))


def games(
    count: int, run: Callable[[int, int], BalanceGame], workers: int, done: list[BalanceGame]
) -> Iterator[BalanceGame]:
    """Play the missing games of the first deals, on several processes."""
    there = {(game.deal, game.starter) for game in done}
    due = [(i // 2, i % 2) for i in range(count) if (i // 2, i % 2) not in there]
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run, [deal for deal, _ in due], [starter for _, starter in due], chunksize=2)


def share(wins: list[bool]) -> dict[str, float]:
    """Return the share of games won, with its 95 % interval (Wilson)."""
    n, z = len(wins), 1.96
    p = sum(wins) / n
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return {"games": n, "share": round(p, 4), "low": round(low, 4), "high": round(high, 4)}


def report(played: list[BalanceGame]) -> dict[str, dict[str, float]]:
    """Return red's share of wins in all games and by who began, the starter's share, and how games ended."""
    begun = [[game for game in played if game.starter == starter] for starter in (0, 1)]
    return {
        "red wins where red begins, as the rules have it": share([game.red_won for game in begun[0]]),
        "red wins where blue begins": share([game.red_won for game in begun[1]]),
        "red wins, whoever begins": share([game.red_won for game in played]),
        "who begins wins, of either colour": share([game.red_won == (game.starter == 0) for game in played]),
        "a building is completed, where red begins": share([game.completed for game in begun[0]]),
        "a building is completed": share([game.completed for game in played]),
    }


def keep(
    path: Path, head: dict[str, object], fresh: Callable[[list[BalanceGame]], Iterator[BalanceGame]]
) -> list[BalanceGame]:
    """Yield the games of a file and the new ones, which are appended to it; its first line identifies the match."""
    lines = path.read_text().splitlines() if path.exists() else []
    if lines and json.loads(lines[0]) != head:
        raise ValueError(f"{path}: holds games of {lines[0]}")
    played = [BalanceGame(**json.loads(line)) for line in lines[1:]]
    with path.open("a") as file:
        if not lines:
            file.write(json.dumps(head) + "\n")
        for game in fresh(list(played)):
            played.append(game)
            file.write(json.dumps(asdict(game)) + "\n")
            file.flush()
    return played


def main() -> None:
    """Print the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--bot", default=BOT)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--catalogue", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    head = {"bot": options.bot, "iterations": options.iterations}
    head["catalogue"] = DuelCatalogue.load(options.catalogue).content_hash()
    run = partial(play, bot=options.bot, iterations=options.iterations, catalogue=options.catalogue)
    fresh = partial(games, options.games, run, options.workers)
    played = list(fresh([])) if options.out is None else keep(options.out, head, fresh)
    json.dump(head | report(played), sys.stdout, indent=2)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
