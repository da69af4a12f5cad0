"""Bots by name, for any game: `greedy`, `expectimax:samples=16`, `ismcts-plain:exploration=0.5`.

A bot receives a position, a seed and a budget, and first discards everything its seat cannot know. It makes compound
choices one decision at a time. To add a bot, add a function and its line in BOTS.
"""

import inspect
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, Self

from clerestory.declared import declarations
from clerestory.durations import parse_duration
from clerestory.engine.core import Game, State
from clerestory.engine.rng import Rng
from clerestory.engine.script import advised, scripted
from clerestory.engine.tuning import character_fault, level_as
from clerestory.engine.values.value import HAND, value_of
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.oneply import judge_actions
from clerestory.search.errors import BadLimit
from clerestory.search.ismcts import Searcher
from clerestory.search.levels import choose_as, level_of
from clerestory.search.options import Options, shipped
from clerestory.search.options import read_option as read_option_of_search
from clerestory.search.root import Root, observe_decision

MAX_WORLDS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one decision; the limit reached first applies. Bots without a search need none.

    Attributes:
        seconds: time limit, above 0; None for no limit.
        iterations: number of worlds to search or play out, above 0; None for no limit.
    """

    seconds: float | None = None
    iterations: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `100ms`, `2s` or `1000it`. Raises BadLimit."""
        seconds, count = parse_duration(text), re.fullmatch(r"(\d+)it", text.strip(), re.ASCII)
        amount = float(count[1]) if count else seconds or 0.0
        if not 0 < amount < 2**53:
            raise BadLimit("budget", f"{text[:80]!r} is not a time like 100ms or iterations like 1000it")
        return cls(iterations=int(count[1])) if count else cls(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Move:
    """A bot's decision.

    Attributes:
        action: text of the action.
        iterations: worlds searched, playouts, or actions evaluated; 0 for a bot that does none of these.
        seconds: time spent.
    """

    action: str
    iterations: int
    seconds: float


class Bot(Protocol):
    """A player that chooses actions."""

    def choose(self, position: State, seed: int, budget: Budget) -> Move:
        """Return a legal action for the seat to decide, based on what that seat can know; deterministic."""
        ...


Decision = tuple[str, int]  # text of the action, iterations
Decide = Callable[..., Decision]  # (root, seed, budget, **options)


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot listed below, with its options.

    Attributes:
        text: its name and options, as given.
        decide: the bot's function, with the options bound.
        options: the options given.
    """

    text: str
    decide: Decide
    options: Mapping[str, Any]

    def choose(self, position: State, seed: int, budget: Budget) -> Move:
        """Decide, as specified by Bot.

        Raises NothingToDecide, HiddenFromSeat, BadLimit for a budget without limits, or BadBot for an invalid option.
        """
        started = time.monotonic()
        action, iterations = self.decide(observe_decision(position), seed, budget)
        return Move(action, iterations, time.monotonic() - started)


# -- the bots --------------------------------------------------------------------------------------


def at_random(root: Root, seed: int, _: Budget) -> Decision:
    """A uniformly random legal action."""
    legal = root.view.legal_actions()
    return legal[Rng(seed).below(len(legal))].text, 0


def greedy(root: Root, seed: int, _: Budget, *, samples: int = 8, value: str = "hand") -> Decision:
    """One decision deep: the margin expected at the next decision, by `value` (the guide's by default)."""
    return best(root.view, *judge_actions("greedy", root.view, seed, worlds=samples, value=value))


def expectimax(root: Root, seed: int, _: Budget, *, samples: int = 8, value: str = "hand") -> Decision:
    """Two decisions deep: the margin expected after the next seat's best reply, over samples of chance, by `value`."""
    return best(root.view, *judge_actions("expectimax", root.view, seed, worlds=samples, value=value))


def flat_mc(root: Root, seed: int, budget: Budget) -> Decision:
    """The best win share over equally many random playouts of each action. An iteration is one playout."""
    seconds, iterations = limits(budget)
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    worlds = MAX_WORLDS if iterations is None else max(iterations // len(root.view.legal_codes()), 1)
    return best(root.view, *judge_actions("flat-mc", root.view, seed, worlds=worlds, deadline=deadline))


def ismcts_plain(root: Root, seed: int, budget: Budget, *, threads: int = 1, **options: Any) -> Decision:
    """The search without any knowledge of good play; all of its options can be given by name."""
    limits(budget)
    result = Searcher(root, seed=seed, **options).run(
        seconds=budget.seconds, iterations=budget.iterations, threads=threads
    )
    return result.best.action, result.iterations


def ismcts(
    root: Root,
    seed: int,
    budget: Budget,
    *,
    level: int = 0,
    character: str = "",
    threads: int = 1,
    percent: int = 100,
    **options: Any,
) -> Decision:
    """The search as shipped, at a level, as a character, or at full strength; it ends early once its choice is certain.

    It uses `percent` of the budget, so that one match can compare two budgets. Raises BadBot for a wrong character.
    """
    seconds = budget.seconds and budget.seconds * percent / 100
    iterations = budget.iterations and max(budget.iterations * percent // 100, 1)
    played = level_as(character, level or None)
    if fault := character_fault(character, played):
        raise BadBot(f"ismcts: character: {fault}")
    strength = level_of(root.view.game, played) if played else None
    if strength is not None:
        iterations = min(strength.iterations, iterations or strength.iterations)
    elif seconds is None and iterations is None:
        limits(budget)
    searcher = Searcher(root, seed=seed, **{**shipped(root.view.game, root.view.seats), **options})
    result = searcher.run(seconds=seconds, iterations=iterations, threads=threads, early=strength is None)
    if strength is None:
        return result.best.action, result.iterations
    return choose_as(character, root.view, result.lines, strength, seed).action, result.iterations


def script(root: Root, _seed: int, _: Budget) -> Decision:
    """Rules of thumb that people publish about a game, without looking ahead. Raises BadBot for a game without any."""
    return by_advice("script-v1", root.view)


def priced(root: Root, _seed: int, _: Budget) -> Decision:
    """A person's prices of everything in gold, without looking ahead. Raises BadBot for a game without any."""
    return by_advice("priced-v1", root.view)


def by_advice(name: str, view: State) -> Decision:
    """Return the action of a player by published advice. Raises BadBot."""
    advice = advised(name, view)
    if advice is None:
        raise BadBot(f"{name}: plays {', '.join(scripted(name))} only, not {view.game.name}")
    return advice


def best(view: State, worth: list[float], worlds: int) -> Decision:
    """Return the action with the highest value; the lowest code wins ties."""
    return view.legal_actions()[worth.index(max(worth))].text, worlds * len(worth)


def limits(budget: Budget) -> tuple[float | None, int | None]:
    """Return the limits on time and iterations. Raises BadLimit if both are missing."""
    if budget.seconds is None and budget.iterations is None:
        raise BadLimit("budget", "none is given: a time or a number of iterations is needed")
    return budget.seconds, budget.iterations


BOTS: Mapping[str, Decide] = {
    "random": at_random,
    "greedy": greedy,
    "expectimax": expectimax,
    "flat-mc": flat_mc,
    "ismcts": ismcts,
    "ismcts-plain": ismcts_plain,
    "script-v1": script,
    "priced-v1": priced,
}
NO_BOTS: Mapping[str, Decide] = MappingProxyType({})


# -- by name ---------------------------------------------------------------------------------------


def parse_bot(text: str, remote: Mapping[str, Decide] = NO_BOTS) -> NamedBot:
    """Return the bot that `name` or `name:option=value,option=value` describes.

    Args:
        text: the description.
        remote: further bots, which are described as `name:TARGET,option=value`.

    Raises BadBot, which names the unknown bot, option or value. A search checks the ranges of options at its start.
    """
    name, _, tail = text.partition(":")
    decide = BOTS.get(name) or remote.get(name)
    if decide is None:
        raise BadBot(f"{name[:80]!r}: unknown bot; known are {', '.join([*BOTS, *remote])}")
    play = decide
    if name in remote:
        target, _, tail = tail.partition(",")
        if not target:
            raise BadBot(f"{name}: needs a target, as in {name}:{'HOST:PORT' if name == 'server' else 'COMMIT'}")
        play = partial(decide, target=target)
    pairs = (pair.partition("=") for pair in tail.split(",") if tail)
    options = {key: read_option(name, decide, key, value) for key, _, value in pairs}
    return NamedBot(text, partial(play, **options), options)


def judges_by(text: str, game: Game, seats: int) -> str | None:
    """Return the checksum of the weights that a bot uses, which its text does not identify; None without weights.

    Raises BadBot, or BadWeights for a missing value.
    """
    name = text.partition(":")[0]
    if name not in BOTS:
        return None
    defaults = shipped(game, seats) if name == "ismcts" else {}
    return checksum_of(game, {"value": HAND, **defaults, **parse_bot(text).options}["value"])


def checksum_of(game: Game, value: str) -> str | None:
    """Return the checksum of the weights of a named value, None for a hand-made one. Raises BadWeights."""
    weights = None if value == HAND else value_of(game, value).weights
    return None if weights is None else weights.checksum


def read_option(bot: str, decide: Decide, key: str, text: str) -> Any:
    """Return an option's value. Raises BadBot for an unknown option or an invalid count."""
    own = own_options(decide)
    if key not in options_of(decide):
        raise BadBot(f"{bot}: no option {key[:80]!r}; there are {', '.join(options_of(decide)) or 'none'}")
    if key not in own:
        return read_option_of_search(key, text)
    if isinstance(own[key], str):
        return text
    if not re.fullmatch(r"0*[1-9]\d{0,8}", text, re.ASCII):
        raise BadBot(f"{bot}: {key}: {text[:80]!r} is not a whole number from 1 to 999999999")
    return int(text)


def own_options(decide: Decide) -> dict[str, Any]:
    """Return the options that a bot itself declares, with their defaults."""
    known = inspect.signature(decide).parameters.values()
    return {one.name: one.default for one in known if one.kind is one.KEYWORD_ONLY and one.default is not one.empty}


def options_of(decide: Decide) -> list[str]:
    """Return the names of all options of a bot: its own, and those of a search if it is one."""
    known = inspect.signature(decide).parameters.values()
    searches = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known)
    return [*own_options(decide), *(declarations(Options) if searches else ())]
