"""Plays bots of all families against each other: two players, paired deals, with the luck of chance events taken out.

    python -m tools.lab.facts.opponents play GAME --deals N --out FILE
    python -m tools.lab.facts.opponents table FILE

A player is a bot of the arena with a budget after @ (`ismcts:level=5`, `ismcts@1500it`), or one of these two:

- `openspiel@ITERATIONS`: OpenSpiel's ISMCTS in Python, with random playouts. `table` shows the CPU time of all players.
- `open@ITERATIONS`: the shipped search on the true position. It knows the order of all hidden cards, but no roll or
  draw that has yet to happen, so its results against `ismcts` with equally many iterations show what the hidden cards
  are worth. These results keep their luck: it can only be taken out where no player knows it in advance.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

import numpy as np

from clerestory.engine import GAMES, State
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.luck import luck_of_game, shares_by
from clerestory.search.arena.match import decisions, derived_seed, nature_of
from clerestory.search.arena.statistics import adjusted_interval, score_interval
from clerestory.search.intervals import Interval
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.root import Root
from tools.lab.commands import play_and, run
from tools.lab.json_lines import gathered, play_deals

LEVELS = tuple(f"ismcts:level={level}" for level in (1, 3, 5, 7))
PLAYERS = {
    "cathedral": ("script-v1", "priced-v1", "greedy", "expectimax", "openspiel@12", *LEVELS, "open@1500"),
    "duel": ("greedy", "expectimax", "openspiel@20", *LEVELS, "open@1500"),
}
OPEN, OPENSPIEL = "open", "openspiel"
EXPLORATION = 0.7  # of OpenSpiel's search
MAX_BYTES = 1 << 26

Choose = Callable[[State, int], str]  # chooses the text of an action in the true position, given a seed


def player(name: str) -> Choose:
    """Return the player with a name."""
    bot, _, budget = name.partition("@")
    if bot == OPEN:
        return partial(choose_openly, iterations=int(budget))
    if bot == OPENSPIEL:
        return partial(choose_by_openspiel, iterations=int(budget))
    return partial(choose_fairly, parse_bot(bot).choose, Budget.parse(budget or "1500it"))


def choose_fairly(choose: Callable[..., Any], budget: Budget, position: State, seed: int) -> str:
    """Choose as a bot does, from what its seat knows."""
    action: str = choose(position.observe(position.turn), seed, budget).action
    return action


def choose_openly(position: State, seed: int, iterations: int) -> str:
    """Choose by a search of the true position."""
    root = Root(position, position.turn, position.turn)
    root.view = position.copy()
    searcher = Searcher(root, seed=seed, max_bytes=MAX_BYTES, **shipped(position.game, position.seats))
    return searcher.run(iterations=iterations).best.action


def choose_by_openspiel(position: State, seed: int, iterations: int) -> str:
    """Choose the action that OpenSpiel's search visits most, from what everyone knows; it guesses a shown event."""
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    from clerestory.envs.openspiel import SpielGame

    if len(legal := position.legal_actions()) == 1:
        return legal[0].text
    luck = np.random.RandomState(seed % 2**32)
    game = SpielGame(position.game.name, origin=position)
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, luck), EXPLORATION, iterations, random_state=luck)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(luck.choice(state.legal_actions()))
    policy = bot.run_search(state)
    return str(position.game.texts[max(policy, key=lambda choice: choice[1])[0]])


def play_deal(game: str, a: str, b: str, deal: int) -> dict[str, Any]:
    """Play a deal in both seatings; return A's mean win share, with and without luck, and the time per move."""
    shares, scores, lucky = shares_by(GAMES[game], "net"), [], []
    spent: dict[str, list[float]] = {a: [], b: []}
    for seat in (0, 1):
        names = (a, b) if seat == 0 else (b, a)
        players, state = [player(name) for name in names], GAMES[game].new(2, deal)
        for ply in decisions(state, nature_of(deal)):
            start, turn = process_time(), state.turn
            state.play(players[turn](state, derived_seed("move", deal, seat, ply)))
            spent[names[turn]].append(process_time() - start)
        scores.append(state.win_shares()[seat])
        lucky.append(luck_of_game(state, shares)[seat])
    score, ms = fmean(scores), {name: round(1000 * fmean(times), 3) for name, times in spent.items()}
    return {"a": a, "b": b, "deal": deal, "score": score, "adjusted": score - fmean(lucky), "ms": ms}


def play(game: str, deals: range, players: Sequence[str], out: Path) -> None:
    """Play the deals that are not in the file, and append their results one by one."""
    play_deals("tools.lab.facts.opponents", game, deals, combinations(players, 2), play_deal, out)


# -- the table -------------------------------------------------------------------------------------


def table(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a table of the win share of each row's player against each later one, in percent; see `share_against`."""
    names = list(dict.fromkeys(name for line in lines for name in (line["a"], line["b"])))
    yield f"| | {' | '.join(map(titled, names[1:]))} |"
    yield f"| -- |{' -- |' * (len(names) - 1)}"
    for number, row in enumerate(names[:-1]):
        cells = [cell(lines, row, other) if place > number else "" for place, other in enumerate(names)]
        yield f"| {titled(row)} | {' | '.join(cells[1:])} |"


@cache
def titled(name: str) -> str:
    """Return the name of a player in a table."""
    bot, _, level = name.partition(":level=")
    return f"level {level}" if level else f"`{bot}`"


def cell(lines: Sequence[Mapping[str, Any]], row: str, other: str) -> str:
    """Return the win share of one player against another with its interval; "" for fewer than two deals."""
    if len(against(lines, row, other, "score")) < 2:
        return ""
    share = share_against(lines, row, other)
    return f"{100 * share.mean:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def share_against(lines: Sequence[Mapping[str, Any]], row: str, other: str) -> Interval:
    """Return the win share of one player against another, with the luck taken out unless one of them knew it."""
    if OPEN in (row.partition("@")[0], other.partition("@")[0]):
        return score_interval(against(lines, row, other, "score"))
    return adjusted_interval(against(lines, row, other, "adjusted"))


def against(lines: Sequence[Mapping[str, Any]], row: str, other: str, figure: str) -> list[float]:
    """Return a figure of each deal between two players, from the view of the first."""
    own = [line[figure] for line in lines if (line["a"], line["b"]) == (row, other)]
    return own + [1 - line[figure] for line in lines if (line["a"], line["b"]) == (other, row)]


def times(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the CPU time of each player, in milliseconds per move."""
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for line in lines:
        for name, ms in line.get("ms", {}).items():
            spent[name].append(ms)
    return ", ".join(f"{titled(name)} {fmean(found):.3g} ms" for name, found in spent.items())


def counts(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return how many games each pair has played."""
    deals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for line in lines:
        deals[line["a"], line["b"]] += 2
    return f"{min(deals.values())} to {max(deals.values())} games of each pair"


def main() -> None:
    parser, playing = play_and(__doc__, "table", PLAYERS)
    playing.add_argument("--players", help="separated by commas; else those of the game")
    options = parser.parse_args()
    if options.command == "table":
        lines = gathered(options.file)
        sys.stdout.write("\n".join([*table(lines), counts(lines), times(lines)]) + "\n")
        return
    players = options.players.split(",") if options.players else PLAYERS[options.game]
    play(options.game, range(options.seed, options.seed + options.deals), players, options.out)


if __name__ == "__main__":
    run(main)
