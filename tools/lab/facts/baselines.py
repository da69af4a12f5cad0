"""Baselines of docs/environments.md: what fixed players win, how much of it is luck, and what taking luck out saves.

    python -m tools.lab.facts.baselines play [--only NAME] [--folder FOLDER]
    python -m tools.lab.facts.baselines table [--folder FOLDER]      # what each player wins
    python -m tools.lab.facts.baselines causes [--folder FOLDER]     # what strength and luck explain, and games saved

In each pair, the first player has one seat and the second all others, in every seating of each deal. A run that was
ended continues. NAME is a game and number of players, as in `cathedral-3`.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from statistics import fmean, pvariance

from clerestory.engine import GAMES
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.match import GameResult, Match, play_game
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import Report, report, whole_deals
from clerestory.search.intervals import Interval
from tools.lab.commands import run
from tools.lab.facts.figures import share_of_variance

FOLDER = Path("build/baselines")
TABLES = (("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2))  # games and numbers of players
FIRST_SEED = 6_500_000
BUDGET = "20000it"  # a level uses no more than its own iterations
LOW, HIGH = "ismcts:level=3", "ismcts:level=6"
PAIRS = (  # player and budget, opponent, about how many games
    ("random", "greedy", 240),
    ("greedy", LOW, 240),
    ("ismcts:level=1", LOW, 120),
    ("ismcts:level=2", LOW, 120),
    (LOW, LOW, 240),
    ("ismcts:level=4", LOW, 120),
    ("ismcts:level=5", HIGH, 36),
    (HIGH, HIGH, 36),
    ("ismcts:level=7", HIGH, 36),
    ("ismcts@5000it", HIGH, 36),
    ("ismcts:level=8", HIGH, 16),
)
DRAWS = 1000  # resamples of the deals for intervals

Deals = Sequence[Sequence[GameResult]]


def match_of(game: str, seats: int, pair: tuple[str, str, int]) -> Match:
    """Return the match of a pair."""
    player, _, budget = pair[0].partition("@")
    deals = -(-pair[2] // seats)
    return Match(partial(itemgetter(game), GAMES), seats, (player, pair[1]), budget or BUDGET, FIRST_SEED, deals, "net")


def path_of(folder: Path, game: str, seats: int, pair: tuple[str, str, int]) -> Path:
    """Return the file of a pair's games."""
    names = "-".join(name.replace(":", "-").replace("=", "") for name in pair[:2])
    return folder / f"{game}-{seats}-{names}.jsonl"


def play(folder: Path, game: str, seats: int) -> None:
    """Play the games of all pairs that are not stored yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for pair in PAIRS:
        match = match_of(game, seats, pair)
        with open_results(path_of(folder, game, seats, pair), match) as results:
            there = {(game.deal, game.seat) for game in results.games}
            for deal in range(match.seed, match.seed + match.deals):
                for seat in set(range(seats)) - {seat for number, seat in there if number == deal}:
                    if (played := play_game(match, deal, seat)) is not None:
                        results.add(played)


# -- figures ---------------------------------------------------------------------------------------


def strength(deals: Deals) -> float:
    """Return the share of the variance of results about an even one that which player it is explains."""
    games = list(chain(*deals))
    even = 1 / len(games[0].returns)
    results = [game.returns[game.seat] - even for game in games]
    return fmean(results) ** 2 / (fmean(result * result for result in results) or 1.0)


def luck(deals: Deals) -> float:
    """Return the share of the same variance that the luck of the player's seat explains."""
    games = list(chain(*deals))
    found = share_of_variance([luck_of(game) for game in games], [game.returns[game.seat] for game in games])
    return (1 - strength(deals)) * found


def saved(deals: Deals) -> float:
    """Return the share of games that results without luck save for the same error."""
    results = [fmean(game.returns[game.seat] for game in deal) for deal in deals]
    less = [fmean(game.returns[game.seat] - luck_of(game) for game in deal) for deal in deals]
    spread = pvariance(results)
    return 1 - pvariance(less) / spread if spread else 0.0


def varied(deals: Deals) -> bool:
    """Whether the deals had different results, so that there is something to explain."""
    return len({sum(game.returns[game.seat] for game in deal) for deal in deals}) > 1


def luck_of(game: GameResult) -> float:
    """Return the luck of the first player."""
    assert game.luck is not None
    return game.luck[game.seat]


def with_interval(figure: Callable[[Deals], float], deals: Deals) -> Interval:
    """Return a figure in percent with the 95 % interval over resamples of the deals (Efron 1979, Ann. Stat. 7)."""
    resampling = random.Random(1)
    draws = sorted(figure(resampling.choices(deals, k=len(deals))) for _ in range(DRAWS))
    return Interval(*(100 * one for one in (figure(deals), draws[DRAWS // 40], draws[-1 - DRAWS // 40])))


# -- the tables ------------------------------------------------------------------------------------


def table(folder: Path) -> Iterator[str]:
    """Yield a table with a row for each pair: win share with its interval, and margin, by game."""
    yield f"| player | opponents | games | {' | '.join(f'`{game}`, {seats}' for game, seats in TABLES)} |"
    yield "| -- | -- | -- |" + " -- |" * len(TABLES)
    for pair in PAIRS:
        found = [played(folder, game, seats, pair) for game, seats in TABLES]
        counts = sorted({sum(map(len, one[1])) for one in found if one})
        cells = [f"{cell(percent(one[0].score))}; {one[0].margin.mean:.1f}" if one else "" for one in found]
        if counts:
            yield line(*map(titled, pair[:2]), " to ".join(map(str, counts)), *cells)


def causes(folder: Path) -> Iterator[str]:
    """Yield a table with a row for each game and pair whose deals had different results."""
    yield "| game | player | opponents | by strength | by luck | games saved |"
    yield "| -- | -- | -- | -- | -- | -- |"
    for (game, seats), pair in product(TABLES, PAIRS):
        if (found := played(folder, game, seats, pair)) and varied(found[1]):
            figures = [cell(with_interval(one, found[1]), 0) for one in (strength, luck, saved)]
            yield line(f"`{game}`, {seats}", *map(titled, pair[:2]), *figures)


def played(folder: Path, game: str, seats: int, pair: tuple[str, str, int]) -> tuple[Report, Deals] | None:
    """Return the report and the deals of a pair, if it has played two."""
    if not (path := path_of(folder, game, seats, pair)).exists():
        return None
    match = match_of(game, seats, pair)
    with open_results(path, match) as results:
        found, deals = report(match, results), whole_deals(results.of(match), match.seats)
    return None if found is None or len(deals) < 2 else (found, deals)


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def percent(found: Interval) -> Interval:
    return Interval(*(100 * one for one in (found.mean, found.low, found.high)))


def titled(name: str) -> str:
    """Return the name of a player in the table."""
    bot, _, budget = name.partition("@")
    if "level=" in bot:
        return f"level {bot.partition('=')[2]}"
    return f"{int(budget[:-2]):,} iterations" if bot == "ismcts" else f"`{bot}`"


def cell(found: Interval, decimals: int = 1) -> str:
    """Return a figure with its interval."""
    return f"{found.mean:.{decimals}f} [{found.low:.{decimals}f}, {found.high:.{decimals}f}]"


TABLES_BY_NAME = {"table": table, "causes": causes}


def main() -> None:
    """Run the command; report files in use or of another match in one line."""
    try:
        run_command()
    except BadMatch as error:
        sys.exit(str(error))


def run_command() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("play", *TABLES_BY_NAME))
    parser.add_argument("--only", choices=[f"{game}-{seats}" for game, seats in TABLES])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    if write := TABLES_BY_NAME.get(options.command):
        sys.stdout.write("\n".join(write(options.folder)) + "\n")
        return
    for game, seats in TABLES:
        if options.only in (None, f"{game}-{seats}"):
            play(options.folder, game, seats)


if __name__ == "__main__":
    run(main)
