"""Plays and stores the games that all facts are computed from.

The shipped search plays all seats with ITERATIONS iterations per decision. One in SPARSE decisions is also searched
with equally many iterations for every action, in the same worlds and with the same luck (`allocation=even`). That
search is independent of the first one, so comparing its values of the two actions that the first one preferred has no
selection bias. In one of RATED games, exchange rates are estimated at the first decision of each round.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.core import NATURE
from clerestory.search.arena.luck import luck_of, shares_by
from clerestory.search.arena.match import decisions, derived_seed, nature_of
from clerestory.search.rates import PER_ITERATION, REPETITIONS, rates_of
from clerestory.search.root import observe
from tools.lab.json_lines import adding_to, gathered, header_of
from tools.lab.self_play import searched

ITERATIONS = 300
EACH = 100  # iterations for each action of a compared decision
SPARSE = 4
RATED = 5  # one in this number of games has exchange rates, estimated at the first decision of each round
RATED_ITERATIONS = 400  # of each of their searches
FIRST_SEED = 6_600_000
MAX_BYTES = 1 << 24  # of the tree of a move
LAST_VERBS = frozenset({"convert", "finish", "discard"})  # plans, whose actions are not compared
TABLES = (("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2))  # games and numbers of players

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """The stored games of one game and number of players; hashed by identity."""

    game: str
    seats: int
    rows: Sequence[Row]


def path_of(folder: Path, game: str, seats: int) -> Path:
    """Return the file of the games of a game and number of players."""
    return folder / f"{game}-{seats}.jsonl"


def tables(folder: Path, games: int) -> list[Table]:
    """Return the stored games of all games and numbers of players, at most this number of each."""
    paths = [(game, seats, path_of(folder, game, seats)) for game, seats in TABLES]
    return [Table(game, seats, first_games(path, games)) for game, seats, path in paths if path.exists()]


def first_games(path: Path, games: int) -> list[Row]:
    """Return the first games of a file, by seed."""
    rows = [row for row in gathered(path) if row["seed"] < FIRST_SEED + games]
    return sorted(rows, key=lambda row: int(row["seed"]))


def gather(folder: Path, games: int) -> None:
    """Play the missing games, so that there are as many of each game and number of players."""
    folder.mkdir(parents=True, exist_ok=True)
    for game, seats in TABLES:
        header = {**header_of("tools.lab.facts", game, seats), "iterations": ITERATIONS, "each": EACH, "sparse": SPARSE}
        with adding_to(path_of(folder, game, seats), header) as (add, lines):
            there = {line["seed"] for line in lines}
            for seed in range(FIRST_SEED, FIRST_SEED + games):
                if seed not in there:
                    add(play(game, seats, seed))


def play(game: str, seats: int, seed: int) -> dict[str, Any]:
    """Play a game; return its actions, result, luck by kind of chance event, and compared decisions."""
    state, choice = GAMES[game].new(seats, seed), Rng(derived_seed("facts", seed))
    tried, rated, round_ = [], [], 0
    for ply in decisions(state, nature_of(seed)):
        legal = state.legal_codes()
        if len(legal) == 1:
            state.play(legal[0])
            continue
        if seed % RATED == 0 and state.round_number() != round_:
            round_ = state.round_number()
            rated.append({"round": round_, "seat": state.turn, "rates": rates(state, choice.next())})
        lines = searched(state, ITERATIONS, choice.next(), MAX_BYTES).lines
        preferred = sorted(lines, key=lambda line: -line.visits)[:2]
        if choice.below(SPARSE) == 0 and LAST_VERBS.isdisjoint(line.action.split()[0] for line in lines):
            tried.append(compared(state, ply, choice.next(), [line.action for line in preferred]))
        state.play(preferred[0].action)
    return {
        "seed": seed,
        "returns": state.win_shares(),
        "scores": state.final_scores(),
        "luck": luck_by_kind(state),
        "actions": [action.code for action in state.history],
        "tried": tried,
        "rated": rated,
    }


def rates(state: State, seed: int) -> dict[str, list[float]]:
    """Return the exchange rates of the seat to decide: win share and points of one more of each good."""
    iterations = PER_ITERATION * REPETITIONS * (1 + len(state.game.layout.goods)) * RATED_ITERATIONS
    found = rates_of(observe(state), iterations, seed)
    return {rate.good: [round(rate.win_share, 4), round(rate.margin, 3)] for rate in found if rate.amount}


def compared(state: State, ply: int, seed: int, preferred: Sequence[str]) -> dict[str, Any]:
    """Return the win share and margin of every action of the seat to decide, and the two preferred actions."""
    most = EACH * len(state.legal_codes())
    lines = searched(state, most, seed, MAX_BYTES, allocation="even").lines
    found = {line.action: [round(line.win_shares[state.turn], 4), round(line.margin, 3)] for line in lines}
    return {"ply": ply, "seat": state.turn, "preferred": preferred, "lines": found}


def luck_by_kind(played: State) -> dict[str, list[float]]:
    """Return each seat's luck in a finished game, in win shares, by the first word of the chance events."""
    state, shares = played.origin, shares_by(played.game, "net")
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * played.seats)
    for action in played.history:
        if state.turn == NATURE and not any(state.foresees(seat) for seat in range(state.seats)):
            kind, more = action.text.split()[0], luck_of(state, action.code, shares)
            found[kind] = [round(before + one, 6) for before, one in zip(found[kind], more, strict=True)]
        state.play(action.code)
    return dict(found)
