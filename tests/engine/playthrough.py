"""Golden playthroughs and action-tree counts, as text: `python -m tests.engine.playthrough` rewrites them.

A change in these files is a change in the rules, the texts, the generator or the catalogue: read the diff, and increase
the game's rules revision if the same actions lead to other positions.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from clerestory.engine import GAMES, NATURE, Record, Rng, State, read_records
from clerestory.engine.core import Game
from clerestory.engine.record import mover
from tests.laws import next_action

HERE = Path(__file__).parent
SEED = 20260
COMPLETED = 68  # opening of a game of Builders Duel that ends with a complete building
COUNTED = 3  # plies of an action tree
EVERY = 25  # plies between the positions whose tree is counted


@dataclass(frozen=True)
class Case:
    """A golden game: a random one, or one with a named `ending` whose record is given."""

    FILES: ClassVar = ("playthrough.txt", "tree.txt", "record.jsonl")

    game: Game
    seats: int
    opening: int  # seed
    ending: str = ""

    @property
    def name(self) -> str:
        """The beginning of the names of its files."""
        return f"{self.seats}p-{self.ending}-" if self.ending else f"{self.seats}p-"


def folder(game: Game) -> Path:
    return HERE / game.name / "golden"


def cases() -> list[Case]:
    uniform = [Case(game, seats, SEED + seats) for game in GAMES.values() for seats in game.seats]
    return [*uniform, Case(GAMES["duel"], 2, COMPLETED, "completed")]


def written_game(case: Case) -> State:
    """Return the golden game, with its history."""
    if case.ending:
        return recorded(case).state
    state, rng = case.game.new(case.seats, case.opening), Rng(SEED)
    while not state.over:
        state.play(next_action(state, rng))
    return state


def recorded(case: Case) -> Record:
    (record,) = read_records((folder(case.game) / f"{case.name}record.jsonl").read_text().splitlines())
    return record


def playthrough(played: State) -> Iterator[str]:
    """Yield the public view of each ply: actor, legal actions (with odds), action, result."""
    state = played.origin
    yield json.dumps(state.to_position())
    for ply, action in enumerate(played.history, 1):
        odds = [f" {odd:.4f}" for odd in state.odds()] if state.turn == NATURE else [""] * len(state.legal_codes())
        legal = ", ".join(f"{legal.text}{odd}" for legal, odd in zip(state.legal_actions(), odds, strict=True))
        actor = mover(state)
        state.play(action)
        yield f"{ply} {actor}: {action.text} | {legal} | {state.key(NATURE):016x}"
    yield json.dumps(state.to_position())
    yield f"returns {state.win_shares()} margins {state.margins()}"


def count_tree(state: State, depth: int) -> int:
    """Return the number of continuations of `depth` plies, including chance events; a finished game counts once."""
    if depth == 0 or state.over:
        return 1
    total = 0
    for code in state.legal_codes():
        state.play(code)
        total += count_tree(state, depth - 1)
        state.undo()
    return total


def tree_counts(played: State) -> Iterator[str]:
    """Yield the tree counts below some positions of a game, one line each."""
    state = played.origin
    for ply, action in enumerate(played.history):
        if ply % EVERY == 0:
            counts = " ".join(str(count_tree(state.copy(), depth)) for depth in range(1, COUNTED + 1))
            yield f"{ply}: {counts}"
        state.play(action)


def texts(case: Case) -> dict[Path, str]:
    """Return the golden files of one game, by path."""
    played = written_game(case)
    made = (playthrough(played), tree_counts(played), Record(played, case.opening).lines())
    names = (folder(case.game) / f"{case.name}{kind}" for kind in Case.FILES)
    return {path: "\n".join(lines) + "\n" for path, lines in zip(names, made, strict=True)}


def main() -> None:
    for case in cases():
        folder(case.game).mkdir(parents=True, exist_ok=True)
        for path, text in texts(case).items():
            path.write_text(text)
            sys.stdout.write(f"{path.relative_to(HERE)}: {len(text):,} bytes\n")


if __name__ == "__main__":
    main()
