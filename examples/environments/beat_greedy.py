"""Learns to play better than `greedy`, a hand-made player, from games against itself; NumPy is all it needs.

`python examples/environments/beat_greedy.py` learns for some minutes on two cores, and then plays 400 games.
`beat_greedy.ipynb` is the same as a notebook.
"""

# %% [markdown]
# # Learn a game by playing it
#
# A network looks at the position after each legal action (an *afterstate*), and predicts by how many points the
# player will win. The best prediction is played. The predictions are learned from the ends of many games against
# itself: Monte Carlo learning with afterstates, much as in TD-Gammon (Tesauro 1995).

# %%
import argparse

import numpy as np

from clerestory.engine import GAMES, Rng, State
from clerestory.envs import Observer, VectorGame
from clerestory.search.arena.bots import Budget, parse_bot

GAME, SEATS = "cathedral", 2
GAMES_AT_ONCE = 256
HIDDEN = 64  # units of the network
POINTS = 20.0  # a margin of this many points is 1 to the network
NOISE = 0.03  # of the choice, in the same unit: games must differ
BATCH, ROUND = 512, 40_000  # afterstates of one step of learning, and of one round of games
ROUNDS = 100
RATE = 1e-3  # of learning, at the start


# %% [markdown]
# ## A network with one hidden layer


# %%
class Net:
    """Predicts margins from observations, and learns from them with Adam (Kingma and Ba 2015)."""

    def __init__(self, inputs: int, seed: int) -> None:
        luck = np.random.default_rng(seed)
        self.weights = [
            luck.normal(0, np.sqrt(2 / 40), (inputs, HIDDEN)).astype(np.float32),  # about 40 inputs are not 0
            np.zeros(HIDDEN, np.float32),
            luck.normal(0, np.sqrt(1 / HIDDEN), HIDDEN).astype(np.float32),
            np.zeros(1, np.float32),
        ]
        self.moments = [(np.zeros_like(one), np.zeros_like(one)) for one in self.weights]
        self.steps = 0

    def __call__(self, observed: np.ndarray) -> np.ndarray:
        """Return the predictions for observations."""
        first, bias, last, offset = self.weights
        return np.asarray(np.maximum(observed @ first + bias, 0) @ last + offset)

    def learn(self, observed: np.ndarray, margins: np.ndarray, rate: float) -> float:
        """Take one step; return the mean squared error before it."""
        first, bias, last, offset = self.weights
        hidden = np.maximum(observed @ first + bias, 0)
        error = (hidden @ last + offset - margins) / len(margins)
        back = np.outer(error, last) * (hidden > 0)
        self.steps += 1
        gradients = (observed.T @ back, back.sum(0), hidden.T @ error, error.sum(keepdims=True))
        for weight, gradient, (mean, square) in zip(self.weights, gradients, self.moments, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            scaled = mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            weight -= np.float32(rate) * scaled
        return float(error @ error * len(margins))


# %% [markdown]
# ## Games against itself
#
# `afterstates` lists them for all legal actions of all games. A game that ends restarts in the same row.


# %%
class SelfPlay:
    """Plays games, and collects the chosen afterstates of those that have ended, with their margins."""

    def __init__(self, seed: int) -> None:
        self.games = VectorGame(GAME, GAMES_AT_ONCE, seats=SEATS, copy=False)
        self.luck = np.random.default_rng(seed)
        self.turns = self.games.reset(seed=seed)[1]["turn"].copy()
        self.open: list[list[tuple[np.ndarray, int]]] = [[] for _ in range(GAMES_AT_ONCE)]
        self.finished = 0

    def round(self, net: Net) -> tuple[np.ndarray, np.ndarray]:
        """Play until there are ROUND afterstates of ended games; return them and their margins."""
        rows: list[np.ndarray] = []
        margins: list[float] = []
        while len(rows) < ROUND:
            observed, owners, codes = self.games.afterstates()
            values = net(observed) + NOISE * self.luck.gumbel(size=len(codes))
            chosen = best_of_each(values, owners)
            for number, row in enumerate(observed[chosen].astype(np.float16)):
                self.open[number].append((row, self.turns[number]))
            _, _, ended, _, infos = self.games.step(codes[chosen])
            self.turns = infos["turn"].copy()
            for game in np.flatnonzero(ended):
                lead = margins_of(infos["final_scores"][game])
                rows += [row for row, _ in self.open[game]]
                margins += [lead[seat] for _, seat in self.open[game]]
                self.open[game] = []
                self.finished += 1
        return np.stack(rows), np.array(margins, np.float32)


def best_of_each(values: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Return the index of the best value of each owner; owners ascend."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    best = np.maximum.reduceat(values, starts)
    found = np.flatnonzero(values == best[owners])
    return found[np.unique(owners[found], return_index=True)[1]]


def margins_of(scores: np.ndarray) -> np.ndarray:
    """Return each seat's score minus the best other one, in the unit of the network."""
    others = [np.delete(scores, seat).max() for seat in range(len(scores))]
    return np.asarray((scores - others) / POINTS)


def learned(rounds: int, seed: int) -> Net:
    """Play and learn, each round from the games of the last four."""
    play = SelfPlay(seed)
    net = Net(play.games.observer.size, seed)
    past: list[tuple[np.ndarray, np.ndarray]] = []
    for number in range(rounds):
        past = [*past[-3:], play.round(net)]
        rows, margins = (np.concatenate(parts) for parts in zip(*past, strict=True))
        order = play.luck.permutation(len(rows))
        errors = [
            net.learn(rows[part].astype(np.float32), margins[part], RATE * (1 - number / rounds))
            for part in np.split(order, range(BATCH, len(order), BATCH))
        ]
        print(f"round {number + 1}: {play.finished:,} games, mean squared error {np.mean(errors):.3f}", flush=True)
    return net


# %% [markdown]
# ## Against `greedy`
#
# Each deal is played twice, with exchanged seats, so that luck with the cards weighs less.


# %%
def wins(net: Net, deals: int, seed: int) -> np.ndarray:
    """Return the mean win share of the network against `greedy` in each deal."""
    rules = GAMES[GAME]
    greedy, observer = parse_bot("greedy"), Observer(rules, SEATS)
    shares = np.zeros((deals, SEATS))
    for deal in range(deals):
        for ours in range(SEATS):
            luck = Rng(seed + deal)
            state = rules.new(SEATS, luck)
            state.play_nature(luck)
            while not state.over:
                if state.turn == ours:
                    state.play(choice(net, observer, state.observe(ours)))
                else:
                    state.play(greedy.choose(state, state.plies, Budget()).action)
                state.play_nature(luck)
            shares[deal, ours] = state.win_shares()[ours]
    return np.asarray(shares.mean(1))


def choice(net: Net, observer: Observer, state: State) -> int:
    """Return the code of the action with the best prediction, for the seat to decide."""
    codes, seat, seen = state.legal_codes(), state.turn, []
    for code in codes:
        after = state.copy()
        after.play(code)
        seen.append(observer.observe(after, seat))
    return int(codes[int(np.argmax(net(np.stack(seen))))])


# %%
def main(arguments: list[str] | None = None) -> float:
    """Learn, play, and return the win share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    net = learned(chosen.rounds, chosen.seed)
    shares = wins(net, chosen.games // SEATS, 10**6)
    error = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
    print(f"wins {shares.mean():.1%} ± {error:.1%} of {SEATS * len(shares)} games against greedy")
    return float(shares.mean())


if __name__ == "__main__":
    main()
