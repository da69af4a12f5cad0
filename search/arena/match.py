"""A match between two bots, and how to play one of its games.

Each deal (an opening position with its hidden cards, and Nature's random stream) is played once per seating: bot A
takes each seat in turn and bot B all the others. All luck derives from the match's seed, so a match with an iteration
budget can be replayed move for move.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any

from clerestory.engine.core import NATURE, Game, State
from clerestory.engine.rng import Rng
from clerestory.search.arena.bots import Bot, Budget, Move, checksum_of, judges_by, parse_bot
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.luck import ShareValue, luck_of_game, shares_by

MAX_SEED = 2**64 - 1
ChooseMove = Callable[[State, int], Move]  # chooses for the seat to decide, from what that seat knows and a seed


@dataclass(frozen=True, slots=True)
class Match:
    """The parameters of a match.

    Attributes:
        load: returns the game; worker processes call it, so it must be picklable by name.
        seats: number of players.
        bots: texts of bots A and B, for `parse`.
        budget: budget of a move, as text for `Budget.parse`.
        seed: seed of the first deal; deal i has the seed `seed + i`.
        deals: number of deals; each is `seats` games.
        luck: name of the value that measures luck, for `value_of`; "" to leave results unadjusted.
        parse: returns the bot of a text; picklable by name, as `load`.
    """

    load: Callable[[], Game]
    seats: int
    bots: tuple[str, str]
    budget: str
    seed: int
    deals: int
    luck: str = ""
    parse: Callable[[str], Bot] = parse_bot

    def header(self) -> dict[str, Any]:
        """Return the header of a results file; two runs with equal headers belong to one match.

        Servers are identified only by their addresses. Raises BadWeights for a missing value.
        """
        game = self.load()
        weights = [judges_by(text, game, self.seats) for text in self.bots]
        return {
            "arena": 1,
            **game.identity(),
            "seats": self.seats,
            "bots": list(self.bots),
            "budget": self.budget,
            **({"luck": self.luck} if self.luck else {}),
            "version": version("clerestory"),
            "weights": [*weights, *([checksum_of(game, self.luck)] if self.luck else [])],
        }

    def rehearse(self) -> None:
        """Check the match before it starts: let both bots make one short move.

        Raises BadBot or BadLimit if a bot rejects its settings, BadMatch for invalid seats or deals, or for a value
        that cannot measure luck.
        """
        game = self.load()
        if self.seats not in game.seats:
            raise BadMatch(f"seats: {self.seats} is not one of {', '.join(map(str, game.seats))}")
        if self.deals < 1 or not 0 <= self.seed <= MAX_SEED - self.deals + 1:
            last = self.seed + self.deals - 1
            raise BadMatch(f"deals: there must be at least 1, with seeds from 0 to 2^64 - 1, not {self.seed} to {last}")
        Budget.parse(self.budget)
        if self.luck:
            shares_by(game, self.luck)
        state = game.new(self.seats, self.seed)
        state.play_nature(0)
        for text in self.bots:
            self.parse(text).choose(state, 0, Budget(iterations=1))


@dataclass(frozen=True, slots=True)
class DealTask:
    """A unit of work: one deal of a match, with A in each of the given seats."""

    match: Match
    deal: int
    seats: list[int]

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list["GameResult"]:
        """Play the games, omitting one that is stopped midway."""
        games = (play_game(self.match, self.deal, seat, stopped) for seat in self.seats)
        return [game for game in games if game is not None]

    def header(self) -> dict[str, Any]:
        """Return the header of the match."""
        return self.match.header()


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game, which is one line of the results; lists are by seat.

    Attributes:
        deal: seed of the deal.
        seat: seat of bot A; bot B has all the others.
        returns: win shares.
        margins: own score minus the best other score, in points.
        values: final scores, in points; None if the game has no guide.
        plies: decisions and chance events.
        moves: number of decisions.
        seconds: time spent deciding.
        iterations: total of the bots' own counts.
        luck: win shares that seats owe to chance events; None if luck was not measured.
    """

    deal: int
    seat: int
    returns: list[float]
    margins: list[float]
    values: list[float] | None
    plies: int
    moves: list[int]
    seconds: list[float]
    iterations: list[int]
    luck: list[float] | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of the line."""
        return {name: value for name, value in asdict(self).items() if name != "luck" or value is not None}


def derived_seed(*parts: str | int) -> int:
    """Return a seed derived from parts: the first 8 bytes of BLAKE2b of `part/part/...`, little-endian."""
    text = "/".join(map(str, parts)).encode("ascii")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def nature_of(deal: int) -> Rng:
    """Return Nature's random stream for a deal; it differs from the stream that shuffled the cards.

    With one stream for both, the luck of a game would reveal the hidden cards.
    """
    return Rng(derived_seed("nature", deal))


def play_game(match: Match, deal: int, seat: int, stopped: Callable[[], bool] = lambda: False) -> GameResult | None:
    """Play one game of a deal with A in the given seat; return None if stopped.

    Nature draws from the stream `nature_of(deal)`. The move at a ply has the seed
    `derived_seed("move", deal, seat, ply)`, where seat is A's.
    """
    a, b = map(match.parse, match.bots)
    budget = Budget.parse(match.budget)
    players = [partial((a if here == seat else b).choose, budget=budget) for here in range(match.seats)]
    game = match.load()
    shares = shares_by(game, match.luck) if match.luck else None
    return play_between(players, game, deal, seat, stopped, shares)


def play_between(
    players: Sequence[ChooseMove],
    game: Game,
    deal: int,
    seat: int,
    stopped: Callable[[], bool] = lambda: False,
    shares: ShareValue | None = None,
) -> GameResult | None:
    """Play one game of a deal between players, given by seat; `shares` measure luck. Otherwise like `play_game`."""
    state = game.new(len(players), deal)
    moves: list[list[Move]] = [[] for _ in players]
    for ply in decisions(state, nature_of(deal)):
        if stopped():
            return None
        turn = state.turn
        moves[turn].append(players[turn](state.observe(turn), derived_seed("move", deal, seat, ply)))
        state.play(moves[turn][-1].action)
    finished = result(state, deal, seat, state.plies, moves)
    return finished if shares is None else replace(finished, luck=luck_of_game(state, shares))


def decisions(state: State, luck: Rng) -> Iterator[int]:
    """Yield the ply of each decision until the game is over; play chance events in between; the caller decides."""
    ply = 0
    while not state.over:
        if state.turn == NATURE:
            state.play(state.draw(luck))
        else:
            yield ply
        ply += 1


def result(state: State, deal: int, seat: int, plies: int, moves: Sequence[Sequence[Move]]) -> GameResult:
    """Return the results line of a finished game."""
    return GameResult(
        deal=deal,
        seat=seat,
        returns=list(state.win_shares()),
        margins=list(state.margins()),
        values=list(state.value()) if state.game.has_guide else None,
        plies=plies,
        moves=[len(own) for own in moves],
        seconds=[sum(move.seconds for move in own) for own in moves],
        iterations=[sum(move.iterations for move in own) for own in moves],
    )
