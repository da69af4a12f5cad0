"""Players by name: `greedy`, `expectimax:samples=16`, `ismcts-plain:exploration=0.5`, for any game.

A bot is told a position, a seed and a budget, and forgets what its seat cannot know before it looks. Compound
choices come to it one decision at a time. Adding a bot is adding a function and its line in BOTS.
"""

import inspect
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self

from clerestory.arena.oneply import judge_actions
from clerestory.engine.core import State
from clerestory.engine.rng import Rng
from clerestory.search.errors import BadBot, BadLimit
from clerestory.search.ismcts import Searcher, known, owed_turn
from clerestory.search.levels import choose_line, level_of
from clerestory.search.options import shipped

UNITS = {"ms": 0.001, "s": 1.0}
MAX_WORLDS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """What a bot may spend on one decision; the earlier limit holds. `random`, `greedy`, `expectimax` need none.

    Attributes:
        seconds: time, above 0; None for no limit.
        iterations: worlds searched or played out, above 0; None for no limit.
    """

    seconds: float | None = None
    iterations: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `100ms`, `2s` or `1000it`. Raises BadLimit."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)|(\d+)it", text.strip(), re.ASCII)
        amount = float(match[1] or match[3]) if match else 0.0
        if match is None or not 0 < amount < 2**53:
            raise BadLimit("budget", f"{text[:80]!r} is not a time like 100ms or iterations like 1000it")
        return cls(iterations=int(match[3])) if match[3] else cls(seconds=amount * UNITS[match[2]])


@dataclass(frozen=True, slots=True)
class Move:
    """A bot's decision.

    Attributes:
        action: its text.
        iterations: worlds searched, playouts, or actions judged; 0 for a bot that does nothing of the kind.
        seconds: time spent.
    """

    action: str
    iterations: int
    seconds: float


class Bot(Protocol):
    """Whoever can decide."""

    def choose(self, position: State, seed: int, budget: Budget) -> Move:
        """Return a legal action of the seat to decide, by what that seat can know; equal for equal arguments."""
        ...


Choice = tuple[str, int]  # text of the action, iterations
Decide = Callable[..., Choice]  # (view, seed, budget, **options)


@dataclass(frozen=True, slots=True)
class Named:
    """A bot of this module.

    Attributes:
        text: its name and options, as they were given.
        decide: its function, with its options.
    """

    text: str
    decide: Decide

    def choose(self, position: State, seed: int, budget: Budget) -> Move:
        """Decide, as Bot says.

        Raises NothingToDecide, HiddenFromSeat, BadLimit for a budget without limits, or BadBot for an option that
        turns out not to fit.
        """
        started = time.monotonic()
        action, iterations = self.decide(own_view(position), seed, budget)
        return Move(action, iterations, time.monotonic() - started)


def own_view(position: State) -> State:
    """Return the position as the seat to decide knows it. Raises NothingToDecide or HiddenFromSeat."""
    return known(position, owed_turn(position, None))


# -- the bots --------------------------------------------------------------------------------------


def at_random(view: State, seed: int, _: Budget) -> Choice:
    """Any legal action."""
    legal = view.legal_actions()
    return legal[Rng(seed).below(len(legal))].text, 0


def greedy(view: State, seed: int, _: Budget, *, samples: int = 8) -> Choice:
    """One decision deep: the guide's value, less the best other one, when the next decision is due."""
    return best(view, *judge_actions("greedy", view, seed, worlds=samples))


def expectimax(view: State, seed: int, _: Budget, *, samples: int = 8) -> Choice:
    """Two decisions deep: the same after the best reply of the next seat, chance averaged over samples."""
    return best(view, *judge_actions("expectimax", view, seed, worlds=samples))


def greedy_v1(view: State, seed: int, _: Budget) -> Choice:
    """`greedy` as it was when the search was first tuned: a reference that does not move."""
    return best(view, *judge_actions("greedy", view, seed, worlds=8))


def expectimax_v1(view: State, seed: int, _: Budget) -> Choice:
    """`expectimax` as it was when the search was first tuned: a reference that does not move."""
    return best(view, *judge_actions("expectimax", view, seed, worlds=8))


def flat_mc(view: State, seed: int, budget: Budget) -> Choice:
    """As many random playouts of every action: the best win share. An iteration is one playout."""
    seconds, iterations = limits(budget)
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    worlds = MAX_WORLDS if iterations is None else max(iterations // len(view.legal_codes()), 1)
    return best(view, *judge_actions("flat-mc", view, seed, worlds=worlds, deadline=deadline))


def ismcts_plain(view: State, seed: int, budget: Budget, *, threads: int = 1, **options: Any) -> Choice:
    """The Searcher as it comes; options are its own, by name."""
    limits(budget)
    result = searcher_of("ismcts-plain", view, seed, options).run(
        seconds=budget.seconds, iterations=budget.iterations, threads=threads
    )
    return result.best.action, result.iterations


def ismcts(
    view: State, seed: int, budget: Budget, *, level: int = 0, threads: int = 1, percent: int = 100, **options: Any
) -> Choice:
    """The search as it is shipped, at a level or at full strength; it ends once nothing can change its choice.

    `percent` of its budget is what it uses: so one match can compare two budgets.
    """
    seconds = budget.seconds and budget.seconds * percent / 100
    iterations = budget.iterations and max(budget.iterations * percent // 100, 1)
    strength = level_of(level) if level else None
    if strength is not None:
        iterations = min(strength.iterations, iterations or strength.iterations)
    elif seconds is None and iterations is None:
        limits(budget)
    searcher = searcher_of("ismcts", view, seed, {**shipped(view.seats), **options})
    result = searcher.run(seconds=seconds, iterations=iterations, threads=threads, early=strength is None)
    line = result.best if strength is None else choose_line(result.lines, strength, seed)
    return line.action, result.iterations


def searcher_of(bot: str, view: State, seed: int, options: Mapping[str, Any]) -> Searcher:
    """Return a search with options by name. Raises BadBot for one that there is not, BadLimit for a wrong value."""
    try:
        return Searcher(view, seed=seed, **options)
    except TypeError as error:
        wrong = [name for name in options if repr(name) in str(error)]
        raise BadBot(f"{bot}: no option {', '.join(wrong)}" if wrong else f"{bot}: {error}") from None


def best(view: State, worth: list[float], worlds: int) -> Choice:
    """Return the action worth most, of equal ones the lowest code."""
    return view.legal_actions()[worth.index(max(worth))].text, worlds * len(worth)


def limits(budget: Budget) -> tuple[float | None, int | None]:
    """Return time and iterations. Raises BadLimit when there is neither."""
    if budget.seconds is None and budget.iterations is None:
        raise BadLimit("budget", "none is given: a time or a number of iterations is needed")
    return budget.seconds, budget.iterations


BOTS: Mapping[str, Decide] = {
    "random": at_random,
    "greedy": greedy,
    "expectimax": expectimax,
    "greedy-v1": greedy_v1,
    "expectimax-v1": expectimax_v1,
    "flat-mc": flat_mc,
    "ismcts": ismcts,
    "ismcts-plain": ismcts_plain,
}


# -- by name ---------------------------------------------------------------------------------------


def parse_bot(text: str) -> Named:
    """Return the bot that `name` or `name:option=value,option=value` describes.

    Raises BadBot, which names the bot, option or value that does not exist. The options of a search are looked at
    when it begins.
    """
    name, _, tail = text.partition(":")
    if name not in BOTS:
        raise BadBot(f"{name[:80]!r}: no bot; there are {', '.join(BOTS)}")
    pairs = (pair.partition("=") for pair in tail.split(",") if tail)
    return Named(text, partial(BOTS[name], **{key: read_option(name, key, value) for key, _, value in pairs}))


def read_option(bot: str, key: str, text: str) -> int | float | str:
    """Return an option's value: a count for the bots of this module, else the number or word that is written."""
    known = inspect.signature(BOTS[bot]).parameters.values()
    named = [parameter.name for parameter in known if parameter.kind is parameter.KEYWORD_ONLY]
    passed_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known)
    if key not in named and (not passed_on or key in ("view", "seed", "budget")):
        raise BadBot(f"{bot}: no option {key[:80]!r}; there are {', '.join(named) or 'none'}")
    if key in named and not re.fullmatch(r"0*[1-9]\d{0,8}", text, re.ASCII):
        raise BadBot(f"{bot}: {key}: {text[:80]!r} is not a whole number above 0")
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
