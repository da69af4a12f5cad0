"""Plays a whole match with any worker pool, and reports on it."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import variance

from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.match import DealTask, GameResult, Match
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.arena.results import Results
from clerestory.search.arena.statistics import (
    Sprt,
    SprtCourse,
    SprtVerdict,
    adjusted_interval,
    elo_interval,
    score_interval,
)
from clerestory.search.intervals import Interval, mean_interval

GameResults = Generator[GameResult, None, None]

# -- playing ---------------------------------------------------------------------------------------


def play_match(
    match: Match, results: Results, *, workers: int, sprt: Sprt | None = None, crew: Crew = on_processes
) -> GameResults:
    """Play the games that are missing from the results, and yield each once it is stored.

    A worker takes whole deals. Once a test is decided, no further deal is handed out; deals in progress are finished
    but do not count in the test. If the iteration ends early, by an interrupt or by being closed, workers stop at their
    next move and unfinished games are dropped.

    Args:
        match: a match that has been rehearsed.
        results: where games are stored; games already there are not played again.
        workers: number of deals played concurrently.
        sprt: the test that may end the match early.
        crew: the worker pool; the games are the same in any pool.
    """
    tasks = missing(match, results)
    with crew(workers) as run:
        for games in run(undecided(tasks, match, results, sprt)):
            for played in games:
                results.add(played)
                yield played


def missing(match: Match, results: Results) -> list[DealTask]:
    """Return the deals, or seatings of them, that are missing from the results."""
    done = {(game.deal, game.seat) for game in results.games}
    deals = range(match.seed, match.seed + match.deals)
    tasks = (DealTask(match, deal, [seat for seat in range(match.seats) if (deal, seat) not in done]) for deal in deals)
    return [task for task in tasks if task.seats]


def undecided(tasks: Iterable[DealTask], match: Match, results: Results, sprt: Sprt | None) -> Iterator[DealTask]:
    """Yield tasks while the test is undecided."""
    course = MatchCourse(match, results, sprt) if sprt else None
    for task in tasks:
        if course and course.test().verdict != SprtVerdict.OPEN:
            return
        yield task


class MatchCourse:
    """The test of a match. It takes deals in the order of their seeds, so every worker pool gives the same verdict."""

    def __init__(self, match: Match, results: Results, sprt: Sprt) -> None:
        self._match, self._results = match, results
        self._test, self._next, self._read = SprtCourse(sprt, match.seats), match.seed, 0
        self._shares: dict[int, dict[int, float]] = defaultdict(dict)  # win shares of A, by deal and seat

    def test(self) -> SprtCourse:
        """Return the test after all deals up to the first incomplete one."""
        for game in self._results.games[self._read :]:
            self._shares[game.deal][game.seat] = game.returns[game.seat]
        self._read = len(self._results.games)
        while self._next < self._match.seed + self._match.deals and self._complete(self._next):
            shares = self._shares[self._next]
            self._test.add(sum(shares[seat] for seat in range(self._match.seats)) / self._match.seats)
            self._next += 1
        return self._test

    def _complete(self, deal: int) -> bool:
        return deal in self._shares and len(self._shares[deal]) == self._match.seats


# -- the report ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """The performance of one bot.

    Attributes:
        bot: text of the bot.
        score: mean win share of one of its seats, 0 to 1.
        value: mean final score of one of its seats, in points; None for a game without scores.
        ms_per_move: mean thinking time in milliseconds.
        iterations_per_move: mean iterations, as the bot counts them.
    """

    bot: str
    score: float
    value: float | None
    ms_per_move: float
    iterations_per_move: float


@dataclass(frozen=True, slots=True)
class Report:
    """The result of bot A, in one seat, against bot B in all the others, with 95 % intervals over deals.

    The intervals are those of a match of fixed length. If a test ended the match, they are too narrow, and scores, Elo
    and margin are biased towards the side that the test favoured.

    Attributes:
        games: number of finished games.
        deals: deals with every seating finished; the figures below cover these.
        score: A's win share, 0 to 1; 1 / seats is even.
        elo: Elo of A minus Elo of B.
        margin: A's final score minus the best other score, in points.
        a, b: the two sides.
        llr: log-likelihood ratio of the test, when it was decided or so far; None without a test.
        verdict: verdict of the test; None without a test.
        adjusted: A's win share with the luck taken out; None if luck was not measured.
        noise: variance of deals' adjusted scores divided by that of their scores; None if luck was not measured.
    """

    games: int
    deals: int
    score: Interval
    elo: Interval
    margin: Interval
    a: Side
    b: Side
    llr: float | None
    verdict: SprtVerdict | None
    adjusted: Interval | None = None
    noise: float | None = None


def report(match: Match, results: Results, sprt: Sprt | None = None) -> Report | None:
    """Return the report, or None before the first complete deal."""
    every = results.of(match)
    games = [game for deal in whole_deals(every, match.seats) for game in deal]
    if not games:
        return None
    shares = scores(games, match.seats)
    test = MatchCourse(match, results, sprt).test() if sprt else None
    less_luck = adjusted_scores(games, match.seats) if match.luck else None
    score = score_interval(shares)
    margins = [sum(game.margins[game.seat] for game in deal) / match.seats for deal in whole_deals(games, match.seats)]
    return Report(
        games=len(every),
        deals=len(shares),
        score=score,
        elo=elo_interval(score, match.seats),
        margin=mean_interval(margins),
        a=side(match.bots[0], [(game, game.seat) for game in games]),
        b=side(match.bots[1], [(game, seat) for game in games for seat in range(match.seats) if seat != game.seat]),
        llr=test.llr if test else None,
        verdict=test.verdict if test else None,
        adjusted=adjusted_interval(less_luck) if less_luck else None,
        noise=variance_ratio(less_luck, shares) if less_luck else None,
    )


def variance_ratio(some: Sequence[float], others: Sequence[float]) -> float | None:
    """Return the ratio of the variances of two samples; None if the second is 0 or unknown."""
    if len(others) < 2 or not (spread := variance(others)):
        return None
    return variance(some) / spread


def whole_deals(games: Iterable[GameResult], seats: int) -> list[list[GameResult]]:
    """Return the games of each deal whose seatings are all finished."""
    deals: defaultdict[int, list[GameResult]] = defaultdict(list)
    for game in games:
        deals[game.deal].append(game)
    return [deal for deal in deals.values() if len(deal) == seats]


def scores(games: Iterable[GameResult], seats: int) -> list[float]:
    """Return A's mean win share in each complete deal."""
    return [sum(game.returns[game.seat] for game in deal) / seats for deal in whole_deals(games, seats)]


def adjusted_scores(games: Iterable[GameResult], seats: int) -> list[float]:
    """Return A's mean win share with the luck taken out, in each complete deal. Raises BadMatch if it is not known."""
    return [sum(map(without_luck, deal)) / seats for deal in whole_deals(games, seats)]


def without_luck(game: GameResult) -> float:
    """Return A's win share in a game with the luck taken out. Raises BadMatch if it was not measured."""
    if game.luck is None:
        raise BadMatch(f"results: the game of deal {game.deal} and seat {game.seat} has no luck")
    return game.returns[game.seat] - game.luck[game.seat]


def side(bot: str, seatings: Sequence[tuple[GameResult, int]]) -> Side:
    """Return the performance of the bot in the given (game, seat) pairs."""
    moves = max(sum(game.moves[seat] for game, seat in seatings), 1)
    values = [game.values[seat] for game, seat in seatings if game.values is not None]
    return Side(
        bot=bot,
        score=sum(game.returns[seat] for game, seat in seatings) / len(seatings),
        value=sum(values) / len(values) if values else None,
        ms_per_move=1000 * sum(game.seconds[seat] for game, seat in seatings) / moves,
        iterations_per_move=sum(game.iterations[seat] for game, seat in seatings) / moves,
    )
