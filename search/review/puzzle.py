"""Puzzles: positions with one clearly best action, shipped with each game.

The losses of the other actions are computed in advance, by long searches or by solving the position to the end (`python
-m tools.lab.puzzles`). A try is therefore judged at once, with the same result everywhere.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clerestory.engine.core import Action, Game, State
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.engine.games import LIST
from clerestory.i18n.sentences import Text
from clerestory.search.gains import Gain
from clerestory.search.reasons import LEAST_ERROR, stated, traded

LEAST = 0.05  # share of a win: minimum loss of every other action in a shipped puzzle
UNFOUND = 9  # level of a puzzle that no level of play solves
FINISH = "finish"  # ends a plan of optional actions
PLAN_SEPARATOR = "; "  # between the actions of a plan


class BadTry(ValueError):
    """An action is illegal at its place in a try.

    Attributes:
        number: number of the action, from 0.
        legal: texts of the legal actions; None if the text does not name any action of the game.
    """

    def __init__(self, number: int, legal: Sequence[str] | None) -> None:
        super().__init__(f"action {number} cannot be played there")
        self.number, self.legal = number, legal


class NoPuzzle(ValueError):
    """There is no such puzzle; the message says which ones exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """A position to find the best action in.

    Attributes:
        game: name of the game.
        number: number of the puzzle, from 1, in the order of the file.
        position: the position as the seat to decide knows it.
        level: the weakest level of play, 1 to 8, that solves it, as do all stronger ones.
        exact: whether the losses were solved to the end of the game; otherwise they were searched.
        losses: share of a win that each answer loses, by text; 0 only for the best. Where conversions or discards are
            planned, an answer is a whole plan: the texts of its actions in their best order, separated by
            PLAN_SEPARATOR.
        gains: gains of the answer over the next best that exceed chance: feature, whether at the end of the game (else
            of the round), difference.
        line: a likely continuation that begins with the answer, as texts.
        seed: seed of the game that it comes from.
        ply: number of the next ply of that game.
    """

    game: Game
    number: int
    position: Mapping[str, Any]
    level: int
    exact: bool
    losses: Mapping[str, float]
    gains: tuple[tuple[str, bool, float], ...]
    line: tuple[str, ...]
    seed: int
    ply: int

    @property
    def state(self) -> State:
        """The position as a State."""
        return self.game.from_position(self.position)

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.position[self.game.name]["players"])

    @property
    def step(self) -> str:
        """The step of the position, which identifies the kind of decision."""
        found: str = self.position[self.game.name]["step"]
        return found

    @property
    def next_best_loss(self) -> float:
        """Share of a win that the second-best action loses."""
        return sorted(self.losses.values())[1]

    @property
    def best(self) -> str:
        """Text of the best answer."""
        return min(self.losses, key=self.losses.__getitem__)

    @property
    def answer(self) -> tuple[Action, ...]:
        """The best action, or the actions of the best plan."""
        return tuple(map(self.game.parse_action, self.best.split(PLAN_SEPARATOR)))

    @property
    def is_plan(self) -> bool:
        """Whether plans of several actions are compared."""
        return any(PLAN_SEPARATOR in text for text in self.losses)

    @property
    def reasons(self) -> tuple[Text, ...]:
        """Sentences on what the answer gains over the next best and gives up."""
        state = self.state
        gains = [Gain(feature, at_end, mean, 0.0, 1) for feature, at_end, mean in self.gains]
        return traded(stated(gains, self.game.tuning.explained), state, state.turn)

    def plan(self, texts: Iterable[str]) -> dict[str, int]:
        """Return how often a plan uses each item; {} in a game without plans."""
        planner = LIST[self.game.name].planner
        return planner.held(tuple(texts)) if planner else {}

    def tried(self, texts: Sequence[str], *, ended: bool) -> tuple[str, ...]:
        """Return the texts of a try; with `ended`, `finish` ends a plan where it can. Raises BadTry."""
        state = self.state
        for number, text in enumerate(texts):
            try:
                state.play(text)
            except BadText:
                raise BadTry(number, None) from None
            except IllegalAction as error:
                raise BadTry(number, error.legal) from None
        can_end = self.is_plan and any(action.text == FINISH for action in state.legal_actions())
        return (*texts, FINISH) if ended and can_end else tuple(texts)

    def is_whole(self, texts: Sequence[str]) -> bool:
        """Whether actions are a complete answer: an action, or a plan that ends with `finish` or the last discard."""
        if not self.is_plan:
            return bool(texts)
        last = [action.text for action in self.answer]
        return list(texts[-1:]) == [FINISH] if last[-1] == FINISH else len(texts) == len(last)

    def loss(self, texts: Sequence[str]) -> float:
        """Return the loss of a try, as a share of a win. Raises KeyError for a try that is not an answer.

        Args:
            texts: texts of an action, or of a plan in any order, which may be incomplete.
        """
        if not self.is_plan:
            return self.losses[texts[0]]
        wanted, ended = Counter(self.plan(texts)), self.is_whole(texts)
        plans = {text: Counter(self.plan(text.split(PLAN_SEPARATOR))) for text in self.losses}
        fitting = [text for text, plan in plans.items() if plan == wanted or (wanted < plan and not ended)]
        return min(map(self.losses.__getitem__, fitting or [PLAN_SEPARATOR.join(texts)]))

    def solved_by(self, texts: Sequence[str]) -> bool:
        """Whether a try is right. Raises KeyError for a try that is not an answer."""
        return self.loss(texts) < LEAST_ERROR


def puzzle(game: Game, number: int) -> Puzzle:
    """Return a puzzle of a game by its number. Raises NoPuzzle."""
    known = puzzles(game)
    if not 1 <= number <= len(known):
        raise NoPuzzle(f"is {number}; {game.name} has the puzzles 1 to {len(known)}")
    return known[number - 1]


def puzzles(game: Game) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game. Raises NoPuzzle if it has none, or if they were made with other cards."""
    known = read(game)
    if not known:
        raise NoPuzzle(f"{game.name}: no puzzles are shipped")
    if known[0].position["catalogue"] != game.catalogue:
        raise NoPuzzle(f"{game.name}: there are puzzles for the shipped cards only; leave out --catalogue")
    return known


@cache
def read(game: Game) -> tuple[Puzzle, ...]:
    """Return the puzzles in the game's file; () without one."""
    file = files(__package__).joinpath("puzzles", f"{game.name}.jsonl")
    if not file.is_file():
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(from_line(game, number, json.loads(line)) for number, line in enumerate(lines, 1))


def from_line(game: Game, number: int, line: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle in a line of a file."""
    return Puzzle(
        game=game, number=number, **{**line, "line": tuple(line["line"]), "gains": tuple(map(tuple, line["gains"]))}
    )
