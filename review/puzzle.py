"""Puzzles: positions with one clearly best action, shipped with each game.

The losses of the other actions were computed in advance, by long searches or by solving the position to the end
(`python -m lab.puzzles`), so that a try is judged at once, and everywhere with the same result.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clerestory.engine.core import Action, Game, State

RIGHT = 0.02  # of a win: a try that loses less is right
LEAST = 0.05  # of a win: least that every other action loses in a shipped puzzle
UNFOUND = 9  # the level of a puzzle that no level solves


class NoPuzzle(ValueError):
    """There is no such puzzle; the message says which ones exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """A position to find the best action in.

    Attributes:
        game: name of its game.
        number: from 1, in the order of the file.
        position: as the seat to decide knows it.
        level: the weakest level of play, 1 to 8, that solves it, as do all stronger ones.
        exact: the losses were solved to the end of the game; else they were searched.
        losses: share of a win that each action loses, by text; 0 only for the answer.
        reason: what the answer gains over the next best action, if that exceeds chance; else "".
        line: a likely continuation, in texts, beginning with the answer.
        seed: of the game that it comes from.
        ply: number of the next ply of that game.
    """

    game: Game
    number: int
    position: Mapping[str, Any]
    level: int
    exact: bool
    losses: Mapping[str, float]
    reason: str
    line: tuple[str, ...]
    seed: int
    ply: int

    @property
    def state(self) -> State:
        """The position, as a State."""
        return self.game.from_position(self.position)

    @property
    def seats(self) -> int:
        """Players of the game."""
        return len(self.position[self.game.name]["players"])

    @property
    def next_best_loss(self) -> float:
        """Share of a win that the second-best action loses."""
        return sorted(self.losses.values())[1]

    @property
    def answer(self) -> Action:
        """The best action."""
        return self.game.parse_action(min(self.losses, key=self.losses.__getitem__))

    def loss(self, action: str) -> float:
        """Return what an action loses, as a share of a win. Raises KeyError for one that is not legal."""
        return self.losses[action]

    def solved_by(self, action: str) -> bool:
        """Whether an action is right. Raises KeyError for one that is not legal."""
        return self.loss(action) < RIGHT


def puzzle(game: Game, number: int) -> Puzzle:
    """Return a puzzle of a game by its number. Raises NoPuzzle."""
    known = puzzles(game)
    if not 1 <= number <= len(known):
        raise NoPuzzle(f"{number}: {game.name} has the puzzles 1 to {len(known)}")
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
    return Puzzle(game=game, number=number, **{**line, "line": tuple(line["line"])})
