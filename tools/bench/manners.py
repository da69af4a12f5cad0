"""`clerestory bench manners`: what characters do more often, or more rarely, than plain bots of their level."""

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any

import typer
from rich.table import Table

from clerestory.cli.game_options import WorkersOption
from clerestory.cli.options import DEFAULT_GAME, BadOption, GameOption, JsonOption, SeedOption, chosen_game
from clerestory.cli.screen import figures_table, screen, tracked
from clerestory.engine.core import Game, State
from clerestory.engine.games import GAMES
from clerestory.engine.tuning import CHARACTERS, Manner
from clerestory.search.arena.bots import Budget, Move, parse_bot
from clerestory.search.arena.match import ChooseMove, play_between
from clerestory.search.arena.pool import on_processes
from clerestory.search.intervals import Interval, mean_interval

SEATS = 2  # also games per deal: the character plays each seat

PairedCounts = tuple[int, int]  # for a game: counts of the character and of the plain bot


@dataclass(frozen=True, slots=True)
class MannerFigures:
    """How often a character takes its characteristic actions.

    Attributes:
        often: whether it should take them more often than the plain bot; otherwise more rarely.
        games: number of games against the plain bot of its level, each deal from both seats.
        own: its characteristic actions per game.
        plain: those of the plain bot in the same games.
        difference: own minus plain, with the 95 % interval over deals.
    """

    character: str
    level: int
    often: bool
    games: int
    own: float
    plain: float
    difference: Interval

    @property
    def holds(self) -> bool:
        """Whether the interval lies on the expected side of 0."""
        return self.difference.low > 0 if self.often else self.difference.high < 0


@dataclass(slots=True)
class Watched:
    """A bot, and its number of characteristic actions."""

    choose: ChooseMove
    manner: Manner
    shown: int = 0

    def __call__(self, state: State, seed: int) -> Move:
        """Choose, and count a characteristic action unless it was the only legal one."""
        move = self.choose(state, seed)
        self.shown += self.manner.shows(move.action) and len(state.legal_codes()) > 1
        return move


@dataclass(frozen=True, slots=True)
class MannerTask:
    """A task: one deal with a character in either seat."""

    game: str
    character: str
    deal: int
    iterations: int | None

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[PairedCounts]:
        """Return, for each game, the numbers of characteristic actions of the character and of the plain bot."""
        counts = (self.count(seat, stopped) for seat in range(SEATS))
        return [one for one in counts if one is not None]

    def header(self) -> dict[str, Any]:
        """Return the game and the players."""
        return {**GAMES[self.game].identity(), "character": self.character}

    def count(self, seat: int, stopped: Callable[[], bool]) -> PairedCounts | None:
        """Play one game with the character in a seat; None if stopped."""
        game = GAMES[self.game]
        own = self.watched(game, f"character={self.character}")
        plain = self.watched(game, f"level={CHARACTERS[self.character]}")
        played = play_between([own, plain] if seat == 0 else [plain, own], game, self.deal, seat, stopped)
        return None if played is None else (own.shown, plain.shown)

    def watched(self, game: Game, options: str) -> Watched:
        """Return a bot with these options."""
        choose = partial(parse_bot(f"ismcts:{options}").choose, budget=Budget(iterations=self.iterations))
        return Watched(choose, manner_of(game, self.character))


def manner_of(game: Game, character: str) -> Manner:
    """Return a character's playing style in a game. Raises BadOption."""
    manner = game.tuning.manners.get(character)
    if manner is None:
        known = ", ".join(game.tuning.manners) or "nobody"
        raise BadOption(f"characters: {character[:40]!r} has no manner in {game.name}; those who have: {known}")
    return manner


def measure(
    game: Game, character: str, games: int, seed: int, workers: int, iterations: int | None = None
) -> MannerFigures:
    """Return the figures of one character over at least `games` games, with a maximum of iterations per move."""
    tasks = [MannerTask(game.name, character, seed + i, iterations) for i in range(math.ceil(games / SEATS))]
    with on_processes(workers) as run:
        deals = list(run(iter(tasks)))
    return figures(character, manner_of(game, character), deals)


def figures(character: str, manner: Manner, deals: list[list[PairedCounts]]) -> MannerFigures:
    """Return the figures of a character, given the counts of both games of each deal."""
    count = SEATS * len(deals)
    return MannerFigures(
        character=character,
        level=CHARACTERS[character],
        often=manner.often,
        games=count,
        own=sum(own for deal in deals for own, _ in deal) / count,
        plain=sum(plain for deal in deals for _, plain in deal) / count,
        difference=mean_interval([sum(own - plain for own, plain in deal) / SEATS for deal in deals]),
    )


def as_table(game: Game, found: list[MannerFigures]) -> Table:
    """Return the figures as a table, one character per row."""
    table = figures_table(game.name, "character", "level", "known by", "a game", "plain", "difference", "holds")
    for one in found:
        manner = game.tuning.manners[one.character]
        known = f"{'more' if one.often else 'fewer'} {', '.join(manner.sign)}"
        spread = f"{one.difference.mean:+.2f} [{one.difference.low:+.2f}, {one.difference.high:+.2f}]"
        holds = "yes" if one.holds else "no"
        table.add_row(one.character, str(one.level), known, f"{one.own:.2f}", f"{one.plain:.2f}", spread, holds)
    return table


def bench_manners(
    characters: Annotated[
        list[str] | None, typer.Argument(metavar="CHARACTER", help="Name of a character; by default all.")
    ] = None,
    game: GameOption = DEFAULT_GAME,
    games: Annotated[
        int, typer.Option(metavar="N", min=4, max=1_000_000, help="Minimum number of games for each.")
    ] = 200,
    seed: SeedOption = 0,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Maximum iterations per move; by default those of the level.")
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """How often each character does what the plain bot of its level does more or less often."""
    rules, number = chosen_game(game, SEATS), workers or os.cpu_count() or 1
    wanted = characters or list(rules.tuning.manners)
    each = tracked(wanted, "bench manners", len(wanted), hidden=as_json)
    found = [measure(rules, one, games, seed, number, iterations) for one in each]
    if as_json:
        rows = [{**asdict(one), "holds": one.holds} for one in found]
        typer.echo(json.dumps({"bench": "manners", **rules.identity(), "seed": seed, "characters": rows}))
        return
    screen().print(as_table(rules, found))
