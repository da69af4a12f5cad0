"""Tunes numeric options of a bot in the arena by simultaneous perturbation (SPSA).

J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", IEEE
TAC 37 (1992); gains and their exponents after his "Implementation of the simultaneous perturbation algorithm", IEEE
TAES 34 (1998). Points stay far enough inside their ranges to be perturbed both ways, after P. Sadegh, Automatica 33
(1997). A step costs the same number of games for any number of options.
"""

import math
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Any

from clerestory.engine.core import Game
from clerestory.engine.rng import Rng
from clerestory.search.arena.bots import Bot, parse_bot
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.match import Match, derived_seed
from clerestory.search.arena.pool import TaskRunner
from clerestory.search.arena.results import Results, are_numbers, is_number, write_line
from clerestory.search.arena.series import missing, scores

GAIN, STABILITY, GAIN_DECAY = 0.5, 10, 0.602  # a, A and alpha of Spall 1998, for ranges mapped to 0 to 1
SPAN, SPAN_DECAY = 0.1, 0.101  # c and gamma
NUMBER = r"-?\d+(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class TunedOption:
    """An option and the range in which it is tuned.

    Attributes:
        name: name of the option.
        low, high: bounds, inclusive.
        whole: whether values are whole numbers.
    """

    name: str
    low: float
    high: float
    whole: bool

    @classmethod
    def parse(cls, text: str) -> "TunedOption":
        """Read `exploration=0.1..2`; the option is a whole number if both bounds are. Raises BadMatch."""
        match = re.fullmatch(rf"(\w+)=({NUMBER})\.\.({NUMBER})", text, re.ASCII)
        if match is None or not float(match[2]) < float(match[3]):
            raise BadMatch(f"{text[:80]!r} is not an option with a range like exploration=0.1..2, the lower end first")
        return cls(match[1], float(match[2]), float(match[3]), "." not in match[2] + match[3])

    def value(self, place: float) -> float | int:
        """Return the value at a place from 0 (low) to 1 (high)."""
        value = self.low + place * (self.high - self.low)
        return math.floor(value + 0.5) if self.whole else value

    def place(self, text: str) -> float:
        """Return the place of a value, 0 to 1. Raises BadMatch if it is not a number or outside the range."""
        value = float(text) if re.fullmatch(NUMBER, text, re.ASCII) else math.nan
        if not self.low <= value <= self.high:
            raise BadMatch(f"{self.name}: the start, {text[:80]!r}, is not a number from {self.low:g} to {self.high:g}")
        return (value - self.low) / (self.high - self.low)

    def span(self, step: int) -> float:
        """Return the perturbation of a step; for whole numbers, large enough to reach the next one."""
        span: float = SPAN / (step + 1) ** SPAN_DECAY
        return max(span, 0.5 / (self.high - self.low)) if self.whole else span


Point = list[float]  # one place per range


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """The parameters of a tuning run.

    Attributes:
        load: returns the game, as for Match.
        seats: number of players.
        bot: text of the bot; its options are the starting point, and options it omits start in the middle of their
            range.
        ranges: options to tune.
        against: text of the bot that both points of a step play against; None to let them play each other.
        budget: budget of a move, as text.
        seed: seed of the first deal.
        deals: deals per match; a step plays one match, or two with `against`.
        parse: returns the bot of a text, as for Match.
    """

    load: Callable[[], Game]
    seats: int
    bot: str
    ranges: tuple[TunedOption, ...]
    against: str | None
    budget: str
    seed: int
    deals: int
    parse: Callable[[str], Bot] = parse_bot

    @property
    def games_per_step(self) -> int:
        """Number of games per step."""
        return self.deals * self.seats * (1 if self.against is None else 2)

    def header(self) -> dict[str, Any]:
        """Return the header of a file of steps; a file with an equal header can be resumed."""
        match = self.match(self.bot, self.against or self.bot, 0).header()
        del match["bots"]
        ranges = [asdict(option) for option in self.ranges]
        return {
            "tune": 1, **match, "bot": self.bot, "ranges": ranges, "against": self.against,
            "seed": self.seed, "deals": self.deals,
        }  # fmt: skip

    def rehearse(self, deals: int | None = None) -> None:
        """Check the run by letting the bots move at the start and at both bounds. Raises BadBot, BadLimit or BadMatch.

        Args:
            deals: number of deals that need seeds, for all steps and the confirmation; None for one step.
        """
        names = [option.name for option in self.ranges]
        if not names or len(set(names)) < len(names):
            raise BadMatch(f"options: {', '.join(names) or 'none'}; give at least one, and each only once")
        start = self.bot_at(self.start())
        low, high = (self.bot_at([end] * len(names)) for end in (0.0, 1.0))
        for a, b in ((start, self.against or start), (low, high)):
            self.match(a, b, 0, deals).rehearse()

    def start(self) -> Point:
        """Return the starting point given by the bot's text."""
        given = options_of(self.bot)
        return [option.place(given[option.name]) if option.name in given else 0.5 for option in self.ranges]

    def bot_at(self, point: Point) -> str:
        """Return the bot's text for a point."""
        values = {option.name: option.value(place) for option, place in zip(self.ranges, point, strict=True)}
        changed = options_of(self.bot) | {name: f"{value:.6g}" for name, value in values.items()}
        return f"{self.bot.partition(':')[0]}:{','.join(f'{name}={value}' for name, value in changed.items())}"

    def match(self, a: str, b: str, step: int, deals: int | None = None) -> Match:
        """Return a match on the deals of a step, or on `deals` deals starting there."""
        first = self.seed + step * self.deals
        return Match(self.load, self.seats, (a, b), self.budget, first, deals or self.deals, parse=self.parse)


def options_of(bot: str) -> dict[str, str]:
    """Return the options given in a bot's text."""
    pairs = (pair.partition("=") for pair in bot.partition(":")[2].split(",") if pair)
    return {name: value for name, _, value in pairs}


# -- one step --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TuningStep:
    """One step, which is one line of the results.

    Attributes:
        step: number of the step, from 0.
        plus, minus: texts of the bots at the two points compared.
        difference: win share of a seat of `plus` minus that of a seat of `minus`, -1 to 1.
        point: the next point.
    """

    step: int
    plus: str
    minus: str
    difference: float
    point: Point


def take_step(tuning: TuningPlan, step: int, point: Point, run: TaskRunner) -> TuningStep:
    """Perturb all options at once, compare the two points, and move towards the better one."""
    luck = Rng(derived_seed("tune", tuning.seed, step))
    spans = [option.span(step) * (1 if luck.below(2) else -1) for option in tuning.ranges]
    inside = [min(max(place, abs(span)), 1 - abs(span)) for place, span in zip(point, spans, strict=True)]
    plus = tuning.bot_at([place + span for place, span in zip(inside, spans, strict=True)])
    minus = tuning.bot_at([place - span for place, span in zip(inside, spans, strict=True)])
    difference = compare(tuning, step, plus, minus, run)
    gain = GAIN / (STABILITY + step + 1) ** GAIN_DECAY
    moved = [place + gain * difference / (2 * span) for place, span in zip(inside, spans, strict=True)]
    return TuningStep(step, plus, minus, difference, [min(max(place, 0.0), 1.0) for place in moved])


def compare(tuning: TuningPlan, step: int, plus: str, minus: str, run: TaskRunner) -> float:
    """Return the win share of `plus` minus that of `minus` on equal deals, against the third bot or each other."""
    if tuning.against is None:
        share = mean_score(tuning.match(plus, minus, step), run)
        return share - (1 - share) / (tuning.seats - 1)
    shares = [mean_score(tuning.match(bot, tuning.against, step), run) for bot in (plus, minus)]
    return shares[0] - shares[1]


def mean_score(match: Match, run: TaskRunner) -> float:
    """Play a match and return A's mean win share."""
    results = Results()
    for games in run(iter(missing(match, results))):
        for played in games:
            results.add(played)
    shares = scores(results.of(match), match.seats)
    return math.fsum(shares) / len(shares)


# -- all steps ------------------------------------------------------------------------------------------


def tune(
    tuning: TuningPlan, steps: int, run: TaskRunner, file: IO[bytes] | None, done: Sequence[TuningStep] = ()
) -> Generator[TuningStep, None, None]:
    """Take the remaining steps, and yield each once it is stored.

    Args:
        tuning: a run that has been rehearsed.
        steps: total number of steps, including those done.
        run: plays tasks.
        file: where steps are stored.
        done: the steps taken so far.
    """
    point = done[-1].point if done else tuning.start()
    for number in range(len(done), steps):
        step = take_step(tuning, number, point, run)
        if file is not None:
            write_line(file, asdict(step))
        yield step
        point = step.point


def read_steps(lines: list[dict[str, Any]], options: int) -> list[TuningStep]:
    """Return the steps in a file, for a number of options. Raises BadMatch for a line that is not the next step."""
    return [read_step(number, line, options) for number, line in enumerate(lines)]


def read_step(number: int, fields: dict[str, Any], options: int) -> TuningStep:
    """Return the step with a given number from its fields. Raises BadMatch."""
    try:
        step = TuningStep(**fields)
    except TypeError:
        step = None
    if step is None or step.step != number or not can_be_continued(step, options):
        raise BadMatch(f"line {number + 2} is not step {number}")
    return step


def can_be_continued(step: TuningStep, options: int) -> bool:
    """Whether every field of a step has the right type, range and number of options."""
    return (
        all(isinstance(bot, str) for bot in (step.plus, step.minus))
        and is_number(step.difference)
        and are_numbers(step.point, options)
        and all(0 <= place <= 1 for place in step.point)
    )


def best_point(steps: Sequence[TuningStep]) -> Point:
    """Return the mean of the second half of the points (Polyak and Juditsky 1992, SIAM J. Control Optim. 30)."""
    later = [step.point for step in steps[len(steps) // 2 :]]
    return [math.fsum(places) / len(later) for places in zip(*later, strict=True)]


def confirming_match(tuning: TuningPlan, steps: Sequence[TuningStep], deals: int) -> Match:
    """Return the match of the best point against the start, on deals not used by any step."""
    return tuning.match(tuning.bot_at(best_point(steps)), tuning.bot_at(tuning.start()), len(steps), deals)
