"""The options of a search, apart from its limits."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from functools import lru_cache
from typing import Any, TypedDict

from clerestory.declared import (
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Either,
    FreeText,
    Numbers,
    OneOf,
    declarations,
    declared,
    faults,
)
from clerestory.engine.core import Game, State
from clerestory.engine.tuning import FITTED
from clerestory.engine.values.value import HAND, value_in_use
from clerestory.search.errors import BadLimit

OF_GAME = "the game's"
REWARDS = {"win": 0.0, "margin": 1.0, "mix": 0.5}  # share of the margin in the reward
PLAYOUTS = ("uniform", "informed")
CHOICES = ("visits", "bound")
LEARNING: Mapping[str, Any] = {"horizon": 0, "reward": "win", "priors": "learned"}  # for a value in training
WELL_VISITED = 0.5  # share of the most visits that makes a lower bound trustworthy
WIDEST_ERROR = 0.5  # largest standard error of a number between 0 and 1
SETTLED_VISITS = 0.15  # the same once the win is settled
MOST_PLIES = (1 << 31) - 1
# Once the win is settled, docs/decisions/0026-a-settled-game-is-played-for-points.md:
POINT = 0.001  # value of a point, as a share of a win
POINTS_EXPLORED = 45.0  # points multiplied by C of PUCT
SETTLED_FLOOR = 0.5  # share of the priors that is divided evenly: they were learned from play for the win


class InLoop(TypedDict):
    """The options used in the search loop; the build generates the C struct LoopOptions from this class."""

    even: bool  # the root's actions or outcomes take turns
    by_priors: bool  # PUCT
    exploration: float  # C of UCB1 or of PUCT, in rewards
    growth: float  # increase of C of PUCT for each doubling of a node's visits
    prior_floor: float  # share of the priors that is divided evenly
    win_weight: float  # weight of the win share in the reward, 0 to 1
    point_weight: float  # weight of a point of margin in the reward
    horizon: int  # maximum plies of a playout
    temperature: float  # lead in points that multiplies the odds of winning by e, without win shares
    keeps_proofs: bool
    rival_share: float  # share of the most visits below which a line cannot become the best
    settled: float  # distance of a node's win share from 0 or 1 at which points count; 0: never
    settled_point: float  # weight of a point of margin in the node's reward, besides the win share
    settled_exploration: float  # factor of C of PUCT there
    settled_floor: float  # share of the priors that is divided evenly there


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a search; the defaults are those of `ismcts-plain`. Parser and docs are derived from this class.

    Raises BadLimit, which names the option.
    """

    selection: str = declared(
        "ucb1",
        "how to choose in the tree: `ucb1`, every action once, then upper confidence bounds; `puct`, upper confidence"
        " bounds with priors",
        OneOf(("ucb1", "puct")),
    )
    exploration: float = declared(
        0.7, "the constant of the bounds, in rewards: how much an action with few visits attracts", NOT_NEGATIVE
    )
    growth: float = declared(
        0.0,
        "added to the constant of `puct` in a node for each doubling of 1 + its visits / 500: so a search soon settles"
        " on a line, but in the long run also tries the others",
        NOT_NEGATIVE,
    )
    prior_floor: float = declared(
        0.0, "share of the priors that is divided evenly among the actions, so that all are tried", SHARE
    )
    priors: str = declared(
        "guide",
        "what the priors are proportional to: `guide`, the guide's weights; `learned`, these times the factors by"
        " round and action that were learned with the value, if it has any",
        OneOf(("guide", "learned")),
    )
    reward: str | float = declared(
        "win",
        "what every seat maximizes: `win`, its win share; `margin`, its margin, scaled; `mix`, the mean of the two; or"
        " the share of the margin in such a mixture",
        Either(SHARE, OneOf(tuple(REWARDS))),
    )
    scale: float = declared(
        MISSING, "points of margin per unit of reward; a margin of 0 is a reward of 0.5", POSITIVE, usual=OF_GAME
    )
    settled: float = declared(
        0.0,
        "how far from 0 or 1 the win share of the best action is at most, in the position and in a node, for the game"
        " to count as decided there: `puct` then plays for the margin too; 0: it never is",
        SHARE,
    )
    playout: str = declared(
        "uniform",
        "how to choose below the tree: `uniform`, at random; `informed`, in proportion to the guide's weights",
        OneOf(PLAYOUTS),
    )
    allocation: str = declared(
        "selection",
        "which action of the root, or which outcome of its chance event, an iteration takes: `selection`, the selected"
        " or drawn one; `even`, each in turn, all turns of a round in the same world with the same random numbers, for"
        " comparisons (all lines then have equally many visits, so no line counts as the best)",
        OneOf(("selection", "even")),
    )
    horizon: int | None = declared(
        None,
        "plies of a playout, chance events included, after which the value at the next decision replaces the rest of"
        " the game",
        Numbers(0, MOST_PLIES, whole=True),
    )
    value: str = declared(
        "hand",
        "evaluates the position where a playout stops: the name of a value of the game, `hand` for the guide's, `net`"
        " for the shipped learned one, `net-N` for one shipped for N players; or the path of a file of weights",
        FreeText("the name of a value, or the path of a file of weights"),
    )
    temperature: float = declared(
        MISSING,
        "lead in points that multiplies the odds of winning by e, for values without win shares",
        POSITIVE,
        usual=OF_GAME,
    )
    sharpness: float | str = declared(
        1.0,
        "exponent to which the reported win shares of a line are raised, then scaled to add up to 1: below 1 they are"
        " less confident. `fitted`: that of the game for the round and the iterations of the search, and in the first"
        " round odds for who begins, so that between players as strong as this search, 60 % are won of all positions"
        " reported as 60 %. The search itself uses the original shares",
        Either(POSITIVE, OneOf((FITTED,))),
    )
    endings: str = declared(
        "sampled",
        "the value of play that ends the game without further chance events: `sampled`, the mean of what was tried;"
        " `proven`, the outcome of best play once it is known (only with `puct`, if no player has hidden cards in"
        " hand and the observer knows no card to come)",
        OneOf(("sampled", "proven")),
    )
    choice: str = declared(
        "visits",
        "the best line: `visits`, the most visited; `bound`, the highest lower bound among those with at least half of"
        " the most visits",
        OneOf(CHOICES),
    )
    deviations: float = declared(
        2.0, "standard errors from a line's mean reward down to its lower bound, which orders lines", NOT_NEGATIVE
    )

    def __post_init__(self) -> None:
        """Check every option."""
        for name, fault in faults(self):
            raise BadLimit(name, fault)

    @property
    def margin_share(self) -> float:
        """Share of the margin in the reward, 0 to 1."""
        return REWARDS[self.reward] if isinstance(self.reward, str) else self.reward

    @property
    def proves(self) -> bool:
        """Whether a tree with these options can keep proofs."""
        return self.endings == "proven" and self.selection == "puct"

    @property
    def rival_share(self) -> float:
        """Share of the most visits that a line needs to be the best."""
        return WELL_VISITED if self.choice == "bound" else 1.0

    def calibration(self, view: State, iterations: int) -> tuple[float, float]:
        """Return the calibration of win shares after a number of iterations for a position, as defined by `sharpness`.

        Returns their exponent, and the number to add to the log odds of the first seat.
        """
        if not isinstance(self.sharpness, str):
            return self.sharpness, 0.0
        if (fitted := view.game.tuning.sharpness.get(view.seats)) is None:
            return 1.0, 0.0
        round_ = view.round_number()
        return fitted.exponent(iterations, round_), fitted.lead(round_)

    def in_loop(self, max_plies: int) -> InLoop:
        """Return the options used in the loop, in a game of at most `max_plies` plies."""
        return InLoop(
            even=self.allocation == "even",
            by_priors=self.selection == "puct",
            exploration=self.exploration,
            growth=self.growth,
            prior_floor=self.prior_floor,
            win_weight=1 - self.margin_share,
            point_weight=self.margin_share / self.scale,
            horizon=max_plies if self.horizon is None else self.horizon,
            temperature=self.temperature,
            keeps_proofs=self.proves,
            rival_share=self.rival_share,
            settled=self.settled,
            settled_point=POINT,
            settled_exploration=POINT * POINTS_EXPLORED,
            settled_floor=SETTLED_FLOOR,
        )

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


def options_of(**fields: Any) -> Options:
    """Return options with these fields, cached, as checking them takes longer than a short search. Raises BadLimit."""
    try:
        return cached_options(**fields)
    except TypeError:  # an unhashable value, whose fault is reported like others
        return Options(**fields)


cached_options = lru_cache(maxsize=256, typed=True)(Options)


def shipped(game: Game, seats: int) -> Mapping[str, Any]:
    """Return the options that differ between a game's shipped search and `ismcts-plain`.

    The shipped search uses the learned value if one is shipped for the cards in use, else the hand-made one.
    """
    value, _ = value_in_use(game, seats)
    learned = {} if value == HAND else {**game.tuning.learned.get(seats, {}), "value": value}
    return {**game.tuning.search[seats], **learned}


def asks_learned(game: Game) -> bool:
    """Whether the shipped search of a game uses a learned value."""
    return value_in_use(game)[0] != HAND


def read_options(text: str) -> dict[str, Any]:
    """Parse `name=value,name=value` into typed values; `Options` checks their ranges.

    Raises BadLimit for an unknown option or text that is not a pair.
    """
    found = {}
    for pair in filter(None, text.split(",")):
        name, equals, value = pair.partition("=")
        found[name] = read_option(name, value)
        if not equals:
            raise BadLimit(name, "needs a value, as in reward=win")
    return found


def read_option(name: str, text: str) -> Any:
    """Return the value of a text, or the text itself if it is not valid. Raises BadLimit for an unknown name."""
    known = declarations(Options)
    if name not in known:
        raise BadLimit(name, f"is not an option of a search; there are {', '.join(known)}")
    limits = known[name].range
    try:
        return text if limits is None else limits.read(text)
    except ValueError:
        return text


def write_options(options: Mapping[str, Any]) -> str:
    """Return options in the form that `read_options` parses."""
    return ",".join(f"{name}={value}" for name, value in options.items())
