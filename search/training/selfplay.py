"""Self-play games.

Most decisions are searched briefly and a few fully (playout cap randomization: D. J. Wu, "Accelerating Self-Play
Learning in Go", arXiv 1902.10565, section 3.1): this gives many games, and good targets where needed. Some moves are
random or drawn by visits, for variety of positions. All random choices of a game depend only on its number and the
seed of the plan, so the games are bit-identical on any machine and in any order.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from clerestory.engine.core import Game, State
from clerestory.engine.rng import Rng
from clerestory.search.arena.match import decisions, derived_seed, nature_of
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from clerestory.search.training.columns import Columns, columns_of
from clerestory.search.training.errors import BadPlan

StateRows = dict[str, list[Any]]
HAND = "hand"  # the hand-made value
RECIPE = 2  # version of the games; in version 1, for the board game's value, shuffling and luck shared a stream


@dataclass(frozen=True, slots=True)
class Habits:
    """How games are played; headers use the same names.

    Attributes:
        quick, full: iterations of a brief and of a full search, above 0.
        full_share: share of decisions that are searched fully, 0 to 1.
        straying: share of moves that are a uniformly random legal action.
        by_visits: share of moves that are drawn in proportion to visits; all others are the best line.
        least_visits: minimum visits of a line for its position to be stored, above 0.
    """

    quick: int = 150
    full: int = 1600
    full_share: float = 0.2
    straying: float = 0.04
    by_visits: float = 0.12
    least_visits: int = 20

    def __post_init__(self) -> None:
        """Check every setting. Raises BadPlan."""
        for name in ("quick", "full", "least_visits"):
            if getattr(self, name) < 1:
                raise BadPlan(f"{name}: {getattr(self, name)} is not a whole number above 0")
        for name in ("full_share", "straying", "by_visits"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadPlan(f"{name}: {getattr(self, name)} is not between 0 and 1")


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """The players and how they play; together with the number of a game, it determines the game.

    Attributes:
        load: returns the game, as for Match.
        seats: number of players.
        generation: 0 for the search as shipped.
        seed: seed of the plan.
        options: search options beyond the shipped ones.
        habits: how games are played.
        plays: description of the options for the header, if different from the options: a path identifies nothing.
    """

    load: Callable[[], Game]
    seats: int
    generation: int
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    habits: Habits = Habits()
    plays: Mapping[str, Any] | None = None

    def header(self) -> dict[str, Any]:
        """Return everything that the games depend on."""
        return {
            **self.source(),
            "search": {**self.search_options(), **(self.options if self.plays is None else self.plays)},
            **asdict(self.habits),
        }

    def source(self) -> dict[str, Any]:
        """Return the fields that games must share to be used for training together."""
        game = self.load()
        return {
            "selfplay": RECIPE,
            **game.identity(),
            "state_bytes": game.state_bytes,
            "seats": self.seats,
            "generation": self.generation,
            "seed": self.seed,
        }

    @property
    def learned(self) -> bool:
        """Whether the search uses a learned value, whose win shares are calibrated."""
        return bool(self.search_options().get("value", HAND) != HAND)

    def search_options(self) -> dict[str, Any]:
        """Return the options of the search."""
        return {**shipped(self.load(), self.seats), **self.options}

    def seed_of(self, number: int) -> int:
        """Return the seed of a game."""
        return derived_seed("learn", self.seed, self.generation, self.seats, number)


def play_games(plan: SelfPlay, numbers: Sequence[int], stopped: Callable[[], bool] = lambda: False) -> Columns | None:
    """Play games and return their data; None if stopped."""
    rows: StateRows = defaultdict(list)
    game = plan.load()
    for number in numbers:
        if not Recorder(plan, game, rows).play(plan.seed_of(number), stopped):
            return None
    return columns_of(rows, plan.seats, game.state_bytes)


class Recorder:
    """Plays a game and records it in tables."""

    def __init__(self, plan: SelfPlay, game: Game, rows: StateRows) -> None:
        self.plan, self.game, self.rows = plan, game, rows

    def play(self, seed: int, stopped: Callable[[], bool]) -> bool:
        """Play and record a game; return False if stopped."""
        state, nature, luck = self.game.new(self.plan.seats, seed), nature_of(seed), Rng(derived_seed("choices", seed))
        for _ in decisions(state, nature):
            if stopped():
                return False
            state.play(self.decide(state, luck))
        self.note("game", seed=seed, scores=state.final_scores(), returns=state.win_shares())
        return True

    def decide(self, state: State, luck: Rng) -> int:
        """Search, record the result, and return the code of the move."""
        legal = state.legal_codes()
        if len(legal) == 1:
            return legal[0]
        habits, view = self.plan.habits, state.observe(state.turn)
        full = luck.unit() < habits.full_share
        result = self.search(view, luck.next(), habits.full if full else habits.quick)
        self.note_position(view, result)
        if full:
            self.note_lines(view, result.lines, luck.next())
        return choose(view, legal, result, habits, luck)

    def search(self, view: State, seed: int, iterations: int) -> Result:
        """Search a position."""
        searcher = Searcher(observe(view), seed=seed, **self.plan.search_options())
        return searcher.run(iterations=iterations)

    def note_position(self, view: State, result: Result) -> None:
        """Record a decision and the means at its root."""
        visits = sum(line.visits for line in result.lines)
        self.note(
            "position",
            game=len(self.rows["game.seed"]),
            state=view.to_bytes(),
            seat=result.seat,
            round=view.round_number(),
            iterations=result.iterations,
            margin=sum(line.visits * line.margin for line in result.lines) / visits,
            shares=[
                sum(line.visits * line.win_shares[seat] for line in result.lines) / visits for seat in range(view.seats)
            ],
        )

    def note_lines(self, view: State, lines: Sequence[Line], seed: int) -> None:
        """Record the lines of a full search; the positions after them use the same chance outcomes."""
        for line in lines:
            self.note(
                "line",
                position=len(self.rows["position.seat"]) - 1,
                action=self.game.parse_action(line.action).code,
                visits=line.visits,
                margin=line.margin,
                shares=line.win_shares,
            )
            if line.visits >= self.plan.habits.least_visits:
                after = settled(view, line.action, seed)
                if not after.over:
                    self.note("after", line=len(self.rows["line.action"]) - 1, state=after.to_bytes())

    def note(self, table: str, **values: Any) -> None:
        """Append a row to a table."""
        for name, value in values.items():
            self.rows[f"{table}.{name}"].append(value)


def settled(view: State, action: str, seed: int) -> State:
    """Return the next decision after an action, or the end; chance events are drawn from the actor's knowledge."""
    after = view.copy()
    after.play(action)
    after.play_nature(seed)
    return after


def choose(view: State, legal: Sequence[int], result: Result, habits: Habits, luck: Rng) -> int:
    """Return the code of the move: a random one, one drawn by visits, or the best."""
    roll = luck.unit()
    if roll < habits.straying:
        return legal[luck.below(len(legal))]
    line = result.best if roll >= habits.straying + habits.by_visits else drawn(result, luck)
    return view.game.parse_action(line.action).code


def drawn(result: Result, luck: Rng) -> Line:
    """Return a line with odds in proportion to visits."""
    place = luck.below(sum(line.visits for line in result.lines))
    for line in result.lines:
        place -= line.visits
        if place < 0:
            return line
    return result.best
