"""Makes the shipped puzzles: `python -m tools.lab.puzzles find|solved|grade|sift|check|ship --game duel --minutes 4`.

    find    searches new games of bots for puzzles, continues where it stopped, and ends after --minutes
    solved  uses the solved positions of tests/search
    grade   lets every level try the shipped puzzles again; needed after a change of the levels
    sift    drops the shipped puzzles that ask for a number only
    check   searches the shipped puzzles again, drops those whose answer changes; needed after a change of the search
    ship    adds found puzzles to the shipped ones, up to --wanted, spread over levels and numbers of players

A position is a puzzle if a short search is nearly certain of one action, a search of ANSWER iterations and one ten
times longer both name it, and the best of the other actions, each searched as often as the answer in the same worlds,
lose at least LEAST of a win. If the position can be solved to the end, the exact values decide. Where conversions or
discards are planned, whole plans are compared.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from clerestory.engine import GAMES, Game, Rng, State
from clerestory.search import Result
from clerestory.search.arena import match
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.match import derived_seed
from clerestory.search.gains import Gain
from clerestory.search.reasons import holding
from clerestory.search.review.puzzle import LEAST, PLAN_SEPARATOR, UNFOUND, Puzzle, read
from clerestory.search.root import observe
from tools.lab.exact import TooLarge, lines_of, solved
from tools.lab.json_lines import compact
from tools.lab.puzzle_plans import (
    Ends,
    PuzzleCandidate,
    after,
    ends_of,
    grade,
    losses_of,
    nearest,
    planner_at,
    same_things,
    searched,
    searcher_of,
    solved_losses,
)

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "build" / "puzzles"  # puzzles found so far, one line per searched game
SHIPPED = ROOT / "search" / "review" / "puzzles"
SHORT, ANSWER = 600, 10_000  # iterations of the filter, and of the answer
LONGER = 10  # factor of the longer search, which must name the same answer
CLEAR = 0.03  # share of a win: minimum loss of the other actions in the filter
RIVALS = 3  # number of other actions to compare with the answer
OF_A_GAME = 3  # maximum puzzles from one game, of different kinds of action
PLAYERS = (3, 4, 5, 6)  # levels of the bots
QUANTITY_ACTIONS = ("convert", "buy", "sell")  # actions that end with a number of things

PuzzleRow = dict[str, Any]


# -- finding ---------------------------------------------------------------------------------------


def find(game: Game, minutes: float) -> None:
    """Search games of bots for some minutes, and write the puzzles of each."""
    end = time.monotonic() + 60 * minutes
    file = found_file(game)
    file.parent.mkdir(parents=True, exist_ok=True)
    begun = len(file.read_text().splitlines()) if file.is_file() else 0
    first = 1 + max((one.seed for one in read(game) if one.ply), default=-1)
    for seed in range(first + begun, 1_000_000):
        if time.monotonic() >= end:
            return
        lines = list(of_a_game(game, game.seats[seed % len(game.seats)], seed))
        with file.open("a") as out:
            out.write(json.dumps(lines) + "\n")
        tell(f"game {seed}: {[line['level'] for line in lines]}")


def of_a_game(game: Game, seats: int, seed: int) -> Iterator[PuzzleRow]:
    """Yield the puzzles of a game of bots, of different kinds of action."""
    kinds: set[str] = set()
    for candidate in decisions(game, seats, seed):
        if len(kinds) == OF_A_GAME:
            return
        line = plan_puzzle(candidate, kinds) if candidate.planner else action_puzzle(candidate, kinds)
        if line is not None:
            kinds.add(kind(line["line"][0]))
            yield line


def kind(action: str) -> str:
    """Return the verb of an action."""
    return action.split()[0]


def decisions(game: Game, seats: int, seed: int) -> Iterator[PuzzleCandidate]:
    """Yield the decisions of a game of bots with three or more actions; a plan counts as one."""
    state, nature = game.new(seats, seed), Rng(derived_seed("puzzles", game.name, seed))
    bots = [parse_bot(f"ismcts:level={PLAYERS[(seat + seed) % len(PLAYERS)]}") for seat in range(seats)]
    last = (-1, "")
    for ply in match.decisions(state, nature):
        planner = planner_at(state)
        goes_on = planner is not None and last[0] == state.turn and kind(last[1]) in planner.PARTS - {"finish"}
        if len(state.legal_codes()) > 2 and not goes_on:
            yield PuzzleCandidate(state.observe(state.turn), observe(state), seed, ply + 1, planner)
        seat, action = state.turn, bots[state.turn].choose(state, nature.below(1 << 30), Budget()).action
        state.play(action)
        last = (seat, action)


def plan_puzzle(candidate: PuzzleCandidate, kinds: set[str]) -> PuzzleRow | None:
    """Return the line of a puzzle that asks for a plan of another kind; None if the position is not a puzzle."""
    assert candidate.planner is not None
    ends = ends_of(candidate.state, candidate.planner)
    if len(ends) < 3:
        return None
    losses, exact = None, False
    if candidate.state.round_number() >= last_round(candidate.state.game):
        losses = solved_losses(ends, candidate.state.turn)
        exact = losses is not None
    losses = losses or confirmed_plans(candidate, ends)
    if not losses or kind(best := nearest(losses, 1)[0]) in kinds or not is_clear(losses, best):
        return None
    return None if same_things(candidate.planner, losses) else graded(candidate, losses, exact=exact)


def confirmed_plans(candidate: PuzzleCandidate, ends: Ends) -> dict[str, float] | None:
    """Return the loss of each plan if two longer searches confirm the best plan of a short one; else None."""
    seat, losses = candidate.state.turn, losses_of(ends, candidate.state.turn, SHORT, candidate.seed)
    best, rival = nearest(losses, 2)
    if losses[rival] < CLEAR:
        return None
    some = {text: ends[text] for text in nearest(losses, RIVALS + 1)}
    for number, iterations in enumerate((ANSWER, LONGER * ANSWER // 2), 1):
        losses |= losses_of(some, seat, iterations, candidate.seed + number)
        if losses[best]:
            return None
    return losses


def action_puzzle(candidate: PuzzleCandidate, kinds: set[str]) -> PuzzleRow | None:
    """Return the line of a puzzle that asks for an action of another kind; None if the position is not a puzzle."""
    clear = clearly_best(candidate)
    return None if clear is None or kind(clear) in kinds else as_puzzle(candidate, clear)


def clearly_best(candidate: PuzzleCandidate) -> str | None:
    """Return the action that a short search is nearly certain of; None if there is none."""
    table = searched(candidate.root, candidate.seed, SHORT)
    seat, best = candidate.state.turn, table.best
    others = [line.win_shares[seat] for line in table.lines[1:] if line.visits >= SHORT // 50]
    if best.visits < SHORT // 2 or best.win_shares[seat] - max(others, default=1.0) < CLEAR:
        return None
    return best.action


def as_puzzle(candidate: PuzzleCandidate, clear: str) -> PuzzleRow | None:
    """Return the line of a puzzle; None if the position is not a puzzle."""
    losses = exact_losses(candidate.state)
    exact = losses is not None
    if losses is None and (table := confirmed(candidate, clear)) is not None:
        losses = searched_losses(candidate, table)
    if not losses or not is_clear(losses, clear) or asks_form_only(losses):
        return None
    return graded(candidate, losses, exact=exact)


def graded(candidate: PuzzleCandidate, losses: Mapping[str, float], *, exact: bool) -> PuzzleRow | None:
    """Return the line of a puzzle; None if no level finds the answer."""
    best, rival = nearest(losses, 2)
    level = grade(candidate, losses)
    if level == UNFOUND:
        return None
    return {
        "position": candidate.state.to_position(),
        "level": level,
        "exact": exact,
        "losses": {text: round(loss, 4) for text, loss in losses.items()},
        "gains": [(one.feature, one.at_game_end, round(one.mean, 2)) for one in gains(candidate, best, rival)],
        "line": variation(candidate, best),
        "seed": candidate.seed,
        "ply": candidate.ply,
    }


def variation(candidate: PuzzleCandidate, best: str) -> list[str]:
    """Return a likely continuation, beginning with the answer; for a plan, the plan."""
    if candidate.planner:
        return best.split(PLAN_SEPARATOR)
    code = candidate.state.game.parse_action(best).code
    return list(searched(candidate.root.only([code]), candidate.seed, ANSWER).best.principal_variation)


def confirmed(candidate: PuzzleCandidate, clear: str) -> Result | None:
    """Return the table of the longer search if both searches choose the action; else None."""
    if searched(candidate.root, candidate.seed + 1, ANSWER).best.action != clear:
        return None
    table = searched(candidate.root, candidate.seed + 2, LONGER * ANSWER)
    return table if table.best.action == clear else None


def searched_losses(candidate: PuzzleCandidate, table: Result) -> dict[str, float]:
    """Return the loss of each action: of the best others from a comparison, of the rest from the table."""
    seat = candidate.state.turn
    losses = {line.action: table.best.win_shares[seat] - line.win_shares[seat] for line in table.lines if line.visits}
    worst = max(losses.values())
    losses = {line.action: losses.get(line.action, worst) for line in table.lines}
    texts = {table.best.action, *nearest(losses, RIVALS + 2)}
    codes = [candidate.state.game.parse_action(text).code for text in texts]
    pair = searched(candidate.root.only(codes), candidate.seed + 3, LONGER * ANSWER // 2, allocation="even")
    shares = {line.action: line.win_shares[seat] for line in pair.lines if line.visits}
    return losses | {text: shares[table.best.action] - share for text, share in shares.items()}


def exact_losses(state: State) -> dict[str, float] | None:
    """Return the exact loss of each action; None if the position is too early to be solved."""
    if state.round_number() < last_round(state.game):
        return None
    try:
        values = solved(state)
    except TooLarge:
        return None
    return {text: max(values.values()) - value for text, value in values.items()}


def last_round(game: Game) -> int:
    """Return the first round in which positions may be small enough to solve."""
    return {"cathedral": 6, "duel": 3}.get(game.name, 1)


def is_clear(losses: Mapping[str, float], best: str) -> bool:
    """Whether every action but the best loses enough."""
    return losses[best] == 0 and all(loss >= LEAST for text, loss in losses.items() if text != best)


def asks_form_only(losses: Mapping[str, float]) -> bool:
    """Whether the two best actions differ only in a number."""
    best, rival = (text.split() for text in nearest(losses, 2))
    return best[0] in QUANTITY_ACTIONS and best[:-1] == rival[:-1]


def gains(candidate: PuzzleCandidate, best: str, rival: str) -> list[Gain]:
    """Return what the best action, or plan as a whole, gains over another, as far as that exceeds chance."""
    state, least = candidate.state, candidate.state.game.tuning.worth_naming
    if candidate.planner:
        own, other = (after(state, text.split(PLAN_SEPARATOR)).features(state.turn) for text in (best, rival))
        differences = {name: own[name] - other[name] for name in own}
        return [Gain(name, False, one, 0.0, 1) for name, one in differences.items() if abs(one) >= least]
    searcher = searcher_of(candidate.root, candidate.seed)
    searcher.run(iterations=ANSWER)
    return list(holding(searcher.foresee((best, rival))[1], least))


# -- shipped puzzles -------------------------------------------------------------------------------


def solved_ones(game: Game) -> None:
    """Write the puzzles among the positions of tests/search."""
    lines = []
    for known in lines_of(game.name):
        state = game.from_position(known["position"])
        losses = {text: max(known["values"].values()) - value for text, value in known["values"].items()}
        best = nearest(losses, 1)[0]
        if len(losses) < 3 or planner_at(state) or not is_clear(losses, best):
            continue
        line = graded(PuzzleCandidate(state, observe(state), known["seed"], 0), losses, exact=True)
        if line is not None:
            lines.append(line)
            tell(f"solved: level {line['level']}")
    found_file(game).with_suffix(".solved.json").write_text(json.dumps(lines))


def ship(game: Game, wanted: int) -> None:
    """Add puzzles to the shipped ones, evenly over levels and numbers of players, and write them, easy ones first."""
    known = [line for lines in map(json.loads, found_file(game).read_text().splitlines()) for line in lines]
    with suppress(FileNotFoundError):
        known += json.loads(found_file(game).with_suffix(".solved.json").read_text())
    chosen = [fields(one) for one in read(game)]
    have = [line["position"] for line in chosen]
    shelves: dict[tuple[int, int], list[PuzzleRow]] = defaultdict(list)
    for line in sorted(known, key=lambda line: (line["seed"], line["ply"])):
        if line["position"] in have:
            continue
        shelves[line["level"], len(line["position"][game.name]["players"])].append(line)
    while len(chosen) < wanted and any(shelves.values()):
        for shelf in shelves.values():
            if shelf and len(chosen) < wanted:
                chosen.append(shelf.pop(0))
    write(game, chosen)


def write(game: Game, lines: list[PuzzleRow]) -> None:
    """Write the shipped puzzles."""
    SHIPPED.mkdir(exist_ok=True)
    ordered = sorted(lines, key=lambda line: (line["level"], line["seed"], line["ply"]))
    text = "".join(map(compact, ordered))
    (SHIPPED / f"{game.name}.jsonl").write_text(text, encoding="utf-8")
    tell(f"{game.name}: {len(lines)}, by level {sorted(Counter(line['level'] for line in lines).items())}")


def grade_again(game: Game) -> None:
    """Let the levels try every shipped puzzle again."""
    lines = [fields(one) for one in read(game)]
    for one, line in zip(read(game), lines, strict=True):
        line["level"] = grade(candidate_of(one), line["losses"])
    write(game, [line for line in lines if line["level"] != UNFOUND])


def sift(game: Game) -> None:
    """Drop the shipped puzzles that only ask for a number."""
    write(game, [fields(one) for one in read(game) if not asks_form_only(one.losses)])


def check(game: Game) -> None:
    """Search every shipped puzzle again, with ANSWER and ten times as many iterations; drop those that change."""
    kept = []
    for one in read(game):
        if one.exact or answer_again(candidate_of(one), one.best) == one.best:
            kept.append(fields(one))
        else:
            tell(f"{game.name} {one.number}: its answer changes")
    write(game, kept)


def answer_again(candidate: PuzzleCandidate, best: str) -> str:
    """Return the answer confirmed by longer searches, "" if they disagree."""
    if candidate.planner is None:
        return best if confirmed(candidate, best) else ""
    losses = confirmed_plans(candidate, ends_of(candidate.state, candidate.planner))
    return nearest(losses, 1)[0] if losses else ""


def candidate_of(one: Puzzle) -> PuzzleCandidate:
    """Return the decision of a puzzle."""
    return PuzzleCandidate(one.state, observe(one.state), one.seed, one.ply, planner_at(one.state))


def fields(one: Puzzle) -> PuzzleRow:
    """Return the line of a puzzle."""
    names = ("position", "level", "exact", "losses", "gains", "line", "seed", "ply")
    return {name: getattr(one, name) for name in names}


def found_file(game: Game) -> Path:
    """Return the file with the puzzles found for a game."""
    return FOUND / f"{game.name}.jsonl"


def tell(text: str) -> None:
    """Print a line and flush it."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("find", "solved", "grade", "sift", "check", "ship"))
    parser.add_argument("--game", choices=("cathedral", "duel"), required=True)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--wanted", type=int, default=200)
    given = parser.parse_args()
    game = GAMES[given.game]
    {
        "find": lambda: find(game, given.minutes),
        "solved": lambda: solved_ones(game),
        "grade": lambda: grade_again(game),
        "sift": lambda: sift(game),
        "check": lambda: check(game),
        "ship": lambda: ship(game, given.wanted),
    }[given.what]()


if __name__ == "__main__":
    main()
