"""What can be chosen about a search, besides its limits."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from clerestory.search.errors import BadLimit

REWARDS = {"win": 0.0, "margin": 1.0, "mix": 0.5}  # share of the margin in the reward
PLAYOUTS = ("uniform", "informed", "habit")
SELECTIONS = ("ucb1", "puct")
CHOICES = ("visits", "bound")
IDENTITIES = ("graph", "tree", "open")
WELL_VISITED = 0.15  # of the most visits: enough for a lower bound to be trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to search; the defaults are those of `ismcts-plain`.

    Attributes:
        selection: how to walk down: `ucb1`, every action once, then by its mean and how seldom it was taken; `puct`,
            the sooner and the more often the more weight the guide gives an action.
        exploration: the constant of either, in rewards, 0 or more.
        reward: what a seat is thought to want: `win`, its win share; `margin`, its margin, where 0 is the
            lowest margin of any seat that the search has met so far and 1 the highest; `mix`, their mean.
        playout: `uniform`, every legal action alike; `informed`, in proportion to the guide's weights; `habit`, by
            what came of the actions in the same phase so far.
        nodes: what is one node: `graph`, an information set, however it was reached; `tree`, an information set
            and the way to it; `open`, the seats' actions since the root, whatever came up (open loop).
        horizon: plies of playout, chance events included, after which the guide's value stands for the rest of the
            game, as soon as a seat is to decide; None plays to the end.
        temper: points by which a seat must lead in the guide's value for its odds to win to grow e-fold.
        choice: the best line: `visits`, the most visited; `bound`, the highest lower bound among those
            with at least 15 % of the most visits.
        deviations: standard errors from a line's reward down to its lower bound, 0 or more.

    Raises BadLimit, which names the option.
    """

    selection: str = "ucb1"
    exploration: float = 0.7
    reward: str = "win"
    playout: str = "uniform"
    nodes: str = "graph"
    horizon: int | None = None
    temper: float = 8.0
    choice: str = "visits"
    deviations: float = 2.0

    def __post_init__(self) -> None:
        """Check every option."""
        owe_choice("selection", self.selection, SELECTIONS)
        owe_number("exploration", self.exploration)
        owe_choice("reward", self.reward, REWARDS)
        owe_choice("playout", self.playout, PLAYOUTS)
        owe_choice("nodes", self.nodes, IDENTITIES)
        if self.horizon is not None and (type(self.horizon) is not int or not 0 <= self.horizon < 1 << 31):
            raise BadLimit("horizon", f"{self.horizon!r} is not a whole number of 0 or more")
        owe_number("temper", self.temper)
        if self.temper == 0:
            raise BadLimit("temper", "0 is not a number above 0")
        owe_choice("choice", self.choice, CHOICES)
        owe_number("deviations", self.deviations)

    @property
    def rival_share(self) -> float:
        """Share of the most visits below which a line cannot be the best."""
        return WELL_VISITED if self.choice == "bound" else 1.0

    @property
    def guide_needed_by(self) -> str | None:
        """The first option that needs the game to have a guide."""
        if self.playout != "uniform":
            return "playout"
        if self.horizon is not None:
            return "horizon"
        return "selection" if self.selection == "puct" else None


def shipped(seats: int) -> dict[str, Any]:
    """Return the search as it is shipped: what differs from `ismcts-plain`. docs/decisions/ says why."""
    return {
        "reward": "margin",
        "selection": "puct",
        "exploration": 0.5,
        "playout": "informed",
        "horizon": 20 if seats == 2 else 0,
    }


def owe_number(name: str, value: object) -> None:
    """Raise BadLimit unless the value is a finite number of 0 or more."""
    if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise BadLimit(name, f"{value!r} is not a number of 0 or more")


def owe_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Raise BadLimit unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise BadLimit(name, f"{value!r} is not one of {', '.join(choices)}")
