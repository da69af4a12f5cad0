"""Fits engine/cathedral/value.toml; the shipped file was made by these commands.

    python -m tools.lab.fit_value games --games 300 --iterations 1000 --seed 1 --out lines.npz
    python -m tools.lab.fit_value fit lines.npz --out value.toml --half-way-from engine/cathedral/value.toml
    python -m tools.lab.fit_value match value.toml --games 400 --seats 2

`games` plays a search against itself, with two players, and records for each of its lines the expected gain (the margin
at the end minus the margin now) and the differences of the terms in the position after it; with `--value` the search
uses the weights of a file. It selects by UCB1, so that poor lines are known as well: fits to the lines of the shipped
search, which spends its visits where its priors are high, lose. `fit` predicts the gain from the terms by ridge
regression. Whether a fit is better is decided in the arena, not by its error: `match` plays `expectimax` with it
against `expectimax` with the weights in use.

Luck goes on with the stream that shuffled the cards, as when the shipped file was made. `fit` is to what searches
expected, which cannot know that, and not to results.
"""

import argparse
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from clerestory.engine import Rng, State, game
from clerestory.engine.cathedral.guide import STAGE_NAMES, TERM_NAMES, terms_of, weights_of
from clerestory.engine.core import Game
from clerestory.search.arena.match import DealTask, Match, decisions
from clerestory.search.arena.series import scores
from clerestory.search.arena.statistics import score_interval
from clerestory.search.ismcts import Searcher
from clerestory.search.root import observe

CATHEDRAL = game("cathedral")
# Options of the searches.
OPTIONS: dict[str, Any] = {"reward": "margin", "playout": "informed", "horizon": 40}
FITTED = "fitted"  # name of the weights of --value
ROUNDS = 6
LEAST_VISITS, MOST_VISITS = 12, 200  # visits at which a line is recorded, and at which its weight stops growing
STRAYING = 0.12  # share of moves that are a random legal action, so that all kinds of positions occur
WITHIN = 3.0  # weight of the differences between the lines of one decision, relative to that of the lines themselves
TermWeights = dict[str, dict[str, list[float]]]  # weights by stage, term and round
TermRow = tuple[float, ...]  # decision, stage, round, visits, the gain to predict, then the terms


# -- games -----------------------------------------------------------------------------------------


def read_value(file: Path) -> TermWeights:
    """Return a table of weights."""
    return tomllib.loads(file.read_text("utf-8"))


def know_value(file: Path | None) -> str:
    """Add the weights of a file to the game's values and return their name; for None, the name of those in use."""
    if file is None:
        return "hand"
    CATHEDRAL.hand_values[FITTED] = weights_of(read_value(file))
    return FITTED


def lines_of(position: State, value: str, iterations: int, luck: random.Random) -> tuple[str, list[TermRow]]:
    """Search a decision; return the best action, and a row for each line with enough visits."""
    seat = position.turn
    searcher = Searcher(observe(position), seed=luck.getrandbits(50), value=value, **OPTIONS)
    result = searcher.run(iterations=iterations)
    rows = [
        (line.visits, *row_of(after, seat, line.margin))
        for line in result.lines
        if line.visits >= LEAST_VISITS and not (after := settled(position, line.action, luck)).over
    ]
    return result.best.action, rows


def settled(position: State, action: str, luck: random.Random) -> State:
    """Return the next position in which a seat decides; chance events are drawn from the actor's knowledge."""
    after = position.observe(position.turn)
    after.play(action)
    after.play_nature(luck.getrandbits(50))
    return after


def row_of(after: State, seat: int, margin: float) -> TermRow:
    """Return the stage, the round, the gain still expected, and the differences of terms between the seats."""
    number, stage, points, ours = terms_of(after, seat)
    _, _, their_points, theirs = terms_of(after, 1 - seat)
    ahead = margin - (points - their_points)
    return STAGE_NAMES.index(stage), number, ahead, *(ours[name] - theirs[name] for name in TERM_NAMES)


def rows_of_game(value: str, seed: int, iterations: int) -> Iterator[list[TermRow]]:
    """Play a game; yield the rows of each decision."""
    luck, rng, state = random.Random(seed), Rng(seed), CATHEDRAL.new(2, seed)
    for _ in decisions(state, rng):
        legal = [action.text for action in state.legal_actions()]
        best = legal[0]
        if len(legal) > 1:
            best, rows = lines_of(state, value, iterations, luck)
            yield rows
        state.play(luck.choice(legal) if luck.random() < STRAYING else best)


def play(value: str, games: int, iterations: int, seed: int, out: Path) -> None:
    """Write the rows of many games, each when it finishes."""
    rows: list[TermRow] = []
    decision = 0
    for number in range(games):
        for found in rows_of_game(value, seed + number, iterations):
            rows += [(decision, *row) for row in found]
            decision += 1
        if number % 10 == 9 or number == games - 1:
            np.savez_compressed(out, rows=np.array(rows, dtype=np.float32))
    print(f"{games} games, {decision} decisions, {len(rows)} lines")


# -- fit -------------------------------------------------------------------------------------------


def basis(rounds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a quadratic of the round, and a step at the last one."""
    middle = (rounds - 3.5) / 2.5
    return np.stack([np.ones_like(middle), middle, middle**2, rounds == ROUNDS], axis=1)


def within(decisions: np.ndarray[Any, Any], weights: np.ndarray[Any, Any], columns: np.ndarray[Any, Any]) -> Any:
    """Return columns centred on their weighted means over the lines of each decision."""
    _, place = np.unique(decisions, return_inverse=True)
    total = np.bincount(place, weights)
    means = np.stack([np.bincount(place, weights * column) / total for column in columns.T], axis=1)
    return columns - means[place]


def ridge(a: np.ndarray[Any, Any], y: np.ndarray[Any, Any], weights: np.ndarray[Any, Any], penalty: float) -> Any:
    """Return the weighted ridge regression, with each coefficient penalized in units of its column's spread."""
    spread = np.sqrt((a**2 * weights[:, None]).sum(0) / weights.sum())
    scale = np.where(spread > 1e-9, spread, 1.0)
    scaled = a / scale
    gram = (scaled * weights[:, None]).T @ scaled + penalty * np.eye(a.shape[1])
    return np.where(spread > 1e-9, np.linalg.solve(gram, (scaled * weights[:, None]).T @ y) / scale, 0.0)


def fit_stage(rows: np.ndarray[Any, Any], penalty: float) -> dict[str, list[float]]:
    """Return the weights of one stage: by term, for each round."""
    decisions, rounds, visits, ahead, terms = rows[:, 0], rows[:, 3], rows[:, 1], rows[:, 4], rows[:, 5:]
    weights = np.minimum(visits, MOST_VISITS)
    a = (terms[:, :, None] * basis(rounds)[:, None, :]).reshape(len(rows), -1)
    inner = within(decisions, weights, np.column_stack([a, ahead]))
    solution = ridge(
        np.concatenate([a, inner[:, :-1]]),
        np.concatenate([ahead, inner[:, -1]]),
        np.concatenate([weights, WITHIN * weights]),
        penalty,
    ).reshape(len(TERM_NAMES), -1)
    by_round = solution @ basis(np.arange(1.0, ROUNDS + 1)).T
    met = np.stack([np.abs(terms[rounds == n]).max(axis=0, initial=0) > 0 for n in range(1, ROUNDS + 1)], axis=1)
    return {
        name: [round(float(weight), 3) for weight in row]
        for name, row in zip(TERM_NAMES, by_round * met, strict=True)
        if np.abs(row).max() >= 0.001
    }


def fit(files: list[Path], penalty: float, before: Path | None, out: Path) -> None:
    """Write the table of weights in the form of value.toml: the fit, or its mean with the weights `before`."""
    rows = np.concatenate([np.load(path)["rows"].astype(float) for path in files])
    table = {stage: fit_stage(rows[rows[:, 2] == number], penalty) for number, stage in enumerate(STAGE_NAMES)}
    if before is not None:
        table = half_way(read_value(before), table)
    with out.open("w", encoding="utf-8") as stream:
        for stage, terms in table.items():
            stream.write(f"\n[{stage}]\n")
            for term, weights in terms.items():
                stream.write(f"{term} = [{', '.join(f'{weight:.3f}' for weight in weights)}]\n")


def half_way(before: TermWeights, after: TermWeights) -> TermWeights:
    """Return the means of two tables; a missing term counts as 0."""
    nothing = [0.0] * ROUNDS
    return {
        stage: {
            term: [
                (a + b) / 2
                for a, b in zip(before[stage].get(term, nothing), after[stage].get(term, nothing), strict=True)
            ]
            for term in TERM_NAMES
            if term in before[stage] or term in after[stage]
        }
        for stage in STAGE_NAMES
    }


# -- match -----------------------------------------------------------------------------------------


def load() -> Game:
    """Return the game, with the new weights among its values."""
    return CATHEDRAL


def compete(file: Path, games: int, seats: int, seed: int) -> None:
    """Print the result of `expectimax` with these weights against `expectimax` with those in use."""
    bots = f"expectimax:value={know_value(file)}", "expectimax:value=hand"
    match = Match(load, seats, bots, "1it", seed, games // seats)
    seatings = list(range(seats))
    played = [game for deal in range(match.deals) for game in DealTask(match, seed + deal, seatings).play()]
    share = score_interval(scores(played, seats))
    print(f"{len(played)} games: {share.mean:.1%} [{share.low:.1%}, {share.high:.1%}]")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("games")
    playing.add_argument("--games", type=int, default=300)
    playing.add_argument("--iterations", type=int, default=1000)
    playing.add_argument("--seed", type=int, default=1)
    playing.add_argument("--value", type=Path)
    playing.add_argument("--out", type=Path, required=True)
    fitting = commands.add_parser("fit")
    fitting.add_argument("files", type=Path, nargs="+")
    fitting.add_argument("--penalty", type=float, default=3000.0)
    fitting.add_argument("--out", type=Path, required=True)
    fitting.add_argument("--half-way-from", type=Path)
    competing = commands.add_parser("match")
    competing.add_argument("value", type=Path)
    competing.add_argument("--games", type=int, default=400)
    competing.add_argument("--seats", type=int, default=2)
    competing.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.command == "games":
        play(know_value(chosen.value), chosen.games, chosen.iterations, chosen.seed, chosen.out)
    elif chosen.command == "fit":
        fit(chosen.files, chosen.penalty, chosen.half_way_from, chosen.out)
    else:
        compete(chosen.value, chosen.games, chosen.seats, chosen.seed)


if __name__ == "__main__":
    main()
