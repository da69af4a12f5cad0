"""Games of random players, counted and optionally recorded."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TextIO

import typer
from rich.console import Console
from rich.progress import track

from clerestory.cli.options import writing
from clerestory.cli.screen import figures_table, screen
from clerestory.engine import NATURE, Game, Record, State
from clerestory.search.arena.match import nature_of


def simulate_games(rules: Game, seats: int, seeds: range, out: Path | None, *, as_json: bool) -> None:
    """Play a game of random players for each seed, and print the means."""
    tally = GameCounts()
    progress = Console(stderr=True)
    with record_file(out) as file:
        for number in track(seeds, "playing", console=progress, disable=not progress.is_terminal):
            state = random_game(rules, seats, number, tally)
            if file:
                file.writelines(line + "\n" for line in Record(state, number).lines())
    report(rules, tally, as_json=as_json)


@dataclass
class GameCounts:
    """Counts over games.

    Attributes:
        plies: of each game, decisions and chance events together.
        events: chance events of all games.
        choices: decisions of all games with more than one legal action.
        returns: win share of each seat, by game.
        values: final score of each seat, by game.
    """

    plies: list[int] = field(default_factory=list)
    events: int = 0
    choices: int = 0
    returns: list[tuple[float, ...]] = field(default_factory=list)
    values: list[tuple[float, ...]] = field(default_factory=list)

    def meet(self, state: State, legal: Sequence[int]) -> None:
        """Count a ply that is about to be played."""
        self.events += state.turn == NATURE
        self.choices += state.turn != NATURE and len(legal) > 1

    def add(self, state: State) -> None:
        """Count a finished game."""
        self.plies.append(state.plies)
        self.returns.append(state.win_shares())
        if state.game.has_guide:
            self.values.append(state.value())

    def figures(self) -> dict[str, object]:
        """Return the means."""
        games = len(self.plies)
        return {
            "games": games,
            "plies_per_game": mean(self.plies),
            "chance_events_per_game": self.events / games,
            "decisions_per_game": (sum(self.plies) - self.events) / games,
            "choices_per_game": self.choices / games,
            "win_share": [mean(column) for column in zip(*self.returns, strict=True)],
            "score": [mean(column) for column in zip(*self.values, strict=True)],
        }


def random_game(game: Game, seats: int, seed: int, tally: GameCounts) -> State:
    """Return a finished game of uniformly random players, with its history, and count it; the seed determines all."""
    state, rng = game.new(seats, seed), nature_of(seed)
    while not state.over:
        legal = state.legal_codes()
        tally.meet(state, legal)
        state.play(state.draw(rng) if state.turn == NATURE else legal[rng.below(len(legal))])
    tally.add(state)
    return state


@contextmanager
def record_file(path: Path | None) -> Iterator[TextIO | None]:
    """Open the file for records, if one is wanted."""
    if path is None:
        yield None
    else:
        with writing(path), path.open("w", encoding="utf-8") as file:
            yield file


def report(game: Game, tally: GameCounts, *, as_json: bool) -> None:
    """Print the means, as JSON or as a table by seat."""
    figures = tally.figures()
    if as_json:
        typer.echo(json.dumps(figures))
        return
    title = f"{len(tally.plies):,} games, {mean(tally.plies):.1f} plies each"
    table = figures_table(title, "seat", "win share", "mean score")
    for seat, share in enumerate(zip(*tally.returns, strict=True)):
        score = f"{mean(row[seat] for row in tally.values):.2f}" if tally.values else "-"
        table.add_row(game.seat_name(seat), f"{mean(share):.1%}", score)
    screen().print(table)
