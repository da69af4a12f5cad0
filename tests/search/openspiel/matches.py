"""Matches of the search as it is shipped against OpenSpiel's ISMCTS with random playouts, at equal iterations a move.

Every deal is played in all seatings, with OpenSpiel in all seats but one. OpenSpiel gets what our own plain search has:
our determinizer, and no knowledge of the game.
"""

from functools import partial
from statistics import fmean

from clerestory.arena.bots import Budget, Move, parse_bot
from clerestory.arena.match import ChooseMove, play_between
from clerestory.engine import GAMES, State
from tests.search.openspiel.agreement import their_choice


def theirs(view: State, seed: int, iterations: int) -> Move:
    """Decide as OpenSpiel's search does; forced moves are made at once."""
    legal = view.legal_actions()
    choice = legal[0].text if len(legal) == 1 else their_choice(view, seed % 2**32, iterations)
    return Move(choice, iterations, 0.0)


def scores(game: str, seats: int, iterations: int, deals: range, bot: str = "ismcts") -> list[float]:
    """Return our share of the wins in each deal, over all seatings."""
    us: ChooseMove = partial(parse_bot(bot).choose, budget=Budget(iterations=iterations))
    them: ChooseMove = partial(theirs, iterations=iterations)
    found = []
    for deal in deals:
        results = [
            play_between([us if here == seat else them for here in range(seats)], GAMES[game], deal, seat)
            for seat in range(seats)
        ]
        found.append(fmean(result.returns[result.seat] for result in results if result is not None))
    return found
