"""Measures how much strength a move loses under load: many games at a time, played through the service.

`python -m loadtest.strength --at-once 2,4,8,16 --deals 40` plays, for each number, that many games at a time, with
calls that have a time budget. It then plays the same deals with a search in this process that has the calls' mean
number of iterations. A further loss of the service would have a cause other than fewer iterations.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import mean
from time import monotonic
from typing import Annotated, Any

import typer

from clerestory.clients import Advisor
from clerestory.engine import GAMES, State
from clerestory.search.arena.bots import Budget, Move, parse_bot
from clerestory.search.arena.match import ChooseMove, GameResult, play_between
from clerestory.search.arena.statistics import elo_interval, score_interval
from loadtest.options import DEFAULT_GAME, read_numbers
from loadtest.server import own_server

SEATS = 2
ROOM = ("--min-iterations", "1")  # admits every call


def served(advisor: Advisor, seconds: float, calls: list[int]) -> ChooseMove:
    """Return a player that calls a server with a time budget, and records the iterations of each call."""

    def choose(view: State, seed: int) -> Move:
        began = monotonic()
        answer = advisor.recommend(view, seconds, seed=seed >> 11, lines=1, early_stop=False)
        assert answer.best is not None
        calls.append(answer.iterations)
        return Move(answer.best.text, answer.iterations, monotonic() - began)

    return choose


def alone(bot: str, budget: Budget) -> ChooseMove:
    """Return a player that searches in this process."""
    return partial(parse_bot(bot).choose, budget=budget)


def if_any(player: ChooseMove) -> ChooseMove:
    """Return a player that consults the given one only if there is a choice."""

    def choose(view: State, seed: int) -> Move:
        legal = view.legal_actions()
        return player(view, seed) if len(legal) > 1 else Move(legal[0].text, 0, 0.0)

    return choose


def play(tested: ChooseMove, rival: ChooseMove, deals: Sequence[int], at_once: int) -> list[list[GameResult]]:
    """Play each deal from both seats, `at_once` games at a time; return the games by deal."""

    def one(number: int) -> GameResult:
        deal, seat = deals[number // SEATS], number % SEATS
        players = [if_any(tested if here == seat else rival) for here in range(SEATS)]
        played = play_between(players, GAMES[DEFAULT_GAME], deal, seat)
        assert played is not None
        return played

    with ThreadPoolExecutor(at_once) as pool:
        games = list(pool.map(one, range(SEATS * len(deals))))
    return [games[first : first + SEATS] for first in range(0, len(games), SEATS)]


def figures(games: Sequence[Sequence[GameResult]]) -> dict[str, Any]:
    """Return score and Elo of the player under test, with 95 % intervals; the deal is the sampling unit."""
    score = score_interval([mean(game.returns[game.seat] for game in deal) for deal in games])
    elo = elo_interval(score, SEATS)
    return {
        "games": SEATS * len(games),
        "score": [round(value, 3) for value in (score.mean, score.low, score.high)],
        "elo": [round(value) if abs(value) < float("inf") else None for value in (elo.mean, elo.low, elo.high)],
    }


def under_load(at_once: int, seconds: float, rival: ChooseMove, deals: Sequence[int]) -> dict[str, Any]:
    """Play through the service; return the figures, with the mean iterations of a call."""
    calls: list[int] = []
    with own_server("--workers", "2", *ROOM) as server, Advisor(server.target) as advisor:
        games = play(served(advisor, seconds, calls), rival, deals, at_once)
    return {"at_once": at_once, "load": at_once / 2, "iterations": round(mean(calls)), **figures(games)}


def main(
    at_once: Annotated[str, typer.Option(help="Numbers of games at a time; two are 1x with two workers.")] = "2,4,8,16",
    deals: Annotated[int, typer.Option(help="Each is two games.")] = 40,
    seconds: Annotated[float, typer.Option(help="Time budget of a call.")] = 0.05,
    rival: Annotated[str, typer.Option(help="The opponent, in this process.")] = "ismcts",
    rival_budget: Annotated[str, typer.Option(help="What it may spend on a move.")] = "2000it",
    seed: Annotated[int, typer.Option(help="Of the first deal.")] = 1,
) -> None:
    """Print a line of JSON for each number: through the service, and alone with as many iterations."""
    opponent, numbers = alone(rival, Budget.parse(rival_budget)), range(seed, seed + deals)
    for number in read_numbers(at_once, int):
        loaded = under_load(number, seconds, opponent, numbers)
        same = alone("ismcts", Budget(iterations=loaded["iterations"]))
        typer.echo(json.dumps({**loaded, "by_iterations": figures(play(same, opponent, numbers, 2))}))


if __name__ == "__main__":
    typer.run(main)
