"""Puzzles: positions with one clearly best action, shipped with each game.

What the other actions lose was found once, by long searches or by solving the position to the end
(`python -m tools.puzzles`), so that a try is judged at once, and everywhere alike.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clerestory.engine.core import Action, Game, State

RIGHT = 0.02  # of a win: a try that loses less is right
LEAST = 0.05  # of a win that every other action loses, in a position that is shipped
UNFOUND = 9  # the level of a puzzle that none finds


class NoPuzzle(ValueError):
    """There is no such puzzle; the message says what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """A position to find the best action in.

    Attributes:
        game: it belongs to.
        number: from 1, in the order of the file.
        position: as the seat to decide knows it.
        level: the weakest level of play, 1 to 8, that finds it, as do those above.
        exact: what actions lose was solved to the end; else it was searched.
        losses: share of a win that each action loses, in texts; 0 for the answer alone.
        reason: what the answer brings beyond the next best action, as far as it is more than chance; else "".
        line: how play may go on after the answer, in texts, the answer first.
        seed: of the game that it comes from.
        ply: of that game, the next one.
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
        """The position, to be played on."""
        return self.game.from_position(self.position)

    @property
    def seats(self) -> int:
        """Players of the game."""
        return len(self.position[self.game.name]["players"])

    @property
    def next_best_loss(self) -> float:
        """Share of a win that the best action but the answer loses."""
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
    """Return the puzzles of a game. Raises NoPuzzle where it has none, and for other cards than they were made with."""
    known = read(game)
    if not known:
        raise NoPuzzle(f"{game.name}: no puzzles are shipped")
    if known[0].position["catalogue"] != game.catalogue:
        raise NoPuzzle(f"{game.name}: its puzzles are for the cards that are shipped")
    return known


@cache
def read(game: Game) -> tuple[Puzzle, ...]:
    """Return what the game's file has; () without one."""
    file = files(__package__).joinpath("puzzles", f"{game.name}.jsonl")
    if not file.is_file():
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(from_line(game, number, json.loads(line)) for number, line in enumerate(lines, 1))


def from_line(game: Game, number: int, line: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle that a line of a file tells."""
    return Puzzle(game=game, number=number, **{**line, "line": tuple(line["line"])})
