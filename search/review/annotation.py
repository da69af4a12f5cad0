"""The review of a whole game, and its JSON form."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

from clerestory.engine.core import NATURE, State
from clerestory.engine.scoring import outcome, parts_of_plans
from clerestory.engine.shared.colours import DRAWN
from clerestory.figures import Rollouts
from clerestory.i18n.languages import ENGLISH
from clerestory.i18n.sentences import Text
from clerestory.search.favour import favoured
from clerestory.search.review.classes import CLASSES, FLOORS, SeatFigures, class_of, figures, noise_floors, steps
from clerestory.search.review.floors import general_floor
from clerestory.search.review.ledger import UNIT, Account, PlyValuation, Shares, accounts, in_units, levelled
from clerestory.search.review.plan import ReviewPlan
from clerestory.search.review.plans import as_one, plans
from clerestory.search.review.ranks import level_like
from clerestory.search.review.summary import in_shares

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A reviewed game.

    Attributes:
        game: name of the game.
        title: name of the game for display.
        names: names of the seats.
        plies: number of plies of the record: decisions and chance events, including forced ones.
        ended: how the game ended, as text; "" for a game that is not over.
        plan: the plan of the review.
        settings: options of the search.
        valuations: valuations of the plies with more than one legal action or outcome, in order.
        final: the result in millionths; for a game that is not over by its rules, the shares of its last position.
        floors: the noise floor at each valuation, in millionths.
        decisions: valuations by ply; a plan is represented by its most expensive one.
        spans: first and last ply of each decision, by its ply.
        accounts: the ledger, by seat.
        figures: figures of the decisions, by seat.
        rollouts: results of rollouts of decisions, by ply; {} if none were made.
        unrolled: number of errors without rollouts for lack of time.
        early: whether the players ended the game before its rules did.
        favour: text on the seat that the game favours; None for none.
        language: language of its names, labels and reasons.
    """

    game: str
    title: str
    names: tuple[str, ...]
    plies: int
    ended: str
    plan: ReviewPlan
    settings: dict[str, Any]
    valuations: tuple[PlyValuation, ...]
    final: Shares
    floors: tuple[int, ...]
    decisions: Mapping[int, PlyValuation]
    spans: Mapping[int, tuple[int, int]]
    accounts: tuple[Account, ...]
    figures: tuple[SeatFigures, ...]
    rollouts: Mapping[int, Rollouts] = field(default_factory=dict)
    unrolled: int = 0
    early: bool = False
    favour: Text | None = None
    language: str = ENGLISH

    @property
    def colours(self) -> tuple[str, ...]:
        """The display colour of each seat."""
        return tuple(DRAWN.values())[: len(self.names)]

    @property
    def over(self) -> bool:
        """Whether the game is over by its rules, so that `final` is its result."""
        return bool(self.ended) and not self.early

    @property
    def floor(self) -> int:
        """The noise floor of the game as one figure: the mean over its decisions, 0 without any."""
        known = [floor for one, floor in zip(self.valuations, self.floors, strict=True) if one.seat != NATURE]
        return round(fmean(known)) if known else 0

    def floor_at(self, ply: int) -> int:
        """Return the noise floor around a valued ply."""
        place = bisect_left(self.valuations, ply, key=lambda one: one.ply)
        return self.floors[place]

    def class_of(self, valuation: PlyValuation) -> str:
        """Return the class of a decision: `blunder`, `mistake`, `doubtful`, or "" for none.

        A plan has one class, that of its most expensive ply.
        """
        decision = self.decisions.get(valuation.ply)
        return class_of(decision, self.floor_at(valuation.ply)) if decision is not None else ""

    def errors(self, seat: int | None = None) -> list[PlyValuation]:
        """Return the classified errors of a seat or of all seats, most expensive first."""
        found = [one for one in self.decisions.values() if self.class_of(one) and seat in (None, one.seat)]
        return sorted(found, key=lambda one: (-one.loss, one.ply))

    def luckiest(self, most: int = 10) -> list[PlyValuation]:
        """Return the chance events that changed the shares most, largest first."""
        events = [one for one in self.valuations if one.seat == NATURE]
        return sorted(events, key=lambda one: (-max(map(abs, one.change)), one.ply))[:most]

    def remainder(self) -> dict[str, float | None]:
        """Return the mean size of revaluation, the largest of any seat, in millionths; compare it with that of luck."""
        luck = [max(map(abs, one.change)) for one in self.valuations if one.seat == NATURE]
        sizes = steps(levelled(self.valuations, self.final))
        return {
            "mean_revaluation_a_ply": fmean(sizes) if sizes else None,
            "mean_luck_an_event": fmean(luck) if luck else None,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the review for JSON: shares as numbers with six decimals that add up exactly."""
        return {
            "annotation": FORMAT,
            "game": self.game,
            "seats": list(self.names),
            "plies": self.plies,
            "ended": self.ended,
            "early": self.early,
            "made_by": {
                "iterations": self.plan.iterations,
                "seed": self.plan.seed,
                "viewer": self.plan.viewer,
                "options": self.settings,
            },
            "noise_floor": share(self.floor),
            "thresholds": {name: share(least) for name, _, least in CLASSES},
            "class_above_floors": FLOORS,
            "remainder": {
                name: None if size is None else round(size / UNIT, 6) for name, size in self.remainder().items()
            },
            "accounts": [self._account(seat) for seat in range(len(self.names))],
            "moves": [self._move(one) for one in self.valuations],
        }

    def _account(self, seat: int) -> dict[str, Any]:
        """Return the ledger of a seat and the figures of its decisions."""
        account, figures = self.accounts[seat], self.figures[seat]
        return {
            "seat": self.names[seat],
            "start": share(account.start),
            "luck": {source: share(luck) for source, luck in account.luck.items()},
            "errors": share(account.errors),
            "gifts": share(account.gifts),
            "revaluation": share(account.revaluation),
            "final": share(account.final),
            "luck_adjusted": share(account.adjusted),
            "decisions": {"counted": figures.counted, "idle": figures.idle, **figures.classes},
            "mean_loss": None if figures.mean_loss is None else round(figures.mean_loss / UNIT, 6),
            "accuracy": None if figures.accuracy is None else round(figures.accuracy, 2),
            "points_lost": figures.points,
            "played_like_level": figures.level,
            "decision_groups": in_shares(figures.groups),
            "error_patterns": in_shares(figures.patterns),
        }

    def _move(self, one: PlyValuation) -> dict[str, Any]:
        """Return a valued ply."""
        fields = {
            "ply": one.ply,
            "by": "nature" if one.seat == NATURE else self.names[one.seat],
            "action": one.action,
            "before": [share(part) for part in one.before],
            "after": [share(part) for part in one.after],
            "iterations": one.iterations,
        }
        if one.seat == NATURE:
            return {**fields, "source": one.source}
        errors = {
            "loss": share(one.loss),
            "noise_floor": share(self.floor_at(one.ply)),
            "points": one.points,
            "class": self.class_of(one),
        }
        rolled = {"rollouts": asdict(self.rollouts[one.ply])} if one.ply in self.rollouts else {}
        return {**fields, "best": one.best, **errors, **rolled, "line": list(one.line)}


def assemble(end: State, plan: ReviewPlan, valuations: Sequence[PlyValuation], final: Shares | None) -> Annotation:
    """Return the annotation of a game.

    Args:
        end: last position of the game, with the history.
        plan: the plan that the valuations followed.
        valuations: valuations in order.
        final: shares of the last position of a game that is not over; else None.
    """
    result = in_units(end.win_shares()) if final is None else final
    levels = levelled(valuations, result)
    general = [general_floor(end.game.name, end.seats, one.round) for one in valuations]
    floors = noise_floors(valuations, result, general)
    grouped = plans(valuations, parts_of_plans(end.game))
    decisions = {one.ply: one for one in map(as_one, grouped)}
    spans = {ply: (plan[0].ply, plan[-1].ply) for ply, plan in zip(decisions, grouped, strict=True)}
    floor_of = dict(zip((one.ply for one in valuations), floors, strict=True))
    judged, at = list(decisions.values()), [floor_of[ply] for ply in decisions]
    return Annotation(
        game=end.game.name,
        title=end.game.name,
        names=tuple(end.game.seat_name(seat) for seat in range(end.seats)),
        plies=end.plies,
        ended=outcome(end) if end.over else "",
        plan=plan,
        settings=plan.settings(end.game, end.seats),
        valuations=tuple(valuations),
        final=result,
        floors=tuple(floors),
        decisions=decisions,
        spans=spans,
        accounts=accounts(levels, result),
        figures=tuple(ranked(figures(end.game.name, judged, seat, at), end, plan) for seat in range(end.seats)),
        favour=favoured(end.game, end.seats),
    )


def ranked(figures: SeatFigures, end: State, plan: ReviewPlan) -> SeatFigures:
    """Return figures with the level of play that has the nearest mean loss."""
    level = level_like(end.game, end.seats, figures.mean_loss, figures.counted, plan.iterations)
    return replace(figures, level=level)


def share(units: int) -> float:
    """Return millionths as a number of six decimals."""
    return units / UNIT
