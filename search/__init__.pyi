"""The search: information-set Monte Carlo tree search over the contract, independent of any game and of the network."""

from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide, SearchError, WrongSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import Options
from clerestory.search.result import Result, StopReason
from clerestory.search.root import Root, observe

__all__ = [
    "BadLimit",
    "HiddenFromSeat",
    "Line",
    "NothingToDecide",
    "Options",
    "Result",
    "Root",
    "SearchError",
    "Searcher",
    "StopReason",
    "WrongSeat",
    "observe",
]
