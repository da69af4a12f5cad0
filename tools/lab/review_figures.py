"""Figures of reviews: `python -m tools.lab.review_figures WHAT --game GAME --seats 3`.

    options    for sets of options, at equal time: steps at which the best action was played, and luck
    calibration  Brier score of shares by horizon and temperature, and a reliability table
    floors     the noise floor by phase of the game, as in floors.toml; and what moves the shares: mean squares a game
    luck       mean luck of each source, which must be 0 within its error
    levels     mean loss of a decision of each level, which must fall from level to level
    blunders   actions that cost at least 0.10 according to a long search, planted in games: how many are found

Games are played by `ismcts` with --thinking iterations a decision (by default --iterations), and reviewed with
--iterations a search. Equal arguments print equal figures.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import pairwise, product
from math import sqrt
from statistics import fmean, stdev
from time import thread_time
from typing import Any

from clerestory.cli.options import DEFAULT_GAME
from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.match import decisions, derived_seed
from clerestory.search.ismcts import Searcher
from clerestory.search.review import UNIT, Annotation, ReviewPlan, annotate
from clerestory.search.review.annotating import answered
from clerestory.search.review.classes import SeatFigures, quiet_steps, steps
from clerestory.search.review.course import plies_of
from clerestory.search.review.ledger import PlyValuation, revaluations
from clerestory.search.review.plan import LEAST
from clerestory.search.review.study import study, value_of
from clerestory.search.root import observe_decision
from tools.lab.review_games import Setting, played

TRIED = list(product((0, 20, 60), (2.0, 3.0, 4.0, 6.0, 8.0)))  # horizons and temperatures
SAMPLED, SPREAD = 8, 5  # decisions per game, at equal distances, beginning with one of the first SPREAD
LEVELS = range(1, 9)
PHASES = {"cathedral": (1, 3, 5), "duel": (1, 5, 9)}  # first rounds of the phases of a game
WINDOW, WINDOWS = 8, 6  # consecutive plies in a window, and windows per game
SEARCHES: tuple[dict[str, Any], ...] = (
    {"exploration": 0.5},  # as played
    {"exploration": 0.25},
    {"exploration": 0.12},
    {"exploration": 0.06},
    {"exploration": 0.12, "horizon": 10},
    {"exploration": 0.12, "reward": "mix"},
)
COSTS = 0.10  # share of a win: minimum cost of a planted blunder
LONG = 10  # factor of the iterations that verify blunders


# -- options ---------------------------------------------------------------------------------------


def options_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield the movement of the shares from ply to ply under each set of options, with equal time for every search."""
    speed = seconds_an_iteration(setting, SEARCHES[0])
    for options in SEARCHES:
        slower = seconds_an_iteration(setting, options) / speed
        plan = ReviewPlan(iterations=max(int(setting.iterations / slower), LEAST), options=options)
        found = [one for windows in pool.map(partial(studied, setting, plan), games) for one in windows]
        yield {"options": options, "iterations": plan.iterations} | movement(found)


def seconds_an_iteration(setting: Setting, options: Mapping[str, Any]) -> float:
    """Return the CPU time of an iteration: the minimum of three rounds over some decisions of a game."""
    roots = [ply.root for ply in plies_of(played(setting, 0)) if ply.root is not None and ply.turn != NATURE]
    settings, some = (
        ReviewPlan(options=dict(options)).settings(GAMES[setting.game], setting.seats),
        roots[:: len(roots) // 6],
    )
    rounds = []
    for _ in range(3):
        began = thread_time()
        for root in some:
            Searcher(root, seed=1, **settings).run(iterations=setting.iterations)
        rounds.append(thread_time() - began)
    return min(rounds) / len(some) / setting.iterations


def studied(setting: Setting, plan: ReviewPlan, seed: int) -> list[list[PlyValuation]]:
    """Return windows of valued plies from a game of the bots."""
    plies = [ply for ply in plies_of(played(setting, seed)) if ply.root is not None]
    starts = range(seed % WINDOW, len(plies) - WINDOW, len(plies) // WINDOWS)
    return [[answered(study(ply, plan)) for ply in plies[start : start + WINDOW]] for start in starts]


def movement(windows: Sequence[Sequence[PlyValuation]]) -> dict[str, Any]:
    """Return the movement of the shares: between plies, where the best action was played, and by luck."""
    moved = [size for window in windows for size in steps(window)]
    quiet = [
        then.before[one.seat] - one.after[one.seat]
        for window in windows
        for one, then in pairwise(window)
        if one.seat != NATURE and one.loss == 0
    ]
    luck = [max(map(abs, one.change)) for window in windows for one in window if one.seat == NATURE]
    return {
        "floor": round(sqrt(fmean(step * step for step in quiet)) / UNIT, 5),
        "quiet_mean": round(fmean(quiet) / UNIT, 5),
        "revaluation": round(fmean(moved) / UNIT, 5),
        "luck": round(fmean(luck) / UNIT, 5),
        "ratio": round(fmean(moved) / fmean(luck), 3),
        "steps": len(moved),
    }


def reviewed(setting: Setting, plan: ReviewPlan, seed: int) -> Annotation:
    """Return the review of a game of the bots."""
    return annotate(played(setting, seed), plan)


# -- calibration -----------------------------------------------------------------------------------


def calibration_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield the Brier score of shares by horizon and temperature, on each half of the games; then a reliability table.

    The options that are best on the first half are judged on the second.
    """
    found = list(pool.map(partial(said_and_won, setting), games))
    scores = {}
    for number, (horizon, temperature) in enumerate(TRIED):
        fit, test = (
            fmean((predicted - won) ** 2 for one in half for predicted, won in one[number]) * setting.seats
            for half in (found[: len(games) // 2], found[len(games) // 2 :])
        )
        scores[fit] = number
        yield {
            "horizon": horizon,
            "temperature": temperature,
            "brier": round(fit, 4),
            "brier_of_others": round(test, 4),
        }
    best = scores[min(scores)]
    pairs = [pair for one in found[len(games) // 2 :] for pair in one[best]]
    yield {"best": TRIED[best], "reliability": reliability(pairs)}


def said_and_won(setting: Setting, seed: int) -> list[list[tuple[float, float]]]:
    """Return predicted and actual shares, by option tried, for some decisions of a game of the bots."""
    end = played(setting, seed)
    plies = [ply for ply in plies_of(end) if ply.turn != NATURE and ply.root is not None]
    chosen = plies[seed % SPREAD :: max(len(plies) // SAMPLED, 1)]
    found = []
    for horizon, temperature in TRIED:
        plan = ReviewPlan(
            iterations=setting.iterations, seed=seed, options={"horizon": horizon, "temperature": temperature}
        )
        pairs = []
        for ply in chosen:
            shares = answered(value_of(ply.root, plan, ply.number)) if ply.root else ()
            pairs += [(share / UNIT, won) for share, won in zip(shares, end.win_shares(), strict=True)]
        found.append(pairs)
    return found


def reliability(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Return, for each tenth of the predicted shares, their mean, the mean share won, and their number."""
    bins: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    for predicted, won in pairs:
        bins[min(int(10 * predicted), 9)].append((predicted, won))
    return [
        (round(fmean(predicted for predicted, _ in one), 3), round(fmean(won for _, won in one), 3), len(one))
        for one in bins
        if one
    ]


# -- floors ----------------------------------------------------------------------------------------


def floors_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield the noise floor by first round, in thousandths of a win, with the number of steps behind it."""
    steps: dict[int, list[int]] = {first: [] for first in PHASES[setting.game]}
    sizes, moves = [], []
    for review in pool.map(partial(reviewed, setting, ReviewPlan(iterations=setting.iterations)), games):
        sizes.append(review.remainder())
        moves.append(squares(review))
        for place, step in quiet_steps(review.valuations, review.final):
            steps[max(first for first in steps if first <= review.valuations[place].round)].append(step)
    yield {str(setting.seats): {str(first): floor_of(found) for first, found in steps.items()}}
    yield {"steps": {first: len(found) for first, found in steps.items()}} | ratio(sizes)
    yield {"squares": {name: round(fmean(one[name] for one in moves), 4) for name in moves[0]}}


def squares(review: Annotation) -> dict[str, float]:
    """Return the sums of the squared changes of the first seat's share, by cause; `result` is that of the whole game.

    If every share were right, the three causes would add up to the result on average: changes would be uncorrelated, so
    their variances add up.
    """
    luck, errors = (
        sum((one.change[0] / UNIT) ** 2 for one in review.valuations if (one.seat == NATURE) == chance)
        for chance in (True, False)
    )
    revalued = sum((change[0] / UNIT) ** 2 for change in revaluations(review.valuations, review.final))
    result = ((review.final[0] - review.valuations[0].before[0]) / UNIT) ** 2
    return {"luck": luck, "errors": errors, "revaluation": revalued, "result": result}


def floor_of(steps: Sequence[int]) -> float:
    """Return the spread of steps at which nothing should have changed, in thousandths of a win."""
    return round(1000 * sqrt(fmean(step * step for step in steps)) / UNIT, 1)


def ratio(sizes: Sequence[Mapping[str, float | None]]) -> dict[str, float]:
    """Return the mean size of a revaluation, that of luck, and their ratio, over games."""
    revaluation, luck = (
        fmean(one[name] or 0.0 for one in sizes) / UNIT for name in ("mean_revaluation_a_ply", "mean_luck_an_event")
    )
    return {"revaluation": round(revaluation, 5), "luck": round(luck, 5), "ratio": round(revaluation / luck, 3)}


# -- luck ------------------------------------------------------------------------------------------


def luck_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield the mean luck of the first seat by source, over games, with its standard error."""
    found = list(pool.map(partial(luck_of, setting), games))
    for source in sorted({source for one in found for source in one}):
        sums = [one.get(source, 0) / UNIT for one in found]
        error = stdev(sums) / sqrt(len(sums)) or 1.0
        yield {
            "source": source,
            "mean": round(fmean(sums), 4),
            "error": round(error, 4),
            "sigmas": round(fmean(sums) / error, 2),
            "games": len(sums),
        }


def luck_of(setting: Setting, seed: int) -> dict[str, int]:
    """Return the luck of the first seat by source, in a game of the bots."""
    plan, luck = ReviewPlan(iterations=setting.iterations, seed=seed), dict[str, int]()
    for ply in plies_of(played(setting, seed)):
        if ply.turn == NATURE and ply.root is not None:
            one = answered(study(ply, plan))
            luck[one.source] = luck.get(one.source, 0) + one.change[0]
    return luck


# -- levels ----------------------------------------------------------------------------------------


def levels_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield each level's mean loss per decision, from games between neighbours, then that of the shipped search.

    The second to last row is the line of ranks.toml.
    """
    figures: dict[int, list[SeatFigures]] = {level: [] for level in LEVELS}
    for seed, review in zip(games, pool.map(partial(by_neighbours, setting), games), strict=True):
        levels = neighbours(setting.seats, seed)
        for one in review.figures:
            figures[levels[(one.seat + seed) % len(levels)]].append(one)
    rows = {level: losses(found) for level, found in figures.items()}
    yield from ({"bot": f"ismcts:level={level}"} | row for level, row in rows.items())
    yield {"ranks": {str(setting.seats): [round(1000 * row["mean_loss"], 2) for row in rows.values()]}}
    reviews = pool.map(partial(by_bots, setting, ("ismcts",)), games[: max(len(games) // len(LEVELS), 1)])
    yield {"bot": "ismcts"} | losses([one for review in reviews for one in review.figures])


def neighbours(seats: int, seed: int) -> Sequence[int]:
    """Return the levels that play a game: consecutive ones, because against a far stronger level a game is soon lost.

    In a lost game decisions cost little, so the weaker level would seem to lose little.
    """
    first = seed % (len(LEVELS) - seats + 1)
    return LEVELS[first : first + seats]


def by_neighbours(setting: Setting, seed: int) -> Annotation:
    """Return the review of a game between consecutive levels."""
    return by_bots(setting, tuple(f"ismcts:level={level}" for level in neighbours(setting.seats, seed)), seed)


def by_bots(setting: Setting, bots: tuple[str, ...], seed: int) -> Annotation:
    """Return the review of a game of bots."""
    return annotate(played(setting, seed, bots), ReviewPlan(iterations=setting.iterations))


def losses(figures: Sequence[SeatFigures]) -> dict[str, Any]:
    """Return the mean loss of decisions and the rate of errors, from the figures of seats."""
    counted = sum(one.counted for one in figures)
    lost = sum((one.mean_loss or 0.0) * one.counted for one in figures)
    by_seat = [one.mean_loss or 0.0 for one in figures]
    classes = {name: sum(one.classes[name] for one in figures) for name in ("blunder", "mistake", "doubtful")}
    return {
        "mean_loss": round(lost / counted / UNIT, 5),
        "error": round(stdev(by_seat) / sqrt(len(by_seat)) / UNIT, 5) if len(by_seat) > 1 else None,
        "accuracy": round(fmean(one.accuracy or 0.0 for one in figures), 2),
        "counted": counted,
        "mistakes_in_200": round(200 * (classes["blunder"] + classes["mistake"]) / counted, 2),
        **classes,
    }


# -- blunders --------------------------------------------------------------------------------------


def blunder_figures(setting: Setting, games: Sequence[int], pool: Executor) -> Iterator[dict[str, Any]]:
    """Yield how many planted blunders are found; games in which none could be planted do not count."""
    found = [one for one in pool.map(partial(found_blunder, setting), games) if one is not None]
    named = sum(one["class"] != "" for one in found)
    cost, reported = (fmean(one[key] for one in found) for key in ("cost", "loss"))
    yield {"planted": len(found), "found": named, "mean_cost": round(cost, 4), "mean_loss": round(reported, 4)}


def found_blunder(setting: Setting, seed: int) -> dict[str, Any] | None:
    """Plant a blunder in a game, review the game, and return the review's result; None if none was planted."""
    planted = plant(setting, seed)
    if planted is None:
        return None
    end, ply, cost = planted
    review = annotate(end, ReviewPlan(iterations=setting.iterations))
    one = next(one for one in review.valuations if one.ply == ply)
    errors = -review.accounts[one.seat].errors / UNIT
    return {"cost": cost, "loss": one.loss / UNIT, "class": review.class_of(one), "errors": errors}


def plant(setting: Setting, seed: int) -> tuple[State, int, float] | None:
    """Return a game with one blunder, its ply, and its cost by a long search; None if none was possible."""
    state, rng, planted = GAMES[setting.game].new(setting.seats, seed), Rng(derived_seed("figures", seed)), None
    bot, begin = parse_bot("ismcts"), Rng(derived_seed("plant", seed)).below(60)
    for ply in decisions(state, rng):
        if planted is None and ply >= begin:
            worse = blunder_at(state, setting, seed)
            if worse is not None:
                planted = ply + 1, worse[1]
                state.play(worse[0])
                continue
        state.play(bot.choose(state, rng.below(1 << 30), Budget(iterations=setting.iterations)).action)
    return None if planted is None else (state, *planted)


def blunder_at(state: State, setting: Setting, seed: int) -> tuple[str, float] | None:
    """Return an action that costs at least COSTS by a long search, and its cost; None if there is none."""
    if len(state.legal_codes()) < 2:
        return None
    root, seat = observe_decision(state), state.turn
    options = {**ReviewPlan().settings(state.game, state.seats)}
    table = Searcher(root, seed=seed, **options).run(iterations=setting.iterations)
    worst = min((line for line in table.lines if line.visits), key=lambda line: line.win_shares[seat])
    if table.best.win_shares[seat] - worst.win_shares[seat] < COSTS:
        return None
    pair = root.only([state.game.parse_action(line.action).code for line in (table.best, worst)])
    long = Searcher(pair, seed=seed, allocation="even", **options).run(iterations=LONG * setting.iterations)
    shares = {line.action: line.win_shares[seat] for line in long.lines}
    cost = shares[table.best.action] - shares[worst.action]
    return (worst.action, cost) if cost >= COSTS else None


FIGURES = {
    "options": options_figures,
    "calibration": calibration_figures,
    "floors": floors_figures,
    "luck": luck_figures,
    "levels": levels_figures,
    "blunders": blunder_figures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=FIGURES)
    parser.add_argument("--game", default=DEFAULT_GAME)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed of the first game, so that more can be taken later")
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--thinking", type=int, help="iterations of a decision of the players, if others")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    setting = Setting(given.game, given.seats, given.iterations, given.thinking)
    pool = ProcessPoolExecutor(given.processes)
    try:
        for row in FIGURES[given.what](setting, range(given.first, given.first + given.games), pool):
            print(json.dumps(row), flush=True)
    finally:
        pool.shutdown(cancel_futures=True)  # skips the remaining games after an error


if __name__ == "__main__":
    main()
