"""The options of a search, apart from its limits."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from clerestory.engine.core import Game
from clerestory.engine.value import LEARNED, value_in_use
from clerestory.search.errors import BadLimit

REWARDS = {"win": 0.0, "margin": 1.0, "mix": 0.5}  # share of the margin in the reward
PLAYOUTS = ("uniform", "informed", "mast")
SELECTIONS = ("ucb1", "puct")
PRIORS = ("guide", "learned")
CHOICES = ("visits", "bound")
IDENTITIES = ("graph", "tree", "open")
ENDINGS = ("sampled", "proven")
ALLOCATIONS = ("selection", "even")
WELL_VISITED = 0.5  # of the most visits: enough for a lower bound to be trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to search; the defaults are those of `ismcts-plain`.

    Attributes:
        selection: how to choose in the tree: `ucb1`, every action once, then upper confidence bounds; `puct`, upper
            confidence bounds with the guide's weights as priors.
        exploration: the constant of either, in rewards, 0 or more.
        growth: added to the constant of `puct` in a node, 0 or more, for each doubling of 1 + its visits / 500: so a
            search soon settles on a line, but in the long run also tries the others.
        prior_floor: share of the priors, 0 to 1, that is divided evenly among the actions, so that all are tried.
        priors: what they are proportional to: `guide`, the guide's weights; `learned`, these times the factors by round
            and action that were learned with the value, if it has any.
        reward: what every seat maximizes: `win`, its win share; `margin`, its margin, scaled; `mix`, the mean of the
            two; or a number, the share of the margin in such a mixture, 0 to 1.
        scale: points of margin per unit of reward, above 0; a margin of 0 is a reward of 0.5. By default a Searcher
            uses the game's scale. With `range`, rewards 0 and 1 are the lowest and the highest margin of any seat met
            so far: the scale then grows during the search, and differs from search to search.
        playout: how to choose below the tree: `uniform`, at random; `informed`, in proportion to the guide's weights;
            `mast`, by the mean reward of each action in the same phase so far.
        nodes: what makes a node: `graph`, an information set, however it was reached; `tree`, an information set and
            the path to it; `open`, the seats' actions since the root, whatever the chance events (open loop).
        allocation: which action of the root, or which outcome of its chance event, an iteration takes: `selection`, the
            selected or drawn one; `even`, each in turn, all turns of a round in the same world with the same random
            numbers, for comparisons. All lines then have equally many visits, so no line counts as the best.
        horizon: plies of a playout, chance events included, after which the value at the next decision
            replaces the rest of the game; None plays to the end.
        value: evaluates the position where a playout stops: the name of a value of the game, `hand` for the guide's,
            `net` for the shipped learned one; or the path of a file of weights.
        temperature: lead in points that multiplies the odds of winning by e, for values without win shares; by default
            a Searcher uses the game's.
        sharpness: exponent, above 0, to which the reported win shares of a line are raised, then scaled to add up to 1:
            below 1 they are less confident. Fitted so that of all positions reported as 60 %, 60 % are won; the
            search itself uses the original shares.
        endings: the value of play that ends the game without further chance events: `sampled`, the mean of what was
            tried; `proven`, the outcome of best play once it is known. Has an effect only with `puct` and `graph`, if
            no seat knows more of the root than an onlooker does.
        choice: the best line: `visits`, the most visited; `bound`, the highest lower bound among those
            with at least half of the most visits.
        deviations: standard errors from a line's reward down to its lower bound, 0 or more.

    Raises BadLimit, which names the option.
    """

    temperature: float
    scale: float | str
    selection: str = "ucb1"
    exploration: float = 0.7
    growth: float = 0.0
    prior_floor: float = 0.0
    priors: str = "guide"
    reward: str | float = "win"
    playout: str = "uniform"
    nodes: str = "graph"
    allocation: str = "selection"
    horizon: int | None = None
    value: str = "hand"
    sharpness: float = 1.0
    endings: str = "sampled"
    choice: str = "visits"
    deviations: float = 2.0

    def __post_init__(self) -> None:
        """Check every option."""
        require_choice("selection", self.selection, SELECTIONS)
        require_number("exploration", self.exploration)
        require_number("growth", self.growth)
        require_share("prior_floor", self.prior_floor)
        require_choice("priors", self.priors, PRIORS)
        if isinstance(self.reward, str):
            require_choice("reward", self.reward, REWARDS)
        else:
            require_share("reward", self.reward)
        if self.scale != "range":
            require_positive("scale", self.scale)
        require_choice("playout", self.playout, PLAYOUTS)
        require_choice("nodes", self.nodes, IDENTITIES)
        require_choice("allocation", self.allocation, ALLOCATIONS)
        if self.horizon is not None and (type(self.horizon) is not int or not 0 <= self.horizon < 1 << 31):
            raise BadLimit("horizon", f"{self.horizon!r} is not a whole number of 0 or more")
        if not isinstance(self.value, str):
            raise BadLimit("value", f"{self.value!r} is no name of a value")
        require_positive("temperature", self.temperature)
        require_positive("sharpness", self.sharpness)
        require_choice("endings", self.endings, ENDINGS)
        require_choice("choice", self.choice, CHOICES)
        require_number("deviations", self.deviations)

    @property
    def margin_share(self) -> float:
        """Share of the margin in the reward, 0 to 1."""
        return REWARDS[self.reward] if isinstance(self.reward, str) else self.reward

    @property
    def proves(self) -> bool:
        """Whether a tree with these options can keep proofs."""
        return self.endings == "proven" and self.selection == "puct" and self.nodes == "graph"

    @property
    def rival_share(self) -> float:
        """Share of the most visits that a line needs to be the best."""
        return WELL_VISITED if self.choice == "bound" else 1.0

    @property
    def guide_needed_by(self) -> str | None:
        """The first option that needs the game to have a guide."""
        if self.playout != "uniform":
            return "playout"
        if self.horizon is not None:
            return "horizon"
        if self.priors != "guide":
            return "priors"
        return "selection" if self.selection == "puct" else None


def shipped(game: Game, seats: int) -> Mapping[str, Any]:
    """Return the options by which a game's shipped search differs from `ismcts-plain`.

    The shipped search uses the learned value if one is shipped for the cards in use, else the hand-made one.
    """
    return {**game.tuning.search[seats], **(game.tuning.learned.get(seats, {}) if asks_learned(game) else {})}


def asks_learned(game: Game) -> bool:
    """Whether the shipped search of a game uses a learned value."""
    return value_in_use(game)[0] == LEARNED


def require_number(name: str, value: object) -> None:
    """Raise BadLimit unless the value is a finite number of 0 or more."""
    if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise BadLimit(name, f"{value!r} is not a number of 0 or more")


def require_share(name: str, value: object) -> None:
    """Raise BadLimit unless the value is a number from 0 to 1."""
    require_number(name, value)
    if isinstance(value, (int, float)) and value > 1:
        raise BadLimit(name, f"{value!r} is more than 1")


def require_positive(name: str, value: object) -> None:
    """Raise BadLimit unless the value is a finite number above 0."""
    require_number(name, value)
    if value == 0:
        raise BadLimit(name, "0 is not a number above 0")


def require_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Raise BadLimit unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise BadLimit(name, f"{value!r} is not one of {', '.join(choices)}")
