"""The return values of clients: plain values, with the original message."""

from collections.abc import Callable
from dataclasses import InitVar, dataclass

from clerestory.figures import Outlook
from clerestory.v1 import advisor_pb2 as api

ONLOOKER = -1  # as an observer: sees only what is public


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a game.

    Attributes:
        text: its name in positions, records and requests.
        label: the same for people, in the language of the client.
    """

    text: str
    label: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Line:
    """One legal action, and what the search knows of it.

    Attributes:
        action: the action.
        visits: iterations that tried it.
        availability: iterations in which it was legal.
        win_shares: mean share of the win by seat, 0 to 1, true between players as strong as the search; all 0 if it was
            never tried.
        standard_errors: of each win share.
        margin: mean final score of the seat to decide minus the best other score, in points.
        score: what the search ranks by, of the seat to decide, 0 to 1.
        lower_bound: of the score.
        loss: margin of the best line minus that of this one, in points.
        principal_variation: texts of the most visited actions, this one first, up to the first hidden card.
        outlook: expected features, for explanations; empty if the game names none.
        probability: of the outcome by what everyone can see; None except at a chance event.
        variation: the actions of `principal_variation`, with their labels.
        margin_error: standard error of the margin, in points; None if it is not known.
        doubtful: tried so seldom, in comparison with the first line, that its figures may be far off.
        plan: how often each craftsman is used, or cubes are discarded, in words; empty if it is no plan.
    """

    action: Action
    visits: int
    availability: int
    win_shares: tuple[float, ...]
    standard_errors: tuple[float, ...]
    margin: float
    score: float
    lower_bound: float
    loss: float
    principal_variation: tuple[str, ...]
    outlook: tuple[Outlook, ...]
    probability: float | None
    variation: tuple[Action, ...] = ()
    margin_error: float | None = None
    doubtful: bool = False
    plan: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """A problem that did not prevent an answer.

    Attributes:
        reason: `time_cut`, `memory_cut`, `threads_cut`, `memory_full`, `few_iterations`, `finishing`;
            `unspecified` for one that only newer servers know.
        description: the same with its figures, in a sentence in the language of the client.
    """

    reason: str
    description: str

    def __str__(self) -> str:
        return self.description


@dataclass(frozen=True, slots=True)
class Rate:
    """What one more of a good is worth to the seat to decide.

    Attributes:
        good: ID of the good: `gold`.
        name: the same for people, in the language of the client.
        amount: the change that was searched; negative where the seat can only have less of the good; 0 if it can have
            neither more nor less now, and then there are no figures.
        win_share: gain in win share; None without figures, as below.
        win_share_error: its error by the searches, without errors of the value that they share.
        points: gain in the margin at the end, in points.
        points_error: its error.
    """

    good: str
    name: str
    amount: int
    win_share: float | None = None
    win_share_error: float | None = None
    points: float | None = None
    points_error: float | None = None


@dataclass(frozen=True)
class Recommendation:
    """The answer to a request.

    Where `reproducible`, the same position and seat with `seed`, `iterations` and `early_stop=False`, without a time,
    give the same lines.

    Attributes:
        seat: the seat to play `best`, whose knowledge was used unless the request named an observer; None for an
            onlooker at a chance event.
        best: the action to play; None at a chance event.
        lines: the actions that were searched, best first; at a chance event its outcomes, likeliest first.
        iterations: determinizations searched.
        nodes: information sets in memory.
        tree_bytes: memory of the search tree.
        depth: decisions from the position to the deepest information set.
        elapsed: seconds spent searching, waiting not included.
        waited: seconds between the arrival of the request and the first iteration.
        threads: that searched the tree.
        certainty: estimated share of searches ten times longer that would name the same best line, 0 to 1.
        stop_reason: why the search ended: `time`, `iterations`, `stopped` (the server was shutting down), `decided`
            (the rest of the budget could not change the best line), or `certain` (as sure as was asked for).
        memory_full: the tree reached its limit; since then its least visited nodes made room for new ones.
        given_up: most visits to a node that was given up for that; 0 if none was.
        seed: of the search.
        rules_revision: of the rules that were searched.
        catalogue: hash of the card catalogue that was searched, "" for a game without one.
        reason: what the first line gains over the second, in sentences; "" if there is nothing to compare. This and the
            next two are in the language of the client.
        lead: who leads by how much after the first line, in a sentence; "" at a chance event.
        favour: which seat the game favours, in a sentence; "" if none.
        warnings: what the caller should know about the answer.
        level: that the move was chosen at, None for full strength.
        engine_version: of the program that searched.
        reproducible: asking again gives the same lines.
        rates: exchange rates; empty unless the request asked for them, and in a search with too few iterations.
    """

    seat: int | None
    best: Action | None
    lines: tuple[Line, ...]
    iterations: int
    nodes: int
    tree_bytes: int
    depth: int
    elapsed: float
    waited: float
    threads: int
    certainty: float
    stop_reason: str
    memory_full: bool
    given_up: int
    seed: int
    rules_revision: int
    catalogue: str
    reason: str
    lead: str
    favour: str
    warnings: tuple[AnswerWarning, ...]
    level: int | None
    engine_version: str
    reproducible: bool
    rates: tuple[Rate, ...]
    raw: InitVar[api.RecommendMoveResponse | Callable[[], api.RecommendMoveResponse]]

    def __post_init__(self, raw: api.RecommendMoveResponse | Callable[[], api.RecommendMoveResponse]) -> None:
        object.__setattr__(self, "_message", raw)

    @property
    def message(self) -> api.RecommendMoveResponse:
        """The original message; for an answer of this process, one written at the first access."""
        raw = self.__dict__["_message"]
        if callable(raw):
            raw = self.__dict__["_message"] = raw()
        message: api.RecommendMoveResponse = raw
        return message

    @property
    def observer(self) -> int:
        """Whose knowledge was used: a seat's, or an onlooker's (ONLOOKER, -1)."""
        if not self.message.HasField("observer"):
            return ONLOOKER if self.seat is None else self.seat
        observer = self.message.observer
        return observer.seat if observer.HasField("seat") else ONLOOKER


@dataclass(frozen=True, slots=True)
class Update:
    """One table of an analysis.

    Attributes:
        recommendation: the answer so far; a whole one.
        sequence: number of the table in its stream, from 1; numbers of tables that a slow reader missed are skipped.
        final: this is the last table.
    """

    recommendation: Recommendation
    sequence: int
    final: bool

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the answer so far, best first."""
        return self.recommendation.lines

    @property
    def best(self) -> Action | None:
        """The action to play, as far as is known; None at a chance event."""
        return self.recommendation.best
