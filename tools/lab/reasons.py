"""Checks whether reasons are true: `python -m tools.lab.reasons`.

At positions from recorded games, with several seeds, the shipped search explains its lines as on a server;
then the same tree is evaluated in many more worlds, and the search is continued. The tool counts the differences stated
in the sentences, those whose sign is confirmed, and the lines stated to be ahead, or alike, that remain so.
"""

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from clerestory.engine import NATURE, State, from_position, read_records
from clerestory.search import Searcher
from clerestory.search.gains import Gain
from clerestory.search.options import shipped
from clerestory.search.reasons import LEAST_ERROR, Verdict, holding, lead, stated, verdict_on, winning_lead
from clerestory.search.root import observe
from clerestory.server.analysis.analysis_engine import EXPLAINED_LINES, explanation

RECORDS = sorted((Path(__file__).parents[2] / "examples" / "records").glob("*.jsonl"))
LIKELIER = Verdict.LIKELIER, Verdict.LIKELIER_BEHIND
ALIKE = Verdict.ALIKE, Verdict.ALIKE_BEHIND


@dataclass(frozen=True, slots=True)
class ReasonTally:
    """Counts of reasons, and of those that held.

    Attributes:
        sentences: number of sentences that compare two lines.
        leads: sentences that state that the best line is ahead.
        leads_held: those of them whose line is still ahead after the longer search.
        wins: sentences that state that the best line is likelier to win.
        wins_held: those of them whose line has the higher win share after the longer search.
        alike: sentences that state that both are about as good.
        alike_held: those of them whose win shares differ by less than LEAST_ERROR after the longer search.
        worlds: total number of worlds in which lines were compared.
        differences: number of stated differences of features.
        held: those of them with the same sign in many worlds.
    """

    sentences: int = 0
    leads: int = 0
    leads_held: int = 0
    wins: int = 0
    wins_held: int = 0
    alike: int = 0
    alike_held: int = 0
    worlds: int = 0
    differences: int = 0
    held: int = 0

    def __add__(self, other: "ReasonTally") -> "ReasonTally":
        return ReasonTally(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))


def recorded_positions(paths: Sequence[Path], count: int) -> list[State]:
    """Return `count` positions with a choice from recorded games, evenly from each game."""
    found = []
    for path in paths:
        [record] = read_records(path.read_text().splitlines())
        state, met = record.state.origin, []
        for action in record.state.history:
            if state.turn != NATURE and len(state.legal_codes()) > 1:
                met.append(state.copy())
            state.play(action)
        share = count // len(paths)
        found += [met[i * len(met) // share] for i in range(share)]
    return found


def check(position: str, seed: int, iterations: int, times: int, longer: int) -> ReasonTally:
    """Explain one search, and compare its sentence with many worlds and with a longer search."""
    state = from_position(position)
    searcher = Searcher(observe(state), seed=seed, **shipped(state.game, state.seats))
    result = searcher.run(iterations=iterations)
    actions = [line.action for line in result.lines[:EXPLAINED_LINES]]
    if len(actions) < 2 or not result.lines[1].visits:
        return ReasonTally()
    limits = explanation(len(actions))
    _, gains = searcher.foresee(actions, worlds=limits["worlds"], plies=limits["plies"])
    tuning = state.game.tuning
    verdict = verdict_on(result.lines[0], result.lines[1], result.seat, tuning.worth_naming)
    scored, held_gains = verdict == Verdict.AHEAD, holding(gains, tuning.worth_naming)
    mentioned = stated(held_gains, tuning.explained, tuning.sources, scored=scored)
    held = same_signs(mentioned, searcher, actions[:2], gains[0].worlds * times) if mentioned else 0
    leads, wins, alike = verdict == Verdict.AHEAD, verdict in LIKELIER, verdict in ALIKE
    points, share = (
        leads_after(searcher, actions, iterations * longer, result.seat) if leads or wins or alike else (0, 0)
    )
    return ReasonTally(
        sentences=1,
        leads=leads,
        leads_held=leads and points > 0,
        wins=wins,
        wins_held=wins and share > 0,
        alike=alike,
        alike_held=alike and abs(share) < LEAST_ERROR,
        worlds=gains[0].worlds,
        differences=len(mentioned),
        held=held,
    )


def same_signs(mentioned: Sequence[Gain], searcher: Searcher, actions: Sequence[str], worlds: int) -> int:
    """Return how many differences have the same sign in many more worlds."""
    _, gains = searcher.foresee(actions, worlds=worlds)
    means = {(one.feature, one.at_game_end): one.mean for one in gains}
    return sum(one.mean * means[one.feature, one.at_game_end] > 0 for one in mentioned)


def leads_after(searcher: Searcher, actions: Sequence[str], iterations: int, seat: int) -> tuple[float, float]:
    """Return the lead of the first of two actions after a longer search: in points, and in the seat's win share."""
    found = {line.action: line for line in searcher.run(iterations=iterations).lines}
    pair = found[actions[0]], found[actions[1]]
    return lead(*pair), winning_lead(*pair, seat)


def main() -> None:
    """Check, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=100, help="in all, as many of each record")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=20_000, help="of the search that is explained")
    parser.add_argument("--times", type=int, default=100, help="the worlds that a sentence was made of")
    parser.add_argument("--longer", type=int, default=10, help="times the iterations, after which leads are looked at")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    positions = [state.to_json() for state in recorded_positions(RECORDS, options.positions)]
    tasks = [(position, seed) for position in positions for seed in range(1, options.seeds + 1)]
    run = partial(check, iterations=options.iterations, times=options.times, longer=options.longer)
    with ProcessPoolExecutor(options.workers) as pool:
        found = sum(pool.map(run, *zip(*tasks, strict=True), chunksize=5), ReasonTally())
    shares = {
        "held_share": round(found.held / found.differences, 4) if found.differences else None,
        "wins_held_share": round(found.wins_held / found.wins, 4) if found.wins else None,
        "alike_held_share": round(found.alike_held / found.alike, 4) if found.alike else None,
        "leads_held_share": round(found.leads_held / found.leads, 4) if found.leads else None,
    }
    print(json.dumps({"searches": len(tasks), **asdict(found), **shares}))


if __name__ == "__main__":
    main()
