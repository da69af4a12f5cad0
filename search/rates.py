"""Exchange rates: what one more of each good is worth to the seat to decide, in win share and in points.

The position and its copies with one good more are searched several times. All searches of a repetition have the same
seed, so they deal the same hidden cards and draw the same luck as long as their trees agree (common random numbers; Law
2015, Simulation Modeling and Analysis, 11.2). The searches grow in rounds. The error of a rate combines the standard
error over the repetitions with the change since the last round, when the searches were half as long. It does not cover
errors that the value makes in searches of any length.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf, sqrt
from statistics import fmean, stdev

from clerestory.engine.core import NATURE
from clerestory.engine.positions.goods import with_more
from clerestory.engine.rng import Rng
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import Root

ITERATIONS = tuple(200 << i for i in range(7))  # of each search, after each round
STEP = 800  # iterations in a row, about as long as a worker searches a tree
REPETITIONS = 4
PER_ITERATION = 2  # iterations of the main search for each one spent on rates, so that these take at most half its time
TREE_BYTES = 1 << 19
OF_RATES = 0x9E3779B97F4A7C15  # between the seeds of the search and of its rates

Estimate = tuple[float, float]  # win share, margin in points


@dataclass(frozen=True, slots=True)
class Rate:
    """What more of a good is worth to the seat to decide now.

    Attributes:
        good: ID of the good.
        amount: the change that was searched; negative where the seat can only have less; 0 if it can have neither, in
            which case there are no figures. Figures are for one more in any case.
        win_share: gain in win share.
        win_share_error: its error.
        margin: gain in the margin at the end, in points.
        margin_error: its error, in points.
    """

    good: str
    amount: int
    win_share: float = 0.0
    win_share_error: float = 0.0
    margin: float = 0.0
    margin_error: float = 0.0


class RateEstimator:
    """Estimates exchange rates beside a search, one short search at a time.

    It uses only the view of the root. One thread at a time may call `step`; any thread may call `rates`.

    Args:
        root: the root of the main search, at a decision.
    """

    def __init__(self, root: Root) -> None:
        self._root = root
        self._amounts: dict[str, int] = {}  # by good, once the searchers exist
        self._searchers: list[Searcher] = []  # of the position, then of its copies, for each repetition
        self._most = REPETITIONS * (1 + len(root.view.game.layout.goods))  # number of searchers, at most
        self._round: list[Estimate] = []  # by searcher
        self._rounds: list[list[Estimate]] = []  # the complete ones

    @property
    def tree_bytes(self) -> int:
        """The maximum memory of its trees, in bytes."""
        return self._most * TREE_BYTES

    @classmethod
    def of(cls, root: Root) -> "RateEstimator | None":
        """Return an estimator; None at a chance event, and for a game without goods."""
        goods = root.view.game.layout.goods
        return cls(root) if goods and root.view.turn != NATURE else None

    def owes(self, iterations: int) -> bool:
        """Return whether a step is due after this number of iterations of the main search; two rounds begin at once."""
        rounds = len(self._rounds)
        if rounds == len(ITERATIONS):
            return False
        return iterations >= PER_ITERATION * self._most * ITERATIONS[max(rounds, 1)]

    def step(self, seed: int, deadline: float = inf) -> None:
        """Continue the next search by up to STEP iterations. Blocks for a few milliseconds.

        Args:
            seed: seed of the main search.
            deadline: reading of time.monotonic at which it ends earlier.
        """
        if not self._searchers:
            self._prepare(seed)
        searcher, most = self._searchers[len(self._round)], ITERATIONS[len(self._rounds)]
        result = searcher.run(iterations=min(most - searcher.iterations, STEP), deadline=deadline)
        if result.iterations < most:
            return
        self._round.append((result.best.win_shares[self._root.seat], result.best.margin))
        if len(self._round) == len(self._searchers):
            self._rounds.append(self._round)
            self._round = []
            if len(self._rounds) == len(ITERATIONS):
                self._searchers = []  # frees their trees

    def _prepare(self, seed: int) -> None:
        """Create the searchers of the positions with more of each good, as far as they are valid."""
        root = self._root
        view, seat, observer = root.view, root.seat, root.observer
        found = {good.name: with_more(view, seat, good) for good in view.game.layout.goods}
        self._amounts = {good: more[0] if more else 0 for good, more in found.items()}
        roots = [Root(position, seat, observer) for position in (view, *(more[1] for more in found.values() if more))]
        seeds = [Rng((seed + OF_RATES * i) % (1 << 64)).next() for i in range(1, REPETITIONS + 1)]
        options = shipped(view.game, view.seats)
        self._searchers = [Searcher(one, seed=own, max_bytes=TREE_BYTES, **options) for own in seeds for one in roots]

    def rates(self) -> tuple[Rate, ...]:
        """Return the rates after the last round, in the order of the game's goods; () before the second round."""
        if len(self._rounds) < 2:
            return ()
        before, now = (self._gains(estimates) for estimates in self._rounds[-2:])
        return tuple(
            rate_of(good, amount, before.pop(0), now.pop(0)) if amount else Rate(good, 0)
            for good, amount in self._amounts.items()
        )

    def _gains(self, estimates: Sequence[Estimate]) -> list[list[Estimate]]:
        """Return the gains of each position over the first one, in each repetition."""
        roots = len(estimates) // REPETITIONS
        repetitions = [estimates[i : i + roots] for i in range(0, len(estimates), roots)]
        gains = [[(share - row[0][0], margin - row[0][1]) for share, margin in row[1:]] for row in repetitions]
        return [list(column) for column in zip(*gains, strict=True)]


def rate_of(good: str, amount: int, before: Sequence[Estimate], now: Sequence[Estimate]) -> Rate:
    """Return the rate of a good from the gains in each repetition, before and after the last round."""
    figures = []
    for earlier, later in zip(zip(*before, strict=True), zip(*now, strict=True), strict=True):
        mean = fmean(later)
        error = hypot(stdev(later) / sqrt(len(later)), mean - fmean(earlier))
        figures += [mean / amount, error / abs(amount)]
    return Rate(good, amount, *figures)


def rates_of(root: Root, iterations: int, seed: int) -> tuple[Rate, ...]:
    """Return the rates beside a main search with this seed and this number of iterations."""
    estimator = RateEstimator.of(root)
    while estimator is not None and estimator.owes(iterations):
        estimator.step(seed)
    return () if estimator is None else estimator.rates()
