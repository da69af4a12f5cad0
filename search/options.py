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
        prior_floor: share of the priors, 0 to 1, that is divided evenly among the actions, so that none is starved.
        reward: what every seat maximizes: `win`, its win share; `margin`, its margin, scaled; `mix`, the mean of the
            two; or a number, the share of the margin in such a mixture, 0 to 1.
        scale: points of margin that are one reward, above 0, a margin of 0 being a reward of one half; a Searcher
            takes the game's where none is given. `range` counts from the lowest margin of any seat that the search
            has met, to the highest: the scale then grows as the search goes on, and differs from search to search.
        playout: how to choose below the tree: `uniform`, at random; `informed`, in proportion to the guide's weights;
            `mast`, by the mean reward of each action in the same phase so far.
        nodes: what makes a node: `graph`, an information set, however it was reached; `tree`, an information set and
            the path to it; `open`, the seats' actions since the root, whatever the chance events (open loop).
        allocation: which action of the root, or which outcome of its chance event, an iteration takes: `selection`, as
            selected, or as drawn; `even`, each in its turn, all turns of a round in the same world with the same
            random numbers, for comparisons. All lines are then equally visited, so that none is the best.
        horizon: plies of a playout, chance events included, after which the value at the next decision
            replaces the rest of the game; None plays to the end.
        value: what a position is worth where a playout stops: the name of a value of the game, `hand` for the guide's,
            `net` for the learned one that is shipped; or the path of a file of weights.
        temperature: lead in the value, in points, that makes the odds of winning grow e-fold, where the value gives no
            win shares of its own; a Searcher takes the game's where none is given.
        sharpness: exponent, above 0, to which the win shares of a line are raised before they are told, scaled to add
            up to 1 again: below 1 they are told less boldly. Fitted so that of all positions told as 60 %, 60 % are
            won; the search itself goes by the shares as they are.
        endings: what is known of play that ends the game without more chance: `sampled`, the mean of what was tried;
            `proven`, its outcome by best play once it is known. Of effect with `puct`, in a `graph`, where no
            seat knows more of the root than an onlooker does.
        choice: the best line: `visits`, the most visited; `bound`, the highest lower bound among those
            with at least half of the most visits.
        deviations: standard errors from a line's reward down to its lower bound, 0 or more.

    Raises BadLimit, which names the option.
    """

    temperature: float
    scale: float | str
    selection: str = "ucb1"
    exploration: float = 0.7
    prior_floor: float = 0.0
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
        require_share("prior_floor", self.prior_floor)
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
        """Whether a tree can keep proofs: only edges that the search alone rates have marks for them."""
        return self.endings == "proven" and self.selection == "puct" and self.nodes == "graph"

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


def shipped(game: Game, seats: int) -> Mapping[str, Any]:
    """Return the options by which the search that is shipped for a game differs from `ismcts-plain`.

    It asks the learned value where one is shipped for the cards in use, else the hand-made one.
    """
    return {**game.tuning.search[seats], **(game.tuning.learned.get(seats, {}) if asks_learned(game) else {})}


def asks_learned(game: Game) -> bool:
    """Whether the shipped search of a game asks a learned value."""
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
